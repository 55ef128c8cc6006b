"""What a find tells: status, completeness, lists and next steps, all of them true."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tebiki.errors import InvalidArguments
from tebiki.manuals.finding import FindRequest, checked, find
from tebiki.manuals.ranking.settings import FindSettings
from tests.manuals.searchable import Searchable

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(name="manual")
def _manual(tmp_path: Path) -> Searchable:
    manual = Searchable(tmp_path, None)
    for number in range(30):
        manual.write(f"{number:02}.md", f"# 節{number}\n共通語 の説明 その{number}\n")
    manual.write("rare.md", "# 珍しい\n珍語 についての共通語の説明\n")
    return manual


@pytest.mark.parametrize(
    ("terms", "status", "reason"),
    [
        (("珍語",), "required_effective", None),
        (("無い語",), "required_none_matched", "無い語"),
        (("珍語", "無い語"), "term_dropped_or_weakened", "無い語"),
        (("共通語",), "term_dropped_or_weakened", "共通語"),
    ],
)
def test_status_is_what_the_texts_say(
    manual: Searchable, terms: tuple[str, ...], status: str, reason: str | None
) -> None:
    """And the reason names the term."""
    found = manual.ask("珍語の説明", *terms)
    assert found.status == status
    assert (reason or "") in (found.failure_reason or "")
    assert (reason is None) == (found.failure_reason is None)


def test_the_guard_is_told(manual: Searchable) -> None:
    """Too common is dropped, too rare only reported."""
    found = manual.ask("説明", "共通語")
    (row,) = found.applied["required_terms_df_filtered"]
    assert (row["reason"], row["dropped"]) == ("too_common", True)
    assert found.applied["required_terms"] == []


def test_an_empty_gate_falls_back(manual: Searchable) -> None:
    """To g0, and says so."""
    found = manual.ask("珍語の説明", "無い語")
    assert found.applied["required_terms_relaxed"]
    assert found.applied["required_terms_relax_reason"] == "zero_candidates_with_required_terms"
    assert found.applied["selected_gate"] == "g0"
    assert found.lists["candidates"]


def test_two_terms_make_three_passes(manual: Searchable) -> None:
    """Beside g0."""
    gates = [row["gate"] for row in manual.ask("説明", "珍語", "節3").lists["gate_runs"]]
    assert gates == ["g0", "g_req:A", "g_req:B", "g_req:A+B"]


def test_time_is_a_real_deadline(manual: Searchable) -> None:
    """Nothing is said to be missing that was not looked for."""
    ticks = iter(range(1000))
    found = find(
        FindRequest("珍語", "m", ("珍語",), time_ms=1000),
        manual.index,
        FindSettings(),
        clock=lambda: float(next(ticks)),
    )
    assert not found.complete
    assert found.failure_reason == "time_budget"
    assert found.status != "required_none_matched"
    assert found.unscanned > 0


def test_what_was_left_can_be_searched_alone(manual: Searchable) -> None:
    """Only those files."""
    found = manual.ask("説明", "共通語", only_paths=frozenset(["05.md"]))
    assert {row["ref"]["path"] for row in found.lists["candidates"]} == {"05.md"}
    assert found.summary["scanned_files"] == 1


def test_a_cap_is_told(manual: Searchable) -> None:
    """Complete is false, and the files are listed."""
    settings = replace(FindSettings(), manual_find_scan_hard_cap=3)
    found = manual.ask("説明", "共通語", settings=settings)
    assert not found.complete
    assert found.failure_reason == "candidate_cap"
    assert found.unscanned == len(found.lists["unscanned"]) > 0


def test_counts_agree_with_lists(manual: Searchable) -> None:
    """Summary and lists are one."""
    found = manual.ask("珍語の説明", "無い語")
    assert found.summary["gap_count"] == len(found.lists["gaps"])
    assert found.summary["conflict_count"] == len(found.lists["conflicts"])
    assert found.summary["candidates"] == len(found.lists["integrated_top"])


def test_exhaustive_wording_scans_first(manual: Searchable) -> None:
    """And every step can be called."""
    steps = manual.ask("珍語をすべて教えて", "珍語").next_actions
    assert steps[0]["type"] == "manual_scan"
    assert steps[0]["params"] == {"manual_id": "m", "path": "rare.md", "start_line": 1}
    assert all(step["params"] for step in steps)


@pytest.mark.parametrize("count", [1, 2, 5, 50])
def test_max_candidates_is_kept(manual: Searchable, count: int) -> None:
    """However many there are."""
    assert len(manual.ask("説明", "共通語", max_candidates=count).lists["candidates"]) <= count


@pytest.mark.parametrize(
    "request_",
    [
        FindRequest("", "m", ("a",)),
        FindRequest("x" * 2001, "m", ("a",)),
        FindRequest("x", "m", ()),
        FindRequest("x", "m", (" ",)),
        FindRequest("x", "m", ("a", "b", "c")),
        FindRequest("x", "m", ("a",), max_candidates=0),
    ],
)
def test_bad_requests_are_refused(request_: FindRequest) -> None:
    """Before anything is read."""
    with pytest.raises(InvalidArguments):
        checked(request_)


def test_a_term_of_one_kanji_or_of_kana_is_found(manual: Searchable) -> None:
    """Inside longer words too."""
    assert manual.ask("説明", "珍").status == "required_effective"
    assert manual.ask("珍語", "について").status == "required_effective"
