"""What an index already knows of a question never changes what it finds."""

from __future__ import annotations

import random
from functools import partial
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tebiki.manuals.documents.sections import Section
from tebiki.manuals.index import engine
from tebiki.manuals.index.postings import Reading
from tebiki.manuals.ranking.terms import RequiredTerm, required_term

if TYPE_CHECKING:
    from tebiki.manuals.index.values import Clause, Stored

WORDS = ("申請", "承認", "期限", "ログイン", "alpha", "beta", "gamma", "通知書", "設定", "料金表")
SECTIONS = 400


@pytest.fixture(name="readings", scope="module")
def _readings() -> tuple[Reading, Reading]:
    """The same state twice; some words are in most sections, some in few."""
    chance = random.Random(7)  # noqa: S311
    sections = [
        Section(
            path=f"{number % 40}.md",
            start_line=number,
            end_line=number,
            level=1,
            title=chance.choice(WORDS),
            trail=(),
            text="# t\n"
            + " ".join(chance.choices(WORDS, range(10, 0, -1), k=chance.randint(1, 9))),
        )
        for number in range(SECTIONS)
    ]
    index = engine.open_engine(None)
    writing = engine.Writing(index)
    lengths = writing.add(sections)
    writing.commit("state")
    index.reload()
    first, second = (Reading(index, SECTIONS, lengths, has_removed=False) for _ in range(2))
    return first, second


def has_all(terms: list[RequiredTerm], stored: Stored) -> bool:
    """Tell whether a section has some terms."""
    return all(term.occurs_in(stored) for term in terms)


asked = st.dictionaries(
    st.sampled_from(["申請", "承認", "期限", "ログ", "グイ", "alpha", "beta", "gamma", "設定"]),
    st.floats(0.5, 3),
    min_size=1,
)


@given(asked, st.lists(st.sampled_from(WORDS), min_size=1, max_size=2, unique=True), st.data())
def test_what_came_first_is_not_searched_for_again(
    readings: tuple[Reading, Reading],
    weights: dict[str, float],
    words: list[str],
    data: st.DataObject,
) -> None:
    """With fewer clauses, in any order of asking; nor are others found."""
    knowing, plain = readings
    terms = [required_term(word, plain) for word in words]
    clauses = [term.spelled.clause for term in terms]
    passes: list[tuple[list[RequiredTerm], tuple[Clause, ...]]] = [(terms, tuple(clauses))]
    passes += [([one], (clause,)) for one, clause in zip(terms, clauses, strict=True)]
    knowing.best(weights, data.draw(st.integers(1, 200)))
    for required, must in data.draw(st.permutations(passes)):
        limit = data.draw(st.integers(1, 60))
        found = knowing.best(weights, limit, must, holds=partial(has_all, required))
        expected = plain.best(dict(weights), limit, must)

        assert {one.key for one in found} == {one.key for one in expected}
        every = plain.best({}, SECTIONS, must)
        assert knowing.count(*must) == sum(has_all(required, one) for one in every)
