"""Measuring without a part of the ranking: it really is off, and on again afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bench.ablation import CONSTANTS_OFF, SETTINGS_OFF, USUAL, other_constants
from tests.manuals.searchable import Searchable

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def manual(tmp_path_factory: pytest.TempPathFactory) -> Searchable:
    """A manual in which every constant has something to weigh."""
    folder: Path = tmp_path_factory.mktemp("ablation")
    manual = Searchable(folder, None)
    manual.write(
        "申請期限.md", "# 申請期限\n## 申請期限\n申請期限は30日です。\n## 別\n申請の期限。\n"
    )
    manual.write("申請期限/別.md", "# 話\n申請期限の話。\n")
    manual.write("other.md", "# 申請\n期限の話。別の話。\n# 期限\n申請は別です。\n")
    manual.write("案内.md", "# 案内\n手続きの[申請期限](other.md)は申請期限の頁にあります。\n")
    return manual


def scores(manual: Searchable) -> list[float]:
    """Of all that is found."""
    return [row["score"] for row in manual.ask("申請期限", "申請期限").lists["candidates"]]


@pytest.mark.parametrize("part", CONSTANTS_OFF)
def test_a_constant_is_off_while_it_is_measured(manual: Searchable, part: str) -> None:
    """And weighs again as before."""
    before = scores(manual)
    with other_constants(CONSTANTS_OFF[part]):
        without = scores(manual)

    assert without != before
    assert scores(manual) == before


def test_every_other_part_is_a_setting() -> None:
    """Each of them differs from what is usual."""
    assert all(settings != USUAL for settings in SETTINGS_OFF.values())
