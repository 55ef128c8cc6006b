"""What was made of a text, remembered while there is room: a manual repeats its words."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Made = TypeVar("Made")

ANY_LENGTH = 1 << 62


class Memo(dict[str, Made]):
    """A dictionary that makes what it does not have, and begins anew when it is full.

    Bounded by the number of texts and by the length of each. Threads may make the same twice,
    which is as good as once.
    """

    def __init__(
        self, make: Callable[[str], Made], *, most: int, longest: int = ANY_LENGTH
    ) -> None:
        super().__init__()
        self._make = make
        self._most = most
        self._longest = longest

    def __missing__(self, text: str) -> Made:
        found = self._make(text)
        if len(text) <= self._longest:
            if len(self) >= self._most:
                self.clear()
            self[text] = found
        return found

    def keep(self, made: Mapping[str, Made]) -> None:
        """Remember what was made elsewhere, of texts that are short enough."""
        if len(self) + len(made) > self._most:
            self.clear()
        self.update(made)
