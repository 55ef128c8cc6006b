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
        ("3.4 以上でのみサポートされています", "3.3 以上でのみサポートされています"),
        (
            "親が複数ある場合、予期しない動作が発生します。",
            "親が複数ある場合、この動作は無効です。",
        ),
        ("夏の設定温度は28度です。", "冬の設定温度は20度です。"),
        ("給付金は1日につき5,000円です。", "給付金は1年につき100,000円です。"),
        ("例えば、月に10人が利用します。", "例えば、月に20人が利用します。"),
        ("For example, 3 of 10 replicas stay up.", "For example, 5 of 10 replicas stay up."),
        ("案内は午前十時に一時停止します。", "案内は午前10時に一時停止します。"),
        (
            "The relay goes off on every error.",
            "The relay goes off on any error.",
        ),
        ("The price of a paid seat is fixed.", "The price of an unpaid seat is not fixed."),
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
        (("保証(法人)",), ("保証(個人)",), "b.md"),
        (("法人プランの保証",), ("個人プランの保証",), "b.md"),
        (("会議室桜",), ("会議室梅",), "b.md"),
    ],
)
def test_headings_can_say_that_two_things_are_meant(
    mine: tuple[str, ...], yours: tuple[str, ...], path: str
) -> None:
    """The same words below them are no conflict."""
    one = said("保証の期間は1年です。", *mine)
    assert disagreement(one, said("保証の期間は2年です。", *yours, path=path)) is None


def test_what_a_heading_and_its_sentence_name_tells_two_things_apart() -> None:
    """A rule for all of a kind, and one for some of it that have a heading of their own."""
    one = said("ログは30日間保存されます。", "通常")
    other = said("監査ログは365日間保存されます。", "監査", path="b.md")

    assert disagreement(one, other) is None
    assert disagreement(one, said("ログは365日間保存されます。", "監査", path="b.md")) == "number"


@pytest.mark.parametrize(
    ("mine", "yours"),
    [
        (("休暇の種類",), ("休暇の申請",)),
        (("在宅勤務制度",), ("在宅勤務の手続き",)),
        (("Report retention",), ("Retention settings",)),
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


@pytest.mark.parametrize(
    ("one", "other", "reason"),
    [
        ("申請の期限は三十日です。", "申請の期限は60日です。", "number"),
        ("契約の更新は十二か月ごとです。", "契約の更新は24ヶ月ごとです。", "number"),
        ("会場の定員は二百五十人です。", "会場の定員は300人です。", "number"),
        ("A claim is paid within thirty days.", "A claim is paid within 60 days.", "number"),
        ("夜間の外出は可能です。", "夜間の外出はできません。", "polarity"),
        ("更新の申請には印鑑が必要です。", "更新の申請には印鑑が不要です。", "polarity"),
        ("会議室の予約は必須です。", "会議室の予約は任意です。", "polarity"),
        ("遠隔の操作は初期状態で有効です。", "遠隔の操作は初期状態で無効です。", "polarity"),
        ("館内の撮影を許可します。", "館内の撮影を禁止します。", "polarity"),
        ("館内の飲食は認められています。", "館内の飲食は禁じられています。", "polarity"),
        ("開封後の返品を受け付けます。", "開封後の返品はお断りします。", "polarity"),
        ("議事録は社内に公開です。", "議事録は社内に非公開です。", "polarity"),
        ("研修の参加は有償です。", "研修の参加は無償です。", "polarity"),
        ("Overtime on weekends is paid.", "Overtime on weekends is unpaid.", "polarity"),
        ("Logs are encrypted at rest.", "Logs are unencrypted at rest.", "polarity"),
        ("売上の手数料は十五%です。", "売上の手数料は20%です。", "number"),
        ("売上の手数料は十五パーセントです。", "売上の手数料は12%です。", "number"),
        ("年会費の金額は一万二千円です。", "年会費の金額は10,000円です。", "number"),
        ("体育館の利用は午後九時までです。", "体育館の利用は午後8時までです。", "number"),
        ("Students get a fifteen percent discount.", "Students get a 20% discount.", "number"),
        ("夜の窓口は受付を行った。", "夜の窓口は受付を行わなかった。", "polarity"),
        (
            "Pets are allowed in the garden.",
            "Pets are prohibited in the garden.",
            "polarity",
        ),
        ("A deposit is required for a key.", "A deposit is optional for a key.", "polarity"),
        (
            "Remote access is supported by the agent.",
            "Remote access is unsupported by the agent.",
            "polarity",
        ),
        (
            "Logging is enabled by the installer.",
            "Logging is disabled by the installer.",
            "polarity",
        ),
    ],
)
def test_other_words_and_other_numerals_disagree_too(one: str, other: str, reason: str) -> None:
    """Denied by a word that says the opposite; counted in kanji or in words."""
    assert disagreement(said(one), said(other, path="b.md")) == reason
    assert disagreement(said(other), said(one, path="b.md")) == reason


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("申請の期限は三十日です。", "申請の期限は30日です。"),
        ("会場の費用は60万円です。", "会場の費用は六十万円です。"),
        ("A claim is paid within thirty days.", "A claim is paid within 30 days."),
        ("十分な時間を取って確認します。", "20分な時間を取って確認します。"),
        ("唯一人の管理者が確認します。", "2人の管理者が確認します。"),
        ("夜間の外出は可能です。", "夜間の外出ができます。"),
        ("印鑑は不要ではありません。", "印鑑は必要です。"),
        ("Smoking is prohibited here.", "Smoking is not allowed here."),
        ("text-emphasis: none;", "text-emphasis: dot;"),
        ("transform: translate(42px) scale(2);", "transform: translate(200px) scale(2);"),
    ],
)
def test_the_same_in_other_words_does_not(one: str, other: str) -> None:
    """Nor do lines of code, which state nothing."""
    assert disagreement(said(one), said(other, path="b.md")) is None
    assert disagreement(said(other), said(one, path="b.md")) is None


