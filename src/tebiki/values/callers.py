"""Whose call runs now, and what its end means; told by whoever runs a call, asked by engines.

A stdio server and the command line have one caller, who is at the other end until calling off.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator


async def _is_here() -> bool:
    return False


class Caller(NamedTuple):
    """The client of a call.

    `is_called_off` tells of a call that was cancelled whether its client wanted that, or was lost;
    `is_gone` of one that has ended whether nobody is there to hear of it.
    """

    name: str = ""
    is_called_off: Callable[[], bool] = lambda: True
    is_gone: Callable[[], Awaitable[bool]] = _is_here


SESSION_SIGN = "/"
"""Between a principal's name, which has none, and a session of it."""


def principal_in(client: str) -> str:
    """Whose a client is, by the name under which its state is kept: sessions come and go."""
    return client.partition(SESSION_SIGN)[0]


ONLY_CALLER = Caller()
"""Of a process that serves one."""

_CALLER: ContextVar[Caller] = ContextVar("caller", default=ONLY_CALLER)


def current_caller() -> Caller:
    """Whose call this is."""
    return _CALLER.get()


@contextmanager
def calling(caller: Caller) -> Iterator[None]:
    """Run something for a caller."""
    token = _CALLER.set(caller)
    try:
        yield
    finally:
        _CALLER.reset(token)
