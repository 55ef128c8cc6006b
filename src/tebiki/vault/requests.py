"""Which request a write is made for, where that has an id: the journal notes it with the write.

Set by whoever runs a call that another machine may send again (`forwarded`), in the same thread.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_REQUEST: ContextVar[str | None] = ContextVar("request", default=None)


@contextmanager
def note_request(request: str) -> Iterator[None]:
    """Let what is written meanwhile be known by a request's id."""
    before = _REQUEST.set(request)
    try:
        yield
    finally:
        _REQUEST.reset(before)


def request_in_charge() -> str | None:
    """For which request something is written now."""
    return _REQUEST.get()
