"""`tebiki manuals add` and `rm`: folders anywhere as manuals, each behind a gate of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.command import Finished, run_command

if TYPE_CHECKING:
    from pathlib import Path

VALVE = "# Valve\n\nThe valve opens at 30 bar.\n"


@pytest.fixture(name="home")
def _home(tmp_path: Path) -> Path:
    """A workspace with one manual, and folders elsewhere."""
    for folder, name, text in (
        ("manuals/oven", "guide.md", "# Guide\n\nThe heater runs at 40 degrees.\n"),
        ("work/pumps", "valve.md", VALVE),
        ("work/pumps/deep", "more.md", "# More\n\nNothing.\n"),
        ("work/secret", "keys.md", "# Keys\n\nThe valve of the safe.\n"),
    ):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / name).write_text(text, encoding="utf-8")
    return tmp_path


def manuals(home: Path, *words: str) -> Finished:
    """Run one action."""
    return run_command(home, "manuals", *words, face="tebiki")


def config(home: Path) -> Path:
    """The settings file that the commands write."""
    return home / ".config/tebiki/config.yaml"


@pytest.mark.requirement("people:manuals:several-folders")
def test_a_folder_anywhere_becomes_a_manual(home: Path) -> None:
    """Listed, searched and read by its name; its index is no orphan."""
    done = manuals(home, "add", str(home / "work/pumps"))
    assert (done.code, "pumps is a manual now" in done.stdout) == (0, True)

    assert manuals(home, "ls").stdout == "oven/\npumps/\n"
    assert "pumps/valve.md:1" in manuals(home, "find", "pumps", "valve", "opens").stdout
    assert manuals(home, "read", "pumps/valve.md").stdout == VALVE
    assert "Nothing to clean" in manuals(home, "clean").stdout


@pytest.mark.requirement("people:manuals:several-folders")
def test_what_was_written_by_hand_stays(home: Path) -> None:
    """Comments and other settings; removing the entry leaves the file as it was."""
    before = "# mine\nmanuals:\n  root: ~/m  # here\nbudget:\n  daily_usd: 5\n"
    config(home).parent.mkdir(parents=True)
    config(home).write_text(before, encoding="utf-8")
    config(home).chmod(0o640)

    assert manuals(home, "add", str(home / "work/pumps"), "--as", "ポンプ").code == 0
    with_entry = config(home).read_text(encoding="utf-8")
    assert manuals(home, "rm", "ポンプ").code == 0

    assert f"ポンプ: {home}/work/pumps" in with_entry
    assert "# mine" in with_entry
    assert config(home).read_text(encoding="utf-8") == before
    assert config(home).stat().st_mode & 0o777 == 0o640
    assert (home / "work/pumps/valve.md").read_text() == VALVE


@pytest.mark.requirement("people:manuals:roots-apart")
@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["work/nowhere"], "there is no folder"),
        (["work/pumps/valve.md"], "there is no folder"),
        (["work/pumps", "--as", "oven"], "already"),
        (["work/pumps", "--as", "manuals"], "all manuals"),
        (["work/pumps", "--as", "a/b"], "cannot have the name"),
        (["work/pumps", "--as", "../x"], "cannot have the name"),
        (["work/pumps", "--as", ".x"], "cannot have the name"),
        (["manuals/oven"], "already"),
        (["manuals/oven", "--as", "stove"], "overlap"),
        (["manuals"], "all manuals"),
        (["."], "overlap"),
        (["vault"], "overlap"),
    ],
)
def test_what_cannot_be_a_manual_is_refused(home: Path, words: list[str], reason: str) -> None:
    """In one line, and nothing is written."""
    (home / "vault").mkdir()
    folder, *rest = words
    done = manuals(home, "add", str(home / folder), *rest)

    assert (done.code, reason in done.stderr) == (2, True)
    assert not config(home).exists()


@pytest.mark.requirement("people:manuals:roots-apart")
def test_roots_may_not_lie_in_each_other(home: Path) -> None:
    """Also not by a link, nor by a file that was written by hand."""
    assert manuals(home, "add", str(home / "work/pumps")).code == 0
    (home / "link").symlink_to(home / "work/pumps/deep")

    assert "overlap" in manuals(home, "add", str(home / "link")).stderr
    roots = f"{{pumps: {home}/work/pumps, deep: {home}/work/pumps/deep}}"
    config(home).write_text(f"manuals:\n  roots: {roots}\n", encoding="utf-8")
    done = manuals(home, "ls")
    assert (done.code, "manuals.roots.deep" in done.stderr) == (2, True)
    assert manuals(home, "rm", "deep").code == 0
    assert manuals(home, "ls").stdout == "oven/\npumps/\n"


@pytest.mark.requirement("people:manuals:roots-gate")
def test_no_path_leaves_its_folder(home: Path) -> None:
    """Neither by dots nor by a link that lies inside."""
    assert manuals(home, "add", str(home / "work/pumps")).code == 0
    (home / "work/pumps/out.md").symlink_to(home / "work/secret/keys.md")
    (home / "work/pumps/outside").symlink_to(home / "work/secret")

    for path in ("../secret/keys.md", "out.md", "outside/keys.md"):
        done = manuals(home, "read", f"pumps/{path}")
        assert (done.code, "safe" in done.stdout + done.stderr) == (2, False)
    found = manuals(home, "find", "pumps", "valve of the safe")
    assert "keys" not in found.stdout


@pytest.mark.requirement("people:manuals:roots-apart")
def test_a_later_collision_is_said_and_harms_nothing(home: Path) -> None:
    """The name that was written down wins."""
    assert manuals(home, "add", str(home / "work/pumps")).code == 0
    (home / "manuals/pumps").mkdir()

    done = manuals(home, "ls", "pumps")

    assert done.code == 0
    assert "valve.md" in done.stdout
    assert "hides the folder pumps" in done.stderr


@pytest.mark.requirement("people:manuals:several-folders")
def test_a_folder_that_is_gone_is_left_out(home: Path) -> None:
    """The others are there; the doctor says which is not."""
    assert manuals(home, "add", str(home / "work/pumps")).code == 0
    (home / "work").rename(home / "moved")

    assert manuals(home, "ls").stdout == "oven/\n"
    doctor = run_command(home, "doctor", "--offline", face="tebiki").stdout
    assert "manuals.roots.pumps" in doctor


@pytest.mark.requirement("people:manuals:several-folders")
def test_an_import_goes_where_the_manual_is(home: Path) -> None:
    """And not into a folder of that name below the root."""
    assert manuals(home, "add", str(home / "work/pumps"), "--as", "p").code == 0
    (home / "seals.txt").write_text("The seal is of rubber.\n", encoding="utf-8")

    assert manuals(home, "import", str(home / "seals.txt"), "--into", "p").code == 0

    assert (home / "work/pumps/seals.txt.md").is_file()
    assert not (home / "manuals/p").exists()
    assert "seal is of rubber" in manuals(home, "scan", "p/seals.txt.md").stdout
