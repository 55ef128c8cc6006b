"""The matrix of CI runs on interpreters that run, and passes over those that do not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

FINDER = Path(__file__).parents[1] / ".ci" / "python"
VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="CI's scripts are for a shell")


def find(version: str, folder: Path) -> tuple[int, str]:
    """Ask for a version; only what lies in the folder and the shell's own commands are there."""
    done = subprocess.run(
        [FINDER, version],
        env={"PATH": f"{folder}{os.pathsep}{os.defpath}", "PYENV_ROOT": str(folder / "pyenv")},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return done.returncode, done.stdout.strip()


def command(path: Path, script: str) -> None:
    """A program of that name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)


def test_a_command_of_that_name_is_found(tmp_path: Path) -> None:
    """By the path that it gives for itself."""
    command(tmp_path / f"python{VERSION}", f'exec "{sys.executable}" "$@"')

    assert find(VERSION, tmp_path) == (0, sys.executable)


def test_a_shim_that_runs_nothing_is_passed_over(tmp_path: Path) -> None:
    """For the interpreter that pyenv keeps behind it."""
    command(tmp_path / f"python{VERSION}", "exit 127")
    kept = tmp_path / "pyenv" / "versions" / f"{VERSION}.1" / "bin" / "python"
    command(kept, f'exec "{sys.executable}" "$@"')

    assert find(VERSION, tmp_path) == (0, sys.executable)


def test_an_interpreter_of_another_version_is_none(tmp_path: Path) -> None:
    """Whatever its name says."""
    command(tmp_path / "python3.99", f'exec "{sys.executable}" "$@"')

    assert find("3.99", tmp_path) == (1, "")
