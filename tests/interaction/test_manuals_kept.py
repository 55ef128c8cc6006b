"""What finds leave behind, on the real process: cache, traces, statistics, and their settings."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.interaction.conftest import OpenManuals
    from tests.interaction.manual_calls import Json, Reader, Workspace

LONG_AGO = 1_600_000_000


@pytest.fixture(name="stats")
def _stats(workspace: Workspace) -> Path:
    """Two files that disagree, and where the statistics go unless told otherwise."""
    kept = "留め置きのデータは {} 日間保存されます。"
    workspace.write("m/a.md", f"# Lantern\n\nThe lantern is lit. {kept.format(3)}\n")
    workspace.write("m/b.md", f"# Wick\n\nThe wick of the lantern. {kept.format(7)}\n")
    (workspace.folder / "vault").mkdir()
    return workspace.folder / "vault/.system/adaptive_stats.jsonl"


def lines(stats: Path) -> list[Json]:
    """The finds noted so far."""
    return [json.loads(line) for line in stats.read_text(encoding="utf-8").splitlines()]


def cache_hits(stats: Path) -> list[bool]:
    """Which of them were answered from the cache."""
    return [row["cache_hit"] for row in lines(stats)]


@pytest.mark.requirement("manuals:cache:exact", "manuals:cache:new-trace")
def test_the_same_question_is_answered_from_the_cache(
    open_manuals: OpenManuals, stats: Path
) -> None:
    """Exact after normalisation, terms in any order; each time with a new trace that works."""
    reader = open_manuals()

    first = reader.find("lantern wick", "lantern", "wick")
    same = reader.find("ｌａｎｔｅｒｎ  wick", "wick", "ｌantern")
    other = reader.find("wick lantern", "lantern", "wick")

    assert cache_hits(stats) == [False, True, False]
    assert len({found["trace_id"] for found in (first, same, other)}) == 3
    assert reader.rows(first) == reader.rows(same)
    assert same["inline_hits"]["trace_id"] == same["trace_id"]


@pytest.mark.requirement("manuals:cache:key", "manuals:cache:bypassed")
@pytest.mark.parametrize(
    "different",
    [
        {"manual_id": "n"},
        {"budget": {"max_candidates": 1}},
        {"budget": {"time_ms": 59_999}},
        {"use_cache": False},
        {"include_claim_graph": True},
    ],
)
def test_what_goes_past_the_cache(
    reader: Reader, workspace: Workspace, stats: Path, different: Json
) -> None:
    """Another manual or budget is another question; some calls never use it."""
    workspace.write("n/a.md", "# Lantern\n")
    reader.find("lantern")

    reader.find("lantern", **different)
    reader.find("lantern")

    assert cache_hits(stats) == [False, False, True]


@pytest.mark.requirement("manuals:cache:bypassed")
def test_going_on_from_a_trace_goes_past_the_cache(reader: Reader, stats: Path) -> None:
    """It is not the same question."""
    found = reader.find("lantern")

    reader.find("lantern", only_unscanned_from_trace_id=found["trace_id"])

    assert cache_hits(stats) == [False, False]


@pytest.mark.requirement("manuals:cache:key", "manuals:fresh:edits")
def test_an_edit_is_seen_at_the_next_call(reader: Reader, workspace: Workspace) -> None:
    """Also when size and mtime stay what they were, and when a file comes or goes."""
    path = workspace.write("m/a.md", "# alpha\n")
    times = (LONG_AGO, LONG_AGO)
    os.utime(path, times)
    assert reader.places("alpha") == [("a.md", 1)]

    path.write_text("# gamma\n", encoding="utf-8")
    os.utime(path, times)
    assert reader.places("alpha") == []
    assert reader.places("gamma") == [("a.md", 1)]

    path.rename(path.with_name("b.md"))
    assert reader.places("gamma") == [("b.md", 1)]
    path.with_name("b.md").unlink()
    assert reader.places("gamma") == []


@pytest.mark.requirement("manuals:fresh:unreadable")
@pytest.mark.parametrize("name", ["bytes.md", "big.md", "link.md"])
def test_a_file_that_cannot_be_searched_is_seen_too(
    reader: Reader, workspace: Workspace, name: str
) -> None:
    """A kept answer never says `complete` of a manual that has changed since."""
    workspace.write("m/a.md", "# alpha\n")
    assert reader.find("alpha")["unscanned"] == 0

    if name == "link.md":
        (workspace.root / "m/link.md").symlink_to("a.md")
    elif name == "big.md":
        with workspace.write("m/big.md", b"").open("ab") as big:
            big.truncate(16 * 1024 * 1024 + 1)
    else:
        workspace.write("m/bytes.md", b"\xff\xfe\xfa\x80\x81\x82\xff")
    found = reader.find("alpha")

    assert [row["path"] for row in reader.rows(found, "unscanned")] == [name]
    assert found["unscanned"] == 1
    assert found["complete"] is (name == "link.md")
    (workspace.root / "m" / name).unlink()
    assert reader.find("alpha")["complete"] is True


@pytest.mark.requirement("manuals:cache:guard", "manuals:cache:bounds", "config:all:cache-act")
@pytest.mark.parametrize(
    ("variable", "value", "expected"),
    [
        ("SEM_CACHE_ENABLED", "true", [False, True, True]),
        ("SEM_CACHE_ENABLED", "false", [False, False, False]),
        ("SEM_CACHE_TTL_SEC", "0", [False, False, False]),
        ("SEM_CACHE_MAX_KEEP", "500", [False, True, True]),
        ("SEM_CACHE_SIM_THRESHOLD", "1", [False, True, False]),
        ("SEM_CACHE_EMBEDDING_PROVIDER", "none", [False, True, True]),
        ("SEM_CACHE_MAX_SUMMARY_CONFLICT", "0", [False, False, False]),
        ("SEM_CACHE_MAX_SUMMARY_CONFLICT", "1", [False, True, True]),
        ("SEM_CACHE_MAX_SUMMARY_GAP", "0", [False, False, False]),
        ("SEM_CACHE_MAX_SUMMARY_GAP", "9", [False, True, True]),
    ],
)
def test_each_setting_of_the_cache_acts(
    open_manuals: OpenManuals, stats: Path, variable: str, value: str, expected: list[bool]
) -> None:
    """The question meets one conflict and has at least one gap (few sections)."""
    env: Json = {variable: value}
    reader = open_manuals(**env)

    for query in ("データは何日間保存", "データは何日間保存", "ﾃﾞｰﾀは何日間保存"):
        found = reader.find(query, "留め置き")
    assert len(reader.rows(found, "conflicts")) == 1
    assert reader.rows(found, "gaps")

    assert cache_hits(stats) == expected


@pytest.mark.requirement("manuals:cache:bounds")
def test_the_cache_keeps_the_newest(open_manuals: OpenManuals, stats: Path) -> None:
    """`SEM_CACHE_MAX_KEEP=1`: the second question drives the first one out."""
    reader = open_manuals(SEM_CACHE_MAX_KEEP="1")

    for query in ("lantern", "wick", "wick", "lantern"):
        reader.find(query)

    assert cache_hits(stats) == [False, False, True, False]


@pytest.mark.requirement("manuals:cache:asked-for")
def test_asking_for_the_cache_stands_above_the_setting(
    open_manuals: OpenManuals, stats: Path
) -> None:
    """`use_cache: true` uses it where it is off by default."""
    reader = open_manuals(SEM_CACHE_ENABLED="false")

    for use_cache in (True, True, None):
        reader.find("lantern", use_cache=use_cache)

    assert cache_hits(stats) == [False, True, False]


@pytest.mark.requirement("manuals:cache:embedding")
@pytest.mark.usefixtures("stats")
def test_only_none_embeds(open_manuals: OpenManuals) -> None:
    """Another provider is a warning, and `none` stays."""
    reader = open_manuals(SEM_CACHE_EMBEDDING_PROVIDER="openai")

    assert reader.find("lantern")["candidates"] == 2
    reader.server.wait_for_stderr("SEM_CACHE_EMBEDDING_PROVIDER")


@pytest.mark.requirement("manuals:traces:kept", "config:all:cache-act")
@pytest.mark.usefixtures("stats")
def test_the_newest_traces_are_kept(open_manuals: OpenManuals) -> None:
    """`TRACE_MAX_KEEP=2`: the oldest of three is gone."""
    reader = open_manuals(TRACE_MAX_KEEP="2")

    ids = [reader.find("lantern")["trace_id"] for _ in range(3)]
    answers = [reader.use("hits", trace_id=identifier) for identifier in ids]

    assert answers[0]["code"] == "not_found"
    assert ["items" in answer for answer in answers] == [False, True, True]


@pytest.mark.requirement("manuals:traces:kept")
@pytest.mark.usefixtures("stats")
def test_a_hundred_traces_are_kept_by_default(reader: Reader) -> None:
    """And the hundred and first drives out the first."""
    ids = [reader.find("lantern")["trace_id"] for _ in range(101)]

    assert reader.use("hits", trace_id=ids[0])["code"] == "not_found"
    assert "items" in reader.use("hits", trace_id=ids[1])


@pytest.mark.requirement(
    "manuals:unscanned:trace",
    "manuals:traces:expire",
    "manuals:traces:unknown",
    "config:all:cache-act",
)
@pytest.mark.usefixtures("stats")
@pytest.mark.parametrize(("seconds", "is_kept"), [("0", False), ("1800", True)])
def test_traces_expire(open_manuals: OpenManuals, seconds: str, is_kept: bool) -> None:
    """`TRACE_TTL_SEC`; an expired one is not found, for a find that goes on from it too."""
    reader = open_manuals(TRACE_TTL_SEC=seconds)
    trace = reader.find("lantern")["trace_id"]
    asked = {"query": "wick", "manual_id": "m", "required_terms": ["wick"]}

    page = reader.use("hits", trace_id=trace)
    going_on = reader.use("find", **asked, only_unscanned_from_trace_id=trace)

    assert ("items" in page, "candidates" in going_on) == (is_kept, is_kept)
    if not is_kept:
        assert page["code"] == going_on["code"] == "not_found"
        assert "manual_find" in page["message"]


@pytest.mark.requirement("manuals:traces:unknown")
@pytest.mark.usefixtures("stats")
@pytest.mark.parametrize("trace_id", ["none", "..", "/", "a\0b", "x" * 100_000, "\ud800", "%s"])
def test_an_unknown_trace_is_not_found(reader: Reader, trace_id: str) -> None:
    """Whatever it looks like; a trace of another process is unknown here."""
    assert reader.use("hits", trace_id=trace_id)["code"] == "not_found"


@pytest.mark.requirement("manuals:traces:unknown")
@pytest.mark.usefixtures("stats")
def test_a_trace_belongs_to_its_process(open_manuals: OpenManuals) -> None:
    """Another server does not know it."""
    trace = open_manuals().find("lantern")["trace_id"]

    assert open_manuals().use("hits", trace_id=trace)["code"] == "not_found"


@pytest.mark.requirement("manuals:statistics:one-line")
@pytest.mark.usefixtures("stats")
def test_a_line_for_each_find_without_a_word_of_it(
    open_manuals: OpenManuals, workspace: Workspace
) -> None:
    """`ADAPTIVE_STATS_PATH`: counts and times only; the file's own folder is made."""
    stats = workspace.folder / "where/stats.jsonl"
    reader = open_manuals(ADAPTIVE_STATS_PATH=str(stats))

    reader.find("lantern canaryquestion", "wick", "canaryterm")
    reader.find("lantern canaryquestion", "wick", "canaryterm")

    text = stats.read_text(encoding="utf-8")
    rows = lines(stats)
    assert len(rows) == 2
    assert all(isinstance(value, int | float) for row in rows for value in row.values())
    assert {"ts", "scanned_files", "candidates", "gap_count", "elapsed_ms"} <= set(rows[0])
    assert (rows[0]["scanned_files"], rows[0]["candidates"]) == (2, 2)
    for word in ("canary", "lantern", "wick", "a.md", '"m"', str(workspace.folder)):
        assert word not in text
    assert list((workspace.folder / "vault").iterdir()) == []


