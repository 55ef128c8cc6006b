"""What a find did not search, as the next one takes it up. Not here: why it was left."""

from __future__ import annotations

from tebiki.named_tuples import NamedTuple


class Leftover(NamedTuple):
    """Files and folders that were left out; when time ended the walk, all but what was searched."""

    paths: frozenset[str] = frozenset()
    searched: frozenset[str] | None = None

    def has(self, path: str) -> bool:
        """Tell whether a file was left, by itself or with a folder above it."""
        if self.searched is not None:
            return path not in self.searched
        return path in self.paths or any(above in self.paths for above in _above(path))

    def packed(self) -> list[list[str] | None]:
        """The same, as JSON can hold it."""
        return [sorted(self.paths), None if self.searched is None else sorted(self.searched)]

    @staticmethod
    def unpacked(packed: list[list[str] | None]) -> Leftover:
        """The same, from what `packed` gave."""
        paths, searched = packed
        return Leftover(frozenset(paths or ()), None if searched is None else frozenset(searched))


NOTHING = Leftover()


def _above(path: str) -> list[str]:
    return [path[:at] for at, sign in enumerate(path) if sign == "/"]
