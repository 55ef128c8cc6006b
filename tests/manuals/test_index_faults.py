"""Whatever happens to an index or around it: the right answer, or a true word about what is not."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tebiki.files.paths import Root
from tebiki.manuals.documents.folders import MOST_BYTES
from tebiki.manuals.find import Clocks, Finder
from tebiki.manuals.index.batch import BYTES_PER_COMMIT
from tebiki.manuals.index.failures import Damaged
from tebiki.manuals.index.refresh import ManualIndex
from tebiki.manuals.index.small_files import remove_path, write_json
from tebiki.manuals.index.store import (
    LOCK,
    MANIFEST,
    NEXT,
    POSTINGS,
    SEAL,
    FolderStore,
    IndexOrigin,
)
from tebiki.manuals.request import FindRequest
from tebiki.state.memory import MemoryStateStore
from tests.manuals import usual
from tests.manuals.index_faults import LIMIT, UNLIMITED, finder, killed_builds, shared, word
from tests.manuals.searchable import LONG_AGO, Searchable

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.manuals.index.refresh import Fresh

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="needs what Windows has not")
LATER_NS = 1 << 62
"""When every file has been as it is for long."""

DAMAGES = ["flip", "cut", "zeros", "empty", "gone"]


BUILDER = """
import os, signal, sys
from pathlib import Path
from tebiki.files.paths import Root
from tebiki.manuals.index.refresh import ManualIndex

def progress(done, every):
    if done == 3:
        os.kill(os.getpid(), signal.SIGKILL)

index = ManualIndex(Root(Path(sys.argv[1])), "m", sys.argv[2], now_ns=lambda: 1 << 62, log=print)
index.refresh(lambda: False, progress)
"""
"""Builds until three files are indexed, and dies."""


@pytest.fixture(name="manual")
def _manual(tmp_path: Path) -> Searchable:
    manual = Searchable(tmp_path, tmp_path / "cache")
    for number in range(12):
        manual.write(
            f"{number}.md", f"# 題{number}\n申請の期限 {word(number)}\n", modified=LONG_AGO
        )
    manual.ask("申請")
    return manual


def test_what_a_search_found_damaged_and_nobody_can_replace_is_kept_in_memory(
    manual: Searchable,
) -> None:
    """As at the first find: no fault of the cache is a fault of the answer."""
    assert manual.cache is not None
    shutil.rmtree(manual.cache)
    manual.cache.write_text("something else")

    fresh = manual.index.rebuild(Damaged("its files are zeros"), lambda: False)

    assert fresh.sections == 12
    assert len(manual.paths("申請")) == 12
    assert any("using memory" in words for words in manual.said)


def damage(path: Path, how: str, chance: random.Random) -> None:
    """Change a file as no program of ours would."""
    data = bytearray(path.read_bytes())
    if how == "flip":
        for _ in range(1 + len(data) // 500):
            data[chance.randrange(len(data))] ^= chance.randrange(1, 256)
    elif how == "cut":
        del data[chance.randrange(len(data)) :]
    elif how == "zeros":
        data[:] = bytes(len(data))
    else:
        data.clear()
    path.unlink() if how == "gone" else path.write_bytes(data)


@pytest.mark.parametrize("how", DAMAGES)
@pytest.mark.parametrize("is_open", [False, True])
def test_a_corrupted_index_gives_the_right_answer(
    manual: Searchable, how: str, is_open: bool
) -> None:
    """Each of its files, whether the process has it open already or not."""
    expected = manual.ask("申請の期限").lists
    chance = random.Random(how)  # noqa: S311 -- repeatable, not secret
    names = [path.name for path in _files(manual)]
    for name in names:
        kinds = [path for path in _files(manual) if path.suffix == Path(name).suffix]
        if kinds and kinds[0].stat().st_size:
            damage(kinds[0], how, chance)
        index = manual.index if is_open else manual.another()
        assert manual.ask("申請の期限", index=index).lists == expected
        assert manual.ask("申請の期限").lists == expected


def test_a_panic_of_the_engine_is_a_failure_of_the_index(manual: Searchable) -> None:
    """Also when the damage does not show from outside."""
    expected = manual.ask("申請の期限").lists
    cache = Path(str(manual.cache))
    for path in (cache / POSTINGS).glob("*.term"):
        path.write_bytes(path.read_bytes()[:-200] + bytes(range(200)))
    (cache / SEAL).unlink()
    assert manual.ask("申請の期限", index=manual.another()).lists == expected


@pytest.mark.parametrize("name", [MANIFEST, NEXT, SEAL, POSTINGS, LOCK])
@pytest.mark.parametrize("kind", ["file", "folder", "link", "pipe"])
def test_a_foreign_index_does_no_harm(
    manual: Searchable, name: str, kind: str, tmp_path: Path
) -> None:
    """Another program's things where ours should be."""
    expected = manual.ask("申請の期限").lists
    path = Path(str(manual.cache)) / name
    remove_path(str(path))
    outside = tmp_path / "outside"
    outside.write_text("not ours")
    _put(path, kind, outside)
    assert manual.ask("申請の期限", index=manual.another()).lists == expected
    assert outside.read_text() == "not ours"