@pytest.mark.requirement("manuals:statistics:never-fail")
def test_whoever_has_no_vault_gets_none_by_searching(reader: Reader, workspace: Workspace) -> None:
    """The statistics are then not kept."""
    workspace.write("m/a.md", "# Lantern\n")

    assert reader.find("lantern")["candidates"] == 1
    assert not (workspace.folder / "vault").exists()


@pytest.mark.requirement("manuals:statistics:never-fail")
@pytest.mark.usefixtures("stats")
@pytest.mark.parametrize("obstacle", ["folder", "file in the way", "link", "fifo", "device"])
def test_statistics_never_make_a_find_fail(
    open_manuals: OpenManuals, workspace: Workspace, obstacle: str
) -> None:
    """Nor wait, nor write through a link."""
    if sys.platform == "win32" and obstacle in {"link", "fifo", "device"}:
        pytest.skip("there is no such thing")
    stats = workspace.folder / "stats.jsonl"
    victim = workspace.folder / "victim"
    victim.write_text("as it was", encoding="utf-8")
    if obstacle == "folder":
        stats.mkdir()
    elif obstacle == "file in the way":
        stats = victim / "stats.jsonl"
    elif obstacle == "link":
        stats.symlink_to(victim)
    elif obstacle == "fifo":
        os.mkfifo(stats)
    else:
        stats = stats.with_name("full") / ".." / "full.jsonl"
        stats.parent.parent.mkdir()
        stats.symlink_to("/dev/full")
    reader = open_manuals(ADAPTIVE_STATS_PATH=str(stats))

    assert reader.find("lantern")["candidates"] == 2
    assert victim.read_text(encoding="utf-8") == "as it was"
    assert "incident" not in reader.server.stderr


