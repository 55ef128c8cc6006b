"""`tebiki manuals clean`: indexes of manuals that are gone, and nothing else."""

from __future__ import annotations

import json
import shutil
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tebiki.system import file_locks
from tests.support.command import Finished, run_command

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(name="home")
def _home(tmp_path: Path) -> Path:
    """Two roots with an indexed manual each, one of them gone since, and one that is there."""
    for manual in ("manuals/oven", "manuals/fan", "other/lamp"):
        (tmp_path / manual).mkdir(parents=True)
        (tmp_path / manual / "a.md").write_text("# Heater\n")
    manuals(tmp_path, "index")
    manuals(tmp_path, "index", "--manuals", str(tmp_path / "other"))
    shutil.rmtree(tmp_path / "manuals" / "fan")
    return tmp_path


def manuals(home: Path, *words: str) -> Finished:
    """Run one action."""
    env = {"XDG_CACHE_HOME": str(home / "cache")}
    return run_command(home, "manuals", *words, face="tebiki", env=env)


def indexes(home: Path) -> set[Path]:
    """The folders of indexes."""
    return set((home / "cache" / "tebiki" / "manuals").iterdir())


def shown(home: Path, *words: str) -> list[dict[str, Any]]:
    """What would be removed, or was."""
    rows: list[dict[str, Any]] = json.loads(manuals(home, "clean", "--json", *words).stdout)
    return rows


@pytest.mark.requirement("people:manuals:clean")
def test_only_the_index_of_a_manual_that_is_gone_is_removed(home: Path) -> None:
    """At first it is only shown; those of other roots stay while their manuals are there."""
    before = indexes(home)

    told = manuals(home, "clean")
    assert (told.code, indexes(home)) == (0, before)
    assert str(home / "manuals" / "fan") in told.stdout
    assert "oven" not in told.stdout
    assert "--yes removes them" in told.stdout

    (row,) = shown(home, "--yes")
    assert (row["manual_id"], row["state"], row["removed"]) == ("fan", "gone", True)
    assert row["bytes"] > 0
    assert len(indexes(home)) == len(before) - 1
    assert "Nothing to clean" in manuals(home, "clean", "--yes").stdout
    shutil.rmtree(home / "other")
    assert [row["manual_id"] for row in shown(home)] == ["lamp"]


@pytest.mark.requirement("people:manuals:clean")
def test_an_index_in_use_stays(home: Path) -> None:
    """Whoever writes it holds its lock."""
    (row,) = shown(home)
    with open(f"{row['folder']}/lock", "a+b") as lock:
        assert file_locks.try_lock(lock.fileno())

        done = manuals(home, "clean", "--yes")

        assert (done.code, "in use, left alone" in done.stdout) == (1, True)
        assert len(indexes(home)) == 3


@pytest.mark.requirement("people:manuals:clean")
@pytest.mark.skipif(sys.platform == "win32", reason="making links needs a privilege there")
def test_what_is_no_index_of_ours_stays(home: Path, tmp_path: Path) -> None:
    """Links, other names, and indexes that do not tell their manual unless these are asked for."""
    folder = home / "cache" / "tebiki" / "manuals"
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "kept").write_text("mine")
    (folder / ("a" * 24)).symlink_to(elsewhere)
    (folder / "notes").mkdir()
    (folder / ("b" * 24)).mkdir()

    manuals(home, "clean", "--yes")
    assert (folder / ("b" * 24)).exists()

    assert "1 index does not tell" in manuals(home, "clean").stdout
    assert [row["state"] for row in shown(home, "--unknown", "--yes")] == ["unknown"]
    assert not (folder / ("b" * 24)).exists()
    assert (folder / ("a" * 24)).is_symlink()
    assert (folder / "notes").exists()
    assert (elsewhere / "kept").read_text() == "mine"


@pytest.mark.requirement("people:manuals:clean", "people:doctor:files")
def test_the_doctor_tells_sizes(home: Path) -> None:
    """Of all indexes, and of those nobody needs."""
    env = {"XDG_CACHE_HOME": str(home / "cache")}
    done = run_command(home, "doctor", "--offline", "--json", face="tebiki", env=env)
    (row,) = [row for row in json.loads(done.stdout)["findings"] if row["area"] == "indexes"]

    assert row["verdict"] == "ok"
    assert row["words"].startswith("3 indexes, ")
    assert "of manuals that are gone (tebiki manuals clean)" in row["words"]
    assert {one["state"] for one in row["facts"]["indexes"]} == {"used", "gone"}
