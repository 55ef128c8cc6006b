"""Reading that somebody waits for: bounded in bytes, ended in the middle once nobody waits."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest

from tebiki.errors import Conflict, InvalidArguments
from tebiki.files.paths import Root
from tebiki.files.patience import LONGEST_READ_SECONDS, MOST_BYTES_READ, Patience, patience_of
from tebiki.files.reading import Texts
from tebiki.files.text import BLOCK_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

BLOCKS = 40


def times(count: int) -> Callable[[], bool]:
    """Says no so many times, and then yes."""
    asked = itertools.count()
    return lambda: next(asked) >= count


@pytest.fixture(name="root")
def _root(tmp_path: Path) -> Root:
    """A file of many blocks."""
    (tmp_path / "a.md").write_bytes(b"x" * (BLOCK_BYTES * BLOCKS))
    return Root(tmp_path)


@pytest.mark.parametrize("which", ["is_cancelled", "is_late"])
def test_whoever_waits_is_asked_between_blocks(root: Root, which: str) -> None:
    """After each, and not only before the first."""
    patience = Patience(**{which: times(BLOCKS // 2)})

    with pytest.raises(Conflict), Texts(root, lambda: 0.0).open(root.parse("a.md"), patience):
        pass


def test_a_reading_has_a_minute(root: Root) -> None:
    """From when the call begins, by a clock that only grows."""
    now = [1000.0]
    patience = patience_of(lambda: False, lambda: now[0])

    with Texts(root, lambda: 0.0).open(root.parse("a.md"), patience) as text:
        now[0] += LONGEST_READ_SECONDS
        with pytest.raises(Conflict, match="60 s"):
            text.slice(0, 10)


@pytest.mark.parametrize("size", [MOST_BYTES_READ + 1, 1 << 40])
def test_a_file_that_is_too_large_is_refused_unread(tmp_path: Path, size: int) -> None:
    """The words have its size, the bound, and what to do."""
    with (tmp_path / "big.md").open("wb") as file:
        file.truncate(size)
    root = Root(tmp_path)
    patience = Patience(is_cancelled=lambda: pytest.fail("a block was read"))

    with (
        pytest.raises(InvalidArguments, match=rf"big\.md has {size} .*{MOST_BYTES_READ} .*split"),
        Texts(root, lambda: 0.0).open(root.parse("big.md"), patience),
    ):
        pass


def test_a_file_that_grows_meanwhile_is_bounded_too(tmp_path: Path) -> None:
    """Its size when it was opened says nothing of where it ends."""
    path = tmp_path / "log.md"
    path.write_bytes(b"x" * BLOCK_BYTES)
    root = Root(tmp_path)

    def grow() -> bool:
        with path.open("ab") as file:
            file.truncate(MOST_BYTES_READ + 1)
        return False

    with (
        pytest.raises(InvalidArguments, match="split"),
        Texts(root, lambda: 0.0).open(root.parse("log.md"), Patience(is_cancelled=grow)),
    ):
        pass
