"""Every tool and command on a disk that is full, and on one that is read-only; then mended."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.soak.disks import MODES, Unavailable, on_disk

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.requirement("vault:faults:any-step")
@pytest.mark.parametrize("mode", MODES)
def test_a_disk_that_takes_nothing(mode: str, tmp_path: Path) -> None:
    """Reading goes on, writing is refused in words, and all is well when the disk is."""
    try:
        outcome = on_disk(mode, tmp_path)
    except Unavailable as reason:
        pytest.skip(str(reason))

    assert outcome.wrong == []
    assert outcome.done["calls"] >= 45