def test_another_format_is_built_anew_and_old_ones_are_removed(manual: Searchable) -> None:
    """A manifest of another version, and the postings of an older one."""
    cache = Path(str(manual.cache))
    (cache / "postings-0").mkdir()
    (cache / "postings-0" / "meta.json").write_text("{}")
    write_json(str(cache), MANIFEST, [0, "s", False, 1, [], []])
    manual.write("new.md", "# t\nbeta\n")
    assert manual.paths("beta", index=manual.another()) == ["new.md"]
    assert not (cache / "postings-0").exists()
    assert len([words for words in manual.said if "anew" in words]) == 1


@pytest.mark.parametrize(
    "value",
    [None, 1, [], {}, [1], [1, 2, 3, 4, 5, 6], [1, "s", False, 1, ["a.md"], [["x"]] * 9]],
)
def test_a_manifest_of_nonsense_is_none(manual: Searchable, value: object) -> None:
    """Even with the right digest."""
    expected = manual.ask("申請の期限").lists
    for name in (MANIFEST, SEAL):
        write_json(str(manual.cache), name, value)
        assert manual.ask("申請の期限", index=manual.another()).lists == expected


@POSIX
def test_an_index_is_private(manual: Searchable) -> None:
    """It has the text of the manuals."""
    for path in [Path(str(manual.cache)), *Path(str(manual.cache)).rglob("*")]:
        if not path.name.startswith(".") and path.name != LOCK:
            assert not stat.S_IMODE(path.stat().st_mode) & 0o077, path


@pytest.mark.requirement("manuals:faults:full-disk")
@POSIX
def test_a_full_disk_leaves_the_old_index(tmp_path: Path) -> None:
    """It answers, says what it does not know, and goes on when there is space."""
    manual = Searchable(tmp_path, tmp_path / "cache")
    manual.write("old.md", "# t\nalpha\n")
    with finder(tmp_path) as one:
        assert one.ask("alpha")["complete"]
        manual.write("new.md", "# t\nalpha beta\n")
        one.ask(LIMIT)
        full = one.ask("alpha")
        again = one.ask("alpha")
        one.ask(UNLIMITED)
        free = one.ask("beta")
    assert full["paths"] == ["old.md"]
    assert not full["complete"]
    assert full["unscanned"] == [{"path": "new.md", "reason": "not_indexed"}]
    assert len(again["said"]) == 1
    assert free["paths"] == ["new.md"]
    assert free["complete"]


@POSIX
def test_a_full_disk_from_the_beginning_is_no_reason_to_fail(tmp_path: Path) -> None:
    """Then the index lives in memory."""
    Searchable(tmp_path, tmp_path / "cache").write("a.md", "# t\nalpha\n")
    with finder(tmp_path) as one:
        one.ask(LIMIT)
        found = one.ask("alpha")
        assert one.ask("alpha")["said"] == found["said"]
    assert found["paths"] == ["a.md"]
    assert found["complete"]
    assert "memory" in found["said"][-1]


def test_killed_writers_leave_a_whole_index(tmp_path: Path) -> None:
    """The last commit or the one before, and never a reason to begin anew."""
    found = killed_builds(tmp_path, kills=6, files=150, seed=1)
    assert found.kills == 6
    assert found.wrong == []
    assert found.said == set()


