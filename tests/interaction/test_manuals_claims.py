"""What a find concludes, on the real process: claims, evidence, gaps and conflicts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.interaction.conftest import OpenManuals
    from tests.interaction.manual_calls import Json, Reader, Workspace

GRAPH = ("claims", "evidences", "edges")


@pytest.fixture(name="manual")
def _manual(workspace: Workspace) -> None:
    workspace.write(
        "m/keep.md", "# 保存期間\n\n留め置きのデータは 3 日間保存されます。\n\n# 色\n\n赤です。\n"
    )
    workspace.write("m/data.md", "# データ\n\n留め置きのデータは 7 日間保存されます。\n")
    workspace.write("m/cover.md", "# 補償\n\n水ぬれによる故障は保証の対象です。\n")
    workspace.write("m/except.md", "# 例外\n\n水ぬれによる故障は保証の対象外です。\n")
    workspace.write(
        "m/agree.md",
        "# 料金\n\n月額は 500 円です。\n\n# 支払い\n\n月額は 500 円です。毎月払います。\n",
    )


def paths_of(row: Json) -> set[str]:
    """Both sides of a conflict."""
    return {row["ref"]["path"], *(other["ref"]["path"] for other in row["conflict_with"])}


@pytest.mark.requirement("manuals:claims:contradicts")
@pytest.mark.usefixtures("manual")
def test_different_numbers_of_one_unit_are_a_conflict(reader: Reader) -> None:
    """Both are shown, with the sentences themselves."""
    rows = reader.rows(reader.find("留め置きのデータは何日保存されますか", "留め置き"), "conflicts")

    assert [paths_of(row) for row in rows] == [{"keep.md", "data.md"}]
    said = rows[0]["text"] + rows[0]["conflict_with"][0]["text"]
    assert "3 日間" in said
    assert "7 日間" in said


@pytest.mark.requirement("manuals:claims:contradicts")
@pytest.mark.usefixtures("manual")
def test_opposite_polarity_is_a_conflict(reader: Reader) -> None:
    """対象 against 対象外."""
    rows = reader.rows(reader.find("水ぬれの故障は保証の対象ですか", "水ぬれ"), "conflicts")

    assert [paths_of(row) for row in rows] == [{"cover.md", "except.md"}]


@pytest.mark.requirement("manuals:claims:agreement")
@pytest.mark.usefixtures("manual")
def test_texts_that_agree_are_none(reader: Reader) -> None:
    """The same number twice is no conflict."""
    assert reader.rows(reader.find("月額はいくらですか", "月額"), "conflicts") == []


@pytest.mark.requirement("manuals:claims:on-demand")
@pytest.mark.usefixtures("manual")
def test_the_graph_is_built_when_asked_for(open_manuals: OpenManuals) -> None:
    """Conflicts and gaps are there either way; claims, evidences and edges only with it."""
    reader = open_manuals()
    question = "留め置きのデータは何日保存されますか"

    plain = reader.find(question, "留め置き")
    asked = reader.find(question, "留め置き", include_claim_graph=True)

    assert [reader.rows(plain, kind) for kind in GRAPH] == [[], [], []]
    assert all(reader.rows(asked, kind) for kind in GRAPH)
    for kind in ("conflicts", "gaps", "candidates"):
        assert reader.rows(plain, kind) == reader.rows(asked, kind)


@pytest.mark.requirement("manuals:claims:facets", "manuals:claims:evidence")
@pytest.mark.usefixtures("manual")
def test_edges_join_claims_and_evidence(reader: Reader) -> None:
    """Each with a relation; evidence is text of the section it points at."""
    found = reader.find(
        "留め置きのデータは何日保存されますか", "留め置き", include_claim_graph=True
    )
    claims, evidences, edges = (reader.rows(found, kind) for kind in GRAPH)

    ids = {row["claim_id"] for row in claims}, {row["evidence_id"] for row in evidences}
    facets = {"definition", "procedure", "eligibility", "exceptions", "compare", "unknown"}
    relations = {"supports", "contradicts", "requires_followup"}
    assert {row["facet"] for row in claims} <= facets
    assert {row["from_claim_id"] for row in edges} <= ids[0]
    assert {row["to_evidence_id"] for row in edges} <= ids[1]
    assert {row["relation"] for row in edges} <= relations
    assert "contradicts" in {row["relation"] for row in edges}
    for row in evidences:
        text = reader.read(row["ref"]["path"], row["ref"]["start_line"], scope="snippet")["text"]
        assert row["text"].split("。")[0].strip("# \n") in text
        assert row["snippet_digest"]


@pytest.mark.requirement("manuals:claims:evidence")
@pytest.mark.usefixtures("manual")
def test_the_digest_is_that_of_the_text(reader: Reader, workspace: Workspace) -> None:
    """It changes with the evidence's own sentence and with nothing else."""

    def digests() -> dict[str, str]:
        found = reader.find("水ぬれの故障", "水ぬれ", include_claim_graph=True)
        rows = reader.rows(found, "evidences")
        return {row["ref"]["path"]: row["snippet_digest"] for row in rows}

    before = digests()
    workspace.write("m/cover.md", "# 補償\n\n水ぬれによる故障は有償の対象です。\n")
    after = digests()

    assert before["cover.md"] != after["cover.md"]
    assert before["except.md"] == after["except.md"]


@pytest.mark.requirement("manuals:claims:gaps")
@pytest.mark.usefixtures("manual")
def test_a_gap_says_what_is_missing(reader: Reader, workspace: Workspace) -> None:
    """A term nowhere found, a facet without support, a file unread."""
    workspace.write("m/bad.md", b"\xff\xfe\xfa\x80\x81\x82\xff")

    found = reader.find("赤の申請の手順を教えて", "赤", "無印語")

    rows = reader.rows(found, "gaps")
    assert {"gap": "term_not_found", "term": "無印語"} in rows
    assert {"gap": "file_unread", "path": "bad.md", "reason": "encoding"} in rows
    assert "procedure" in {row.get("facet") for row in rows}


@pytest.mark.requirement("manuals:claims:facets")
@pytest.mark.usefixtures("manual")
@pytest.mark.parametrize(
    ("question", "facet"),
    [
        ("留め置きとは何ですか", "definition"),
        ("データを保存する手順", "procedure"),
        ("水ぬれは保証の対象になりますか", "eligibility"),
        ("保証の例外を教えて", "exceptions"),
        ("月額と年額の違い", "compare"),
        ("赤", "unknown"),
    ],
)
def test_claims_have_the_facets_of_the_question(reader: Reader, question: str, facet: str) -> None:
    """Told by its wording."""
    found = reader.find(question, "保", include_claim_graph=True)

    assert facet in {row["facet"] for row in reader.rows(found, "claims")}