@pytest.mark.requirement("manuals:claims:wholes")
@pytest.mark.parametrize(
    ("one", "other", "reason"),
    [
        ("優待券の期限は2025年3月31日です。", "優待券の期限は2025年6月30日です。", "number"),
        ("応募の締切は4月10日です。", "応募の締切は5月20日です。", "number"),
        ("次回の監査は2026/04/01に行います。", "次回の監査は2026/05/15に行います。", "number"),
        ("The offer ends on March 31, 2025.", "The offer ends on June 30, 2025.", "number"),
        ("The deadline is 2025-03-31.", "The deadline is 2025-06-30.", "number"),
        ("窓口は午後5時に閉まります。", "窓口は18時に閉まります。", "number"),
        ("受付時間は9時から17時までです。", "受付時間は9時から18時までです。", "number"),
        ("返品は到着後7日以内に送ります。", "返品は到着後十四日以内に送ります。", "number"),
        ("接続の待ち時間は30秒です。", "接続の待ち時間は2分です。", "number"),
        ("Sessions expire after 30 minutes.", "Sessions expire after 2 hours.", "number"),
        ("The fee is $10 per seat.", "Each seat has a fee of $15.", "number"),
        ("応募作品は一人三点までです。", "応募作品は一人5点までです。", "number"),
        ("予約がなければ延長できます。", "予約がなければ延長できません。", "polarity"),
        ("Backups run every 6 hours.", "Backups run every 12 hours.", "number"),
        ("Up to 5 devices can be connected.", "Up to 10 devices can be connected.", "number"),
        ("Log retention | 30 days", "Log retention | 90 days", "number"),
        ("Offline mode | Yes", "Offline mode | No", "polarity"),
        ("表示価格は税込みです。", "表示価格は税抜きです。", "polarity"),
        ("写真の添付は必要です。", "写真の添付は省略できます。", "polarity"),
        ("The export supports pages.", "The export lacks pages.", "polarity"),
        ("写真の撮影は自由にできます。", "写真の撮影は禁止です。", "polarity"),
        ("売店は日曜日に営業します。", "売店は日曜日に休業します。", "polarity"),
        ("書庫は月曜日に開館しています。", "書庫は月曜日に休館しています。", "polarity"),
        (
            "自動保存は既定でオンになっています。",
            "自動保存は既定でオフになっています。",
            "polarity",
        ),
        ("Telemetry is on by default.", "Telemetry is off by default.", "polarity"),
        ("The north gate is open on Sundays.", "The north gate is closed on Sundays.", "polarity"),
        (
            "Registration is mandatory for staff.",
            "Registration is voluntary for staff.",
            "polarity",
        ),
    ],
)
def test_dates_times_prices_and_rows_disagree(one: str, other: str, reason: str) -> None:
    """A date is one number, minutes are compared with hours, and a row of a table is a sentence."""
    assert disagreement(said(one), said(other, path="b.md")) == reason
    assert disagreement(said(other), said(one, path="b.md")) == reason


