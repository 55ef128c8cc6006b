"""A real git repository for one test, which knows nothing of the settings of this machine."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from tests.support.launching import clean_environment

if TYPE_CHECKING:
    from pathlib import Path

WHO = ("-c", "user.name=Test", "-c", "user.email=test@example.invalid")


class Repository:
    """A folder that git looks after."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.run("init", "--quiet", "--initial-branch=trunk")

    def run(self, *words: str, stdin: bytes = b"") -> str:
        """Have git do something; gives what it said."""
        done = subprocess.run(
            ["git", *WHO, *words],  # noqa: S607  (wherever it is)
            cwd=self.folder,
            env=clean_environment(self.folder.parent),
            input=stdin,
            capture_output=True,
            check=True,
        )
        return done.stdout.decode().strip()

    def commit(self, files: dict[str, str]) -> str:
        """Write files and commit all there is; gives the name of the commit."""
        for path, text in files.items():
            place = self.folder / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        self.run("add", "--all")
        self.run("commit", "--quiet", "--message=more")
        return self.run("rev-parse", "HEAD")
