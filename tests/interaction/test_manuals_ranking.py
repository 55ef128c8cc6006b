"""Ranking on the real process: what comes first, and that it always does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.interaction.conftest import OpenManuals
    from tests.interaction.manual_calls import Json, Reader, Workspace

MANUAL = {
    "law.md": "# 規約\n\n## 第12条\n\n解約は書面による。\n\n## 第13条\n\n返金はしない。\n",
    "codes.md": "# コード\n\n## ABC-123\n\n部品を替える。\n\n## ABC-124\n\n電源を切る。\n",
    "errors.md": "# Errors\n\n## E-1042\n\nThe disk is full.\n\n## E-1043\n\nPaper is left.\n",
    "jam.md": "# 困ったとき\n\n## 紙詰まりの直し方\n\n右の扉を開けて、紙を引き抜きます。\n",
    "kana.md": "# 部品\n\n## トナーカートリッジ\n\n前の扉から入れます。\n",
    "plural.md": "# Snapshots\n\nDeleted snapshots are restored within days.\n",
    "dash.md": "# 配線\n\n## LAN ケーブル 10–20 m\n\n屋外では使えません。\n",
    "other.md": "# その他\n\n紙の保管と、扉の掃除について。\n",
}


@pytest.fixture(name="manual")
def _manual(workspace: Workspace) -> None:
    for name, text in MANUAL.items():
        workspace.write(f"m/{name}", text)


def first(reader: Reader, query: str, *terms: str) -> tuple[str, str]:
    """File and title of the best hit."""
    hits = reader.find(query, *terms)["inline_hits"]["items"]
    return (hits[0]["ref"]["path"], hits[0]["title"]) if hits else ("", "")


@pytest.mark.requirement(
    "manuals:ranking:folding",
    "manuals:ranking:japanese",
    "manuals:ranking:codes",
    "manuals:ranking:stems",
)
@pytest.mark.usefixtures("manual")
def test_text_is_folded(reader: Reader) -> None:
    """Width, case, dashes, kana width, spaces; two-character words and codes; English stems."""
    expected = {
        "第12条": ("law.md", "第12条"),
        "第１２条": ("law.md", "第12条"),
        "ＡＢＣ-１２３": ("codes.md", "ABC-123"),
        "abc‐124": ("codes.md", "ABC-124"),
        "E－1042": ("errors.md", "E-1042"),
        "e-1043": ("errors.md", "E-1043"),
        "ﾄﾅｰｶｰﾄﾘｯｼﾞ": ("kana.md", "トナーカートリッジ"),
        "解約": ("law.md", "第12条"),
        "返金": ("law.md", "第13条"),
        "restoring snapshot": ("plural.md", "Snapshots"),
        "DELETE SNAPSHOT": ("plural.md", "Snapshots"),
        "LAN ケーブル 10-20m": ("dash.md", "LAN ケーブル 10–20 m"),
        "LANケーブル": ("dash.md", "LAN ケーブル 10–20 m"),
    }

    found = {query: first(reader, query) for query in expected}

    assert found == expected


@pytest.mark.requirement("manuals:ranking:japanese", "manuals:gates:variants")
@pytest.mark.usefixtures("manual")
@pytest.mark.parametrize(
    ("question", "term"),
    [
        ("紙が詰まったときはどうやって直せばよいですか？", "紙詰まり"),
        ("紙詰まりを直す方法", "紙詰まり"),
        ("紙詰り 直し方", "紙詰り"),
        ("かみづまりではなく紙詰まりの直しかたを知りたい", "紙詰まり"),
    ],
)
def test_whole_questions_work_without_spaces(reader: Reader, question: str, term: str) -> None:
    """As keywords do; the term in its light variants too."""
    assert first(reader, question, term) == ("jam.md", "紙詰まりの直し方")


@pytest.mark.requirement("manuals:ranking:stems", "manuals:gates:variants")
@pytest.mark.usefixtures("manual")
def test_english_terms_have_their_variants(reader: Reader) -> None:
    """A singular stands for its plural."""
    found = reader.find("deleted snapshot", "snapshot")

    assert found["status"] == "required_effective"


@pytest.mark.requirement("manuals:ranking:base-score")
def test_the_base_is_rarity_and_fields(reader: Reader, workspace: Workspace) -> None:
    """A rare word weighs more than a common one; heading and path count beside the body."""
    for number in range(10):
        workspace.write(f"m/c{number}.md", f"# Page {number}\n\ncommonword everywhere.\n")
    workspace.write("m/rare.md", "# Other\n\nrareword here.\n")
    workspace.write("m/head.md", "# Titleword\n\nSomething.\n")
    workspace.write("m/body.md", "# Something\n\nA titleword in the text of a longer section.\n")
    workspace.write("m/pathword/x.md", "# Nothing\n\nof note.\n")

    assert first(reader, "commonword rareword", "rareword")[0] == "rare.md"
    assert first(reader, "titleword")[0] == "head.md"
    assert reader.places("pathword")[0][0] == "pathword/x.md"


@pytest.mark.requirement("manuals:gates:always-run")
@pytest.mark.usefixtures("manual")
def test_gates_always_run(reader: Reader) -> None:
    """Without and with the terms; two terms make three passes."""
    one = reader.rows(reader.find("紙詰まりの扉", "扉"), "gate_runs")
    two = reader.rows(reader.find("紙詰まりの扉", "扉", "紙"), "gate_runs")

    assert one[0]["gate"] == two[0]["gate"] == "g0"
    assert [row["required_terms"] for row in one] == [[], ["扉"]]
    assert [row["required_terms"] for row in two] == [[], ["扉"], ["紙"], ["扉", "紙"]]


@pytest.mark.requirement("manuals:gates:fused")
@pytest.mark.usefixtures("manual")
def test_lists_are_fused_by_reciprocal_rank(reader: Reader) -> None:
    """Each candidate tells what every pass gave it."""
    rows = reader.rows(reader.find("紙詰まりの扉", "扉"), "fusion_debug")

    gates = {one["gate"] for one in rows[0]["contributions"]}
    assert "g0" in gates
    assert len(gates) == 2
    assert all(one["rank"] >= 1 and one["rrf"] > 0 for one in rows[0]["contributions"])
    assert [row["rank"] for row in rows] == list(range(1, len(rows) + 1))


@pytest.mark.requirement("manuals:gates:fused")
def test_a_required_term_brings_its_section_up(reader: Reader, workspace: Workspace) -> None:
    """Above one that suits the question better but lacks the term."""
    workspace.write("m/a.md", "# Install the agent\n\nInstall the agent in three steps.\n")
    workspace.write("m/b.md", "# Notes\n\nThe agent on kaede is installed by hand.\n")
    for number in range(5):
        workspace.write(f"m/x{number}.md", f"# Agent {number}\n\nAbout agent {number}.\n")

    assert first(reader, "install the agent", "kaede")[0] == "b.md"


@pytest.mark.requirement("manuals:comparisons:taken-apart")
@pytest.mark.usefixtures("manual")
@pytest.mark.parametrize(
    "question",
    [
        "E-1042とE-1043の違い",
        "E-1042 vs E-1043",
        "difference between E-1042 and E-1043",
        "E-1042とE-1043を比較",
    ],
)
def test_comparisons_are_taken_apart(reader: Reader, question: str) -> None:
    """Both sides are found, each asked for on its own too."""
    found = reader.find(question, "E-1042", "E-1043")

    asked = [row["query"] for row in reader.rows(found, "gate_runs") if row["query"]]
    shown = [hit["title"] for hit in found["inline_hits"]["items"]]
    assert set(shown[:2]) == {"E-1042", "E-1043"}
    assert 2 <= len(asked) <= 3


@pytest.mark.requirement("manuals:comparisons:never-inside-a-word")
@pytest.mark.usefixtures("manual")
@pytest.mark.parametrize("question", ["こととものを", "間違いの直し方", "Canvas", "違いない"])
def test_a_word_is_never_taken_apart(reader: Reader, question: str) -> None:
    """A particle or `vs` inside a word is no comparison."""
    found = reader.find(question, "紙")

    assert [row["query"] for row in reader.rows(found, "gate_runs") if row["query"]] == []


@pytest.mark.requirement("manuals:diversity:one-file")
def test_one_file_does_not_take_every_place(reader: Reader, workspace: Workspace) -> None:
    """Repeated sections of one path are damped and bounded, by exploration too."""
    many = "".join(f"## Paper {n}\n\nPaper tray number {n}.\n\n" for n in range(30))
    workspace.write("m/many.md", many)
    for number in range(4):
        text = f"# Paper of {number}\n\nA paper tray elsewhere, in room {number} of the house.\n"
        workspace.write(f"m/o{number}.md", text)

    paths = [path for path, _ in reader.places("paper tray", "paper")]

    assert paths.count("many.md") <= 8
    assert len(set(paths[:5])) >= 3


@pytest.mark.requirement("manuals:diversity:copies")
def test_copies_are_shown_once(reader: Reader, workspace: Workspace) -> None:
    """Sections that are near-identical collapse into one row."""
    text = "# Legal notice\n\nThe lantern must not be used under water or in rain.\n"
    for number in range(6):
        workspace.write(f"m/copy{number}.md", text)
    workspace.write("m/other.md", "# Light\n\nA lantern gives light.\n")

    paths = [path for path, _ in reader.places("lantern under water", "lantern")]

    assert sum(path.startswith("copy") for path in paths) == 1


@pytest.mark.requirement("manuals:cut-off:scores")
def test_the_cut_off_follows_scores(reader: Reader, workspace: Workspace) -> None:
    """One perfect section among many that share a common word is not followed by all of them."""
    for number in range(60):
        workspace.write(f"m/c{number:02}.md", f"# Page {number}\n\nThe device has part {number}.\n")
    workspace.write("m/hit.md", "# Fuser\n\nThe fuser of the device glows.\n")

    rows = reader.rows(reader.find("fuser of the device", "fuser"))

    assert rows[0]["ref"]["path"] == "hit.md"
    assert len(rows) < 50


def answer(found: Json, rows: list[Json]) -> object:
    """All of an answer but its trace."""
    return found["status"], found["candidates"], rows


@pytest.mark.requirement("manuals:determinism:same-answer")
@pytest.mark.usefixtures("manual")
def test_the_same_call_gets_the_same_answer(open_manuals: OpenManuals) -> None:
    """In any process, whatever happened before, from the cache or not."""
    readers = [open_manuals(), open_manuals()]
    readers[1].find("返金", "返金")
    readers[1].find("E-1042 disk", "disk", use_cache=False)
    answers = []

    for reader in readers:
        for use_cache in (True, True, False):
            found = reader.find("扉と紙の直し方", "扉", use_cache=use_cache)
            answers.append(answer(found, reader.rows(found)))

    assert all(one == answers[0] for one in answers)


@pytest.mark.requirement("manuals:determinism:same-answer")
def test_the_order_of_files_is_no_matter(open_manuals: OpenManuals, workspace: Workspace) -> None:
    """The same files written in another order rank alike."""
    texts = {f"f{n}.md": f"# Part {n}\n\nThe lantern of part {n}, lantern {n}.\n" for n in range(9)}
    for name, text in texts.items():
        workspace.write(f"m/{name}", text)
    for name in reversed(texts):
        workspace.write(f"n/{name}", texts[name])
    reader = open_manuals()

    forward = reader.places("lantern of part", "lantern", manual_id="m")
    backward = reader.places("lantern of part", "lantern", manual_id="n")

    assert forward == backward
