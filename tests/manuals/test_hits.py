"""Rows of a find: pages, the short form and the whole one."""

from __future__ import annotations

from typing import Any

import pytest

from tebiki.errors import InvalidArguments
from tebiki.manuals.client_memory import Trace, page_of
from tebiki.manuals.limits import KINDS
from tebiki.tools import manual_forms as forms


def row(number: int, manual_id: str = "m") -> dict[str, Any]:
    """A ranked row in full."""
    return {
        "ref": {
            "target": "manual",
            "manual_id": manual_id,
            "path": "a.md",
            "start_line": number,
            "json_path": None,
        },
        "title": f"Title {number}",
        "score": 1.5,
        "matched_tokens": ["用紙"],
        "rank_explain": {"base": 1.0},
    }


ROWS = tuple(row(number) for number in range(1, 8))
TRACE = Trace("m", {"candidates": ROWS, "integrated_top": ROWS, "unscanned": ({"path": "x"},)})


def test_the_short_form_says_the_manual_once() -> None:
    """And only what a model needs to read on."""
    shown = forms.hits_form(page_of("t", TRACE, limit=1))

    assert shown == {
        "trace_id": "t",
        "manual_id": "m",
        "kind": "candidates",
        "offset": 0,
        "limit": 1,
        "total": 7,
        "items": [
            {"ref": {"path": "a.md", "start_line": 1}, "score": 1.5, "matched_tokens": ["用紙"]}
        ],
    }


def test_the_best_have_their_titles() -> None:
    """In the short form of integrated_top."""
    (item,) = forms.hits_form(page_of("t", TRACE, "integrated_top", offset=2, limit=1))["items"]

    assert item == {
        "ref": {"path": "a.md", "start_line": 3},
        "title": "Title 3",
        "score": 1.5,
        "matched_tokens": ["用紙"],
    }


@pytest.mark.requirement("manuals:hits:manual-once")
def test_rows_of_several_manuals_name_theirs() -> None:
    """Nothing stands at the top then."""
    shown = forms.hits_form(page_of("t", Trace("m", {"candidates": (row(1), row(2, "other"))})))

    assert "manual_id" not in shown
    assert [item["ref"]["manual_id"] for item in shown["items"]] == ["m", "other"]


@pytest.mark.requirement("manuals:hits:full")
def test_the_whole_form_keeps_everything() -> None:
    """For people, and for Python."""
    assert forms.full_hits_form(page_of("t", TRACE, limit=1))["items"] == [ROWS[0]]


def test_other_kinds_are_as_they_are() -> None:
    """Also when there are none."""
    assert forms.hits_form(page_of("t", TRACE, "unscanned"))["items"] == [{"path": "x"}]
    for kind in set(KINDS) - set(TRACE.rows):
        assert forms.hits_form(page_of("t", TRACE, kind))["total"] == 0


@pytest.mark.parametrize("limit", [1, 2, 3, 50])
def test_pages_cover_all_without_repeats(limit: int) -> None:
    """Past the end they are empty."""
    seen: list[Any] = []
    while page := page_of("t", TRACE, offset=len(seen), limit=limit).rows:
        seen += page

    assert tuple(seen) == ROWS


@pytest.mark.parametrize("wanted", [{"kind": "other"}, {"offset": -1}, {"limit": 0}])
def test_bounds_are_held(wanted: dict[str, Any]) -> None:
    """By name."""
    with pytest.raises(InvalidArguments, match=next(iter(wanted))):
        page_of("t", TRACE, **wanted)
