"""Completion scripts, really sourced by the shells that are there."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from tebiki.app import faces
from tebiki.cli.completion_tree import tree
from tests.support.command import run_command
from tests.support.launching import clean_environment
from tests.support.overheard import PATIENCE_SECONDS

if TYPE_CHECKING:
    from pathlib import Path

BASH = shutil.which("bash")
SYNTAX_CHECKS = [("zsh", ["-n"]), ("fish", ["--no-execute"]), ("powershell", None)]


@pytest.fixture(name="script", scope="module")
def _script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The script for bash, as printed."""
    home = tmp_path_factory.mktemp("home")
    path = home / "completion.bash"
    path.write_text(run_command(home, "completion", "bash", face="tebiki").stdout, encoding="utf-8")
    return path


def completed(script: Path, *typed: str) -> list[str]:
    """What bash offers for the last of the words."""
    assert BASH is not None
    words = " ".join(shlex.quote(word) for word in ("tebiki", *typed))
    ask = (
        f"source {shlex.quote(str(script))}; COMP_WORDS=({words}); COMP_CWORD={len(typed)}; "
        'complete -p tebiki >/dev/null; _tebiki; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        [BASH, "--norc", "-u", "-c", ask],
        capture_output=True,
        check=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        env=clean_environment(script.parent),
        cwd=script.parent,
    )
    assert done.stderr == ""
    return [line for line in done.stdout.splitlines() if line]


@pytest.mark.requirement("people:commands:completion")
@pytest.mark.skipif(BASH is None, reason="needs bash")
def test_bash_completes_everything_the_tree_knows(script: Path) -> None:
    """At each place its words and its flags, and nothing else."""
    for node in tree(faces.TEBIKI):
        offered = completed(script, *node.at, "")
        expected = [word for word, _ in node.words]
        expected += [name for flag in node.flags for name in flag.names]
        assert offered == expected, node.key


@pytest.mark.requirement("people:commands:completion")
@pytest.mark.skipif(BASH is None, reason="needs bash")
@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        (["sea"], ["search"]),
        (["vault", "re"], ["read", "replace"]),
        (["ask", "--q"], ["--quick"]),
        (["ask", "what", "--detailed", "--j"], ["--json"]),
        (["search", "x", "--timeframe", "past_w"], ["past_week"]),
        (["search", "x", "--limit", ""], []),
        (["completion", "z"], ["zsh"]),
        (["--sho"], ["--show-config"]),
    ],
)
def test_bash_completes_what_was_begun(script: Path, typed: list[str], offered: list[str]) -> None:
    """Commands, actions, flags, and the values that are known."""
    assert completed(script, *typed) == offered


@pytest.mark.requirement("people:commands:completion")
@pytest.mark.skipif(BASH is None, reason="needs bash")
def test_bash_completes_files_with_blanks(script: Path) -> None:
    """After a flag that takes one."""
    (script.parent / "my own.yaml").touch()

    assert completed(script, "ask", "--config", "my") == ["my own.yaml"]


@pytest.mark.requirement("people:commands:completion")
@pytest.mark.parametrize(("shell", "check"), SYNTAX_CHECKS)
def test_other_shells_can_read_theirs(tmp_path: Path, shell: str, check: list[str] | None) -> None:
    """Every place and flag is in it; where the shell is there, it parses the script."""
    done = run_command(tmp_path, "completion", shell, face="tebiki")

    assert (done.code, done.stderr) == (0, "")
    for node in tree(faces.TEBIKI):
        assert node.key in done.stdout
        for flag in node.flags:
            assert flag.names[-1].lstrip("-") in done.stdout
    if check is not None and shutil.which(shell) is not None:
        script = tmp_path / "script"
        script.write_text(done.stdout, encoding="utf-8")
        subprocess.run([shell, *check, str(script)], check=True, timeout=PATIENCE_SECONDS)


@pytest.mark.requirement("people:commands:completion")
def test_an_unknown_shell_is_refused(tmp_path: Path) -> None:
    """With the known ones."""
    done = run_command(tmp_path, "completion", "tcsh", face="tebiki")

    assert (done.code, done.stdout) == (2, "")
    assert "bash" in done.stderr
