"""How long work takes."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def ms_of(work: Callable[[], object]) -> float:
    """Do it once, by the clock on the wall."""
    begun = time.perf_counter()
    work()
    return (time.perf_counter() - begun) * 1000
