"""Page numbers of the original, in everything that is told of an imported text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.interaction.manual_calls import Reader, Workspace

FRONT = (
    '---\ntitle: "複合機 取扱説明書"\nsource: "保守/x.pdf"\nsha256: "00"\n'
    'converter: "tebiki import 1"\npages: 4\n---\n\n'
)
TEXT = (
    "<!-- page 1 -->\n\n<!-- page 2 -->\n\n# トナー\n\n黒のトナーは棚にあります。\n\n"
    "<!-- page 3 -->\n\n廃トナー容器は満杯になる前に換えます。\n\n<!-- page 4 -->\n\n"
    "# 紙づまり\n\n扉を開けて紙を引き抜きます。\n"
)
SLIDES = (
    '---\ntitle: "研修"\nsource: "x.pptx"\nconverter: "tebiki import 1"\npages: 2\n---\n\n'
    "<!-- slide 1 -->\n\n## 目的\n\n<!-- slide 2 -->\n\n## 研修の日程\n\n- 毎週月曜日\n"
)


@pytest.fixture(name="imported")
def _imported(workspace: Workspace) -> None:
    workspace.write("m/x.pdf.md", FRONT + TEXT)
    workspace.write("m/x.pptx.md", SLIDES)
    workspace.write("m/own.md", "# 自作\n\n<!-- page 9 -->\n\n総務の連絡先。\n")


@pytest.mark.requirement("manuals:pages:hits")
@pytest.mark.usefixtures("imported")
def test_a_hit_tells_the_page_on_which_the_answer_stands(reader: Reader) -> None:
    """Not only where its section begins; slides are told as slides, other people's marks never."""
    found = reader.find("廃トナー容器はいつ換えるか", "容器")
    (hit, *_) = found["inline_hits"]["items"]

    assert (hit["ref"]["path"], hit["title"], hit["page"]) == ("x.pdf.md", "トナー", 3)
    rows = reader.use("hits", trace_id=found["trace_id"], kind="candidates")
    assert rows["items"][0]["page"] == 3
    (hit, *_) = reader.find("黒のトナーはどこか", "黒")["inline_hits"]["items"]
    assert hit["page"] == 2
    (hit, *_) = reader.find("研修の日程", "日程")["inline_hits"]["items"]
    assert (hit["slide"], "page" in hit) == (2, False)
    (hit, *_) = reader.find("総務の連絡先", "連絡先")["inline_hits"]["items"]
    assert not {"page", "slide"} & set(hit)


@pytest.mark.requirement("manuals:pages:quiet")
@pytest.mark.usefixtures("imported")
def test_front_matter_and_marks_of_an_import_are_not_found(reader: Reader) -> None:
    """Nobody asks for a hash, a converter or `page 3`; the title still counts as a heading."""
    for words in ("converter", "sha256", "slide"):
        assert reader.find(f"{words} tebiki 00 3", words)["candidates"] == 0, words
    (hit, *_) = reader.find("複合機の紙づまり", "紙づまり")["inline_hits"]["items"]
    assert (hit["ref"]["start_line"], hit["page"]) == (23, 4)


@pytest.mark.requirement("manuals:pages:read")
@pytest.mark.usefixtures("imported")
def test_readings_and_contents_tell_pages(reader: Reader) -> None:
    """From which page to which; a page of which nothing is read does not count."""
    ref = {"manual_id": "m", "path": "x.pdf.md"}

    read = reader.use("read", ref=ref)
    assert (read["page"], read["last_page"]) == (2, 3)
    assert read["text"].startswith("# トナー")
    read = reader.use("read", ref={**ref, "start_line": 23})
    assert (read["page"], "last_page" in read) == (4, False)
    read = reader.use("read", ref={**ref, "start_line": 19}, scope="snippet")
    assert (read["page"], read["last_page"]) == (1, 4)
    read = reader.use("read", ref={"manual_id": "m", "path": "own.md"})
    assert not {"page", "last_page"} & set(read)

    items = reader.use("toc", manual_id="m", path_prefix="x.pdf.md", depth="deep")["items"]
    assert items[0]["headings"] == [
        {"title": "トナー", "line_start": 13, "page": 2},
        {"title": "紙づまり", "line_start": 23, "page": 4},
    ]
