"""Every writing operation with a kill and with a full disk at each step that it takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.soak.faults import every_fault
from tests.soak.writers import WRITERS

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif("os.name == 'nt'", reason="needs forks and signals")

BOUNDED = [name for name in WRITERS if name != "index build"]
"""An edit takes the steps of a build and some more; `make soak` takes both."""


@pytest.mark.requirement("vault:faults:any-step")
@pytest.mark.parametrize("name", BOUNDED)
def test_a_fault_at_any_step(name: str, tmp_path: Path) -> None:
    """The old or the new is there, nothing in between; the next try goes through."""
    outcome = every_fault(name, tmp_path)

    assert outcome.wrong == []
    assert outcome.done["kills"] > 0
    assert outcome.done["full disks"] > 0
