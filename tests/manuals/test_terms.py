"""Required terms: what has them and what only looks like it, counted over the whole manual."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.manuals.searchable import Searchable

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(name="manual")
def _manual(tmp_path: Path) -> Searchable:
    """An empty manual."""
    return Searchable(tmp_path, None)


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("東京、京都と大阪に行く。", "東京都"),
        ("東京。京都", "東京都"),
        ("東京(京都)", "東京都"),
        ("東京A京都", "東京都"),
        ("ラマ・マヤ", "ラマヤ"),
    ],
)
def test_pairs_do_not_join_across_what_parts_them(manual: Searchable, text: str, term: str) -> None:
    """東京 and 京都 beside each other are not 東京都."""
    manual.write("a.md", f"# 旅\n{text}\n")
    found = manual.ask("旅", term)
    assert found.status == "required_none_matched"
    assert found.applied["required_terms_match_stats"][0]["matched_docs"] == 0


@pytest.mark.parametrize(
    "text", ["東京都", "ここは東京都です", "東京\n都", "東\u3000京都", "(東京都)"]
)
def test_pairs_join_where_nothing_parts_them(manual: Searchable, text: str) -> None:
    """Line ends and wide spaces inside a sentence part nothing."""
    manual.write("a.md", f"# 旅\n{text}\n")
    assert manual.ask("旅", "東京都").status == "required_effective"


def test_a_term_among_many_that_look_like_it_is_found(manual: Searchable) -> None:
    """The guard counts the term, not what its pairs happen to match."""
    for number in range(40):
        manual.write(f"{number}.md", f"# 旅{number}\n東京、京都に行く旅の{number}日目。\n")
    manual.write("z.md", "# 別\n" + "ながいぶんしょうをかく。" * 200 + "東京都\n")
    found = manual.ask("京都に行く旅", "東京都")
    assert found.applied["required_terms_match_stats"][0]["matched_docs"] == 1
    assert found.status == "required_effective"
