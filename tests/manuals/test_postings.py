"""One state of an index as threads read it: what was loaded is at hand, and not without bound."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING

import pytest

from tebiki.manuals.documents.sections import Section
from tebiki.manuals.index import engine
from tebiki.manuals.index.postings import Reading

if TYPE_CHECKING:
    from collections.abc import Iterator

SECTIONS = 4200
"""More than may be at hand together, by the length of their texts."""

WORD = {"word": 1.0}


@pytest.fixture(name="reading", scope="module")
def _reading() -> Reading:
    index = engine.open_engine(None)
    writing = engine.Writing(index)
    text = "xyz " * 500
    lengths = writing.add(
        [Section("a.md", n, n, 0, "", (), f"word number{n} {text}") for n in range(SECTIONS)]
    )
    writing.commit("state")
    index.reload()
    return Reading(index, SECTIONS, lengths, has_removed=False)


@pytest.fixture
def hasty_threads() -> Iterator[None]:
    """Threads that take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("hasty_threads")
def test_sections_stay_at_hand_whoever_loaded_them(reading: Reading) -> None:
    """Threads that load the same ones at once do not fill the room with counting them twice."""
    threads = [threading.Thread(target=reading.best, args=(WORD, SECTIONS)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    some = reading.best(WORD, 50)
    again = reading.best(WORD, 50)

    assert all(one is other for one, other in zip(some, again, strict=True))


def test_the_oldest_sections_are_forgotten(reading: Reading) -> None:
    """All of them would be more than there is room for."""
    first = reading.best(WORD, 1)[0]
    reading.best(WORD, SECTIONS)

    assert reading.best(WORD, 1)[0] is not first
