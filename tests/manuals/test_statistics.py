"""Statistics: a line a find, bounded, without words, and never in the way."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from tebiki.manuals.past_finds import RECENT, FindRow, Statistics, Thresholds, tune

if TYPE_CHECKING:
    from pathlib import Path

ROW = FindRow(
    scanned_files=3,
    scanned_nodes=40,
    candidates=5,
    unscanned=0,
    gap_count=1,
    conflict_count=0,
    was_cut=False,
    cache_hit=False,
    elapsed_ms=4.2,
    candidate_low=3,
    file_bias=0.8,
)


def rows(cut: int, empty: int = 0) -> list[dict[str, Any]]:
    """As many lines as tuning looks at, some cut, some without a candidate."""
    return [
        {"was_cut": number < cut, "candidates": 0 if number < empty else 5}
        for number in range(RECENT)
    ]


def test_a_find_is_one_line(tmp_path: Path) -> None:
    """With its time, and folders made as needed."""
    path = tmp_path / "state" / "stats.jsonl"
    statistics = Statistics(str(path), lambda: 12.5)
    statistics.note(ROW)
    statistics.note(ROW)

    lines = path.read_text().splitlines()

    assert len(lines) == 2
    assert json.loads(lines[0])["ts"] == 12.5
    assert [row["candidates"] for row in statistics.recent()] == [5, 5]


def test_the_file_is_bounded(tmp_path: Path) -> None:
    """A full one becomes the old one."""
    path = tmp_path / "stats.jsonl"
    statistics = Statistics(str(path), lambda: 0.0, most_bytes=1000)
    for _ in range(50):
        statistics.note(ROW)

    assert sum(file.stat().st_size for file in tmp_path.iterdir()) < 3000
    assert {file.name for file in tmp_path.iterdir()} <= {"stats.jsonl", "stats.jsonl.old"}


@pytest.mark.parametrize("kind", ["folder", "pipe", "link", "below a file", "bytes"])
def test_nothing_there_makes_a_find_fail_or_wait(tmp_path: Path, kind: str) -> None:
    """Whatever stands where the file should be."""
    path = tmp_path / "stats.jsonl"
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "link":
        path.symlink_to("nowhere")
    elif kind == "below a file":
        path.write_text("x")
        path = path / "stats.jsonl"
    else:
        path.write_bytes(b"\xff\xfe\n[]\n{\n")
    statistics = Statistics(str(path), lambda: 0.0)

    statistics.note(ROW)

    assert len(statistics.recent()) == (1 if kind == "bytes" else 0)
    assert not (tmp_path / "nowhere").exists()


def test_without_a_path_nothing_is_written() -> None:
    """And nothing is learnt."""
    statistics = Statistics(None, lambda: 0.0)
    statistics.note(ROW)

    assert statistics.recent() == []


@pytest.mark.requirement("manuals:statistics:tuning")
@pytest.mark.parametrize(
    ("recent", "expected"),
    [
        (rows(cut=0)[1:], Thresholds(3, 0.80)),
        (rows(cut=0), Thresholds(4, 0.83)),
        (rows(cut=20), Thresholds(3, 0.80)),
        (rows(cut=50), Thresholds(2, 0.77)),
        (rows(cut=50, empty=30), Thresholds(3, 0.80)),
    ],
    ids=["too few", "seldom cut", "sometimes", "often cut", "too little found"],
)
def test_thresholds_move_one_step(recent: list[dict[str, Any]], expected: Thresholds) -> None:
    """By how often finds were cut."""
    assert tune(Thresholds(3, 0.80), recent, 0.90) == expected


@pytest.mark.requirement("manuals:statistics:tuning")
@pytest.mark.parametrize(("cut", "base"), [(0, Thresholds(6, 0.90)), (200, Thresholds(2, 0.70))])
def test_thresholds_stay_within_bounds(cut: int, base: Thresholds) -> None:
    """At either end."""
    assert tune(base, rows(cut=cut), 0.0) == base


@pytest.mark.parametrize(
    ("cut", "base", "expected"),
    [
        (0, Thresholds(10, 0.95), Thresholds(10, 0.95)),
        (200, Thresholds(10, 0.95), Thresholds(9, 0.92)),
        (0, Thresholds(0, 0.5), Thresholds(1, 0.53)),
        (200, Thresholds(0, 0.5), Thresholds(0, 0.5)),
    ],
)
def test_a_base_beyond_the_bounds_moves_one_step_as_well(
    cut: int, base: Thresholds, expected: Thresholds
) -> None:
    """It does not jump to the bound, and goes no further away."""
    assert tune(base, rows(cut=cut), 0.0) == expected
