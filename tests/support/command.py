"""Running a command to its end, as a person at a terminal does."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tests.support.launching import clean_environment, launch
from tests.support.overheard import PATIENCE_SECONDS

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
    fresh: bool = False,
) -> Finished:
    """Run a face's command with a clean environment; `fresh`: in an interpreter of its own."""
    environment = clean_environment(home) | dict(env or {})
    process = launch(face, flags, environment, cwd=home, fresh=fresh)
    try:
        stdout, stderr = process.communicate(stdin, timeout=PATIENCE_SECONDS)
    finally:
        process.kill()
    return Finished(process.wait(PATIENCE_SECONDS), stdout.decode(), stderr.decode())
