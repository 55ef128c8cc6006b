"""A page of a PDF file as pieces of text and drawn lines, asked of pdfium call by call.

A call costs a microsecond, and a page has thousands of characters: so few are made for each.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any

import pypdfium2_raw.bindings as pdfium  # type: ignore[import-untyped]

from tebiki.importer.joining import FIRST_CJK
from tebiki.importer.layout.runs import Rule, Run
from tebiki.importer.layout.turned_text import part_turned
from tebiki.importer.readers.odd_signs import OddSigns, odd_signs
from tebiki.importer.readers.pdf_drawings import Drawings, PageView
from tebiki.named_tuples import NamedTuple

SPLIT_GAP = 0.6
"""Letters between two pieces; less is a space."""

BACK = -0.8
CJK_SPACE = 0.35
"""Letters: what pdfium takes for a space between Japanese signs is mostly none."""

BOLD_WEIGHT = 600
BOLD_NAMES = (
    b"bold",
    b"heavy",
    b"black",
    b"gothic-medium",
    b"gothicbbb",
    b"-db",
    b"-eb",
    b"-w6",
    b"-w7",
    b"-w8",
    b"cmbx",
    b"ecbx",
    b"sfbx",
)
QUARTER, HALF = 1.5708, 2
LONGEST_NAME = 128
SAMPLES = 40
"""Pairs of characters by which it is told how a text runs."""

LINE_ENDS = "\r\n"
BREAKS = " \u00a0\r\n"
UNKNOWN = ("\ufffd", "\0", "\ufffe")
FIRST_SIGN, FIRST_SURROGATE, LAST_SURROGATE = 0x1, 0xD800, 0xDFFF


class PdfPage(NamedTuple):
    """What is on a page, y growing downwards; `is_pictured`: a picture covers most of it.

    `turned` are texts that run up or down beside the others; `odd` are signs that no text has.
    """

    runs: list[Run]
    rules: list[Rule]
    top: float
    bottom: float
    characters: int
    unknown: int
    pictures: int
    drawings: int
    is_pictured: bool
    turned: list[Run]
    odd: OddSigns


def read_page(document: Any, number: int) -> PdfPage | None:
    """Read a page; None when it cannot be opened."""
    page = pdfium.FPDF_LoadPage(document, number)
    if not page:
        return None
    try:
        text = pdfium.FPDFText_LoadPage(page)
        try:
            return _read(page, text)
        finally:
            pdfium.FPDFText_ClosePage(text)
    finally:
        pdfium.FPDF_ClosePage(page)


def _read(page: Any, text: Any) -> PdfPage:
    count = max(0, pdfium.FPDFText_CountChars(text)) if text else 0
    characters = _characters(text, count)
    view = PageView(_page_box(page), _turn(text, characters))
    runs, turned = part_turned(_runs(text, characters, view), view.box[2] - view.box[0])
    drawn = Drawings(view)
    drawn.look(page)
    whole = (view.box[2] - view.box[0]) * (view.box[3] - view.box[1])
    unknown = sum(characters.count(sign) for sign in UNKNOWN)
    return PdfPage(
        runs,
        drawn.rules,
        0.0,
        view.height,
        sum(len(run.text) for run in runs),
        unknown,
        drawn.pictures,
        drawn.drawings,
        drawn.pictured > whole / 2,
        turned,
        odd_signs(characters),
    )


def _characters(text: Any, count: int) -> str:
    """Every character of a page, as many as pdfium counts."""
    buffer = (ctypes.c_ushort * (count + 1))()
    got = pdfium.FPDFText_GetText(text, 0, count, buffer) if count else 0
    whole = bytes(buffer)[: 2 * max(0, got - 1)].decode("utf-16-le", "replace")
    if len(whole) == count:
        return whole
    # Characters beyond the first plane take two places there.
    ask = pdfium.FPDFText_GetUnicode
    signs = (ask(text, at) for at in range(count))
    return "".join(chr(sign) if _is_character(sign) else "\ufffd" for sign in signs)


def _is_character(sign: int) -> bool:
    return FIRST_SIGN <= sign < FIRST_SURROGATE or LAST_SURROGATE < sign <= sys.maxunicode


def _page_box(page: Any) -> tuple[float, float, float, float]:
    box = pdfium.FS_RECTF()
    if pdfium.FPDF_GetPageBoundingBox(page, ctypes.byref(box)):
        return box.left, box.bottom, box.right, box.top
    return 0.0, 0.0, pdfium.FPDF_GetPageWidthF(page), pdfium.FPDF_GetPageHeightF(page)


def _turn(text: Any, characters: str) -> str:
    """Tell how the text of a page runs: along, or down in columns, or turned with the page."""
    step = max(1, len(characters) // SAMPLES)
    turns = {"": 0, "down": 0, "up": 0, "over": 0}
    box, next_box = pdfium.FS_RECTF(), pdfium.FS_RECTF()
    ask = pdfium.FPDFText_GetLooseCharBox
    for at in range(0, len(characters) - 1, step):
        if characters[at].isspace() or characters[at + 1].isspace():
            continue
        if ask(text, at, ctypes.byref(box)) and ask(text, at + 1, ctypes.byref(next_box)):
            turns[_step(text, at, box, next_box)] += 1
    return max(turns, key=lambda turn: turns[turn])


def _step(text: Any, at: int, box: Any, next_box: Any) -> str:
    """Where the next character stands, seen from one."""
    along, down = next_box.left - box.left, box.top - next_box.top
    size = max(box.top - box.bottom, 1.0)
    if abs(along) < size / 4 and size / 4 < abs(down) < 2 * size:
        return "down" if down > 0 else "up"
    if along < 0 and round(pdfium.FPDFText_GetCharAngle(text, at) / QUARTER) % 4 == HALF:
        return "over"
    return ""


def _runs(  # noqa: C901, PLR0912 -- see below
    text: Any, characters: str, view: PageView
) -> list[Run]:
    """Characters that follow each other closely, as runs.

    One loop without a call that could be spared: it goes over every character of a book.
    """
    runs: list[Run] = []
    types = _Types(text)
    box = pdfium.FS_RECTF()
    place = ctypes.byref(box)
    ask = pdfium.FPDFText_GetLooseCharBox
    is_turned, rectangle = bool(view.turn), view.rectangle
    left, top = view.box[0], view.box[3]
    signs: list[str] = []
    starts: list[float] = []
    first, space = 0, False
    x_first = x_last = y_top = y_bottom = 0.0

    def end() -> None:
        size, is_bold = types.at(first, y_bottom - y_top)
        where = (x_first, y_top, x_last, y_bottom)
        runs.append(Run(where, "".join(signs), starts, size, is_bold=is_bold))

    for at, sign in enumerate(characters):
        if sign in BREAKS:
            space = True
            if sign in LINE_ENDS and not is_turned and signs:
                end()
                signs, starts, space = [], [], False
            continue
        if not ask(text, at, place):
            continue
        if is_turned:
            x0, y0, x1, y1 = rectangle(box.left, box.bottom, box.right, box.top)
        else:
            x0, y0, x1, y1 = box.left - left, top - box.top, box.right - left, top - box.bottom
        if signs:
            height = y_bottom - y_top
            gap = x0 - x_last
            middle = (y0 + y1) / 2
            if gap > SPLIT_GAP * height or gap < BACK * height or not y_top <= middle <= y_bottom:
                end()
                signs, starts = [], []
            elif space and (gap > CJK_SPACE * height or not _are_cjk(signs[-1], sign)):
                signs.append(" ")
                starts.append(x_last)
        if not signs:
            first, x_first, y_top, y_bottom = at, x0, y0, y1
        space = False
        signs.append(sign)
        starts.append(x0)
        x_last = x1
        if y0 < y_top:  # noqa: PLR1730 -- a call of `min` for each character is seen
            y_top = y0
        if y1 > y_bottom:  # noqa: PLR1730
            y_bottom = y1
    if signs:
        end()
    return [run for run in runs if run.text.strip()]


def _are_cjk(left: str, right: str) -> bool:
    return left >= FIRST_CJK or right >= FIRST_CJK


class _Types:
    """The sizes and weights of type on a page, asked for once where that is possible."""

    def __init__(self, text: Any) -> None:
        self._text = text
        self._matrix = pdfium.FS_MATRIX()
        self._name = ctypes.create_string_buffer(LONGEST_NAME)
        self._flags = ctypes.c_int()
        self._bold: dict[bytes, bool] = {}

    def at(self, at: int, height: float) -> tuple[float, bool]:
        """The size of the type at a character, and whether it is bold."""
        text, matrix = self._text, self._matrix
        size = float(pdfium.FPDFText_GetFontSize(text, at))
        if pdfium.FPDFText_GetMatrix(text, at, ctypes.byref(matrix)):
            size *= max(abs(matrix.d), abs(matrix.c), abs(matrix.b)) or 1.0
        if not height / 3 < size < height * 3:
            size = height
        flags = ctypes.byref(self._flags)
        pdfium.FPDFText_GetFontInfo(text, at, self._name, LONGEST_NAME, flags)
        name = self._name.value
        is_bold = self._bold.get(name)
        if is_bold is None:
            lowered = name.lower()
            is_bold = any(mark in lowered for mark in BOLD_NAMES)
            is_bold = is_bold or pdfium.FPDFText_GetFontWeight(text, at) >= BOLD_WEIGHT
            self._bold[name] = is_bold
        return size, is_bold
