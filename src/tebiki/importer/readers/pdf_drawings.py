"""What is drawn on a page of a PDF file: lines, and how much of it pictures cover."""

from __future__ import annotations

import ctypes
from typing import Any

import pypdfium2_raw.bindings as pdfium  # type: ignore[import-untyped]

from tebiki.importer.layout.runs import Rule

PATH, IMAGE, FORM = 2, 3, 5
MOST_OBJECTS = 20_000
MOST_SEGMENTS = 400
DEEPEST_FORM = 4
THINNEST = 2.5
"""Points: what is drawn thinner is a line."""

LINE_TO = 0
MOVE_TO = 2


class PageView:
    """How points of a page are turned so that its text runs from left to right, downwards."""

    __slots__ = ("box", "turn")

    def __init__(self, box: tuple[float, float, float, float], turn: str) -> None:
        self.box = box
        self.turn = turn

    def rectangle(
        self, x0: float, y0: float, x1: float, y1: float
    ) -> tuple[float, float, float, float]:
        """A rectangle, as seen from there."""
        left, bottom, right, top = self.box
        if self.turn == "down":
            # Columns of vertical text are lines, the rightmost first; also text turned clockwise.
            return top - y1, right - x1, top - y0, right - x0
        if self.turn == "up":
            return y0 - bottom, x0 - left, y1 - bottom, x1 - left
        if self.turn == "over":
            return right - x1, y0 - bottom, right - x0, y1 - bottom
        return x0 - left, top - y1, x1 - left, top - y0

    @property
    def height(self) -> float:
        """From top to bottom."""
        left, bottom, right, top = self.box
        return right - left if self.turn in {"down", "up"} else top - bottom


class Drawings:
    """What is drawn on a page: lines, and how much of it pictures cover."""

    def __init__(self, view: PageView) -> None:
        self._view = view
        self._left = MOST_OBJECTS
        self.rules: list[Rule] = []
        self.pictures = self.drawings = 0
        self.pictured = 0.0

    def look(self, page: Any) -> None:
        """Look at everything on a page."""
        for at in range(min(pdfium.FPDFPage_CountObjects(page), MOST_OBJECTS)):
            self._take(pdfium.FPDFPage_GetObject(page, at), 0, None)

    def _take(self, one: Any, depth: int, outer: Any) -> None:
        kind = pdfium.FPDFPageObj_GetType(one)
        if kind == PATH:
            self.drawings += 1
            self._take_path(one, outer)
        elif kind == IMAGE:
            self.pictures += 1
            x0, y0, x1, y1 = _bounds(one, outer)
            self.pictured += (x1 - x0) * (y1 - y0)
        elif kind == FORM and depth < DEEPEST_FORM:
            matrix = _matrix(one, outer)
            for at in range(min(pdfium.FPDFFormObj_CountObjects(one), self._left)):
                self._left -= 1
                self._take(pdfium.FPDFFormObj_GetObject(one, at), depth + 1, matrix)

    def _take_path(self, one: Any, outer: Any) -> None:
        x0, y0, x1, y1 = _bounds(one, outer)
        if x1 - x0 < THINNEST or y1 - y0 < THINNEST:
            self._note(x0, y0, x1, y1)
            return
        segments = pdfium.FPDFPath_CountSegments(one)
        if not 0 < segments <= MOST_SEGMENTS or not _is_stroked(one):
            return
        matrix = _matrix(one, outer)
        last = first = (0.0, 0.0)
        for at in range(segments):
            segment = pdfium.FPDFPath_GetPathSegment(one, at)
            point = _point(segment, matrix)
            kind = pdfium.FPDFPathSegment_GetType(segment)
            if kind == MOVE_TO:
                first = point
            elif kind == LINE_TO:
                self._side(last, point)
            last = point
            if pdfium.FPDFPathSegment_GetClose(segment):
                self._side(last, first)

    def _side(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        x0, x1 = sorted((start[0], end[0]))
        y0, y1 = sorted((start[1], end[1]))
        if x1 - x0 < THINNEST or y1 - y0 < THINNEST:
            self._note(x0, y0, x1, y1)

    def _note(self, x0: float, y0: float, x1: float, y1: float) -> None:
        self.rules.append(_thin(Rule(*self._view.rectangle(x0, y0, x1, y1))))


def _thin(rule: Rule) -> Rule:
    """A line as thin as it is meant to be."""
    if rule.is_upright:
        middle = (rule.x0 + rule.x1) / 2
        return Rule(middle, rule.y0, middle, rule.y1)
    middle = (rule.y0 + rule.y1) / 2
    return Rule(rule.x0, middle, rule.x1, middle)


def _is_stroked(path: Any) -> bool:
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    pdfium.FPDFPath_GetDrawMode(path, ctypes.byref(fill), ctypes.byref(stroke))
    return bool(stroke.value)


def _bounds(one: Any, outer: Any) -> tuple[float, float, float, float]:
    edges = [ctypes.c_float() for _ in range(4)]
    pdfium.FPDFPageObj_GetBounds(one, *map(ctypes.byref, edges))
    x0, y0, x1, y1 = (edge.value for edge in edges)
    if outer is None:
        return x0, y0, x1, y1
    corners = [_apply(outer, x, y) for x in (x0, x1) for y in (y0, y1)]
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    return min(xs), min(ys), max(xs), max(ys)


def _matrix(one: Any, outer: Any) -> tuple[float, ...]:
    matrix = pdfium.FS_MATRIX()
    pdfium.FPDFPageObj_GetMatrix(one, ctypes.byref(matrix))
    a, b, c, d, e, f = matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f
    if outer is None:
        return a, b, c, d, e, f
    oa, ob, oc, od, _, _ = outer
    x, y = _apply(outer, e, f)
    return a * oa + b * oc, a * ob + b * od, c * oa + d * oc, c * ob + d * od, x, y


def _apply(matrix: tuple[float, ...], x: float, y: float) -> tuple[float, float]:
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f


def _point(segment: Any, matrix: tuple[float, ...]) -> tuple[float, float]:
    x, y = ctypes.c_float(), ctypes.c_float()
    pdfium.FPDFPathSegment_GetPoint(segment, ctypes.byref(x), ctypes.byref(y))
    return _apply(matrix, x.value, y.value)
