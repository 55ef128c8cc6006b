"""Sentences that disagree, and many that only look as if they did."""

from __future__ import annotations

import pytest

from tebiki.manuals.report.disagreement import Statement, disagreement
from tebiki.manuals.text.folding import fold


def said(text: str, *trail: str, path: str = "a.md") -> Statement:
    """A sentence below its headings, the last of which is its own."""
    *above, title = trail or ("",)
    return Statement(fold(text), title, tuple(above), path)


@pytest.mark.parametrize(
    ("one", "other", "reason"),
    [
        ("申請の期限は30日です。", "申請の期限は６０日とします。", "number"),
        ("印刷データは 3 日間 保存されます。", "印刷データは7日間保存されます。", "number"),
        ("地震による損害は補償の対象です。", "地震による損害は補償の対象外です。", "polarity"),
        ("入院の費用は支払われる。", "入院の費用は支払われない。", "polarity"),
        ("期限後の申請は受理されます。", "期限後の申請は受理されません。", "polarity"),
        ("送料は請求額に含む。", "送料は請求額から除く。", "polarity"),
        (
            "A backup can be restored within 14 days.",
            "A backup can be restored within 30 days.",
            "number",
        ),
        ("Flood damage is covered.", "Flood damage is not covered.", "polarity"),
        ("Guests can share a folder.", "Guests cannot share a folder.", "polarity"),
    ],
)
def test_what_disagrees(one: str, other: str, reason: str) -> None:
    """In either order."""
    assert disagreement(said(one), said(other, path="b.md")) == reason
    assert disagreement(said(other), said(one, path="b.md")) == reason


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("KD-300 | 印刷速度 | 毎分30枚", "KD-500 | 印刷速度 | 毎分45枚"),
        ("東京支店の営業時間は9時間です。", "大阪支店の営業時間は8時間です。"),
        ("The Basic plan stores 10 GB of files.", "The Premium plan stores 50 GB of files."),
        ("厚紙は両面印刷の対象外です。", "普通紙は両面印刷の対象です。"),
        ("2019年の申請は30件でした。", "2020年の申請は45件でした。"),
        ("Version 3 supports 10 users of a team.", "Version 4 supports 20 users of a team."),
        ("申請の期限は30日以内です。", "申請の期限は7日以上です。"),
        ("カラー印刷は月100枚までです。", "ただし、カラー印刷は広報課では上限がありません。"),
        (
            "All files of a folder are copied.",
            "All files of a folder are not copied unless shared.",
        ),
        ("書類を提出しなければなりません。", "書類を提出します。"),
        ("書類の提出が遅れるかもしれません。", "書類の提出が遅れます。"),
        ("Files are kept for no longer than 30 days.", "Files are kept for 30 days."),
        ("Error E-1042 means that the disk is full.", "Error E-1107 means that the disk is full."),
        ("保存には200 MBが必要です。", "保存には1 GBが必要です。"),
        ("処理には10~20分かかります。", "処理には15分かかります。"),
        ("申請の期限は30日です。", "申請の窓口は3階です。"),
        ("申請の期限は30日です。", "申請の期限は30日とします。"),
        ("最低気温は5度です。", "最低気温は5.0度です。"),
        ("第1会議室の定員は10名です。", "第2会議室の定員は10名です。"),
        ("会議室Aの定員は10名です。", "会議室Bの定員は20名です。"),
        ("持ち込みを許可しないわけではない。", "持ち込みを許可する。"),
    ],
)
def test_what_only_looks_so(one: str, other: str) -> None:
    """Other things, years, bounds, exceptions, idioms and units."""
    assert disagreement(said(one), said(other, path="b.md")) is None
    assert disagreement(said(other), said(one, path="b.md")) is None


@pytest.mark.parametrize(
    ("mine", "yours", "path"),
    [
        (("仕様", "製品A"), ("仕様", "製品B"), "a.md"),
        (("Plans", "Basic"), ("Plans", "Premium"), "a.md"),
        (("製品A", "保証"), ("製品B", "保証"), "b.md"),
        (("機種 KD-300",), ("機種 KD-500",), "b.md"),
    ],
)
def test_headings_can_say_that_two_things_are_meant(
    mine: tuple[str, ...], yours: tuple[str, ...], path: str
) -> None:
    """The same words below them are no conflict."""
    one = said("保証の期間は1年です。", *mine)
    assert disagreement(one, said("保証の期間は2年です。", *yours, path=path)) is None


@pytest.mark.parametrize(
    ("mine", "yours"),
    [
        (("Restore files", "Deleted snapshots"), ("Retention", "Deletion")),
        (("Guide",), ("FAQ",)),
        (("Guide", "Snapshots"), ("Guide", "Snapshots")),
    ],
)
def test_headings_of_one_thing_do_not_hide_a_conflict(
    mine: tuple[str, ...], yours: tuple[str, ...]
) -> None:
    """Two files may treat it in different places."""
    one = said("A snapshot you delete can be restored within 14 days.", *mine)
    other = said("A snapshot you delete can be restored within 30 days.", *yours, path="b.md")
    assert disagreement(one, other) == "number"
