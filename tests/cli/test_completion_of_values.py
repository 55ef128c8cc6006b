"""Completion of what the disk knows, by the shells that are there: manuals, their files, notes."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.support.command import run_command
from tests.support.launching import clean_environment, fresh_command
from tests.support.overheard import PATIENCE_SECONDS

if TYPE_CHECKING:
    from pathlib import Path

BY_SHELL = {
    "bash": (
        "source ./script; COMP_WORDS=({words}); COMP_CWORD={last}; _tebiki; "
        'printf "%s\\n" "${{COMPREPLY[@]}}"'
    ),
    # What zsh itself would show is what the script hands over to `compadd` and `_describe`.
    "zsh": (
        "compdef() {{ }}; source ./script; words=({words}); CURRENT=$(({last} + 1)); "
        'compadd() {{ while [ "$1" != "--" ]; do shift; done; shift; print -rl -- "$@"; }}; '
        "_describe() {{ print -rl -- ${{${{(P)2}}%%:*}}; }}; _tebiki"
    ),
    "fish": "source ./script; complete -C {line} | string split -f1 \\t",
}
LOADED = [
    pytest.param(shell, marks=pytest.mark.skipif(shutil.which(shell) is None, reason="not here"))
    for shell in BY_SHELL
]


@pytest.fixture(name="home")
def _home(tmp_path: Path) -> Path:
    """A workspace with two manuals and notes, and the command on the path."""
    for file in ("manuals/oven/guide.md", "manuals/oven/more/fan.md", "manuals/印刷機/手引き.md"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text("# A\n", encoding="utf-8")
    (tmp_path / "vault" / "my ideas").mkdir(parents=True)
    (tmp_path / "vault" / "todo.md").write_text("x", encoding="utf-8")
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "tebiki"
    command.write_text(f'#!/bin/sh\nexec {shlex.join(fresh_command("tebiki"))} "$@"\n')
    command.chmod(0o755)
    return tmp_path


def offered(home: Path, shell: str, *typed: str) -> list[str]:
    """What a shell that has loaded its script offers for the last of the words, flags left out."""
    script = run_command(home, "completion", shell, face="tebiki").stdout
    (home / "script").write_text(script, encoding="utf-8")
    words = " ".join(shlex.quote(word) for word in ("tebiki", *typed))
    line = shlex.quote(" ".join(("tebiki", *typed)))
    environment = clean_environment(home)
    done = subprocess.run(
        [shell, "-c", BY_SHELL[shell].format(words=words, last=len(typed), line=line)],
        capture_output=True,
        check=False,
        timeout=PATIENCE_SECONDS,
        env={**environment, "PATH": f"{home / 'bin'}:{environment['PATH']}", "LC_ALL": "C.UTF-8"},
        cwd=home,
    )
    assert done.stderr == b"", done.stderr.decode()
    lines = done.stdout.decode().splitlines()
    return [line for line in lines if line and not line.startswith("-")]


@pytest.mark.requirement("people:commands:completion-values")
@pytest.mark.parametrize("shell", LOADED)
@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        (["manuals", "find", "o"], ["oven"]),
        (["manuals", "find", "oven", "o"], []),
        (["manuals", "find", "--limit", "3", "o"], ["oven"]),
        (["manuals", "find", "--manual", "o"], ["oven"]),
        (["manuals", "read", "印"], ["印刷機/"]),
        (["manuals", "read", "oven/"], ["oven/guide.md", "oven/more/"]),
        (["manuals", "toc", "oven", "m"], ["more/"]),
        (["vault", "read", "t"], ["todo.md"]),
        (["vault", "read", "m"], ["my ideas/"]),
        (["setup", "claude-c"], ["claude-code"]),
        (["help", "se"], ["search", "setup", "settings"]),
    ],
)
def test_shells_offer_what_the_disk_knows(
    home: Path, shell: str, typed: list[str], expected: list[str]
) -> None:
    """In its place only: a word of a question is anything."""
    found = offered(home, shell, *typed)
    begun = [one for one in found if one.startswith(typed[-1])]

    assert sorted(begun) == sorted(expected)


@pytest.mark.requirement("people:commands:completion-values")
def test_nothing_is_said_while_something_is_typed(tmp_path: Path) -> None:
    """Neither without manuals, nor with settings that cannot be read, nor at an odd place."""
    (tmp_path / "bad.yaml").write_text("manuals: 3", encoding="utf-8")
    for words in (
        ["o", "manuals", "find"],
        ["o", "manuals", "find", "--config", "bad.yaml"],
        ["../", "manuals", "read"],
        ["x", "no", "such", "place"],
        [],
    ):
        done = run_command(tmp_path, "completion", "--values", *words, face="tebiki")
        assert done == (0, "", ""), words