@pytest.mark.requirement("manuals:statistics:bounded")
@pytest.mark.usefixtures("stats")
def test_statistics_are_bounded(open_manuals: OpenManuals, workspace: Workspace) -> None:
    """A full file becomes the old one, and the old one goes."""
    stats = workspace.folder / "stats.jsonl"
    stats.write_bytes(b"x" * (1024 * 1024))
    (workspace.folder / "stats.jsonl.old").write_bytes(b"older")
    reader = open_manuals(ADAPTIVE_STATS_PATH=str(stats))

    reader.find("lantern")
    reader.find("lantern")

    assert len(lines(stats)) == 1
    assert (workspace.folder / "stats.jsonl.old").stat().st_size > 1024 * 1024


def gap_kinds(reader: Reader) -> set[str]:
    """Which gaps a find in the small manual tells of."""
    return {row["gap"] for row in reader.rows(reader.find("lantern"), "gaps")}


@pytest.mark.requirement("manuals:statistics:bases")
@pytest.mark.usefixtures("stats")
def test_the_base_of_few_candidates_acts(open_manuals: OpenManuals) -> None:
    """`ADAPTIVE_CANDIDATE_LOW_BASE`: two candidates are fewer than three, not than two."""
    assert "few_candidates" in gap_kinds(open_manuals(ADAPTIVE_CANDIDATE_LOW_BASE="3"))
    assert "few_candidates" not in gap_kinds(open_manuals(ADAPTIVE_CANDIDATE_LOW_BASE="2"))


