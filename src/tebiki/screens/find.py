"""The find screen: a question to one manual or all, its rows, and why something is not there.

A question to several manuals is one find in each; their rows are shown as one list, by score. Where
one has the required words, only those that have them are shown. The trace of such a find is made of
those of its parts.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from tebiki.errors import InvalidArguments, NotFound, TebikiError
from tebiki.manuals.limits import LONGEST_QUERY, MOST_TERMS
from tebiki.named_tuples import NamedTuple
from tebiki.screens.hits import Merged, hit_form, row_form
from tebiki.screens.screen_tools import (
    FAMILY,
    NAMED,
    OFFSET,
    QUESTION,
    REQUIRED,
    screen_tool,
)
from tebiki.server.registry import Parameter
from tebiki.tools.manual_forms import name_tools
from tebiki.tools.manuals import THREADS, watch_of
from tebiki.values.numerals import count_in
from tebiki.values.shapes import Integer, Text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tebiki.manuals.client_memory import FindAnswer
    from tebiki.manuals.library import Library
    from tebiki.server.error_map import ErrorMap
    from tebiki.server.registry import Call, Tool

USUALLY_SHOWN = 10
MOST_SHOWN = 50
MOST_MANUALS = 200
"""Asked by one question; with more the chooser has to be used."""

BETWEEN = "."
"""Between the traces of several manuals: no sign of a trace id."""

KINDS = {"hits": "candidates", "unscanned": "unscanned", "conflicts": "conflicts", "gaps": "gaps"}
LONGEST_TRACE = 32 * MOST_MANUALS
LINE = Integer(least=1)


class ManualAnswer(NamedTuple):
    """What one manual answered: its find, or why it could not be asked."""

    manual_id: str
    answer: FindAnswer | None = None
    failure: TebikiError | None = None

    @property
    def is_complete(self) -> bool:
        """Tell whether everything was searched."""
        return self.answer is not None and self.answer.found.complete

    @property
    def was_found(self) -> bool:
        """Tell whether something was found, and no required word is nowhere."""
        return self.answer is not None and self.answer.found.is_answer


class FindScreen:
    """Finds for the page."""

    def __init__(self, library: Callable[[], Library], errors: ErrorMap) -> None:
        self._library = library
        self._errors = errors

    def tools(self) -> list[Tool]:
        """What can be asked."""
        limit = Parameter("limit", Integer(least=1, most=MOST_SHOWN), "Most rows to give.")
        manual = Parameter("manual", NAMED, "Id of a manual; left out: all of them.")
        return [
            screen_tool("POST find", THREADS, (QUESTION, manual, REQUIRED, limit), self._find),
            screen_tool(
                "GET hits",
                THREADS,
                (
                    Parameter("trace", Text(not_blank=True), "trace of a find.", required=True),
                    Parameter("kind", Text(choices=tuple(KINDS)), "Which rows.", default="hits"),
                    OFFSET,
                    limit,
                ),
                self._hits,
            ),
            screen_tool(
                "POST why-not",
                THREADS,
                (
                    QUESTION,
                    manual._replace(required=True),
                    Parameter("path", NAMED, "Path of a file.", required=True),
                    Parameter("line", LINE, "A line of it."),
                    REQUIRED,
                ),
                self._why_not,
            ),
        ]

    def _find(self, call: Call) -> dict[str, Any]:
        begun = time.monotonic()
        given = call.arguments
        library = self._library().for_client(call.client)
        ids = [item.id for item in library.ls().items]
        if given["manual"] is not None:
            ids = [given["manual"]]
        terms, is_derived = required_terms(given["question"], given["required"])
        asked = ids[:MOST_MANUALS]
        parts = [self._ask(library, one, given["question"], terms, call) for one in asked]
        if given["manual"] is not None and parts[0].failure is not None:
            raise parts[0].failure
        parts.sort(key=lambda part: not part.was_found)
        limit = given["limit"] or USUALLY_SHOWN
        shown = [part for part in parts if part.was_found] or parts
        merged = Merged(part.answer.found.lists["candidates"] for part in shown if part.answer)
        return {
            "trace": _trace(parts),
            "manuals": [part.manual_id for part in parts],
            "manual_rows": [self._part_form(part) for part in parts],
            "complete": all(part.is_complete for part in parts) and len(ids) <= MOST_MANUALS,
            "unsearched": sum(_unsearched(part) for part in parts),
            "listed": _count(parts, "unscanned"),
            "failures": list(_failures(shown)),
            "required": list(terms),
            "required_derived": is_derived,
            "total": _count(shown, "candidates"),
            "hits": [hit_form(library, row) for row in merged.rows(0, limit)],
            "conflicts": _count(shown, "conflicts"),
            "gaps": _count(shown, "gaps"),
            "ms": round((time.monotonic() - begun) * 1000),
        }

    def _ask(
        self, library: Library, manual_id: str, question: str, terms: tuple[str, ...], call: Call
    ) -> ManualAnswer:
        from tebiki.manuals.request import FindRequest  # not before the first find

        try:
            request = FindRequest(question, manual_id, terms)
            return ManualAnswer(manual_id, library.find(request, watch=watch_of(call)))
        except TebikiError as failure:
            name_tools(failure)
            return ManualAnswer(manual_id, failure=failure)

    def _part_form(self, part: ManualAnswer) -> dict[str, Any]:
        form = {"manual": part.manual_id, "found": part.was_found, "complete": part.is_complete}
        if part.answer is None:
            told: Any = self._errors.translate(part.failure or NotFound(), FAMILY)
            return {**form, "total": 0, "unscanned": 0, "error": told["structuredContent"]}
        found = part.answer.found
        return {
            **form,
            "total": len(found.lists["candidates"]),
            "unscanned": found.unscanned,
            "unsupported": found.unsupported,
        }

    def _hits(self, call: Call) -> dict[str, Any]:
        given = call.arguments
        library = self._library().for_client(call.client)
        with_words, traces = _traces_in(given["trace"])
        kind, offset = given["kind"], given["offset"]
        limit = given["limit"] or USUALLY_SHOWN
        if kind != "unscanned":
            traces = traces[: with_words or len(traces)]
        if kind == "hits":
            pages = [library.hits(trace, limit=offset + limit) for trace in traces]
            merged = Merged(page.rows for page in pages)
            rows = [hit_form(library, row) for row in merged.rows(offset, limit)]
            total = sum(page.total for page in pages)
        else:
            total, rows = _rows_of(library, traces, kind, offset, limit)
        shown = {"kind": kind, "offset": offset, "limit": limit}
        return {"trace": given["trace"], **shown, "total": total, "items": rows}

    def _why_not(self, call: Call) -> dict[str, Any]:
        from tebiki.manuals.request import FindRequest  # not before it is asked

        given = call.arguments
        library = self._library().for_client(call.client)
        library.ls()
        terms, is_derived = required_terms(given["question"], given["required"])
        try:
            request = FindRequest(given["question"], given["manual"], terms)
            fate = library.why_not(request, given["path"], given["line"])
        except TebikiError as failure:
            name_tools(failure)
            raise
        return {
            "manual": given["manual"],
            "path": fate.path,
            "line": fate.start_line,
            "title": fate.title,
            "stage": fate.stage,
            "words": fate.words,
            "score": fate.score,
            "parts": [{"name": name, "value": value} for name, value in fate.parts],
            "required": list(terms),
            "required_derived": is_derived,
        }


def required_terms(question: str, given: list[str] | None) -> tuple[tuple[str, ...], bool]:
    """The words an answer must have, and whether nobody named them.

    Raises:
        InvalidArguments: more are named than a search takes.
    """
    from tebiki.manuals.ranking.derived_terms import derive_terms  # not before the first find

    if given and len(set(given)) > MOST_TERMS:
        raise InvalidArguments(f"required may have {MOST_TERMS} words; leave the others out.")
    if given:
        return tuple(given), False
    return derive_terms(question[:LONGEST_QUERY]), True


def _failures(parts: list[ManualAnswer]) -> Iterator[dict[str, Any]]:
    """What is to be known before the hits."""
    for part in parts:
        reason = part.answer.found.failure_reason if part.answer is not None else None
        if reason is not None:
            name, _, listed = reason.partition(":")
            terms = listed.split(",") if listed else []
            yield {"manual": part.manual_id, "reason": name, "terms": terms}


def _trace(parts: list[ManualAnswer]) -> str:
    """The traces of all manuals, after how many of them, from the first on, have the words."""
    with_words = sum(part.was_found for part in parts)
    traces = [part.answer.trace_id for part in parts if part.answer is not None]
    return BETWEEN.join([str(with_words), *traces])


def _traces_in(text: str) -> tuple[int, list[str]]:
    with_words, *traces = text.split(BETWEEN) if len(text) <= LONGEST_TRACE else [""]
    if not (with_words.isascii() and with_words.isdigit()) or not 0 < len(traces) <= MOST_MANUALS:
        raise InvalidArguments("trace is not one that a find gave.")
    return count_in(with_words), traces


def _rows_of(
    library: Library, traces: list[str], kind: str, offset: int, limit: int
) -> tuple[int, list[dict[str, Any]]]:
    """How many rows of a kind there are in all manuals, and some of them."""
    total = 0
    rows: list[dict[str, Any]] = []
    for trace in traces:
        manual = library.hits(trace, limit=1).manual_id
        start = max(0, offset - total)
        wanted = max(1, limit - len(rows))
        page = library.hits(trace, KINDS[kind], offset=start, limit=wanted)
        if len(rows) < limit:
            rows += [row_form(kind, row, manual) for row in page.rows]
        total += page.total
    return total, rows


def _unsearched(part: ManualAnswer) -> int:
    """Files that should have been searched and were not."""
    if part.answer is None:
        return 0
    found = part.answer.found
    return 0 if found.complete else found.unscanned - sum(found.unsupported.values())


def _count(parts: list[ManualAnswer], kind: str) -> int:
    return sum(len(part.answer.found.lists[kind]) for part in parts if part.answer is not None)
