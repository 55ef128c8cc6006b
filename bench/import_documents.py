"""`python -m bench.import_documents`: make the scored corpus of `bench/import_corpus` anew.

Needs LibreOffice (Debian: libreoffice-writer libreoffice-calc fonts-noto-cjk). The texts are the
sample manuals; each document is committed with the Markdown that an import should give. Only
whoever changes the corpus runs this.
"""

from __future__ import annotations

import base64
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from xml.sax.saxutils import escape

from bench.import_typeset import typeset
from tebiki.importer.joining import FIRST_CJK

ROOT = Path(__file__).parents[1]
CORPUS = Path(__file__).parent / "import_corpus"
SAMPLES = ROOT / "samples" / "manuals"

NAMESPACES = " ".join(
    f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{name}"'
    for short, name in {
        "office": "office:1.0",
        "style": "style:1.0",
        "text": "text:1.0",
        "table": "table:1.0",
        "draw": "drawing:1.0",
        "fo": "xsl-fo-compatible:1.0",
        "svg": "svg-compatible:1.0",
    }.items()
)
MERGED = """# 定格の一覧

下の表は、機種ごとの定格を示します。結合した欄は、左上の値がすべてに当てはまります。

| 区分 | 機種 | 電圧 |  | 質量 |
| --- | --- | --- | --- | --- |
|  |  | 国内 | 海外 |  |
| 据置 | KF-100 | 100V | 230V | 12.5kg |
|  | KF-200 | 100V | 230V | 18kg |
| 携帯 | KF-10 | 12V |  | 900g |

質量には電池を含みません。

## 使える温度

| 機種 | 下限 | 上限 |
| --- | --- | --- |
| KF-100 | 5℃ | 40℃ |
| KF-10 | -10℃ | 50℃ |
"""
SPANS = {(0, 0, 0): (2, 1), (0, 0, 1): (2, 1), (0, 0, 2): (1, 2), (0, 0, 4): (2, 1)} | {
    (0, 2, 0): (2, 1),
    (0, 4, 2): (1, 2),
}
"""By table, row and column: how many rows and columns a cell takes."""


@dataclass(frozen=True)
class Look:
    """How a document is set."""

    columns: int = 1
    vertical: bool = False
    ruled: bool = True
    bookmarks: bool = True
    header: str = ""
    spans: dict[tuple[int, int, int], tuple[int, int]] = field(default_factory=dict)
    pictured: bool = False


def markdown_of(manual: str, *names: str) -> str:
    """Files of a sample manual, one after the other."""
    found = sorted((SAMPLES / manual).rglob("*.md"))
    wanted = [path for path in found if not names or path.stem in names]
    return "\n".join(_plain(path.read_text(encoding="utf-8")) for path in wanted)


def _plain(text: str) -> str:
    """Markdown of which every paragraph is one line, without emphasis, fences and front matter."""
    lines: list[str] = []
    for line in text.replace("**", "").replace("`", "").split("\n"):
        if line in {"text", "sh", "json", "yaml", "toml"}:
            continue
        is_text = line and line[0] not in "#|-<" and not line[:1].isdigit()
        if (
            is_text
            and lines
            and lines[-1]
            and lines[-1][0] not in "#|-"
            and not lines[-1][:1].isdigit()
        ):
            glue = "" if line[0] >= FIRST_CJK or lines[-1][-1] >= FIRST_CJK else " "
            lines[-1] += glue + line
        elif line.startswith("# ") and lines and lines[-1] == "" and lines[-2:-1] == [""]:
            lines.append(line)
        else:
            lines.append(line)
    return "\n".join(lines).replace("\n\n\n", "\n\n").strip() + "\n"


def document(markdown: str, look: Look) -> str:
    """A flat OpenDocument text."""
    body: list[str] = []
    rows: list[list[str]] = []
    tables = 0
    for line in [*markdown.split("\n"), ""]:
        if line.startswith("|"):
            rows.append([one.strip() for one in line.strip("|").split("|")])
            continue
        if rows:
            body.append(_table(rows[:1] + rows[2:], tables, look))
            rows, tables = [], tables + 1
        if line.startswith("#"):
            level = len(line) - len(line.lstrip("#"))
            words = escape(line.lstrip("# "))
            body.append(
                f'<text:h text:style-name="Heading_{level}" text:outline-level="{level}">'
                f"{words}</text:h>"
            )
        elif line.strip():
            body.append(f'<text:p text:style-name="Body">{escape(line)}</text:p>')
    if look.pictured:
        body.append(_picture())
    return _flat("".join(body), look)


