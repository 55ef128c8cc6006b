"""A bounded storm: thousands of mutated messages over stdio, hundreds over HTTP."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from tests.soak.storm import http_storm, stdio_storm

if TYPE_CHECKING:
    from pathlib import Path

SEED = 8


@pytest.mark.requirement("wire:faults:storm")
def test_stdio_stands_a_storm(tmp_path: Path) -> None:
    """What is right in its midst is answered once; nothing in it is a bug to the server."""
    outcome = stdio_storm(tmp_path, random.Random(SEED), lambda sent: sent < 5_000)  # noqa: S311

    assert outcome.wrong == []
    assert outcome.done["answers"] > 1500


@pytest.mark.requirement("wire:faults:storm")
def test_http_stands_a_storm(tmp_path: Path) -> None:
    """Odd bodies, odd headers, raw bytes: none of them is an error of ours."""
    outcome = http_storm(tmp_path, random.Random(SEED), lambda sent: sent < 300)  # noqa: S311

    assert outcome.wrong == []
    assert outcome.done["status 200"] > 0