@pytest.mark.requirement("manuals:claims:wholes")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("窓口は午後5時に閉まります。", "窓口は17時に閉まります。"),
        ("Support closes at 5 pm.", "Support closes at 17:00."),
        ("優待券の期限は2025年3月31日です。", "優待券の期限は2025/03/31です。"),
        ("The offer ends on March 31, 2025.", "The offer ends on 31 March 2025."),
        ("接続の待ち時間は60秒です。", "接続の待ち時間は1分です。"),
        ("Sessions expire after 24 hours.", "Sessions expire after 1 day."),
        ("割引の率は3割です。", "割引の率は30%です。"),
        ("次回の監査は4月1日に行います。", "抽選の発表は5月20日に行います。"),
        ("バージョン2では図面を開けます。", "バージョン3では図面を開けません。"),
        (
            "Before shipping, an order can be changed.",
            "After shipping, an order cannot be changed.",
        ),
        ("予約がなければ延長できます。", "予約があれば延長できません。"),
        ("雨が降らない場合は開催します。", "雨が降る場合は開催しません。"),
        ("残高があれば送金します。", "残高がなければ送金しません。"),
        (
            "If you cancel within a week, you receive a refund.",
            "If you cancel after a week, you do not receive a refund.",
        ),
        ("If the soil is wet, the pump stops.", "If the soil is not wet, the pump does not stop."),
        ("まず、この手引きの見本を作成します。", "この手引きの見本を作成します。"),
        ("必ず、この手引きの見本を作成します。", "この手引きの見本を作成します。"),
        ("The default value is `medium`.", "The default value is `none`."),
        ("`matrix3d()` takes 16 values.", "`matrix()` takes six values."),
        ("input:invalid + span::after {", "input:required + span::after {"),
    ],
)
def test_the_same_time_or_another_thing_does_not(one: str, other: str) -> None:
    """Written otherwise, said of another version or of after, or a name in code that denies."""
    assert disagreement(said(one), said(other, path="b.md")) is None
    assert disagreement(said(other), said(one, path="b.md")) is None


@pytest.mark.requirement("manuals:claims:wholes")
@pytest.mark.parametrize(
    ("one", "other", "reason"),
    [
        (
            "屋上庭園の開園時間は午前九時から午後五時までです。",
            "屋上庭園の開園時間は午前10時から午後4時までです。",
            "number",
        ),
        ("開館時間は9:00〜17:00です。", "開館時間は10:00〜18:00です。", "number"),
        (
            "The desk is open from 9 a.m. to 5 p.m.",
            "The desk is open from 10 a.m. to 4 p.m.",
            "number",
        ),
        ("The course runs from 9:00 to 17:00.", "The course runs from 10:00 to 16:00.", "number"),
        ("見学は8月1日から8月20日までです。", "見学は8月10日から8月31日までです。", "number"),
        ("監督の任期は1990年から1995年までです。", "監督の任期は2000年から2003年までです。", None),
        ("The course runs from 9:00 to 10:30.", "The course runs from 13:00 to 14:30.", None),
        ("料金は3年で5000円です。", "料金は5年で8000円です。", None),
    ],
)
def test_a_range_is_one_thing(one: str, other: str, reason: str | None) -> None:
    """Both its ends may differ; ranges that have nothing in common are of two times."""
    assert disagreement(said(one), said(other, path="b.md")) == reason
    assert disagreement(said(other), said(one, path="b.md")) == reason


