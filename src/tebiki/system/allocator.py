"""The C library's allocator, as glibc lets a program set it; elsewhere nothing happens.

By ctypes, which takes milliseconds to import: imported only where that is at hand already.
"""

from __future__ import annotations

import ctypes

_ARENA_MAX = -8
MOST_ARENAS = 2
"""One for the interpreter, one for whoever works beside it."""


def share_arenas() -> None:
    """Let threads that come and go share what memory they leave behind.

    Each gets an arena of its own otherwise, up to eight for a processor, and what is freed there is
    seldom given back: an engine whose writer starts threads for each edit would hold twice as much
    after some dozen of them.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_ARENA_MAX, MOST_ARENAS)