def test_deletions_that_a_killed_writer_did_not_commit_stop_no_other(manual: Searchable) -> None:
    """Their files bear the names that the next writer gives to its own."""
    assert manual.cache is not None
    [meta] = manual.cache.rglob(f"{POSTINGS}/meta.json")
    before = json.loads(meta.read_text())
    for segment in before["segments"]:
        name = segment["segment_id"].replace("-", "")
        for operations in range(before["opstamp"] + 1, before["opstamp"] + 20):
            (meta.parent / f"{name}.{operations}.del").write_bytes(b"half a list")

    manual.write("3.md", "# 題\n改めた beta\n")

    assert manual.paths("beta", index=manual.another()) == ["3.md"]
    assert manual.paths(word(3)) == []
    assert manual.said == []


def test_writers_that_die_one_after_another_leave_the_last_commit(manual: Searchable) -> None:
    """One right after its commit, and the next one right before."""
    assert manual.cache is not None
    _die_writing(manual.cache, is_committed=True)
    _die_writing(manual.cache, is_committed=False)

    assert manual.paths(word(3), index=manual.another()) == ["3.md"]
    assert manual.said == []


def _die_writing(folder: Path, *, is_committed: bool) -> None:
    """Announce a state, commit it or not, and say no more."""
    store = FolderStore(str(folder), IndexOrigin("manuals", "m"))
    with store.hold(lambda: False):
        manifest = store.state().manifest.copy()
        writing = store.write()
        manifest.advance()
        manifest.state = word(("state", is_committed))
        store.announce(manifest)
        if is_committed:
            writing.commit(manifest.state)
        writing.close()


@pytest.mark.requirement("manuals:faults:shared-index")
def test_two_processes_share_an_index_under_edits(tmp_path: Path) -> None:
    """No error, and each sees every edit that was made before it was asked."""
    seen = shared(tmp_path, lambda edits: edits < 12)
    assert seen.edits == 24
    assert seen.wrong == []


@pytest.mark.parametrize("how", ["edit", "delete", "link", "folder"])
def test_manuals_that_change_during_a_build(manual: Searchable, how: str, tmp_path: Path) -> None:
    """The next find knows how it ended."""
    other = Searchable(tmp_path, tmp_path / "cache2")
    outside = tmp_path / "outside.md"
    outside.write_text(f"# t\nsecret {word(3)}\n")

    def change(done: int, _every: int) -> None:
        path = manual.root / "m" / "3.md"
        if done == 3:
            path.unlink()
            if how == "edit":
                path.write_text("# t\nomega\n")
            elif how != "delete":
                _put(path, how, outside)

    other.index.refresh(lambda: False, change)
    expected = ["3.md"] if how == "edit" else []
    assert other.paths("omega") == expected
    assert other.paths(word(3)) == []
    assert other.paths("secret") == []


def test_a_file_of_16_mib_is_searched_and_a_larger_one_is_told(tmp_path: Path) -> None:
    """To the byte."""
    manual = Searchable(tmp_path, None)
    text = "# t\nneedle\n"
    manual.write("a.md", text + "\n" * (MOST_BYTES - len(text)))
    manual.write("b.md", text + "\n" * (MOST_BYTES - len(text) + 1))
    found = manual.ask("needle")
    assert [row["ref"]["path"] for row in found.lists["candidates"]] == ["a.md"]
    assert found.lists["unscanned"] == [{"path": "b.md", "reason": "too_large"}]


def test_a_build_stops_inside_a_large_file(tmp_path: Path) -> None:
    """It is not known at all then, and is found by the next call that has the time."""
    manual = Searchable(tmp_path, tmp_path / "cache")
    manual.write("a.md", "# t\nalpha\n")
    manual.write("b.md", "# t\nomega\n" + "入院給付金は手術の日から支払われます。" * 20_000)
    calls = 0

    def stop() -> bool:
        nonlocal calls
        calls += 1
        return calls > 8

    assert manual.index.refresh(stop).unreached == ("b.md",)
    assert calls < 16
    assert manual.paths("omega") == ["b.md"]


def test_a_file_that_was_left_off_twice_has_each_section_once(tmp_path: Path) -> None:
    """What was added before a stop is taken back."""
    manual = Searchable(tmp_path, tmp_path / "cache")
    manual.write("b.md", "".join(f"# t{n}\n申請 {n} 本文です。\n" for n in range(4_000)))
    for most in (5, 50, 500):
        manual.index.refresh(_after(most))
    fresh: Fresh = manual.index.refresh(lambda: False)
    assert fresh.sections == 4_000
    assert manual.ask("申請 77").lists == Searchable(tmp_path, None).ask("申請 77").lists


