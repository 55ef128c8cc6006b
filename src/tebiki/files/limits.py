"""What may be read at once, for whoever reads and whoever tells so.

Constants only: tools are listed with them before any file is opened.
"""

from __future__ import annotations

MOST_CHARS = 12_000
"""Of one page."""
