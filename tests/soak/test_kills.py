"""A few servers and stores killed at moments by chance."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from tests.soak.kills import killed_servers, killed_stores

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif("os.name == 'nt'", reason="needs SIGKILL")

SEED = 8
KILLS = 2


@pytest.mark.requirement("vault:faults:kills")
def test_what_a_killed_server_had_answered_is_there(tmp_path: Path) -> None:
    """Notes, journal, ledger and index."""
    outcome = killed_servers(tmp_path, random.Random(SEED), lambda kills: kills < KILLS)  # noqa: S311

    assert outcome.wrong == []
    assert outcome.done["writes acknowledged"] > 0


@pytest.mark.requirement("http:faults:kills")
def test_what_a_killed_worker_had_kept_is_there(tmp_path: Path) -> None:
    """And the file that workers share is whole."""
    outcome = killed_stores(tmp_path, random.Random(SEED), lambda kills: kills < KILLS)  # noqa: S311

    assert outcome.wrong == []
    assert outcome.done["things kept"] > 0
