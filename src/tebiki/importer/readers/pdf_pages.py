"""A page of a PDF file as pieces of text and drawn lines, asked of pdfium call by call.

A call costs a microsecond, and a page has thousands of characters: so few are made for each.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any

import pypdfium2_raw.bindings as pdfium  # type: ignore[import-untyped]

from tebiki.importer.joining import ENDS_IN_CJK
from tebiki.importer.layout.runs import IS_CJK, Rule, Run
from tebiki.importer.readers.pdf_drawings import Drawings, PageView
from tebiki.named_tuples import NamedTuple

SPLIT_GAP = 0.9
"""Letters between two pieces; less is a space."""

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
)
QUARTER = 1.5708
FIRST_SIGN, FIRST_SURROGATE, LAST_SURROGATE = 0x1, 0xD800, 0xDFFF


class PdfPage(NamedTuple):
    """What is on a page, y growing downwards; `is_pictured`: a picture covers most of it."""

    runs: list[Run]
    rules: list[Rule]
    top: float
    bottom: float
    characters: int
    unknown: int
    pictures: int
    drawings: int
    is_pictured: bool


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
    boxes = _boxes(text, characters)
    view = PageView(_page_box(page), _turn(text, characters, boxes))
    runs = _runs(text, characters, boxes, view)
    drawn = Drawings(view)
    drawn.look(page)
    whole = (view.box[2] - view.box[0]) * (view.box[3] - view.box[1])
    unknown = sum(characters.count(sign) for sign in ("\ufffd", "\0", "\ufffe"))
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


def _boxes(text: Any, characters: str) -> list[tuple[float, float, float, float] | None]:
    box = pdfium.FS_RECTF()
    place = ctypes.byref(box)
    ask = pdfium.FPDFText_GetLooseCharBox
    return [
        (box.left, box.bottom, box.right, box.top)
        if sign not in "\r\n" and ask(text, at, place)
        else None
        for at, sign in enumerate(characters)
    ]


def _page_box(page: Any) -> tuple[float, float, float, float]:
    box = pdfium.FS_RECTF()
    if pdfium.FPDF_GetPageBoundingBox(page, ctypes.byref(box)):
        return box.left, box.bottom, box.right, box.top
    return 0.0, 0.0, pdfium.FPDF_GetPageWidthF(page), pdfium.FPDF_GetPageHeightF(page)


def _turn(text: Any, characters: str, boxes: list[tuple[float, float, float, float] | None]) -> str:
    """Tell how the text of a page runs: along, or down in columns, or turned with the page."""
    step = max(1, len(characters) // 200)
    turns = {"": 0, "down": 0, "up": 0, "over": 0}
    for at in range(0, len(characters) - 1, step):
        first, second = boxes[at], boxes[at + 1]
        if (
            first is None
            or second is None
            or characters[at].isspace()
            or characters[at + 1].isspace()
        ):
            continue
        along, down = second[0] - first[0], first[3] - second[3]
        size = max(first[3] - first[1], 1.0)
        if abs(along) < size / 4 and size / 4 < down < 2 * size:
            turns["down"] += 1
        elif abs(along) < size / 4 and size / 4 < -down < 2 * size:
            turns["up"] += 1
        else:
            turned = round(pdfium.FPDFText_GetCharAngle(text, at) / QUARTER) % 4 == 2  # noqa: PLR2004
            turns["over" if turned and along < 0 else ""] += 1
    return max(turns, key=lambda turn: turns[turn])


def _runs(
    text: Any,
    characters: str,
    boxes: list[tuple[float, float, float, float] | None],
    view: PageView,
) -> list[Run]:
    """Characters that follow each other closely, as runs."""
    making = _Making(text)
    rectangle = view.rectangle
    is_plain = not view.turn
    left, _, _, top = view.box
    for at, (sign, box) in enumerate(zip(characters, boxes, strict=True)):
        if box is None:
            if is_plain:
                making.end()
            continue
        x0, y0, x1, y1 = box
        if is_plain:
            making.add(at, sign, x0 - left, top - y1, x1 - left, top - y0)
        else:
            making.add(at, sign, *rectangle(x0, y0, x1, y1))
    making.end()
    return making.runs


class _Making:
    """A run in the making: ended by a gap, a step up or down, or a step back."""

    __slots__ = (
        "_at",
        "_bottom",
        "_left",
        "_right",
        "_signs",
        "_space",
        "_starts",
        "_text",
        "_top",
        "runs",
    )

    def __init__(self, text: Any) -> None:
        self.runs: list[Run] = []
        self._text = text
        self._signs: list[str] = []
        self._starts: list[float] = []
        self._at = 0
        self._space = False
        self._left = self._right = self._top = self._bottom = 0.0

    def add(  # noqa: PLR0917 -- called for each character: names would cost
        self, at: int, sign: str, x0: float, y0: float, x1: float, y1: float
    ) -> None:
        """Take the next character."""
        if sign in " \u00a0":
            # One that is not there but seen by pdfium has no width.
            self._space = self._space or bool(self._signs)
            return
        if self._signs:
            height = self._bottom - self._top
            gap = x0 - self._right
            middle = (y0 + y1) / 2
            if (
                gap > SPLIT_GAP * height
                or gap < -0.8 * height
                or middle > self._bottom
                or middle < self._top
            ):
                self.end()
            elif self._space and (gap > 0.35 * height or not _are_cjk(self._signs[-1], sign)):
                self._signs.append(" ")
                self._starts.append(self._right)
        if not self._signs:
            self._at, self._left, self._top, self._bottom = at, x0, y0, y1
        self._space = False
        self._signs.append(sign)
        self._starts.append(x0)
        self._right = x1
        if y0 < self._top:  # noqa: PLR1730 -- as above
            self._top = y0
        if y1 > self._bottom:  # noqa: PLR1730
            self._bottom = y1

    def end(self) -> None:
        """Let the run be."""
        self._space = False
        if not self._signs:
            return
        text = "".join(self._signs)
        box = (self._left, self._top, self._right, self._bottom)
        if text.strip():
            size, is_bold = _type(self._text, self._at, self._bottom - self._top)
            self.runs.append(Run(box, text, self._starts, size, is_bold=is_bold))
        self._signs, self._starts = [], []


def _are_cjk(left: str, right: str) -> bool:
    return bool(ENDS_IN_CJK.match(left) or IS_CJK.match(right))


def _type(text: Any, at: int, height: float) -> tuple[float, bool]:
    """The size of the type at a character, and whether it is bold."""
    matrix = pdfium.FS_MATRIX()
    size = float(pdfium.FPDFText_GetFontSize(text, at))
    if pdfium.FPDFText_GetMatrix(text, at, ctypes.byref(matrix)):
        size *= max(abs(matrix.d), abs(matrix.c), abs(matrix.b)) or 1.0
    if not height / 3 < size < height * 3:
        size = height
    flags = ctypes.c_int()
    name = ctypes.create_string_buffer(128)
    pdfium.FPDFText_GetFontInfo(text, at, name, 128, ctypes.byref(flags))
    is_bold = pdfium.FPDFText_GetFontWeight(text, at) >= BOLD_WEIGHT
    lowered = name.value.lower()
    return size, is_bold or any(mark in lowered for mark in BOLD_NAMES)
