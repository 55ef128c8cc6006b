"""The MCP App that shows what `manual_find` gave: where it is, and how a host reads it.

The page itself is made by `docs/find_app.py` from the modules of the page for browsers.
"""

from __future__ import annotations

import os
from typing import Any

import tebiki
from tebiki.protocol.eras import APP_MIME_TYPE

URI = "ui://tebiki/find.html"
PLACE = ("web", "page", "find.html")
"""Below the package: a file beside the page's own, of which nothing is imported here."""


def find_app() -> dict[str, Any]:
    """The app as `resources/read` gives it."""
    path = os.path.join(os.path.dirname(str(tebiki.__file__)), *PLACE)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    meta = {"ui": {"prefersBorder": True}}
    return {"uri": URI, "mimeType": APP_MIME_TYPE, "text": text, "_meta": meta}
