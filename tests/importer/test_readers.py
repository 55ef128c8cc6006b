"""What each kind of file becomes, through the command and its child processes."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

import pytest

from tests.support.command import run_command
from tests.support.documents import (
    WORD,
    docx,
    epub,
    paragraph,
    pdf,
    pptx,
    row,
    strict_docx,
    xlsx,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

STYLES = (
    '<w:style w:styleId="1"><w:name w:val="heading 1"/></w:style>'
    '<w:style w:styleId="a"><w:name w:val="章の見出し"/><w:basedOn w:val="b"/></w:style>'
    '<w:style w:styleId="b"><w:name w:val="x"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style>'
)
RUBY = (
    "<w:p><w:r><w:t>前の</w:t></w:r><w:r><w:ruby><w:rt><w:r><w:t>ろうづけ</w:t></w:r></w:rt>"
    "<w:rubyBase><w:r><w:t>鑞付</w:t></w:r></w:rubyBase></w:ruby></w:r></w:p>"
)
RUN = (
    "<w:r><w:ruby><w:rt><w:r><w:t>{1}</w:t></w:r></w:rt>"
    "<w:rubyBase><w:r><w:t>{0}</w:t></w:r></w:rubyBase></w:ruby></w:r>"
)
CELL = "<w:tc><w:tcPr>{}</w:tcPr><w:p><w:r><w:t>{}</w:t></w:r></w:p></w:tc>"
TABLE = (
    "<w:tbl><w:tr>"
    + CELL.format('<w:vMerge w:val="restart"/>', "型")
    + CELL.format('<w:gridSpan w:val="2"/>', "値")
    + "</w:tr><w:tr>"
    + CELL.format("<w:vMerge/>", "")
    + CELL.format("", "a|b")
    + CELL.format("", "1.50")
    + "</w:tr></w:tbl>"
)
NUMBERING = (
    f'<w:numbering xmlns:w="{WORD}"><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt '
    'w:val="decimal"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/>'
    "</w:num></w:numbering>"
)
FOOTNOTES = (
    f'<w:footnotes xmlns:w="{WORD}"><w:footnote w:id="2"><w:p><w:r><w:t>脚注です</w:t></w:r></w:p>'
    "</w:footnote></w:footnotes>"
)
ITEM = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'
PAGE = (
    "<html><head>{}<title>題</title></head><body><nav>案内</nav><h1>見出し</h1>"
    "<p>本文の\n続き。</p></body></html>"
)
MAIN = "<header>頭</header><main><h2>主</h2><p># 井桁</p>&lt;!-- page 9 --&gt;</main>横"


def files() -> Mapping[str, bytes]:
    """Every document that the tests below look at."""
    reference = '<w:p><w:r><w:t>注</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p>'
    gone = "<w:del><w:r><w:delText>消した</w:delText></w:r></w:del>"
    deleted = f"<w:p>{gone}<w:r><w:t>残り</w:t></w:r></w:p>"
    body = [
        paragraph("第一章", '<w:pStyle w:val="1"/>'),
        paragraph("節", '<w:pStyle w:val="a"/>'),
        paragraph("直に", '<w:outlineLvl w:val="2"/>'),
        paragraph("# 見出しではない"),
        RUBY,
        TABLE,
        paragraph("一つ目", ITEM),
        paragraph("二つ目", ITEM),
        reference,
        deleted,
    ]
    more = {"word/numbering.xml": NUMBERING, "word/footnotes.xml": FOOTNOTES}
    sheet = row(1, ["品", "数"]) + row(2, ["a|b", 1.0]) + row(3, ["c", 0.30000000000000004])
    ruled = b"0.5 w " + b" ".join(
        [b"72 %d m 300 %d l S" % (y, y) for y in (700, 680, 660)]
        + [b"%d 660 m %d 700 l S" % (x, x) for x in (72, 150, 300)]
    )
    cells = [(75, 685, "Name"), (149, 685, "Value"), (75, 665, "KF-1"), (153, 665, "12")]
    text = " ".join(f"BT /F1 10 Tf {x} {y} Td ({word}) Tj ET" for x, y, word in cells)
    return {
        "ruby.docx": docx(f"<w:p>{RUN.format('鑞', 'ろう')}{RUN.format('付', 'づけ')}</w:p>"),
        "ruby.html": "<p>前<ruby>鑞<rp>(</rp><rt>ろう</rt>付<rt>づけ</rt></ruby>後</p>".encode(),
        "a.docx": docx("".join(body), STYLES, more),
        "strict.docx": strict_docx("".join(body), STYLES),
        "a.xlsx": xlsx({"一覧": sheet, "空": ""}),
        "a.pptx": pptx([("一枚目", "文"), ("二枚目", "文")]),
        "a.epub": epub([PAGE.format(""), "<html><body><h2>次</h2></body></html>"]),
        "utf8.html": PAGE.format("").encode(),
        "bom.html": codecs.BOM_UTF8 + PAGE.format("<meta charset=euc-jp>").encode(),
        "cp932.html": PAGE.format("<meta charset=Shift_JIS>").encode("cp932"),
        "euc.html": PAGE.format('<meta http-equiv=x content="text/html; charset=EUC-JP">').encode(
            "euc_jp"
        ),
        "lying.html": PAGE.format("<meta charset=UTF-8>").encode("cp932"),
        "silent.html": PAGE.format("").encode("euc_jp"),
        "main.html": MAIN.encode(),
        "sjis.txt": "日本語の文です。\r\n次の行".encode("cp932"),
        "two.pdf": pdf(["Running head\n\nFirst words of\none paragraph.", "Second page."]),
        "ruled.pdf": pdf([ruled + b" " + text.encode()]),
    }


@pytest.fixture(name="texts", scope="module")
def _texts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """All of them, imported at once: the Markdown below the front matter, by name."""
    home: Path = tmp_path_factory.mktemp("readers")
    (home / "sources").mkdir()
    for name, data in files().items():
        (home / "sources" / name).write_bytes(data)
    done = run_command(home, "manuals", "import", "sources", "--into", "m", face="tebiki")
    assert done.code == 0, done.stdout + done.stderr
    written = {file.name.removesuffix(".md"): file for file in (home / "manuals" / "m").iterdir()}
    return {
        name: file.read_text(encoding="utf-8").split("---\n", 2)[2].strip()
        for name, file in written.items()
    }


def test_a_word_document_keeps_its_structure(texts: dict[str, str]) -> None:
    """Headings by name, inherited level and own level; ruby, merged cells, numbers, notes."""
    wanted = [
        "# 第一章",
        "## 節",
        "### 直に",
        "\\# 見出しではない",
        "前の鑞付（ろうづけ）",
        "| 型 | 値 |  |\n| --- | --- | --- |\n|  | a\\|b | 1.50 |",
        "1. 一つ目\n2. 二つ目",
        "注[^2]",
        "残り",
        "[^2]: 脚注です",
    ]
    assert texts["a.docx"].split("\n\n") == wanted


def test_a_strict_word_document_is_read_as_any_other(texts: dict[str, str]) -> None:
    """Word saves as "Strict Open XML" with other names for the same elements."""
    assert texts["strict.docx"].startswith("# 第一章\n\n## 節\n\n### 直に\n\n\\# 見出しではない")
    assert "| a\\|b | 1.50 |" in texts["strict.docx"]


def test_ruby_of_single_signs_does_not_cut_a_word(texts: dict[str, str]) -> None:
    """The word is whole, its reading behind it."""
    assert texts["ruby.docx"] == "鑞付（ろうづけ）"
    assert texts["ruby.html"] == "前鑞付（ろうづけ）後"


def test_a_workbook_keeps_every_cell_as_it_was_written(texts: dict[str, str]) -> None:
    """1 and not 1.0; what a processor added behind the digits was never written."""
    table = "| 品 | 数 |\n| --- | --- |\n| a\\|b | 1 |\n| c | 0.3 |"
    assert texts["a.xlsx"] == f"## 一覧\n\n{table}\n\n## 空"


def test_slides_are_numbered_and_led_by_their_titles(texts: dict[str, str]) -> None:
    """Whatever is drawn first."""
    assert texts["a.pptx"].startswith("<!-- slide 1 -->\n\n## 一枚目\n\n- 文\n\n<!-- slide 2 -->")


def test_a_book_is_read_in_the_order_of_its_spine(texts: dict[str, str]) -> None:
    """Chapter by chapter."""
    assert texts["a.epub"] == "# 見出し\n\n本文の続き。\n\n## 次"


@pytest.mark.parametrize("name", ["utf8", "bom", "cp932", "euc", "lying", "silent"])
def test_a_page_is_read_in_its_encoding(texts: dict[str, str], name: str) -> None:
    """By its mark, by what it declares, or by its bytes where that is not true."""
    assert texts[f"{name}.html"] == "# 見出し\n\n本文の続き。"


def test_only_the_main_part_of_a_page_is_kept(texts: dict[str, str]) -> None:
    """And nothing in it can pass for a heading or a mark of ours."""
    assert texts["main.html"] == "## 主\n\n\\# 井桁\n\n\\<!-- page 9 -->"


def test_plain_text_is_kept_line_by_line(texts: dict[str, str]) -> None:
    """In UTF-8 from now on."""
    assert texts["sjis.txt"] == "日本語の文です。\n次の行"


def test_pages_of_a_pdf_are_marked_between_paragraphs(texts: dict[str, str]) -> None:
    """Lines of one paragraph are one line."""
    assert texts["two.pdf"] == (
        "<!-- page 1 -->\n\nRunning head\n\nFirst words of one paragraph.\n\n"
        "<!-- page 2 -->\n\nSecond page."
    )


def test_cells_that_touch_are_never_one_word(texts: dict[str, str]) -> None:
    """The drawn line decides, even where a word reaches over it."""
    assert "| Name | Value |\n| --- | --- |\n| KF-1 | 12 |" in texts["ruled.pdf"]


def test_a_title_that_nobody_gave_is_none(tmp_path: Path) -> None:
    """Programs write words of their own there; the file's name says more."""
    (tmp_path / "sources").mkdir()
    for name, title in (("pumps", "Pumps!"), ("nameless", r"\(anonymous\)"), ("no", "Untitled")):
        # The first object tells of the document as well.
        whole = pdf(["Words of a page."], more=f"/Title ({title})")
        file = tmp_path / "sources" / f"{name}.pdf"
        file.write_bytes(whole.replace(b"/Root", b"/Info 1 0 R /Root"))

    done = run_command(tmp_path, "manuals", "import", "sources", "--into", "m", face="tebiki")

    assert done.code == 0, done.stdout + done.stderr
    heads = {
        file.name: file.read_text(encoding="utf-8").split("---\n")[1]
        for file in (tmp_path / "manuals" / "m").iterdir()
    }
    assert "Pumps!" in heads["pumps.pdf.md"]
    assert "anonymous" not in heads["nameless.pdf.md"]
    assert "Untitled" not in heads["no.pdf.md"]
