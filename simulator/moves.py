"""What a connection can be told to do for one request; each answer is a list of these."""

from collections.abc import AsyncIterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Send:
    """Write these bytes."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Pause:
    """Let this much time pass."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Hang:
    """Do nothing until the client goes away or the simulator stops."""


@dataclass(frozen=True, slots=True)
class Close:
    """Close the connection once what was sent before is out."""


@dataclass(frozen=True, slots=True)
class Repeat:
    """Write these bytes so many times, as fast as the client takes them."""

    data: bytes
    times: int


@dataclass(frozen=True, slots=True)
class Follow:
    """Write pieces as they come."""

    pieces: AsyncIterator[bytes]


Move = Send | Pause | Hang | Close | Repeat | Follow
