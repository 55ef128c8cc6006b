"""Faults, in a bounded form: writers at once, kills at random moments, links swapped in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.vault.faults import concurrent_replaces, killed_replaces, swapped_calls, swept_folder

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif("os.name == 'nt'", reason="links and SIGKILL are needed")


@pytest.mark.requirement("vault:writing:locked")
def test_replaces_of_four_processes_all_take_effect(root: Path) -> None:
    """4 x 25 replaces of one file: none is lost."""
    assert concurrent_replaces(root, processes=4, each=25) == 100


@pytest.mark.requirement("vault:writing:killed")
def test_a_kill_leaves_the_old_or_the_new_file(root: Path) -> None:
    """20 kills while 2 MB are replaced: nothing torn, nothing stray to be seen, a true log."""
    found = killed_replaces(root, kills=20, size=2_000_000, seed=4, longest=0.1)

    assert (found.torn, found.visible_strays, found.unexplained) == (0, 0, 0)


@pytest.mark.requirement("vault:writing:swept")
def test_what_killed_writers_left_is_swept_and_nothing_of_live_ones(root: Path) -> None:
    """8 processes in one folder, half of them killed again and again, each sweeping at every write.

    None of the live ones ever fails, and what is no file of ours stays.
    """
    found = swept_folder(root, processes=8, kills=6, seconds=0.2)

    assert (found.failed, found.torn, found.left_in_the_end, found.foreign) == (0, 0, 0, 3)
    assert found.written > 0
    assert found.left_by_the_killed > 0


@pytest.mark.requirement("vault:paths:races")
def test_check_use_race_swapped_links_lead_nowhere(tmp_path: Path) -> None:
    """2 s of swapping a folder and a file for links: nothing outside is read or written."""
    found = swapped_calls(tmp_path, seconds=2)

    assert found.leaks == 0
    assert not found.changed_outside
    assert found.swaps > 0
    assert found.answered > 0
