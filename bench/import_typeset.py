"""Pages as TeX sets them, written by hand.

A font that is not embedded, filled lines, tables with level rules alone, an outline.
"""

from __future__ import annotations

from tebiki.importer.joining import FIRST_CJK

WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 595, 842, 90, 740, 110
SIZE, LEADING = 10, 16
FILL = 41
"""Letters of a line."""

HEADINGS = {1: 17, 2: 14, 3: 12}


def typeset(markdown: str) -> bytes:
    """A PDF file of that text."""
    paper = _Paper()
    rows: list[list[str]] = []
    for line in [*markdown.split("\n"), ""]:
        if line.startswith("|"):
            rows.append([one.strip() for one in line.strip("|").split("|")])
            continue
        if rows:
            paper.table(rows[:1] + rows[2:])
            rows = []
        if line.startswith("#"):
            paper.heading(len(line) - len(line.lstrip("#")), line.lstrip("# "))
        elif line.strip():
            paper.paragraph(line)
    return paper.file()


class _Paper:
    """Pages in the making."""

    def __init__(self) -> None:
        self._pages: list[list[str]] = [[]]
        self._marks: list[tuple[str, int, int]] = []
        self._y = TOP

    def heading(self, level: int, text: str) -> None:
        """Set a heading and note it for the outline."""
        self._room(4 * LEADING)
        self._y -= LEADING
        self._marks.append((text, len(self._pages) - 1, self._y + HEADINGS[level]))
        self._show(LEFT, text, HEADINGS[level])
        self._y -= LEADING // 2

    def paragraph(self, text: str) -> None:
        """Set a paragraph, filled to the edge, with its first line indented."""
        for number, line in enumerate(_filled(text)):
            self._show(LEFT + (SIZE if number == 0 else 0), line, SIZE)
        self._y -= 4

    def table(self, rows: list[list[str]]) -> None:
        """Set a table between level rules."""
        self._room(LEADING * (len(rows) + 2))
        widths = [max(_width(row[at]) for row in rows) + 2 for at in range(len(rows[0]))]
        self._rule()
        for number, row in enumerate(rows):
            x = float(LEFT)
            for cell, width in zip(row, widths, strict=True):
                self._pages[-1].append(_text(x, self._y, cell, SIZE))
                x += width * SIZE
            self._y -= LEADING
            if number == 0:
                self._rule()
        self._rule()
        self._y -= LEADING

    def file(self) -> bytes:
        """All of it."""
        font = (
            "<< /Type /Font /Subtype /Type0 /BaseFont /Ryumin-Light /Encoding /UniJIS-UTF16-H "
            "/DescendantFonts [<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Ryumin-Light "
            "/CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 6 >> /DW 1000 "
            "/W [1 230 500] >>] >>"
        )
        first_page = 5 + len(self._marks)
        places = [f"{first_page + 2 * n} 0 R" for n in range(len(self._pages))]
        objects = [
            "<< /Type /Catalog /Pages 2 0 R /Outlines 4 0 R >>",
            f"<< /Type /Pages /Kids [{' '.join(places)}] /Count {len(places)} >>",
            font,
            f"<< /Type /Outlines /First 5 0 R /Last {4 + len(self._marks)} 0 R >>",
        ]
        for number, (title, page, y) in enumerate(self._marks, 5):
            after = f"/Next {number + 1} 0 R" if number < 4 + len(self._marks) else ""
            objects.append(
                f"<< /Title <FEFF{_hex(title)}> /Parent 4 0 R {after} "
                f"/Dest [{places[page]} /XYZ 0 {y} null] >>"
            )
        for number, shown in enumerate(self._pages, 1):
            foot = _text(WIDTH / 2 - 5, 70, str(number), SIZE)
            content = "\n".join([*shown, foot])
            objects.append(
                f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {WIDTH} {HEIGHT}] /Contents "
                f"{first_page + 2 * number - 1} 0 R /Resources << /Font << /F1 3 0 R >> >> >>"
            )
            objects.append(f"<< /Length {len(content)} >>\nstream\n{content}\nendstream")
        return _assembled(objects)

    def _show(self, x: float, text: str, size: int) -> None:
        self._room(LEADING)
        self._pages[-1].append(_text(x, self._y, text, size))
        self._y -= LEADING

    def _rule(self) -> None:
        y = self._y + SIZE + 2
        self._pages[-1].append(f"0.4 w {LEFT} {y} m {WIDTH - LEFT} {y} l S")

    def _room(self, height: int) -> None:
        if self._y - height < BOTTOM:
            self._pages.append([])
            self._y = TOP


def _filled(text: str) -> list[str]:
    """Lines of a paragraph; words that are not Japanese stay whole."""
    lines: list[str] = []
    line = ""
    words = [""]
    for sign in text:
        if sign >= FIRST_CJK or sign == " " or (words[-1] and words[-1][-1] >= FIRST_CJK):
            words.append(sign)
        else:
            words[-1] += sign
    for word in words:
        if _width(line + word) > FILL - (0 if lines else 1) and line:
            lines.append(line.rstrip())
            line = word.lstrip()
        else:
            line += word
    return [*lines, line]


def _width(text: str) -> float:
    return sum(1 if sign >= FIRST_CJK else 0.5 for sign in text)


def _text(x: float, y: float, text: str, size: int) -> str:
    return f"BT /F1 {size} Tf {x:.1f} {y:.1f} Td <{_hex(text)}> Tj ET"


def _hex(text: str) -> str:
    return text.encode("utf-16-be").hex()


def _assembled(objects: list[str]) -> bytes:
    made = b"%PDF-1.5\n"
    places = []
    for number, one in enumerate(objects, 1):
        places.append(len(made))
        made += f"{number} 0 obj\n{one}\nendobj\n".encode("ascii")
    table = len(made)
    made += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode("ascii")
    made += "".join(f"{place:010} 00000 n \n" for place in places).encode("ascii")
    trailer = f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n"
    return made + trailer.encode("ascii")
