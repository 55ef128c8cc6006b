"""Manuals in a folder of their own, and the samples of the project."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pytest

from tests.manuals.libraries import library_at

if TYPE_CHECKING:
    from tebiki.manuals.library import Library

SAMPLES = Path(__file__).parents[2] / "samples" / "manuals"


class Write(Protocol):
    """Writes a file of a manual."""

    def __call__(self, path: str, content: str | bytes) -> Path:
        """Write it, with its folders."""


@pytest.fixture(name="root")
def _root(tmp_path: Path) -> Path:
    """A root with one empty manual."""
    (tmp_path / "manuals" / "m").mkdir(parents=True)
    return tmp_path / "manuals"


@pytest.fixture(name="write")
def _write(root: Path) -> Write:
    """Files below the root."""

    def write(path: str, content: str | bytes) -> Path:
        where = root / path
        where.parent.mkdir(parents=True, exist_ok=True)
        where.write_bytes(content.encode() if isinstance(content, str) else content)
        return where

    return write


@pytest.fixture(name="library")
def _library(root: Path) -> Library:
    """The library under test, its manuals already listed."""
    return library_at(root)


@pytest.fixture(name="samples")
def _samples() -> Library:
    """The library of the two sample manuals."""
    return library_at(SAMPLES)
