"""Watched manuals, bounded: edits by chance, and writers beside finders."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from tebiki.manuals.documents.choosing import CAN_WATCH
from tests.soak.watched import watched_edits, writers_beside_finders

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(not CAN_WATCH, reason="only Linux tells of changes")
SEED = 17


def test_a_watched_manual_is_what_a_walk_finds(tmp_path: Path) -> None:
    """Whatever is done to it."""
    outcome = watched_edits(tmp_path, random.Random(SEED), lambda steps: steps < 60)  # noqa: S311

    assert outcome.wrong == []
    assert outcome.done["finds compared"] == 6


def test_no_find_is_stale_beside_writers(tmp_path: Path) -> None:
    """Each shows at least what was complete when it began."""
    chance = random.Random(SEED)  # noqa: S311
    outcome = writers_beside_finders(tmp_path, chance, lambda finds: finds < 20)

    assert outcome.wrong == []
    assert outcome.done["edits"] > 0
