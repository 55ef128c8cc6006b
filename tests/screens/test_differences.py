"""Which pieces tell two passages apart that disagree."""

from __future__ import annotations

import pytest

from tebiki.screens.differences import pieces_only_in


@pytest.mark.parametrize(
    ("one", "other", "mine", "theirs"),
    [
        ("Kept for 30 days.", "Kept for 14 days.", ["30"], ["14"]),
        ("料金は1,200円です。", "料金は980円です。", ["1,200"], ["980"]),
        ("保証は３年です。", "保証は5年です。", ["３"], ["5"]),
        ("三十日まで返品できます。", "60日まで返品できます。", ["三十日"], ["60"]),
        ("Smoking is allowed here.", "Smoking is prohibited here.", ["allowed"], ["prohibited"]),
        ("登録が必要です。", "登録は不要です。", ["必要"], ["不要"]),
        ("You can pay in 2 parts", "You can pay in 2 Parts", [], []),
    ],
)
def test_pieces_that_only_one_passage_has(
    one: str, other: str, mine: list[str], theirs: list[str]
) -> None:
    """Numbers where there are any; otherwise words, whatever their case."""
    assert (pieces_only_in(one, [other]), pieces_only_in(other, [one])) == (mine, theirs)


def test_passages_in_other_words_have_no_such_pieces() -> None:
    """To mark all of both would show nothing."""
    one = "Nobody may open this door while the red lamp burns."
    assert pieces_only_in(one, ["Entry is forbidden at all times."]) == []
