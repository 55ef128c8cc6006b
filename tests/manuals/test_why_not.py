"""Why a section was not found: the stage that kept it back, and the numbers in its words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tebiki.errors import InvalidArguments
from tebiki.manuals.request import FindRequest
from tests.manuals import usual
from tests.manuals.libraries import library_at

if TYPE_CHECKING:
    from pathlib import Path

    from tebiki.manuals.library import Library
    from tests.manuals.conftest import Write

REQUEST = FindRequest("the red lantern", "m", ("lantern",))


def test_the_last_one_given_is_not_one_of_an_exploration(library: Library, write: Write) -> None:
    """Those are given with less than what was cut off has."""
    request = REQUEST._replace(query="lantern", max_candidates=4)
    for number in range(12):
        write(f"m/{number:02}.md", f"# Part {number}\n" + "lantern " * 2 + "other " * number)

    fates = [library.why_not(request, f"{number:02}.md") for number in range(12)]

    cut_off = [fate for fate in fates if fate.stage == "cut_off"]
    assert cut_off
    for fate in cut_off:
        (last,) = re.findall(r"the last one given has ([0-9.]+)", fate.words)
        assert float(last) >= round(fate.score or 0.0, 2)


def test_the_hard_cap_is_a_stage_of_its_own(root: Path, write: Write) -> None:
    """The index proposed it; nobody scored it."""
    find = usual.FIND._replace(manual_find_scan_hard_cap=3)
    capped = library_at(root, usual.LIBRARY._replace(finder=usual.FINDER._replace(find=find)))
    for number in range(9):
        write(f"m/{number}.md", f"# Part {number}\nThe red lantern{' burns' * number}.\n")

    fates = [capped.why_not(REQUEST, f"{number}.md") for number in range(9)]

    left = [fate for fate in fates if fate.stage == "hard_cap"]
    assert len(left) == 6
    assert all("3 sections are scored (manuals.find.scan_hard_cap)" in one.words for one in left)


def test_an_empty_file_is_told_as_such(library: Library, write: Write) -> None:
    """It has no line to speak of."""
    write("m/empty.md", "")

    with pytest.raises(InvalidArguments, match=r"empty\.md is empty"):
        library.why_not(REQUEST, "empty.md")


def test_what_is_behind_a_link_is_left_out_as_a_link(
    library: Library, root: Path, write: Write
) -> None:
    """Its permissions are no matter."""
    write("m/a/b.md", "# B\nlantern\n")
    (root / "m" / "linked").symlink_to("a")

    fate = library.why_not(REQUEST, "linked/b.md")

    assert (fate.stage, fate.words) == ("left_out", "its file is left out: symlink")
