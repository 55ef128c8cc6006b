"""A face's own configuration file, in the place where it looks for one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.memory_server import FACES

if TYPE_CHECKING:
    from pathlib import Path


def settings_file(home: Path, face: str) -> Path:
    """Where a face reads its settings, below a home folder."""
    return home / ".config" / FACES[face].name / "config.yaml"


def write_settings(home: Path, face: str, text: str) -> None:
    """Write a face's settings."""
    path = settings_file(home, face)
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
