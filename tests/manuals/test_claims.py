"""Claims from sentences; conflicts only where texts disagree."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest

from tebiki.manuals.find import search_manual
from tebiki.manuals.ranking.candidates import Deadline
from tebiki.manuals.report.claims import facets_of
from tebiki.manuals.report.conflicts import conflicts_in
from tebiki.manuals.report.evidence import evidence_of
from tests.manuals import usual
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


def test_both_sides_of_a_dispute_are_to_be_read(tmp_path: Path) -> None:
    """And none of them twice, though one is the best hit too."""
    manual = Searchable(tmp_path, None)
    manual.write("a.md", "# A\n申請の期限は30日です。\n")
    manual.write("b.md", "# B\n申請の期限は60日です。\n")

    steps = manual.ask("申請の期限", "申請").next_actions

    read = [step["params"]["ref"]["path"] for step in steps if step["type"] == "read"]
    assert sorted(read) == ["a.md", "b.md"]


@pytest.mark.requirement("manuals:claims:agreement")
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


@pytest.mark.requirement("manuals:full:claim-graph", "manuals:claims:supports")
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
    assert facets_of("setup steps") == facets_of("設定のstepを見たい") == ("procedure",)
    assert facets_of("有給vs病欠") == ("compare",)
    assert facets_of("footsteps in the snow") == ("unknown",)


@pytest.mark.parametrize(
    ("one", "other", "count"), [("窓口 期限", "期限", 0), ("期限", "期限", 1), ("窓口", "期限", 0)]
)
def test_whether_two_disagree_is_no_matter_of_their_order(
    tmp_path: Path, one: str, other: str, count: int
) -> None:
    """Both must speak of what the one that says more of it says."""
    manual = Searchable(tmp_path, None)
    manual.write("a.md", "# A\n申請の期限は30日です。\n")
    manual.write("b.md", "# B\n申請の期限は60日です。\n")
    search = search_manual(
        "申請の期限",
        ("申請",),
        manual.index.refresh(lambda: False).postings,
        usual.FIND,
        max_candidates=5,
        deadline=Deadline(lambda: False),
    )
    said = evidence_of(search.ranked, search.plan)
    pair = [
        evidence._replace(held=frozenset(held.split()))
        for evidence, held in zip(said, (one, other), strict=True)
    ]
    assert len(conflicts_in(pair)) == len(conflicts_in(pair[::-1])) == count


@pytest.mark.requirement("manuals:claims:evidence")
def test_a_digest_is_of_the_evidence(tmp_path: Path) -> None:
    """Of the very text that is shown; another text, another digest."""
    manual = Searchable(tmp_path, None)
    manual.write("a.md", "# 申請\n前置き。\n申請の書類は**窓口**へ出します。\n")
    manual.write("b.md", "# 控え\n申請の書類の控えは 手元に残します。\n")
    graph = manual.ask("申請の書類", "申請", include_claim_graph=True).claim_graph
    assert graph is not None
    texts = {row["text"] for row in graph["evidences"]}
    assert texts == {"申請の書類は**窓口**へ出します。", "申請の書類の控えは 手元に残します。"}
    for row in graph["evidences"]:
        assert row["snippet_digest"] == hashlib.sha256(row["text"].encode()).hexdigest()[:16]


def test_a_rule_and_its_exception_are_no_conflict(tmp_path: Path) -> None:
    """Neither in one section nor in two files."""
    manual = Searchable(tmp_path, None)
    manual.write(
        "a.md", "# 制限\nカラー印刷は月100枚までです。ただし、広報課には上限がありません。\n"
    )
    manual.write("b.md", "# 補足\nただし、広報課のカラー印刷には月100枚の上限がありません。\n")
    assert manual.ask("カラー印刷の上限", "カラー印刷").lists["conflicts"] == []


def test_a_table_of_products_is_no_conflict(tmp_path: Path) -> None:
    """Each row speaks of its own."""
    manual = Searchable(tmp_path, None)
    for model, speed in (("KD-300", 30), ("KD-500", 45), ("KD-700", 60)):
        manual.write(f"{model}.md", f"# 仕様 {model}\n| 印刷速度 | 毎分{speed}枚 |\n")
    manual.write(
        "all.md", "# 一覧\n| KD-300 | 印刷速度 毎分30枚 |\n| KD-500 | 印刷速度 毎分45枚 |\n"
    )
    assert manual.ask("印刷速度は毎分何枚", "印刷速度").lists["conflicts"] == []


@pytest.mark.requirement("manuals:claims:contradicts")
def test_what_is_disputed_is_neither_supported_nor_covered(tmp_path: Path) -> None:
    """The claim is conflicted, and both edges say so."""
    manual = Searchable(tmp_path, None)
    manual.write("a.md", "# 規程\n申請の期限は30日です。\n")
    manual.write("b.md", "# 案内\n申請の期限は60日です。\n")
    found = manual.ask("申請の期限", "申請", include_claim_graph=True)
    assert found.claim_graph is not None
    assert [claim["status"] for claim in found.claim_graph["claims"]] == ["conflicted"]
    assert [edge["relation"] for edge in found.lists["edges"]] == ["contradicts"] * 2
    assert found.claim_graph["facets"][0]["conflicted_count"] == 1
    assert found.summary["conflict_count"] == 1


@pytest.mark.requirement("manuals:claims:supports")
def test_a_part_of_a_comparison_is_judged_by_its_own_terms(tmp_path: Path) -> None:
    """Supported by the sentence that covers it, and by none about the other part."""
    manual = Searchable(tmp_path, None)
    manual.write("a.md", "# 休み\n有給休暇は年に二十日まで取れる。\n")
    manual.write("b.md", "# 療養\n病気休職には医師の診断書が要る。\n")
    found = manual.ask("有給休暇と病気休職の違い", "有給休暇", include_claim_graph=True)
    assert found.claim_graph is not None
    texts = {row["evidence_id"]: row["text"] for row in found.lists["evidences"]}
    claims = {row["claim_id"]: row["text"] for row in found.lists["claims"]}
    supports = {
        (claims[edge["from_claim_id"]], texts[edge["to_evidence_id"]])
        for edge in found.lists["edges"]
        if edge["relation"] == "supports"
    }
    assert supports == {
        ("有給休暇", "有給休暇は年に二十日まで取れる。"),
        ("病気休職", "病気休職には医師の診断書が要る。"),
    }


@pytest.mark.requirement("manuals:claims:contradicts")
def test_a_dispute_is_about_the_claims_that_name_its_terms(tmp_path: Path) -> None:
    """What is disputed of one part of a comparison says nothing about the other."""
    manual = Searchable(tmp_path, None)
    manual.write("a.md", "# 規程\n有給休暇は年に20日まで取れる。\n")
    manual.write("b.md", "# 案内\n有給休暇は年に25日まで取れる。\n")
    manual.write("c.md", "# 療養\n病気休職には医師の診断書が要る。\n")
    found = manual.ask("有給休暇と病気休職の違い", "休", include_claim_graph=True)
    assert found.summary["conflict_count"] == 1
    statuses = {row["text"]: row["status"] for row in found.lists["claims"]}
    assert (statuses["有給休暇"], statuses["病気休職"]) == ("conflicted", "supported")


def test_a_gap_says_what_is_missing(tmp_path: Path) -> None:
    """A term, a facet, a file."""
    manual = Searchable(tmp_path, None)
    manual.write("a.md", "# 窓口\n申請の窓口は三階です。\n")
    (manual.root / "m" / "bad.md").write_bytes(b"\xff\xfe\xfa\x00\xd8")
    gaps = manual.ask("申請の手順", "申請", "無い語").lists["gaps"]
    assert {"gap": "term_not_found", "term": "無い語"} in gaps
    assert {"gap": "facet_without_support", "facet": "procedure"} in gaps
    assert any(row["gap"] == "file_unread" and row["path"] == "bad.md" for row in gaps)


def test_copies_that_disagree_are_a_conflict(tmp_path: Path) -> None:
    """Two versions of one page that differ in a number: collapsing them hides what matters."""
    manual = Searchable(tmp_path, None)
    body = "。".join(f"これは保証の条件についての文{n}であり内容は同じである" for n in range(12))
    for name, months in {"old": 12, "new": 24, "new-copy": 24, "old-copy": 12}.items():
        manual.write(f"{name}.md", f"# 保証\n{body}。保証期間は{months}か月です。\n")
    found = manual.ask("保証期間は何か月", "保証期間", include_claim_graph=True)
    assert found.summary["candidates"] == 1
    assert found.summary["conflict_count"] == 1
    (row,) = found.lists["conflicts"]
    assert {row["text"], row["conflict_with"][0]["text"]} == {
        "保証期間は12か月です。",
        "保証期間は24か月です。",
    }
    ids = {evidence["evidence_id"] for evidence in found.lists["evidences"]}
    assert {row["evidence_id"], row["conflict_with"][0]["evidence_id"]} <= ids


def test_copies_that_agree_are_none(tmp_path: Path) -> None:
    """However much they differ elsewhere."""
    manual = Searchable(tmp_path, None)
    body = "。".join(f"これは保証の条件についての文{n}であり内容は同じである" for n in range(12))
    for number in (1, 2):
        manual.write(f"v{number}.md", f"# 保証\n{body}。保証期間は12か月です。第{number}版。\n")
    found = manual.ask("保証期間は何か月", "保証期間")
    assert (found.summary["candidates"], found.summary["conflict_count"]) == (1, 0)


@pytest.mark.requirement("manuals:claims:restated")
def test_a_contradiction_is_found_in_whichever_sentence_it_stands(tmp_path: Path) -> None:
    """One section has a better sentence for the question than the one that is contradicted."""
    manual = Searchable(tmp_path, None)
    manual.write(
        "a.md",
        "# 返却\n貸出の機材の返却と延長の窓口は総務です。\n"
        "貸出の機材は受け取りの日から14日以内に返却してください。\n",
    )
    manual.write("b.md", "# 機材\n貸出の機材は受け取りの日から三十日以内に返却してください。\n")

    found = manual.ask("貸出の機材の返却と延長の窓口", "返却", include_claim_graph=True)

    (row,) = found.lists["conflicts"]
    (other,) = row["conflict_with"]
    assert row["reason"] == "number"
    assert "14日" in row["text"] + other["text"]
    assert "三十日" in row["text"] + other["text"]
    texts = {one["evidence_id"]: one["text"] for one in found.lists["evidences"]}
    assert (texts[row["evidence_id"]], texts[other["evidence_id"]]) == (row["text"], other["text"])
    snippets = {one["ref"]["path"]: one["snippet"] for one in found.lists["candidates"]}
    assert snippets["a.md"] == "貸出の機材の返却と延長の窓口は総務です。"