@pytest.mark.requirement("manuals:statistics:bases")
def test_the_base_of_one_files_share_acts(open_manuals: OpenManuals, workspace: Workspace) -> None:
    """`ADAPTIVE_FILE_BIAS_BASE`: all of six candidates are of one file."""
    text = "".join(f"# Lantern {n}\n\nLantern of room {n}, floor {n + 7}.\n\n" for n in range(6))
    workspace.write("m/a.md", text)
    workspace.write("m/b.md", "# Wick\n\nNo lamp. Another lantern.\n")

    assert "one_file_dominates" in gap_kinds(open_manuals(ADAPTIVE_FILE_BIAS_BASE="0.5"))
    assert "one_file_dominates" not in gap_kinds(open_manuals(ADAPTIVE_FILE_BIAS_BASE="1"))


def history(stats: Path, *, found: bool, was_cut: bool = False) -> None:
    """Two hundred finds of the past."""
    row = {"candidates": int(found), "was_cut": was_cut}
    stats.write_text((json.dumps(row) + "\n") * 200, encoding="utf-8")


@pytest.mark.requirement("manuals:statistics:tuning", "config:all:cache-act")
@pytest.mark.usefixtures("stats")
@pytest.mark.parametrize(
    ("settings", "found", "low"),
    [
        ({}, True, 4),
        ({"ADAPTIVE_TUNING": "false"}, True, 3),
        ({}, False, 3),
        ({"ADAPTIVE_MIN_RECALL": "0"}, False, 4),
    ],
)
def test_tuning_moves_the_thresholds(
    open_manuals: OpenManuals, workspace: Workspace, settings: Json, found: bool, low: int
) -> None:
    """By what recent finds taught: one step, unless it is off or too few of them found anything."""
    stats = workspace.folder / "stats.jsonl"
    history(stats, found=found)
    reader = open_manuals(ADAPTIVE_STATS_PATH=str(stats), **settings)

    reader.find("lantern")

    assert lines(stats)[-1]["candidate_low"] == low
