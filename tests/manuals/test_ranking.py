"""The order of sections."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tebiki.manuals.text.comparing import sub_questions
from tebiki.manuals.text.folding import normalise_terms
from tebiki.manuals.text.spellings import closest, variants
from tests.manuals import usual
from tests.manuals.searchable import Searchable

if TYPE_CHECKING:
    from pathlib import Path

DEFAULTS = usual.FIND


@pytest.fixture(name="manual")
def _manual(tmp_path: Path) -> Searchable:
    manual = Searchable(tmp_path, None)
    manual.write("guide.md", "# 申請の手引き\n申請の期限は30日です。書類を受付窓口へ出します。\n")
    manual.write(
        "codes.md", "# 障害\nコード E-1042 は通信の障害です。\n\n# 別\nE-2042 は別です。\n"
    )
    manual.write("long.md", "# 長い\n" + "申請について述べる。" * 700 + "\n")
    manual.write("en.md", "# Policies\nThe retention policy keeps backups for thirty days.\n")
    manual.write("many.md", "".join(f"# 節{n}\n申請の例{n}\n\n" for n in range(12)))
    for number in range(12):
        manual.write(f"other/{number}.md", f"# 他{number}\n窓口 {number} 番の案内。\n")
    return manual


@pytest.mark.requirement("manuals:ranking:codes")
@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("申請の期限は何日ですか", "guide.md"),
        ("Ｅ－１０４２", "codes.md"),
        ("e1042", "codes.md"),
        ("how long are policies for backup kept", "en.md"),
        ("retentoin polices", "en.md"),
        ("期限", "guide.md"),
    ],
)
def test_the_right_file_comes_first(manual: Searchable, query: str, path: str) -> None:
    """Whole questions, keywords, codes in any width, inflections, slips."""
    assert manual.paths(query)[0] == path


@pytest.mark.requirement("manuals:ranking:parts-add-up")
def test_every_part_of_a_score_is_told(manual: Searchable) -> None:
    """The parts add up to it."""
    for row in manual.ask("申請の期限は30日", "申請").lists["candidates"]:
        total = sum(float(part.partition("=")[2]) for part in row["rank_explain"])
        assert total == pytest.approx(row["score"], abs=0.01)


@pytest.mark.requirement("manuals:ranking:exact-code")
def test_an_exact_code_has_its_part(tmp_path: Path) -> None:
    """The section with the very code gets it, one with a code that is nearly the same does not."""
    manual = Searchable(tmp_path, None)
    manual.write("a.md", "# Faults\n\nThe code E-1042 means that the disk is full.\n")
    manual.write("b.md", "# Others\n\nThe code E-1043 means that paper is left.\n")

    rows = manual.ask("what does code E-1042 mean", "code").lists["candidates"]

    told = {row["ref"]["path"]: " ".join(row["rank_explain"]) for row in rows}
    assert rows[0]["ref"]["path"] == "a.md"
    assert "code_exact=" in told["a.md"]
    assert "code_exact=" not in told["b.md"]
    assert [row["ref"]["path"] for row in rows if "code_exact" in row["signals"]] == ["a.md"]


@pytest.mark.requirement(
    "manuals:comparisons:taken-apart", "manuals:comparisons:never-inside-a-word"
)
@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("DeploymentとStatefulSetの違い", ("Deployment", "StatefulSet")),
        ("PC vs Mac", ("PC", "Mac")),
        ("difference between cats and dogs?", ("cats", "dogs")),
        ("有給と病欠を比較", ("有給", "病欠")),
        ("入院の場合の手続き", ("入院 手続き", "手続き")),
        ("有給休暇vs病欠", ("有給休暇", "病欠")),
        ("devserver の設定", ()),
        ("the VS_SETTINGS property", ()),
        ("set a-vs-b in the file", ()),
        ("線の放出が別の放出と全く異なる事", ()),
        ("A long sentence about what is new in all the releases vs 2010 and above", ()),
        ("もっとも高い比較", ()),
        ("ことばの違い", ()),
        ("対象の一覧", ()),
        ("AとBの違い", ("A", "B")),
        ("Aの場合のB", ("A B", "B")),
        ("A社とB社のどちらが安いか", ("A社", "B社")),
        ("夏と冬の違い", ("夏", "冬")),
        ("有給 と 病欠 の 違い", ("有給", "病欠")),
        ("正社員 対 契約社員", ("正社員", "契約社員")),
        ("PC対Mac", ("PC", "Mac")),
        ("定価と売価の差額", ("定価", "売価")),
        ("SSL 対応状況", ()),
        ("Python 対話モード", ()),
        ("1 対 1 の面談", ()),
        ("見積書と請求書を差し替えたい", ()),
        ("画面と印刷の差し込み設定", ()),
        ("動産と不動産の差押え", ()),
        ("計測値と真値の誤差", ()),
        ("請求書と領収書の間違い", ()),
        ("原因は湿気と熱に違いない", ()),
        ("夏と冬は比較的静かです", ()),
        ("この場合の手続き", ()),
        ("口座引き落としと振込の違い", ("口座引き落とし", "振込")),
        ("引き落とし日の違い", ()),
        ("整とん作業の違い", ()),
        ("対象とする範囲の違い", ()),
        ("前提となる条件の違い", ()),
        ("必要とされる書類の違い", ()),
        ("たとえばPodとServiceの違い", ("たとえばPod", "Service")),
        ("りんごとみかんの違い", ("りんご", "みかん")),
        ("とうがんとかぼちゃはどう違いますか", ("とうがん", "かぼちゃ")),
        ("どんぐりとまつぼっくりはどこが違うの", ("どんぐり", "まつぼっくり")),
        ("PodとJobは何が違いますか", ("Pod", "Job")),
        ("かぼちゃとズッキーニの違い", ("かぼちゃ", "ズッキーニ")),
        ("とうがんと大根の違い", ("とうがん", "大根")),
        ("はっきりとデータの違いがわかる", ()),
        ("きちんと設定の違いを見る", ()),
        ("おとなとこどもの違い", ("おとな", "こども")),
        ("とまととみかんの違い", ("とまと", "みかん")),
        ("ことばとことわざはどちらが古い", ("ことば", "ことわざ")),
        ("ひらがなとかたかなを比較", ("ひらがな", "かたかな")),
        ("することとしないことの違い", ()),
        ("わざと消した場合の違い", ()),
        ("月ごとの違い", ()),
        ("ひとつひとつの違い", ()),
        ("もっとちゃんとした比較", ()),
    ],
)
def test_only_comparing_wording_is_taken_apart(question: str, parts: tuple[str, ...]) -> None:
    """Never inside a word."""
    assert sub_questions(question, 3) == parts


@pytest.mark.parametrize("question", ["ぶどうの育て方", "ぶどうの保存", "ぶどう"])
def test_a_word_in_hiragana_may_hold_what_looks_like_grammar(tmp_path: Path, question: str) -> None:
    """It is not left out of the question for that."""
    manual = Searchable(tmp_path, None)
    manual.write("a.md", "# 梨\n梨の育て方と保存を述べます。\n")
    manual.write("b.md", "# ぶどう\nぶどうの育て方と保存を述べます。棚で作り、冷蔵します。\n")
    manual.write("c.md", "# 桃\n桃の育て方と保存を述べます。\n")

    rows = manual.ask(question, "育て方").lists["candidates"]

    assert rows[0]["ref"]["path"] == "b.md"


@pytest.mark.requirement("manuals:gates:variants")
def test_terms_have_light_variants() -> None:
    """Okurigana; terms that fold alike are one."""
    assert "申込" in variants("申し込み")
    assert normalise_terms(["ＡＢＣ", "abc ", "別"]) == ("ABC", "別")


def test_a_slip_is_forgiven_and_no_more() -> None:
    """One letter in short words, two in long ones."""
    assert closest("istnabul", ["istanbul", "other"]) == "istanbul"
    assert closest("plant", ["giant", "planet"]) == "planet"
    assert closest("plant", ["grass"]) is None


@pytest.mark.requirement("manuals:diversity:copies")
def test_copies_collapse(tmp_path: Path) -> None:
    """The same text in two files is given once, and told."""
    manual = Searchable(tmp_path, None)
    text = "# 注意\n火気の近くで使わないでください。高温になる場所に置かないでください。\n"
    manual.write("a.md", text)
    manual.write("b.md", text)
    settings = DEFAULTS._replace(manual_find_exploration_enabled=False)
    rows = manual.ask("火気の近く", "火気", settings=settings).lists["candidates"]
    assert [row["ref"]["path"] for row in rows] == ["a.md"]
    assert rows[0]["copies"] == [{"path": "b.md", "start_line": 1}]


@pytest.mark.parametrize(
    "question", ["かと" * 1000, "かと" * 990 + "の違い", "a vs " * 400, "の場合の" * 500]
)
def test_a_hostile_comparison_is_read_at_once(question: str) -> None:
    """It once took a minute; parts that are no names are none."""
    assert len(sub_questions(question, 3)) <= 3


@pytest.mark.requirement("manuals:comparisons:own-sections")
def test_each_part_of_a_comparison_proposes_its_own_sections(tmp_path: Path) -> None:
    """Also where a hundred others have more of the words of the whole question."""
    manual = Searchable(tmp_path, None)
    for number in range(120):
        manual.write(f"m{number}.md", f"# 覚書{number}\n月次報告と年次報告の違いの記録{number}。\n")
    for name, text in {"month": "月次報告", "year": "年次報告"}.items():
        manual.write(f"{name}.md", f"# {name}\n" + f"{text}の{name}。" * 5)
    found = manual.ask("月次報告と年次報告の違いの記録", "報告")
    paths = [row["ref"]["path"] for row in found.lists["candidates"]]
    assert {"month.md", "year.md"} <= set(paths)
