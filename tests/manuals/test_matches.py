"""What a hit is said to have of a question."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.manuals.searchable import Searchable

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("text", "query", "told", "untold"),
    [
        ("京都と東京の気候", "東京都の気候", {"東京", "気候"}, "東京都"),
        (
            "サービスの説明とプロキシ",
            "サービスプロキシ",
            {"サービス", "プロキシ"},
            "サービスプロキシ",
        ),
        ("XE-1042 の説明", "E-1042 の説明", {"1042", "説明"}, "e-1042"),
        ("config.json の説明", "config.yaml の説明", {"config", "説明"}, "config.yaml"),
        ("policies の説明", "policy の説明", {"policy", "説明"}, "policies"),
        ("東京都の気候", "東京都の気候", {"東京都", "気候"}, "東京"),
    ],
)
def test_a_hit_is_said_to_have_only_what_stands_there(
    tmp_path: Path, text: str, query: str, told: set[str], untold: str
) -> None:
    """Of a word that is there in parts only, the parts; a stem is the word."""
    manual = Searchable(tmp_path, None)
    manual.write("a.md", f"# 節\n{text}\n")

    (row,) = manual.ask(query, "節").lists["candidates"]

    assert set(row["matched_tokens"]) - {"節"} == told
    assert untold not in row["matched_tokens"]
