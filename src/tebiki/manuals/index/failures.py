"""What goes wrong with an index, whichever engine keeps it."""

from __future__ import annotations

FAILURES = (ValueError, OSError)
"""What an engine raises when its index is broken or cannot be written."""


class Damaged(ValueError):
    """The engine cannot use its index as it is; built or opened anew it may be."""
