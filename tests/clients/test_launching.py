"""The command a client is told to start."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tebiki.clients.launching import command_words, source_of, started_as
from tebiki.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path


def program(path: Path) -> str:
    """A file that can be run."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("")
    path.chmod(0o755)
    return str(path)


def test_the_running_program_by_its_whole_path(tmp_path: Path) -> None:
    """Typed with a path, or found on it; a link is not resolved."""
    real = program(tmp_path / "real" / "tebiki")
    link = tmp_path / "bin" / "tebiki"
    link.parent.mkdir()
    link.symlink_to(real)

    assert started_as(str(link), "/usr/bin/python3", "linux", "") == (str(link),)
    assert started_as("tebiki", "/usr/bin/python3", "linux", str(link.parent)) == (str(link),)


def test_beside_the_python_that_runs(tmp_path: Path) -> None:
    """Started with `python -m tebiki`, the program of the same environment."""
    python, beside = program(tmp_path / "bin" / "python3"), program(tmp_path / "bin" / "tebiki")

    assert started_as("/x/tebiki/__main__.py", python, "linux", "") == (beside,)


def test_without_a_program_the_module(tmp_path: Path) -> None:
    """It is always there."""
    python = program(tmp_path / "bin" / "python3")

    assert started_as("-c", python, "linux", "") == (python, "-m", "tebiki")


def test_from_uvx_it_is_uvx(tmp_path: Path) -> None:
    """A path into its cache may be gone tomorrow."""
    cached = program(tmp_path / "uv" / "archive-v0" / "aBc" / "bin" / "tebiki")
    python = program(tmp_path / "uv" / "archive-v0" / "aBc" / "bin" / "python")
    uvx = program(tmp_path / "bin" / "uvx")

    assert started_as(cached, python, "linux", str(tmp_path / "bin")) == (uvx, "tebiki")
    assert started_as(cached, python, "linux", "") == ("uvx", "tebiki")


def test_a_given_command(tmp_path: Path) -> None:
    """A file is one word, whatever is in its name; else as a shell splits it."""
    spaced = program(tmp_path / "my tools" / "tebiki")

    assert command_words(spaced, "linux", "") == (spaced,)
    assert command_words("uvx 'tebiki @ x'", "linux", "") == ("uvx", "tebiki @ x")
    assert command_words(r"C:\bin\tebiki.exe run", "windows", "") == (r"C:\bin\tebiki.exe", "run")
    assert command_words(r'"C:\my bin\tebiki.exe" run', "windows", "") == (
        r"C:\my bin\tebiki.exe",
        "run",
    )


@pytest.mark.parametrize("given", ["", "  ", "'open"])
def test_a_command_that_is_none(given: str) -> None:
    """Said, not guessed."""
    with pytest.raises(UsageError, match="--command"):
        command_words(given, "linux", "")


@pytest.mark.parametrize(
    ("record", "source"),
    [
        (None, None),
        ("", None),
        ("no JSON", None),
        ("[]", None),
        ('{"url": 7}', None),
        ('{"url": "file:///home/u/my%20tebiki", "dir_info": {}}', "/home/u/my tebiki"),
        ('{"url": "file:///C:/Users/u/tebiki", "dir_info": {}}', "C:/Users/u/tebiki"),
        (
            '{"url": "https://git.example/t", "vcs_info": {"vcs": "git", "commit_id": "c0ffee"}}',
            "git+https://git.example/t",
        ),
        (
            '{"url": "ssh://git@g.example/t", "vcs_info": {"requested_revision": "v1"}}',
            "git+ssh://git@g.example/t@v1",
        ),
        ('{"url": "file:///srv/t", "vcs_info": {"vcs": "git"}}', "git+file:///srv/t"),
        ('{"url": "https://u:secret@x.example/t", "archive_info": {}}', "https://x.example/t"),
    ],
)
def test_what_uvx_ran_is_what_it_will_run(record: str | None, source: str | None) -> None:
    """From a checkout or a repository too, and never with a password."""
    python = "/home/u/.cache/uv/archive-v0/abc/bin/python"
    rest = ("tebiki",) if source is None else ("--from", source, "tebiki")

    assert source_of(record) == source
    assert started_as("tebiki", python, "linux", "", source_of(record)) == ("uvx", *rest)