@pytest.mark.requirement("manuals:claims:restated")
@pytest.mark.parametrize(
    "text",
    [
        "例えば、温室の窓が{}枚あり、夜のあいだにすべて閉まる場合を考えます。",
        "For example, a greenhouse with {} windows closes all of them during the night.",
    ],
)
def test_an_example_that_is_said_again_at_length_has_one_number(text: str) -> None:
    """In another file; one file may go through an example several times."""
    one = said(text.format(4))
    assert disagreement(one, said(text.format(9), path="b.md")) == "number"
    assert disagreement(one, said(text.format(9))) is None


@pytest.mark.requirement("manuals:claims:agreement")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("登録は任意です。", "登録は必須です。"),
        ("登録は義務です。", "登録は任意です。"),
        ("登録は可能です。", "登録は禁止です。"),
    ],
)
def test_what_is_short_is_compared_where_headings_name_its_subject(one: str, other: str) -> None:
    """And is silent below others: what is meant stands in neither sentence then."""
    mine = said(one, "登録")
    assert disagreement(mine, said(other, "会員の登録", path="b.md")) == "polarity"
    assert disagreement(said(one, "自動保存"), said(other, "自動更新", path="b.md")) is None
    assert disagreement(said(one, "通知"), said(other, "登録", path="b.md")) is None


LONG = "入院の給付金は1回の入院につき60日を限度としてお支払いします。"
LONG_IN_ENGLISH = "The agent keeps every report of a night for 30 days and then removes it."


@pytest.mark.requirement("manuals:claims:restated")
@pytest.mark.parametrize(
    ("mine", "yours"),
    [
        (("入院の限度",), ("改訂版の限度",)),
        (("入院の限度",), ("入院日数の上限",)),
        (("医療の手引き", "限度"), ("よくある質問", "限度")),
        (("医療の手引き", "限度"), ("限度",)),
        (("限度",), ("限度について",)),
    ],
)
@pytest.mark.parametrize(
    ("text", "against", "reason"),
    [
        (LONG, LONG.replace("60", "120"), "number"),
        (LONG, LONG.replace("60", "百二十"), "number"),
        (LONG, LONG.replace("お支払いします", "お支払いしません"), "polarity"),
    ],
)
def test_a_sentence_said_again_is_compared_below_any_heading(
    mine: tuple[str, ...], yours: tuple[str, ...], text: str, against: str, reason: str
) -> None:
    """Headings that merely share a word, or other chapters, do not hide what it is about."""
    assert disagreement(said(text, *mine), said(against, *yours, path="b.md")) == reason


@pytest.mark.requirement("manuals:claims:agreement")
@pytest.mark.parametrize(
    ("mine", "yours"),
    [
        (("Plans", "Basic plan"), ("Plans", "Premium plan")),
        (("Model KD-300", "Reports"), ("Model KD-500", "Reports")),
        (("Version 3",), ("Version 4",)),
    ],
)
def test_parallel_headings_keep_even_a_long_sentence_apart(
    mine: tuple[str, ...], yours: tuple[str, ...]
) -> None:
    """Two things of one kind may be described in the same words."""
    one = said(LONG_IN_ENGLISH, *mine)
    other = said(LONG_IN_ENGLISH.replace("30", "90"), *yours, path="b.md")
    assert disagreement(one, other) is None


def test_numbers_that_differ_in_two_places_are_two_facts() -> None:
    """Of a sentence with several of one unit, one may differ and no more."""
    text = "点検は3年ごとに行い、記録は{}年間、写真は{}年間保管します。"
    one = said(text.format(5, 10))

    assert disagreement(one, said(text.format(7, 10), path="b.md")) == "number"
    assert disagreement(one, said(text.format(7, 20), path="b.md")) is None
