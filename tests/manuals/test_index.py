"""The life of an index: fresh at every find, shared, rebuilt when broken, in memory if need be."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tebiki.errors import NotFound
from tebiki.files.paths import Root
from tebiki.manuals.index.refresh import ManualIndex
from tebiki.manuals.index.store import MANIFEST, POSTINGS, index_folder
from tests.manuals.searchable import LONG_AGO, Searchable


@pytest.fixture(name="manual")
def _manual(tmp_path: Path) -> Searchable:
    return Searchable(tmp_path, tmp_path / "cache")


def test_an_edit_is_seen_by_the_next_find(manual: Searchable) -> None:
    """Created, changed and deleted files."""
    manual.write("a.md", "# 一\n申請の手順\n")
    assert manual.paths("申請") == ["a.md"]
    manual.write("b.md", "# 二\n申請の期限\n")
    assert set(manual.paths("申請")) == {"a.md", "b.md"}
    manual.write("a.md", "# 一\n別の話題\n")
    assert manual.paths("申請") == ["b.md"]
    (manual.root / "m" / "b.md").unlink()
    assert manual.paths("申請") == []


def test_an_edit_of_the_same_size_and_time_is_seen(manual: Searchable) -> None:
    """Within the clock's grain the contents are compared."""
    manual.write("a.md", "# t\nalpha\n", modified=LONG_AGO)
    assert manual.paths("alpha") == ["a.md"]
    manual.write("a.md", "# t\nomega\n", modified=LONG_AGO)
    assert manual.paths("omega") == ["a.md"]
    assert manual.paths("alpha") == []


def test_another_process_uses_the_same_index(manual: Searchable) -> None:
    """And sees what the first one commits."""
    manual.write("a.md", "# t\nalpha\n")
    other = manual.another()
    assert manual.paths("alpha") == ["a.md"]
    assert manual.paths("alpha", index=other) == ["a.md"]
    manual.write("b.md", "# t\nalpha beta\n")
    assert "b.md" in manual.paths("beta", index=other)
    assert "b.md" in manual.paths("beta")


@pytest.mark.parametrize("damage", ["manifest", "meta", "segments", "all", "foreign"])
def test_a_broken_index_is_rebuilt(manual: Searchable, damage: str, tmp_path: Path) -> None:
    """Whatever is missing or garbled."""
    manual.write("a.md", "# t\nalpha\n")
    manual.ask("alpha")
    cache = tmp_path / "cache"
    postings = cache / POSTINGS
    if damage == "manifest":
        (cache / MANIFEST).write_text("no json")
    elif damage == "meta":
        (postings / "meta.json").write_text("garbage")
    elif damage == "segments":
        for file in postings.glob("*.*"):
            if file.name != "meta.json":
                file.unlink()
    elif damage == "foreign":
        (postings / "meta.json").write_text('{"segments":[],"schema":[],"opstamp":0}')
    else:
        shutil.rmtree(cache)
    assert manual.paths("alpha", index=manual.another()) == ["a.md"]


def test_a_cache_that_is_deleted_while_it_is_used_is_written_again(
    manual: Searchable, tmp_path: Path
) -> None:
    """Not kept in memory only, where it would be built anew at each start."""
    manual.write("a.md", "# 一\n申請の手順\n", modified=LONG_AGO)
    assert manual.paths("申請") == ["a.md"]
    shutil.rmtree(tmp_path / "cache")
    assert manual.paths("申請") == ["a.md"]
    assert (tmp_path / "cache" / MANIFEST).is_file()
    manual.write("b.md", "# 二\n申請の期限\n", modified=LONG_AGO)
    shutil.rmtree(tmp_path / "cache")
    assert sorted(manual.paths("申請")) == ["a.md", "b.md"]
    assert (tmp_path / "cache" / MANIFEST).is_file()
    assert not any("memory" in said for said in manual.said)
    if os.name == "posix":
        assert (tmp_path / "cache").stat().st_mode & 0o077 == 0


def test_without_a_cache_folder_it_works_in_memory(tmp_path: Path) -> None:
    """And says so once."""
    (tmp_path / "file").write_text("")
    manual = Searchable(tmp_path, tmp_path / "file" / "cache")
    manual.write("a.md", "# t\nalpha\n")
    assert manual.paths("alpha") == ["a.md"]
    assert manual.paths("alpha") == ["a.md"]
    assert len(manual.said) == 1
    assert "memory" in manual.said[0]