def _table(rows: list[list[str]], number: int, look: Look) -> str:
    width = max(map(len, rows))
    cells = ""
    covered: set[tuple[int, int]] = set()
    for row, texts in enumerate(rows):
        cells += "<table:table-row>"
        for column in range(width):
            if (row, column) in covered:
                cells += "<table:covered-table-cell/>"
                continue
            down, along = look.spans.get((number, row, column), (1, 1))
            covered |= {(row + r, column + c) for r in range(down) for c in range(along)}
            spans = f'table:number-rows-spanned="{down}" table:number-columns-spanned="{along}"'
            text = escape(texts[column]) if column < len(texts) else ""
            cells += (
                f'<table:table-cell table:style-name="Cell" office:value-type="string" {spans}>'
                f'<text:p text:style-name="InCell">{text}</text:p></table:table-cell>'
            )
        cells += "</table:table-row>"
    return (
        f'<table:table table:name="t{number}"><table:table-column '
        f'table:number-columns-repeated="{width}"/>{cells}</table:table>'
        '<text:p text:style-name="Body"/>'
    )


def _picture() -> str:
    """A page that is a picture: grey stripes where lines of a scan would be."""
    width, height = 120, 160
    stripe = [0, 0, 0, 255, 255, 255, 255, 255] * (height // 8)
    raw = b"".join(b"\0" + bytes([value] * width) for value in stripe)
    chunks = [
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)),
        (b"IDAT", zlib.compress(raw)),
        (b"IEND", b""),
    ]
    png = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )
    return (
        '<text:p text:style-name="NewPage"><draw:frame text:anchor-type="as-char" svg:width="15cm" '
        'svg:height="21cm"><draw:image><office:binary-data>'
        f"{base64.b64encode(png).decode()}</office:binary-data></draw:image></draw:frame></text:p>"
    )


def _flat(body: str, look: Look) -> str:
    border = "0.5pt solid #000000" if look.ruled else "none"
    mode = 'style:writing-mode="tb-rl"' if look.vertical else ""
    columns = f'<style:columns fo:column-count="{look.columns}" fo:column-gap="0.8cm"/>'
    fonts = 'style:font-name="Noto Sans CJK JP" style:font-name-asian="Noto Sans CJK JP"'
    sizes = {1: 18, 2: 14, 3: 12}
    headings = "".join(
        f'<style:style style:name="Heading_{level}" style:family="paragraph" '
        f'style:default-outline-level="{level}"><style:paragraph-properties fo:margin-top="0.4cm" '
        f'fo:margin-bottom="0.2cm" fo:keep-with-next="always"/><style:text-properties {fonts} '
        f'fo:font-size="{size}pt" style:font-size-asian="{size}pt" fo:font-weight="bold" '
        'style:font-weight-asian="bold"/></style:style>'
        for level, size in sizes.items()
    )
    header = (
        '<style:header><text:p text:style-name="InCell">'
        f"{escape(look.header)}</text:p></style:header>"
        '<style:footer><text:p text:style-name="Centred">- <text:page-number/> -</text:p>'
        "</style:footer>"
        if look.header
        else ""
    )
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<office:document {NAMESPACES} office:version="1.3"
 office:mimetype="application/vnd.oasis.opendocument.text">
<office:font-face-decls><style:font-face style:name="Noto Sans CJK JP"
 svg:font-family="'Noto Sans CJK JP'"/></office:font-face-decls>
<office:styles>{headings}
<style:style style:name="Body" style:family="paragraph"><style:paragraph-properties
 fo:margin-bottom="0.15cm" fo:text-align="justify"/><style:text-properties {fonts}
 fo:font-size="10pt" style:font-size-asian="10pt"/></style:style>
<style:style style:name="InCell" style:family="paragraph"><style:text-properties {fonts}
 fo:font-size="9pt" style:font-size-asian="9pt"/></style:style>
<style:style style:name="Centred" style:family="paragraph"><style:paragraph-properties
 fo:text-align="center"/><style:text-properties {fonts} fo:font-size="9pt"/></style:style>
<style:style style:name="NewPage" style:family="paragraph"><style:paragraph-properties
 fo:break-before="page"/></style:style>
