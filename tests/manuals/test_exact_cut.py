"""Which sections are above a cut, where the engine's scores are not those of a fresh index."""

from __future__ import annotations

import random
from itertools import permutations, product
from typing import TYPE_CHECKING

import pytest

from tebiki.manuals.index.values import Clause, SectionQuery
from tests.manuals.readings import plain, written

if TYPE_CHECKING:
    from tebiki.manuals.documents.sections import Section
    from tebiki.manuals.index.postings import Reading
    from tebiki.manuals.index.values import Key, Stored

LONG_GONE = "other " * 300_000
"""Sections were far longer on average while this was there."""

FIRST = 80
GATED = 30
LOOKED_AT = FIRST + 400
"""What a first pass leaves for the next ones, at most."""

EQUALS = 1200
"""More than are looked at before very many are."""


def keys(found: list[Stored]) -> set[Key]:
    """Where sections are."""
    return {one.key for one in found}


def first(reading: Reading, weights: dict[str, float]) -> set[Key]:
    """Where the first sections for some words are."""
    return keys(reading.best(SectionQuery(weights, GATED)))


def times_each(words: str, times: tuple[int, ...]) -> str:
    """A text that has each word so many times."""
    return " ".join(f"{word} " * number for word, number in zip(words.split(), times, strict=True))


def padded(texts: list[str], length: int) -> list[Section]:
    """Sections that are equally long."""
    return [
        plain(f"{number:04}.md", text + " filler" * (length - len(text.split())))
        for number, text in enumerate(texts)
    ]


@pytest.mark.requirement("manuals:determinism:same-answer")
def test_any_order_of_the_same_worths_is_as_good() -> None:
    """Sections that have equally rare words as often, each another one, are equal at a cut."""
    words = "alpha beta gamma delta epsilon"
    texts = [times_each(words, times) for times in permutations((1, 2, 4, 5, 7))]
    sections = padded(texts, 20)
    shuffled = random.Random(4).sample(sections, len(sections))  # noqa: S311
    fresh, edited = written(sections)(), written(shuffled, gone="other " * 500)()

    for weight in (0.37, 1.0, 1.7):
        weights = dict.fromkeys(words.split(), weight)
        assert first(edited, weights) == first(fresh, dict(weights))


@pytest.mark.requirement("manuals:determinism:same-answer")
def test_no_score_of_the_engine_is_taken_for_a_true_one() -> None:
    """More sections may be above a cut than are reckoned, and each of them scores differently."""
    words = "alpha beta gamma delta"
    texts = [times_each(words, times) for times in product(range(3, 8), repeat=4)]
    sections = padded(texts, 40)
    fresh, edited = written(sections)(), written(sections, gone=LONG_GONE)()
    weights = {"alpha": 1.0, "beta": 1.3, "gamma": 1.7, "delta": 2.3}

    assert first(edited, weights) == first(fresh, dict(weights))


@pytest.mark.parametrize(("better", "most"), [(0, 0), (GATED + 10, LOOKED_AT)])
def test_of_very_many_equals_a_next_pass_looks_at_few(better: int, most: int) -> None:
    """Whether one has a required term is read in its text, which has to be loaded for that."""
    texts = ["word word term" if number < better else "word term" for number in range(EQUALS)]
    begin = written(padded(texts, 5))
    knowing, anew = begin(), begin()
    weights = {"word": 1.0}
    must = (Clause(((("term",),),)),)
    looked_at: list[Stored] = []

    def holds(one: Stored) -> bool:
        looked_at.append(one)
        return True

    knowing.best(SectionQuery(weights, FIRST))
    found = knowing.best(SectionQuery(weights, GATED, must, holds=holds))

    assert len(looked_at) <= most
    assert keys(found) == keys(anew.best(SectionQuery(weights, GATED, must)))
