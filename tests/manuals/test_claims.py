"""Claims from sentences; conflicts only where texts disagree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tebiki.manuals.claims import facets_of
from tests.manuals.searchable import Searchable

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        ("申請の期限は30日です。", "申請の期限は60日です。", "number"),
        ("期限の後の申請は受理されます。", "期限の後の申請は受理されません。", "polarity"),
        (
            "The deadline of an appeal is 30 days.",
            "The deadline of an appeal is 60 days.",
            "number",
        ),
    ],
)
def test_texts_that_disagree(tmp_path: Path, first: str, second: str, reason: str) -> None:
    """Both are shown."""
    manual = Searchable(tmp_path, None)
    manual.write("a.md", f"# A\n{first}\n")
    manual.write("b.md", f"# B\n{second}\n")
    rows = manual.ask("申請の期限 deadline of an appeal", "申請", "appeal").lists["conflicts"]
    assert [row["reason"] for row in rows] == [reason]
    assert {rows[0]["text"], rows[0]["conflict_with"][0]["text"]} == {first, second}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("申請の期限は30日です。", "申請の窓口は3階です。"),
        ("申請の期限は30日です。", "申請の期限は30日とします。"),
        ("申請は受理されます。", "写真の無い書類の返却はされません。"),
    ],
)
def test_texts_that_do_not(tmp_path: Path, first: str, second: str) -> None:
    """Another subject, or the same number, is no conflict."""
    manual = Searchable(tmp_path, None)
    manual.write("a.md", f"# A\n{first}\n")
    manual.write("b.md", f"# B\n{second}\n")
    assert manual.ask("申請の期限", "申請").lists["conflicts"] == []


def test_the_graph_is_there_when_asked_for(tmp_path: Path) -> None:
    """And not otherwise; digests are of the text."""
    manual = Searchable(tmp_path, None)
    manual.write("a.md", "# 申請の手順\n申請の手順は次の通りです。書類を出します。\n")
    assert manual.ask("申請の手順", "申請").claim_graph is None
    graph = manual.ask("申請の手順", "申請", include_claim_graph=True).claim_graph
    assert graph is not None
    assert [claim["status"] for claim in graph["claims"]] == ["supported"]
    assert graph["edges"][0]["relation"] == "supports"
    assert graph["facets"][0]["coverage_status"] == "covered"


def test_facets_come_from_wording() -> None:
    """Several, or unknown."""
    assert facets_of("AとBの違いと手順") == ("procedure", "compare")
    assert facets_of("りんご") == ("unknown",)
