"""Documents made by hand: small PDF, Word, Excel, slide and EPUB files, whole ones and bad ones."""

from __future__ import annotations

import io
import zipfile
import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
SLIDE = "http://schemas.openxmlformats.org/presentationml/2006/main"
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"


def zipped(members: Mapping[str, str | bytes], how: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip file."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", how, compresslevel=1) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return held.getvalue()


def docx(body: str, styles: str = "", more: Mapping[str, str] | None = None) -> bytes:
    """A Word document with that body."""
    return zipped(
        {
            "word/document.xml": f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body>'
            "</w:document>",
            "word/styles.xml": f'<w:styles xmlns:w="{WORD}">{styles}</w:styles>',
            **(more or {}),
        }
    )


def strict_docx(body: str, styles: str = "") -> bytes:
    """As `docx`, in the strict form of the standard."""
    strict = "http://purl.oclc.org/ooxml/wordprocessingml/main"
    with zipfile.ZipFile(io.BytesIO(docx(body, styles))) as usual:
        return zipped(
            {name: usual.read(name).decode().replace(WORD, strict) for name in usual.namelist()}
        )


def paragraph(text: str, properties: str = "") -> str:
    """A paragraph of a Word document."""
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def xlsx(sheets: Mapping[str, str]) -> bytes:
    """A workbook: the rows of each sheet as XML, by its name."""
    names = list(sheets)
    entries = "".join(
        f'<sheet name="{name}" sheetId="{n}" r:id="r{n}"/>' for n, name in enumerate(names, 1)
    )
    relations = "".join(
        f'<Relationship Id="r{n}" Type="{OFFICE}/worksheet" Target="worksheets/sheet{n}.xml"/>'
        for n in range(1, len(names) + 1)
    )
    members = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/'
        'content-types"><Default Extension="xml" ContentType="application/xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}"><Relationship Id="r1" '
        f'Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{SHEET}" xmlns:r="{OFFICE}"><sheets>{entries}'
        "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}">{relations}'
        "</Relationships>",
    }
    for number, rows in enumerate(sheets.values(), 1):
        members[f"xl/worksheets/sheet{number}.xml"] = (
            f'<worksheet xmlns="{SHEET}"><sheetData>{rows}</sheetData></worksheet>'
        )
    return zipped(members)


def row(number: int, cells: Sequence[str | float]) -> str:
    """A row of a sheet."""
    made = ""
    for column, value in zip("ABCDEFGH", cells, strict=False):
        if isinstance(value, str):
            made += f'<c r="{column}{number}" t="inlineStr"><is><t>{value}</t></is></c>'
        else:
            made += f'<c r="{column}{number}"><v>{value}</v></c>'
    return f'<row r="{number}">{made}</row>'


def pptx(slides: Sequence[tuple[str, str]]) -> bytes:
    """Slides with a title and a text each."""
    ids = "".join(f'<p:sldId id="{n + 255}" r:id="r{n}"/>' for n in range(1, len(slides) + 1))
    targets = "".join(
        f'<Relationship Id="r{n}" Type="{OFFICE}/slide" Target="slides/slide{n}.xml"/>'
        for n in range(1, len(slides) + 1)
    )
    members = {
        "ppt/presentation.xml": f'<p:presentation xmlns:p="{SLIDE}" xmlns:r="{OFFICE}">'
        f"<p:sldIdLst>{ids}</p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": f'<Relationships xmlns="{PACKAGE}">{targets}'
        "</Relationships>",
    }
    for number, (title, text) in enumerate(slides, 1):
        shapes = "".join(
            f'<p:sp><p:nvSpPr><p:nvPr><p:ph type="{kind}"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r>'
            f"<a:t>{words}</a:t></a:r></a:p></p:txBody></p:sp>"
            for kind, words in (("body", text), ("title", title))
        )
        members[f"ppt/slides/slide{number}.xml"] = (
            f'<p:sld xmlns:p="{SLIDE}" xmlns:a="{DRAWING}"><p:cSld><p:spTree>{shapes}'
            "</p:spTree></p:cSld></p:sld>"
        )
    return zipped(members)


def epub(chapters: Sequence[str]) -> bytes:
    """A book of chapters in HTML."""
    items = "".join(
        f'<item id="c{n}" href="c{n}.xhtml" media-type="application/xhtml+xml"/>'
        for n in range(len(chapters))
    )
    order = "".join(f'<itemref idref="c{n}"/>' for n in range(len(chapters)))
    return zipped(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:'
            'container"><rootfiles><rootfile full-path="b/book.opf"/></rootfiles></container>',
            "b/book.opf": '<package xmlns="http://www.idpf.org/2007/opf"><metadata><title>Book'
            f"</title></metadata><manifest>{items}</manifest><spine>{order}</spine></package>",
            **{f"b/c{n}.xhtml": chapter for n, chapter in enumerate(chapters)},
        }
    )


def pdf(pages: Sequence[str | bytes], *, more: str = "") -> bytes:
    """A PDF file of pages: lines of text, or a content stream as it stands."""
    objects: list[bytes] = []
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(len(pages)))
    objects.append(f"<< /Type /Catalog /Pages 2 0 R {more} >>".encode())
    objects.append(f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode())
    objects.append(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    for number, page in enumerate(pages):
        content = page if isinstance(page, bytes) else _lines(page)
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {5 + 2 * number} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>".encode()
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
    return assembled(objects)


def flate_bomb(megabytes: int) -> bytes:
    """A PDF file of one page whose content unpacks to that much."""
    # One megabyte is packed, and stands there again and again: after a full flush a piece needs
    # nothing of what came before. The sum at the end is wrong, which no reader gets to see.
    packer = zlib.compressobj(9)
    head = packer.compress(b"") + packer.flush(zlib.Z_FULL_FLUSH)
    piece = packer.compress(b"q Q " * (256 * 1024)) + packer.flush(zlib.Z_FULL_FLUSH)
    packed = head + piece * megabytes + packer.flush()
    stream = b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(packed), packed)
    return assembled(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R >>",
            stream,
        ]
    )


def encrypted_pdf() -> bytes:
    """A PDF file that asks for a password nobody has."""
    whole = pdf(["secret"])
    secret = "<< /Filter /Standard /V 1 /R 2 /O <{0}> /U <{0}> /P -4 >>".format("41" * 32)
    trailer = f"/Encrypt {secret} /ID [<00> <00>] /Root"
    return whole.replace(b"/Root", trailer.encode())


def assembled(objects: Sequence[bytes]) -> bytes:
    """Objects as a file, with the table that tells where each is."""
    made = bytearray(b"%PDF-1.4\n")
    places = []
    for number, one in enumerate(objects, 1):
        places.append(len(made))
        made += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    table = len(made)
    made += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    made += b"".join(b"%010d 00000 n \n" % place for place in places)
    made += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n" % (len(objects) + 1)
    return bytes(made + b"%d\n%%%%EOF\n" % table)


def _lines(text: str) -> bytes:
    shown = [f"({line}) Tj 0 -16 Td" for line in text.split("\n")]
    return ("BT /F1 11 Tf 72 770 Td " + " ".join(shown) + " ET").encode("latin-1")
