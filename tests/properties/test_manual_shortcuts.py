"""What an index already knows of a question never changes what it finds."""

from __future__ import annotations

import random
from functools import partial
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tebiki.manuals.documents.sections import Section
from tebiki.manuals.find import search_manual
from tebiki.manuals.index.values import SectionQuery
from tebiki.manuals.ranking.candidates import Deadline
from tebiki.manuals.ranking.plan import RequiredTerm, look_up_term
from tests.manuals import usual
from tests.manuals.readings import written
from tests.support.examples import examples

if TYPE_CHECKING:
    from tebiki.manuals.index.postings import Reading
    from tebiki.manuals.index.values import Stored

WORDS = ("申請", "承認", "期限", "ログイン", "alpha", "beta", "gamma", "通知書", "設定", "料金表")
SIGNED = ("key-value", "は", "申請/承認")
"""What the index finds of such terms is not just what has them."""

LIKE_SIGNED = (*SIGNED, "key-value", "key-values", "はい", "にはち", "申請 承認", "v1.2")
RARE = "稀少"
EVERYWHERE = "omega"
SECTIONS = 400
RARELY = 20
"""One of so many sections has the rare word; most words are far more common."""

REMOVED = "beta は gamma key-value " * 3000


@pytest.fixture(name="readings", scope="module", params=["fresh", "edited"])
def _readings(request: pytest.FixtureRequest) -> tuple[Reading, Reading]:
    """The same state twice; some words are in most sections, some in few."""
    chance = random.Random(7)  # noqa: S311

    def words(number: int) -> str:
        some = chance.choices(WORDS, range(10, 0, -1), k=chance.randint(1, 9))
        rare = [] if number % RARELY else [RARE]
        return " ".join([*some, chance.choice(LIKE_SIGNED), *rare, EVERYWHERE])

    sections = [
        Section(
            path=f"{number % 40}.md",
            start_line=number,
            end_line=number,
            level=1,
            title=chance.choice(WORDS),
            trail=(),
            text=f"# t\n{words(number)}",
        )
        for number in range(SECTIONS)
    ]
    begin = written(sections, gone=REMOVED if request.param == "edited" else "")
    return begin(), begin()


def has_all(terms: list[RequiredTerm], stored: Stored) -> bool:
    """Tell whether a section has some terms."""
    return all(term.occurs_in(stored) for term in terms)


class Unknowing:
    """An index that finds nothing where it came first already: it is not told what to look for."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self.sections = reading.sections
        self.mean_length = reading.mean_length
        self.frequency = reading.frequency
        self.count = reading.count
        self.sections_in = reading.sections_in
        self.near = reading.near
        self.know = reading.know
        self.foresee = reading.foresee
        self.foresee_places = reading.foresee_places
        self.sections_at = reading.sections_at
        self.file_of = reading.file_of

    def best(self, query: SectionQuery) -> list[Stored]:
        """Search for all of it."""
        return self._reading.best(query._replace(holds=None))


asked = st.dictionaries(
    st.sampled_from(["申請", "承認", "期限", "ログ", "グイ", "alpha", "beta", "gamma", "設定"]),
    st.floats(0.5, 3),
    min_size=1,
)
questions = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3, unique=True).map(" ".join)
one_or_two = st.lists(st.sampled_from([*WORDS, RARE, *SIGNED]), min_size=1, max_size=2, unique=True)


@given(asked, one_or_two, st.data())
def test_what_came_first_is_not_searched_for_again(
    readings: tuple[Reading, Reading],
    weights: dict[str, float],
    words: list[str],
    data: st.DataObject,
) -> None:
    """With fewer clauses, in any order of asking; nor are others found."""
    knowing, plain = readings
    every = plain.best(SectionQuery({EVERYWHERE: 1.0}, SECTIONS))
    terms = [look_up_term(word, plain) for word in words]
    knowing.best(SectionQuery(weights, data.draw(st.integers(1, 200))))
    for required in data.draw(st.permutations([terms, *([one] for one in terms)])):
        limit = data.draw(st.integers(1, 60))
        must = tuple(term.spelled.clause for term in required)
        is_exact = all(term.spelled.is_exact for term in required)
        holds = partial(has_all, required)
        found = knowing.best(SectionQuery(weights, limit, must, holds=holds if is_exact else None))
        expected = plain.best(SectionQuery(dict(weights), limit, must))

        assert {one.key for one in found} == {one.key for one in expected}
        assert len(found) == min(limit, knowing.count(*must))
        assert not is_exact or knowing.count(*must) == sum(map(holds, every))


@pytest.mark.parametrize("common", WORDS)
def test_two_terms_are_counted_wherever_they_stand(
    readings: tuple[Reading, Reading], common: str
) -> None:
    """One of them is far rarer than the other, which may be in a heading only."""
    reading, _ = readings
    terms = [look_up_term(word, reading) for word in (RARE, common)]
    every = reading.best(SectionQuery({EVERYWHERE: 1.0}, SECTIONS))

    counted = reading.count(*(term.spelled.clause for term in terms))

    assert len(every) == SECTIONS
    assert counted == sum(has_all(terms, one) for one in every) > 0


@examples(50)
@given(questions, st.sampled_from(SIGNED), st.sampled_from(["", *WORDS, RARE]))
def test_a_search_for_terms_with_signs_takes_no_shortcut(
    readings: tuple[Reading, Reading], question: str, signed: str, other: str
) -> None:
    """Nor for one of a single sign: it finds what the index finds that is asked for all of it."""
    knowing, plain = readings
    terms = (signed, other) if other else (signed,)

    deadline = Deadline(lambda: False)
    found, expected = (
        search_manual(question, terms, postings, usual.FIND, max_candidates=50, deadline=deadline)
        for postings in (knowing, Unknowing(plain))
    )

    assert [row.order for row in found.ranked] == [row.order for row in expected.ranked]
