"""A find keeps to its time and stops when it is called off; clocks count, nothing sleeps."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import pytest

from tebiki.files.handles import NAMES_BETWEEN_CHECKS
from tebiki.files.paths import Root
from tebiki.manuals.documents.walking import walk_manual
from tebiki.manuals.find import search_and_report, search_manual
from tebiki.manuals.index.values import SectionQuery
from tebiki.manuals.ranking.candidates import Deadline
from tebiki.manuals.ranking.plan import MOST_MISSPELT, plan_of
from tebiki.manuals.ranking.scoring import READ_CHARS, read_part
from tebiki.manuals.request import FindRequest, check
from tests.manuals import usual
from tests.manuals.searchable import LONG_AGO, Searchable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from tebiki.manuals.index.values import Postings
    from tebiki.manuals.report.answer import Found

FILES = 40
REQUEST = check(FindRequest("部品と工具の違い", "m", ("部品", "工具")))


@pytest.fixture(name="manual")
def _manual(tmp_path: Path) -> Searchable:
    manual = Searchable(tmp_path, None)
    for number in range(FILES):
        text = f"# 節{number}\n部品の説明{number}。工具の説明{number}。\n"
        manual.write(f"{number:02}.md", text, modified=LONG_AGO)
    manual.index.refresh(lambda: False)
    return manual


class Stop:
    """Says stop from the n-th time on that it is asked."""

    def __init__(self, after: float) -> None:
        self.asked = 0
        self._after = after

    def __call__(self) -> bool:
        """Count, and tell."""
        self.asked += 1
        return self.asked > self._after


def search(manual: Searchable, stop: Callable[[], bool]) -> Found:
    """Search what is indexed, so that only the search itself asks to stop."""
    fresh = manual.index.refresh(lambda: False)
    return search_and_report(fresh, REQUEST, usual.FIND, Deadline(stop))


@pytest.mark.requirement("manuals:time:asks-often")
def test_a_search_asks_often(manual: Searchable) -> None:
    """At least once for each section it scores, and before each pass."""
    stop = Stop(float("inf"))
    assert search(manual, stop).complete
    assert stop.asked > FILES


@pytest.mark.requirement("manuals:time:deadline", "manuals:time:asks-often")
def test_nothing_is_asked_again_once_it_is_late(manual: Searchable) -> None:
    """The first yes ends all that is left."""
    for after in (0, 1, 3, 10, 50):
        stop = Stop(after)
        found = search(manual, stop)
        assert stop.asked == after + 1
        assert not found.complete


@pytest.mark.requirement("manuals:time:deadline")
def test_the_less_time_the_less_is_scored_and_nothing_is_hidden(manual: Searchable) -> None:
    """What is not scored is counted."""
    candidates = []
    for after in (0, 5, 20, 45):
        found = search(manual, Stop(after))
        shown = {row["ref"]["path"] for row in found.lists["candidates"]}
        left = {row["path"] for row in found.lists["unscanned"]}
        assert found.failure_reason == "time_budget"
        assert found.unscanned == len(left) == FILES - found.summary["scanned_files"]
        assert not shown & left
        candidates.append(len(shown))
    assert candidates == sorted(candidates)
    assert candidates[0] == 1


@pytest.mark.requirement("manuals:time:no-untruth")
def test_a_cut_at_any_moment_tells_no_untruth(manual: Searchable) -> None:
    """Whenever it comes, an answer is whole, or says that it is not."""
    whole = search(manual, lambda: False)
    for after in itertools.count():
        found = search(manual, Stop(after))
        if found.complete:
            assert found == whole
            break
        assert found.failure_reason == "time_budget"
        assert found.status != "required_none_matched"
        assert not any(gap["gap"] == "term_not_found" for gap in found.lists["gaps"])


@pytest.mark.requirement("manuals:time:no-untruth")
def test_a_cut_never_says_that_terms_were_given_up(manual: Searchable) -> None:
    """Only a pass that was made can be empty, and only one that was scored can be the gate."""
    manual.write("rare.md", "# 別\n珍しい語。\n", modified=LONG_AGO)
    fresh = manual.index.refresh(lambda: False)
    request = check(FindRequest("部品の説明", "m", ("珍しい語",)))
    for after in itertools.count():
        found = search_and_report(fresh, request, usual.FIND, Deadline(Stop(after)))
        applied = found.applied
        assert not applied["required_terms_relaxed"]
        assert applied["required_terms_relax_reason"] is None
        has_term = any(run["required_terms"] for run in found.lists["gate_runs"] if run["selected"])
        assert applied["selected_gate"] == ("g_req" if has_term else "g0")
        if found.complete:
            assert applied["gate_selection_reason"] == "g0_and_g_req_fused"
            break
        if not has_term:
            assert applied["gate_selection_reason"] == "required_gate_cut_short"


def test_a_walk_stops_between_files(tmp_path: Path) -> None:
    """In one large folder too, and says that there is more."""
    (tmp_path / "m").mkdir()
    for number in range(NAMES_BETWEEN_CHECKS + 10):
        (tmp_path / "m" / f"{number}.md").touch()
    root = Root(tmp_path)
    whole = walk_manual(root, "m", lambda: False)
    assert whole.is_whole
    for last in (None, whole):
        cut = walk_manual(root, "m", lambda: True, last)
        assert not cut.is_whole
        assert len(cut.files) <= NAMES_BETWEEN_CHECKS


def test_a_walk_that_was_cut_forgets_no_file(tmp_path: Path) -> None:
    """What was not seen again is still searched, and told as not looked at."""
    manual = Searchable(tmp_path, tmp_path / "cache")
    count = NAMES_BETWEEN_CHECKS + 10
    for number in range(count):
        manual.write(f"{number}.md", f"# 節{number}\n部品\n", modified=LONG_AGO)
    assert manual.index.refresh(lambda: False).files == count
    cut = manual.index.refresh(lambda: True)
    assert cut.sections == count
    assert len(cut.unreached) > 0
    assert len(cut.paths) == count
    again = manual.index.refresh(lambda: False)
    assert (again.files, again.unreached) == (count, ())


def test_a_sign_by_itself_is_counted_as_the_texts_have_it(tmp_path: Path) -> None:
    """In pairs, alone, first, last and behind a number."""
    manual = Searchable(tmp_path, None)
    texts = ("水道", "雨水", "A 水 B", "3水", "第2水準", "給水管", "みず", "3ヶ月", "ヶ所", "一ヶ")
    for number, text in enumerate(texts):
        manual.write(f"{number}.md", f"# 節\n{text}\n", modified=LONG_AGO)
    fresh = manual.index.refresh(lambda: False)
    for sign in "水ヶず":
        request = check(FindRequest("節", "m", (sign,)))
        found = search_and_report(fresh, request, usual.FIND, Deadline(lambda: False))
        (row,) = found.applied["required_terms_match_stats"]
        assert row["matched_docs"] == sum(sign in text for text in texts), sign


class Counting:
    """Postings that count how often they are asked for words."""

    def __init__(self, postings: Postings) -> None:
        self._postings = postings
        self.looked = 0

    def __getattr__(self, name: str) -> Any:
        """Everything else is theirs."""
        return getattr(self._postings, name)

    def near(self, word: str, slips: int) -> Iterable[str]:
        """Count, and give them."""
        self.looked += 1
        return self._postings.near(word, slips)


@pytest.mark.parametrize(("is_late", "most"), [(True, 0), (False, 2 * MOST_MISSPELT)])
def test_few_words_are_compared_with_all_others_and_none_when_it_is_late(
    tmp_path: Path, is_late: bool, most: int
) -> None:
    """Of the question alone, and with its terms; hundreds of words are no slip of the finger."""
    manual = Searchable(tmp_path, None)
    letters = "abcdefghijklmnopqrstuvwxyz"
    manual.write("a.md", "# Words\n" + " ".join(f"{one}uoable" for one in letters) + "\n")
    postings = Counting(manual.index.refresh(lambda: False).postings)
    question = " ".join(f"{one}uoabel" for one in letters)
    search = search_manual(
        question,
        ("words",),
        postings,
        usual.FIND,
        max_candidates=5,
        deadline=Deadline(lambda: is_late),
    )
    assert postings.looked <= most
    assert search.cut == ("time_budget" if is_late else None)
    assert bool(postings.looked) is not is_late


@pytest.fixture(name="huge")
def _huge(tmp_path: Path) -> Searchable:
    """One section that takes long to look through, with an answer at its very end."""
    manual = Searchable(tmp_path, None)
    filler = "Nothing is said here about any of it. " * 40_000
    manual.write("a.md", f"# Huge\n{filler}\nThe lantern burns for 12 hours.\n{filler[:500]}\n")
    return manual


def test_a_huge_section_is_read_where_the_answer_is(huge: Searchable) -> None:
    """Not from its beginning only."""
    found = huge.ask("how many hours burns the lantern", "lantern")
    assert (found.status, found.complete) == ("required_effective", True)
    assert found.lists["candidates"][0]["snippet"] == "The lantern burns for 12 hours."


def test_a_huge_section_asks_for_the_time_between_words(huge: Searchable) -> None:
    """And says that it was not looked through."""
    request = check(FindRequest("how many hours burns the lantern", "m", ("lantern",)))
    fresh = huge.index.refresh(lambda: False)
    every = Stop(float("inf"))
    assert search_and_report(fresh, request, usual.FIND, Deadline(every)).complete
    for after in range(every.asked):
        found = search_and_report(fresh, request, usual.FIND, Deadline(Stop(after)))
        assert (found.complete, found.failure_reason) == (False, "time_budget")


def test_no_more_of_a_huge_section_is_read_than_of_a_long_one(huge: Searchable) -> None:
    """However long it is: sentences are made of a part of it."""
    fresh = huge.index.refresh(lambda: False)
    (stored,) = fresh.postings.best(SectionQuery({"lantern": 1.0}, 5))
    plan = plan_of("hours lantern", fresh.postings)
    part = read_part(stored.body.folded, plan.parts)
    assert len(part) <= READ_CHARS < len(stored.body.folded)
    assert "lantern burns for 12 hours" in part
