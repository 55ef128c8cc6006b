"""Finds made one after the other: an earlier one never shows in the answer to a later one."""

from __future__ import annotations

from functools import partial
from itertools import count
from typing import TYPE_CHECKING

import pytest

from tebiki.manuals.find import Clocks, Watch
from tebiki.manuals.library import Library
from tebiki.manuals.request import FindRequest
from tebiki.tools import manual_forms as forms
from tests.manuals import usual
from tests.manuals.libraries import NOON, library_at

if TYPE_CHECKING:
    from pathlib import Path

    from tests.manuals.conftest import Write


def library_of_hours(root: Path, hours: list[float]) -> Library:
    """A library whose clock tells the last hour first, and stays at the first one."""
    clocks = Clocks(lambda: NOON, lambda: hours.pop() if len(hours) > 1 else hours[0], lambda: 0)
    new_id = partial(next, map(str, count()))
    settings = usual.LIBRARY
    library = Library(root, settings, clocks, new_id, log=lambda _line: None)
    library.ls()
    return library


def test_who_is_out_of_time_is_not_told_an_older_answer(root: Path, write: Write) -> None:
    """The files were not looked at again, so nothing kept can stand for them."""
    hours = [NOON]
    library = library_of_hours(root, hours)
    request = FindRequest("probe", "m", ("probe",))
    write("m/a.md", "# A\nprobe\n")
    assert library.find(request).found.complete

    write("m/b.md", "# B\nprobe again\n")
    hours[:] = [NOON + 3600, NOON]
    late = library.find(request).found
    assert (late.complete, late.failure_reason) == (False, "time_budget")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (("readinessprobe", "text"), ("readinessProbe", "text")),
        (("text", "readinessprobe"), ("text", "readinessProbe")),
        (("京都市", "text"), ("京都 市", "text")),
        (("text", "alpha", "beta"), ("text", "beta", "alpha")),
        (("all ＡＢＣ text", "alpha", "zeta"), ("all ABC text", "alpha", "zeta")),
    ],
)
def test_an_answer_does_not_tell_what_was_asked_before(
    root: Path, write: Write, before: tuple[str, ...], after: tuple[str, ...]
) -> None:
    """Case, gaps and the order of the terms can matter to a search, and words are told as asked."""
    write("m/a.md", "# A\nreadiness Probe text alpha beta\n")
    write("m/b.md", "# B\nreadinessprobe text beta alpha\n")
    write("m/c.md", "# C\n京都の市の text\n")
    write("m/d.md", "# D\n京都市 text\n")
    asked = FindRequest(after[0], "m", after[1:])
    library = library_at(root, new_id=iter(["1", "2"]).__next__)
    library.find(FindRequest(before[0], "m", before[1:]))
    again, fresh = library.find(asked), library_at(root, new_id=lambda: "2").find(asked)
    assert forms.full_find_form(again) == forms.full_find_form(fresh)
    assert again.found.lists == fresh.found.lists


def test_the_order_of_the_required_terms_is_no_matter(root: Path, write: Write) -> None:
    """Also where nothing is kept; only the echo is in the order that was asked for."""
    write("m/a.md", "# A\nalpha beta question\n")
    write("m/b.md", "# B\nbeta alpha question\n")
    one, other = (
        library_at(root).find(FindRequest("question", "m", terms)).found
        for terms in (("alpha", "beta"), ("beta", "alpha"))
    )
    assert one.lists == other.lists
    assert other.applied["requested_required_terms"] == ["beta", "alpha"]


def test_what_nobody_had_time_to_see_is_left_unscanned(root: Path, write: Write) -> None:
    """A walk that ended early does not know which files it left."""
    for number in range(300):
        write(f"m/{number:03}.md", f"# Part {number}\n")
    hours = [NOON + 3600, NOON]
    library = library_of_hours(root, hours)
    request = FindRequest("part", "m", ("part",))
    first = library.find(request)
    assert not first.found.complete

    rest = library.find(request, unscanned_from=first.trace_id).found
    assert (rest.complete, rest.summary["scanned_files"]) == (True, 300)


def test_a_folder_that_was_left_out_is_searched_when_it_can_be(root: Path, write: Write) -> None:
    """Its files had no names for the find that left it."""
    write("m/a.md", "# Wick\n")
    (root / "m/sub").symlink_to("elsewhere")
    library = library_at(root, new_id=iter(["1", "2"]).__next__)
    request = FindRequest("wick", "m", ("wick",))
    first = library.find(request)
    (root / "m/sub").unlink()
    write("m/sub/deep/b.md", "# Wick\n")
    write("m/submarine.md", "# Wick\n")

    rest = library.find(request, unscanned_from=first.trace_id).found
    assert [row["ref"]["path"] for row in rest.lists["candidates"]] == ["sub/deep/b.md"]


def test_a_find_that_was_called_off_teaches_nothing(root: Path, write: Write) -> None:
    """It was cut by whoever asked, and not by the time or by a cap."""
    write("m/a.md", "# A\nprobe\n")
    noted = root.parent / "noted" / "statistics.jsonl"
    finder = usual.FINDER._replace(statistics_path=str(noted))
    settings = usual.LIBRARY._replace(finder=finder)
    library = library_at(root, settings, new_id=iter(["1", "2"]).__next__)
    request = FindRequest("probe", "m", ("probe",))

    assert not library.find(request, watch=Watch(is_cancelled=lambda: True)).found.complete
    assert not noted.exists()
    library.find(request)
    assert len(noted.read_text(encoding="utf-8").splitlines()) == 1