def test_a_stopped_build_goes_on_later(manual: Searchable) -> None:
    """What there was time for is searched; the rest is told, and indexed next time."""
    for number in range(6):
        manual.write(f"{number}.md", f"# t\nalpha {number}\n")
    turns = iter([False, False, True] + [True] * 50)
    fresh = manual.index.refresh(lambda: next(turns))
    assert 0 < len(fresh.unreached) < 6
    assert not manual.index.refresh(lambda: False).unreached


def test_progress_counts_changed_files(manual: Searchable) -> None:
    """Done and all."""
    manual.write("a.md", "x")
    manual.write("b.md", "y")
    seen: list[tuple[int, int]] = []
    manual.index.refresh(lambda: False, lambda done, every: seen.append((done, every)))
    assert seen == [(0, 2), (1, 2), (2, 2)]


def test_unreadable_files_are_told(manual: Searchable) -> None:
    """By reason; a link does not make a search incomplete, another encoding does."""
    manual.write("a.md", "# t\nalpha\n")
    (manual.root / "m" / "link.md").symlink_to(manual.root / "m" / "a.md")
    found = manual.ask("alpha")
    assert found.complete
    assert found.lists["unscanned"] == [{"path": "link.md", "reason": "symlink"}]
    (manual.root / "m" / "bad.md").write_bytes(b"\xff\xfe\xff")
    found = manual.ask("alpha")
    assert not found.complete
    assert {"path": "bad.md", "reason": "encoding"} in found.lists["unscanned"]


def test_a_manual_that_is_not_there(tmp_path: Path) -> None:
    """Is said so."""
    index = ManualIndex(Root(tmp_path), "none", None, now_ns=lambda: 0, log=print)
    with pytest.raises(NotFound):
        index.refresh(lambda: False)


def test_indexes_are_keyed_by_root_and_manual(tmp_path: Path) -> None:
    """No two share a folder."""
    keys = {
        index_folder("/cache", str(tmp_path / root), manual)
        for root in ("a", "b")
        for manual in ("m", "n")
    }
    assert len(keys) == 4


def test_threads_share_an_index_while_files_change(manual: Searchable) -> None:
    """No error, no stale answer."""
    manual.write("a.md", "# t\nalpha0\n")
    others = [manual.another() for _ in range(3)]
    failures: list[str] = []

    def read(index: ManualIndex) -> None:
        answers = (manual.paths("shared", index=index) for _ in range(15))
        failures.extend("stale" for paths in answers if paths not in ([], ["b.md"]))

    threads = [threading.Thread(target=read, args=(index,)) for index in others]
    for thread in threads:
        thread.start()
    for number in range(15):
        manual.write("b.md", f"# t\nshared {number}\n")
        if manual.paths("shared") != ["b.md"]:
            failures.append("own edit not seen")
    for thread in threads:
        thread.join()
    assert failures == []


def test_the_answer_does_not_depend_on_the_hash_seed(manual: Searchable, tmp_path: Path) -> None:
    """Same files, same call, same answer, in any process."""
    for number in range(12):
        manual.write(f"{number % 4}/{number}.md", f"# 見出し{number}\n申請 alpha beta {number}\n")
    code = (
        "import json,sys;from pathlib import Path;from tests.manuals.searchable import Searchable;"
        f"m=Searchable(Path({str(tmp_path)!r}),None);"
        "found=m.ask('申請 alpha と beta の違い','申請','beta');"
        "print(json.dumps(list(found.lists['candidates'])))"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            cwd=Path(__file__).parents[2],
            check=True,
            capture_output=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(said) == 1


def test_a_young_file_that_goes_is_forgotten(tmp_path: Path) -> None:
    """Also when it was the only one, and is gone before its times say anything."""
    manual = Searchable(tmp_path, tmp_path / "cache")
    manual.write("a.md", "# gamma\n")
    assert manual.paths("gamma") == ["a.md"]

    (manual.root / "m" / "a.md").unlink()

    assert manual.paths("gamma") == []
    assert manual.paths("gamma", index=manual.another()) == []
