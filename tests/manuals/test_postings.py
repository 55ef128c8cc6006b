"""One state of an index as threads read it: what was loaded is at hand, and not without bound."""

from __future__ import annotations

import random
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from typing import TYPE_CHECKING

import pytest

from tebiki.manuals.documents.sections import Section
from tebiki.manuals.find import search_manual
from tebiki.manuals.index.values import SectionQuery
from tebiki.manuals.ranking.candidates import Deadline
from tests.manuals import usual
from tests.manuals.readings import plain, written

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tebiki.manuals.index.postings import Reading
    from tebiki.manuals.index.values import Key

SECTIONS = 4200
"""More than may be at hand together, by the length of their texts."""

WORD = {"word": 1.0}
LIKE_TERM = ("key-value", "key-values", "key-values", "other")
WORDS = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta")


@pytest.fixture(name="reading", scope="module")
def _reading() -> Reading:
    text = "xyz " * 500
    return written(
        [Section("a.md", n, n, 0, "", (), f"word number{n} {text}") for n in range(SECTIONS)]
    )()


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
    threads = [
        threading.Thread(target=reading.best, args=(SectionQuery(WORD, SECTIONS),))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    some = reading.best(SectionQuery(WORD, 50))
    again = reading.best(SectionQuery(WORD, 50))

    assert all(one is other for one, other in zip(some, again, strict=True))


def test_the_oldest_sections_are_forgotten(reading: Reading) -> None:
    """All of them would be more than there is room for."""
    first = reading.best(SectionQuery(WORD, 1))[0]
    reading.best(SectionQuery(WORD, SECTIONS))

    assert reading.best(SectionQuery(WORD, 1))[0] is not first


def ranked(reading: Reading, question: str) -> list[tuple[float, Key]]:
    """What a question finds that requires a term with a sign."""
    search = search_manual(
        question,
        ("key-value",),
        reading,
        usual.FIND,
        max_candidates=50,
        deadline=Deadline(lambda: False),
    )
    return [row.order for row in search.ranked]


@pytest.mark.usefixtures("hasty_threads")
@pytest.mark.requirement("manuals:determinism:same-answer")
def test_what_threads_ask_at_once_is_found_as_if_asked_alone() -> None:
    """Whatever came first for another's question."""
    chance = random.Random(4)  # noqa: S311
    texts = [
        " ".join([*chance.choices(WORDS, k=chance.randint(3, 30)), chance.choice(LIKE_TERM)])
        for _ in range(300)
    ]
    begin = written([plain(f"{number}.md", text) for number, text in enumerate(texts)])
    questions = [" ".join(words) for words in combinations(WORDS, 3)]
    shared = begin()

    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda question: ranked(shared, question), questions * 4))

    assert found == [ranked(begin(), question) for question in questions] * 4
