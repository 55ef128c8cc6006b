"""Threads in which file tools do their work, so that the loop is never kept waiting."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concurrent.futures import Executor

MOST_WORKERS = 32
"""Threads of one kind; a waiting writer costs one, and hosts do not have more calls running."""


@cache
def workers(kind: str) -> Executor:
    """The threads of one kind of work; only asked for in the loop's own thread."""
    from concurrent.futures import ThreadPoolExecutor  # not before the first call

    return ThreadPoolExecutor(MOST_WORKERS, thread_name_prefix=kind)
