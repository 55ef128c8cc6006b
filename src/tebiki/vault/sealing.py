"""How two servers know each other: both know a secret, and everything they say is signed with it.

A message is signed with its time and a number that is used once. One that was changed, is too old,
comes again or was signed by somebody else is refused, and nothing of it is read. An answer is
signed for the number of its question. Pure: the clock, the numbers and what is remembered of them
are arguments.
"""

from __future__ import annotations

import hmac
from hashlib import sha256
from typing import TYPE_CHECKING

from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

HEADER = "Tebiki-Seal"
VERSION = "v1"

SHORTEST_SECRET = 32
"""Characters: what is shorter can be tried out."""

LONGEST_SKEW_SECONDS = 60
"""How far two clocks may be apart, the way included."""

NONCE_SIGNS = 32
HEX = frozenset("0123456789abcdef")


class NotSealed(Exception):
    """A message that is not to be believed; says why, and nothing of what was expected."""


class SealParts(NamedTuple):
    """What a seal says: when it was made, by which number, and the signature."""

    time: str
    nonce: str
    signature: str


class Sealer:
    """Signs messages and answers with one secret, and checks both."""

    def __init__(self, secret: str) -> None:
        self._secret = secret.encode("utf-8", "surrogatepass")

    def seal(self, time: float, nonce: str, body: bytes) -> str:
        """What goes with a message."""
        when = str(int(time))
        return f"{VERSION} {when} {nonce} {self._sign('question', when, nonce, body)}"

    def check(self, seal: str, body: bytes, now: float, is_new: Callable[[str], bool]) -> SealParts:
        """Let a message pass that was signed with the secret, just now, and did not come before.

        Raises:
            NotSealed: it may not.
        """
        parts = _parts(seal)
        expected = self._sign("question", parts.time, parts.nonce, body)
        if not hmac.compare_digest(expected, parts.signature):
            raise NotSealed("the signature is wrong: do both servers have the same secret?")
        if abs(now - int(parts.time)) > LONGEST_SKEW_SECONDS:
            raise NotSealed(
                f"it is from another time than now: the clocks of both servers may be "
                f"{LONGEST_SKEW_SECONDS} s apart"
            )
        if not is_new(parts.nonce):
            raise NotSealed("it came before")
        return parts

    def seal_answer(self, nonce: str, body: bytes) -> str:
        """What goes with the answer to a message."""
        return self._sign("answer", "", nonce, body)

    def check_answer(self, seal: str, nonce: str, body: bytes) -> None:
        """Let an answer pass that is one to this message.

        Raises:
            NotSealed: it may not.
        """
        if not hmac.compare_digest(self._sign("answer", "", nonce, body), seal):
            raise NotSealed("the answer's signature is wrong")

    def _sign(self, kind: str, time: str, nonce: str, body: bytes) -> str:
        head = f"{VERSION}\n{kind}\n{time}\n{nonce}\n".encode()
        return hmac.new(self._secret, head + body, sha256).hexdigest()


def _parts(seal: str) -> SealParts:
    words = seal.split(" ")
    if len(words) != len(SealParts._fields) + 1 or words[0] != VERSION or not seal.isascii():
        raise NotSealed("it has no seal")
    parts = SealParts(*words[1:])
    if not (parts.time.isdigit() and len(parts.time) <= len("9999999999")):
        raise NotSealed("its time is none")
    if len(parts.nonce) != NONCE_SIGNS or not HEX.issuperset(parts.nonce):
        raise NotSealed("its number cannot be one")
    return parts
