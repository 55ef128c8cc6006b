"""Results: kept and read back whole, shown to people, offered to the docs only when they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench import markdown
from bench.names import ALL, USUAL
from bench.report import Point, Row, Spread, Table, at_most, below, spread_of
from bench.report_page import against_committing
from bench.results import Result, read, write
from bench.summary import conditions, standing

if TYPE_CHECKING:
    from pathlib import Path

ROWS = (
    Row("bare", "ms", spread_of([1.0, 2.0, 4.0]), point=Point("find", "bare query", 1000)),
    Row("10 sections: find", "ms", Spread(6.0, 5.0, 9.0, 3), 3.0, at_most(3.0, 4, "x")),
    Row("10 sections: a|b", "MB", spread_of([5000.0]), goal=below(5000.0, 150, " MB")),
)


def result(name: str, *, quick: bool = False, failure: str | None = None) -> Result:
    """One result on an invented machine."""
    table = None if failure else Table(name, "finds, against `bare` queries", ROWS)
    facts = {"system": "Linux", "machine": "x", "processor": "P", "cpus": 2, "load": 0.1}
    versions = {"CPython": "3.11.7"}
    return Result(name, "2026-11-16T05:28:32+00:00", 1.5, quick, facts, versions, table, failure)


def test_results_are_read_back_as_they_were_written(tmp_path: Path) -> None:
    """Figures, goals, points and failures."""
    results = [result("startup"), result("ping", quick=True, failure="ProcessGone: -9")]

    write(results, tmp_path / "all.json")

    assert read(tmp_path / "all.json") == results


def test_a_table_is_shown_with_spread_ratio_and_target() -> None:
    """Aligned, and a missed target cannot be overlooked."""
    lines = result("startup").text().splitlines()

    assert lines[0] == "== startup: finds, against `bare` queries"
    assert lines[2].split() == ["bare", "2", "ms", "1.10..3.80", "3"]
    assert lines[3].split()[-5:] == ["3", "3.00x", "<=", "4x", "yes"]
    assert lines[4].split()[-7:] == ["5,000", "MB", "1", "<", "150", "MB", "NO"]


def test_a_failure_is_shown_as_such() -> None:
    """With its reason."""
    shown = result("ping", failure="ProcessGone: exit code -9").text()

    assert shown == "== ping: FAILED\nProcessGone: exit code -9\n"


def test_targets_misses_and_failures_are_counted() -> None:
    """Over all measurements."""
    seen = standing([result("startup"), result("ping", failure="gone")])

    assert seen.missed == ["startup: 10 sections: a|b"]
    assert seen.words == "1 of 2 targets are met; failed to be measured: 1."


def test_only_whole_full_results_are_those_of_the_docs() -> None:
    """What stands against it is named."""
    whole = [result(name) for name in USUAL]

    assert against_committing(whole) == []
    assert against_committing(whole[1:]) == [f"not measured: {USUAL[0]}"]
    assert against_committing([*whole[1:], result(USUAL[0], quick=True)]) == [
        f"rough, by --quick: {USUAL[0]}"
    ]
    assert against_committing([*whole[1:], result(USUAL[0], failure="gone")]) == [
        f"failed: {USUAL[0]}"
    ]


def test_the_page_of_the_docs_tells_conditions_and_figures() -> None:
    """As Markdown tables that no text breaks."""
    shown = markdown.page([result("startup")], "<!-- note -->\n")

    assert "- measured: 2026-11-16 05:28 UTC\n- rounds: full\n- machine: 2 x P, Linux x\n" in shown
    assert "| 10 sections: find | 6 ms | 5..9 | 3 | 3.00x | <= 4x | yes |" in shown
    assert r"| 10 sections: a\|b | 5,000 MB |" in shown


def test_conditions_that_differ_are_all_told() -> None:
    """Two versions are not passed off as one."""
    old = result("startup")
    new = result("ping", quick=True)
    new.versions["CPython"] = "3.14.0"

    facts = conditions([old, new])

    assert facts["versions"] == "CPython 3.11.7; CPython 3.14.0"
    assert facts["rounds"] == "full and quick, rough"


def test_a_measurement_is_named_once() -> None:
    """So that each result has a file of its own."""
    assert len(set(ALL)) == len(ALL)
