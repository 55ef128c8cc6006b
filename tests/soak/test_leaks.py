"""A bounded soak of mixed calls: every tool, both dialects, both eras of HTTP."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from tests.soak.leaks import mixed_calls

if TYPE_CHECKING:
    from pathlib import Path

SEED = 8
ROUNDS = 5


@pytest.mark.requirement("wire:faults:no-leaks")
def test_nothing_is_held_that_was_not_held_before(tmp_path: Path) -> None:
    """Memory, descriptors and threads after some hundred calls are those after the warm-up."""
    outcome = mixed_calls(tmp_path, random.Random(SEED), lambda rounds: rounds < ROUNDS)  # noqa: S311

    assert outcome.wrong == []
    assert outcome.done["calls"] > 600