def test_json_nested_ten_thousand_deep_is_searched(tmp_path: Path) -> None:
    """As any other."""
    manual = Searchable(tmp_path, None)
    manual.write("a.json", '{"k": [' * 10_000 + '"needle"' + "]}" * 10_000)
    assert manual.paths("needle") == ["a.json"]


def test_many_files_are_searched(tmp_path: Path) -> None:
    """Each of them."""
    manual = Searchable(tmp_path, tmp_path / "cache")
    for number in range(2_000):
        manual.write(f"{number % 50}/{number}.md", word(number), modified=LONG_AGO)
    assert manual.ask(word(1999)).summary["scanned_files"] == 2_000
    assert manual.paths(word(1234)) == ["34/1234.md"]


def _after(calls: int) -> Callable[[], bool]:
    turns = iter(range(calls))
    return lambda: next(turns, None) is None


def _files(manual: Searchable) -> list[Path]:
    found = [path for path in Path(str(manual.cache)).rglob("*") if path.is_file()]
    return sorted(path for path in found if not path.name.endswith("lock"))


def _put(path: Path, kind: str, outside: Path) -> None:
    """Something else where a file of ours was."""
    if kind == "file":
        path.write_text("not ours")
    elif kind == "folder":
        path.mkdir()
        (path / "inner").write_text("not ours")
    elif kind == "link":
        path.symlink_to(outside)
    elif hasattr(os, "mkfifo"):
        os.mkfifo(path)


def test_a_search_that_meets_damage_is_made_again(tmp_path: Path) -> None:
    """The files are whole when they are looked at, and not any more when they are read."""
    root, cache = tmp_path / "manuals", tmp_path / "cache"
    manual = Searchable(tmp_path, None)
    for number in range(200):
        manual.write(f"{number}.md", f"# 申請\n申請 申請の期限 {word(number)}\n", modified=LONG_AGO)
    manual.write("last.md", "# 終\n" + "とても長い話。" * 200 + "申請と珍品\n", modified=LONG_AGO)
    said: list[str] = []
    settings = usual.FINDER._replace(index_root=str(cache))
    request = FindRequest("申請", "m", ("珍品",))
    is_second = iter([False, True])

    def damaged_meanwhile() -> float:
        # Asked for when the find begins, and again when its first pass is over.
        if next(is_second, False):
            for path in cache.rglob("*.store"):
                with path.open("r+b") as file:
                    file.write(bytes(path.stat().st_size))
        return 0.0

    def found(clock: Callable[[], float]) -> list[dict[str, Any]]:
        clocks = Clocks(clock, clock, lambda: LATER_NS)
        store = MemoryStateStore(clock)
        made = Finder(Root(root), settings, clocks, said.append, store)
        return list(made.find(request, use_cache=False).lists["candidates"])

    expected = found(lambda: 0.0)

    assert "last.md" in [row["ref"]["path"] for row in expected]
    assert found(damaged_meanwhile) == expected
    assert len(said) == 1
    assert "building anew" in said[0]


@POSIX
def test_a_build_goes_on_where_it_was_killed(tmp_path: Path) -> None:
    """From its last commit: three files were enough for one, and are not read again."""
    manual = Searchable(tmp_path, tmp_path / "cache")
    # Blank lines: many bytes, and nothing to take apart.
    blank = " " * 4095 + "\n"
    for number in range(4):
        text = f"# {word(number)}\n" + blank * (BYTES_PER_COMMIT // 3 // len(blank) + 1)
        manual.write(f"{number}.md", text, modified=LONG_AGO)
    command = [sys.executable, "-c", BUILDER, str(manual.root), str(manual.cache)]
    killed = subprocess.run(command, check=False)
    assert killed.returncode == -signal.SIGKILL

    told: list[tuple[int, int]] = []
    later = ManualIndex(
        Root(manual.root),
        "m",
        str(manual.cache),
        now_ns=lambda: LATER_NS,
        log=manual.said.append,
    )
    later.refresh(lambda: False, lambda done, every: told.append((done, every)))

    assert told == [(0, 1), (1, 1)]
    assert [manual.paths(word(number), index=later) for number in range(4)] == [
        [f"{number}.md"] for number in range(4)
    ]
