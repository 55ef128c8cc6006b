"""Running a command to its end, as a person at a terminal does."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, NamedTuple

from tests.launching import clean_environment, fresh_command
from tests.overheard import PATIENCE_SECONDS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


class Finished(NamedTuple):
    """What a command left behind."""

    code: int
    stdout: str
    stderr: str


def run_command(
    home: Path,
    *flags: str,
    face: str = "openai_responses_mcp",
    env: Mapping[str, str] | None = None,
    stdin: bytes = b"",
) -> Finished:
    """Run a face's command with a clean environment."""
    done = subprocess.run(
        fresh_command(face, *flags),
        input=stdin,
        capture_output=True,
        check=False,
        timeout=PATIENCE_SECONDS,
        env=clean_environment(home) | dict(env or {}),
        cwd=home,
    )
    return Finished(done.returncode, done.stdout.decode(), done.stderr.decode())