</office:styles>
<office:automatic-styles>
<style:style style:name="Cell" style:family="table-cell"><style:table-cell-properties
 fo:padding="0.1cm" fo:border="{border}"/></style:style>
<style:page-layout style:name="Page"><style:page-layout-properties fo:page-width="21cm"
 fo:page-height="29.7cm" fo:margin="2cm" {mode}>{columns}</style:page-layout-properties>
<style:header-style><style:header-footer-properties fo:min-height="0.8cm"/></style:header-style>
<style:footer-style><style:header-footer-properties fo:min-height="0.8cm"/></style:footer-style>
</style:page-layout></office:automatic-styles>
<office:master-styles><style:master-page style:name="Standard"
 style:page-layout-name="Page">{header}</style:master-page></office:master-styles>
<office:body><office:text>{body}</office:text></office:body></office:document>"""


def _documents() -> dict[str, tuple[str, Look, str]]:
    """Every document: its text, how it is set, and as what it is saved."""
    kaede, lantern = markdown_of("kaede-fukugouki"), markdown_of("lantern-backup")
    tables = markdown_of("kaede-fukugouki", "清掃", "消耗品の交換", "仕様", "保証と修理")
    header = Look(header="楓 複合機 利用の手引き")
    return {
        "ja-word": (kaede, header, "pdf"),
        "ja-no-outline": (kaede, Look(bookmarks=False, header="楓 複合機"), "pdf"),
        "ja-two-columns": (kaede, Look(columns=2, ruled=True, header="楓 複合機"), "pdf"),
        "ja-vertical": (
            tables.split("|")[0] + markdown_of("kaede-fukugouki", "印刷", "認証"),
            Look(vertical=True),
            "pdf",
        ),
        "ja-open-tables": (tables, Look(ruled=False), "pdf"),
        "ja-merged-cells": (MERGED, Look(spans=SPANS), "pdf"),
        "ja-scanned-page": (markdown_of("kaede-fukugouki", "はじめに"), Look(pictured=True), "pdf"),
        "en-word": (lantern, Look(header="Lantern Backup"), "pdf"),
        "en-two-columns": (lantern, Look(columns=2, bookmarks=False), "pdf"),
        "ja-word-document": (tables + MERGED, Look(spans={}), "docx"),
    }


def main() -> int:
    """Make every document."""
    office = shutil.which("soffice")
    if office is None:
        print("LibreOffice is not installed: nothing was made")
        return 1
    with tempfile.TemporaryDirectory() as place:
        for name, (markdown, look, kind) in _documents().items():
            source = Path(place) / f"{name}.fodt"
            source.write_text(document(markdown, look), encoding="utf-8")
            marks = "true" if look.bookmarks else "false"
            option = f'{{"ExportBookmarks":{{"type":"boolean","value":"{marks}"}}}}'
            options = f"pdf:writer_pdf_Export:{option}"
            made = options if kind == "pdf" else kind
            subprocess.run(
                [office, "--headless", "--convert-to", made, "--outdir", str(CORPUS), str(source)],
                check=True,
                capture_output=True,
            )
            (CORPUS / f"{name}.{kind}.md").write_text(markdown, encoding="utf-8")
            print(name, (CORPUS / f"{name}.{kind}").stat().st_size)
        _make_others(office, Path(place))
    return 0


def _make_others(office: str, place: Path) -> None:
    """Make the pages that no office program sets, and a workbook."""
    kaede = markdown_of("kaede-fukugouki")
    (CORPUS / "ja-typeset-open.pdf").write_bytes(typeset(kaede))
    (CORPUS / "ja-typeset-open.pdf.md").write_text(kaede, encoding="utf-8")
    rows = [line for line in MERGED.split("\n") if line.startswith("|")][-4:]
    cells = [[one.strip() for one in row.strip("|").split("|")] for row in rows if "---" not in row]
    source = place / "ja-workbook.csv"
    source.write_text("\n".join(",".join(row) for row in cells), encoding="utf-8")
    words = ["--headless", "--infilter=CSV:44,34,76", "--convert-to", "xlsx", "--outdir"]
    subprocess.run([office, *words, str(CORPUS), str(source)], check=True, capture_output=True)
    expected = "\n".join(["## ja-workbook", "", *rows, ""])
    (CORPUS / "ja-workbook.xlsx.md").write_text(expected, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
