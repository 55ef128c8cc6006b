"""`tebiki manuals find` and `why-not`: what was found, where, and how its score came about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tebiki.cli import find_words, render, shared
from tebiki.cli.commands import DONE, NEGATIVE
from tebiki.cli.manual_inputs import (
    add_question,
    known_manual,
    manual_and_words,
    place_of,
    question_to,
    watched,
)
from tebiki.cli.parsers import whole_number
from tebiki.cli.plain import cut, one_line
from tebiki.cli.wrapping import wrap
from tebiki.errors import TebikiError
from tebiki.files.reading import Cursor
from tebiki.manuals.limits import DEFAULT_CANDIDATES, DEFAULT_TIME_MS
from tebiki.manuals.report.excerpts import Excerpt, excerpt_of
from tebiki.manuals.request import FindRequest
from tebiki.tools import manual_forms as forms
from tebiki.values.numerals import counted

if TYPE_CHECKING:
    import argparse

    from tebiki.cli.manual_inputs import TypedQuestion
    from tebiki.cli.parsers import CommandParser
    from tebiki.manuals.client_memory import FindAnswer
    from tebiki.manuals.library import Library

USUALLY_SHOWN = 10
LONGEST_EXCERPT = 600
"""Columns of an excerpt: a sentence may go on for pages."""

INDENT = "    "


def find(library: Library, typed: argparse.Namespace) -> int:
    """Search and print; 1 when nothing was found, or a required word is nowhere."""
    manual_id, words = manual_and_words(library, typed.manual, typed.words)
    question = question_to(manual_id, words, typed.require)
    request = FindRequest(
        question.text,
        manual_id,
        question.terms,
        include_claim_graph=typed.full,
        max_candidates=typed.max_candidates,
        time_ms=typed.time_ms,
    )
    with watched(manual_id) as watch:
        answer = library.find(request, watch=watch)
    rows = list(answer.found.lists["candidates"])
    was_found = bool(rows) and not find_words.missing_terms(answer.found)
    if typed.full:
        render.out_json(_full(answer, question, rows))
        return DONE if was_found else NEGATIVE
    shown = rows[: typed.limit]
    excerpts = [_excerpt(library, row) for row in shown]
    if typed.json:
        render.out_json(_short(answer, question, shown, excerpts, typed.limit))
    else:
        _print(answer, question, shown, excerpts, explained=typed.why)
    return DONE if was_found else NEGATIVE


def why_not(library: Library, typed: argparse.Namespace) -> int:
    """Tell what became of a section; 1 when it was not found."""
    manual_id, path, line = place_of(typed.place)
    manual_id = known_manual([item.id for item in library.ls().items], manual_id)
    question = question_to(manual_id, typed.words, typed.require)
    fate = library.why_not(FindRequest(question.text, manual_id, question.terms), path, line)
    lines = [find_words.derived(question)] if question.is_derived else []
    lines += [f"{manual_id}/{fate.path}:{fate.start_line}  {fate.title}", fate.words]
    lines += [f"  {name}={value:.4f}" for name, value in fate.parts]
    if fate.parts:
        lines += ["The parts of a score:", *find_words.legend(name for name, _ in fate.parts)]
    value = {**forms.fate_form(fate), **_required(question)}
    return shared.show(typed, value, "\n".join(lines), found=fate.was_found)


def add_find(find: CommandParser) -> None:
    """Add what `find` takes."""
    add_question(find, "[MANUAL] QUESTION")
    find.add_argument(
        "--manual", metavar="ID", help="the manual; every word is then of the question"
    )
    find.add_argument("--full", action="store_true", help="print everything the search knows")
    find.add_argument("--why", action="store_true", help="show how each score came about")
    for flag, usual, doc in (
        ("limit", USUALLY_SHOWN, "most sections to print"),
        ("max-candidates", DEFAULT_CANDIDATES, "most sections to find"),
        ("time-ms", DEFAULT_TIME_MS, "milliseconds the search may take"),
    ):
        metavar = "MS" if flag == "time-ms" else "N"
        find.add_argument(
            f"--{flag}",
            type=whole_number(1),
            default=usual,
            metavar=metavar,
            help=f"{doc} (%(default)s)",
        )


def _full(
    answer: FindAnswer, question: TypedQuestion, rows: list[dict[str, Any]]
) -> dict[str, Any]:
    form = {**forms.full_find_form(answer), "candidates": rows}
    if question.is_derived:
        # The search knows only that terms came with the question, not that nobody typed them.
        derived = {
            "required_terms_source": "derived",
            "required_terms_decision_reason": "rarest_looking_of_the_question",
        }
        form["applied"] = {**form["applied"], **derived}
    return form


def _short(
    answer: FindAnswer,
    question: TypedQuestion,
    rows: list[dict[str, Any]],
    excerpts: list[Excerpt | None],
    limit: int,
) -> dict[str, Any]:
    """The short form of the tool, with as many hits as were asked for and their excerpts."""
    items = [
        {
            "ref": {"path": row["ref"]["path"], "start_line": row["ref"]["start_line"]},
            "title": row["title"],
            "trail": row.get("trail", []),
            "score": row["score"],
            "matched_tokens": row["matched_tokens"],
            "excerpt": None if excerpt is None else excerpt.text,
            "table_header": None if excerpt is None else excerpt.header,
        }
        for row, excerpt in zip(rows, excerpts, strict=True)
    ]
    short = forms.find_form(answer)
    hits = {**short["inline_hits"], "limit": limit, "items": items}
    told = list(find_words.first_words(question, answer.found))
    return {**short, "inline_hits": hits, **_required(question), "words": told}


def _required(question: TypedQuestion) -> dict[str, Any]:
    return {"required_terms": list(question.terms), "required_terms_derived": question.is_derived}


def _excerpt(library: Library, row: dict[str, Any]) -> Excerpt | None:
    """The passage to show of a section; of what is no prose, and of what is gone, the snippet."""
    snippet = one_line(row["snippet"] or "")
    usual = Excerpt(snippet) if snippet else None
    ref = row["ref"]
    if not ref["path"].lower().endswith(".md"):
        return usual
    try:
        part = library.scan(
            ref["manual_id"], ref["path"], cursor=Cursor(start_line=ref["start_line"])
        )
    except TebikiError:
        return usual
    lines = part.page.text.splitlines()[: row["end_line"] - ref["start_line"] + 1]
    return excerpt_of("\n".join(lines), row["matched_tokens"]) or usual


def _print(
    answer: FindAnswer,
    question: TypedQuestion,
    rows: list[dict[str, Any]],
    excerpts: list[Excerpt | None],
    *,
    explained: bool,
) -> None:
    screen = render.screen()
    width = screen.width - len(INDENT) if screen.out else None
    found = answer.found
    for said in find_words.first_words(question, found):
        for line in _lines(said, screen.width if screen.out else None):
            render.out_line(render.Styled(line, "yellow"))
    for number, (row, excerpt) in enumerate(zip(rows, excerpts, strict=True), start=1):
        _print_hit(answer.manual_id, number, row, excerpt, width)
        if explained:
            render.out("\n".join(f"{INDENT}  {part}" for part in row["rank_explain"]))
    total = len(found.lists["candidates"])
    of_all = counted(total, "section") if len(rows) == total else f"{len(rows)} of {total} sections"
    render.out(f"{of_all}, {find_words.coverage(found)}")
    for row in found.lists["conflicts"]:
        against = row["conflict_with"][0]["text"]
        for line in _lines(f"These disagree: {row['text']} / {against}", width):
            render.out(line)
    if explained and rows:
        names = (part.partition("=")[0] for row in rows for part in row["rank_explain"])
        render.out("\n".join(["The parts of a score:", *find_words.legend(names)]))


def _print_hit(
    manual_id: str, number: int, row: dict[str, Any], excerpt: Excerpt | None, width: int | None
) -> None:
    ref = row["ref"]
    trail = list(dict.fromkeys([*row.get("trail", []), row["title"]]))
    first, *rest = _lines(" > ".join(map(one_line, trail)), width)
    score = f"  ({row['score']:.2f})"
    rest[-1:] = [rest[-1] + score] if rest else []
    first += "" if rest else score
    render.out_line(f"{number:>2}. ", render.Styled(first, "bold"))
    for line in rest:
        render.out_line(INDENT, render.Styled(line, "bold"))
    render.out(f"{INDENT}{manual_id}/{ref['path']}:{ref['start_line']}")
    if excerpt is not None:
        for text in filter(None, (excerpt.header, excerpt.text)):
            for line in _lines(cut(one_line(text), LONGEST_EXCERPT), width):
                render.out(f"{INDENT}{line}")


def _lines(text: str, width: int | None) -> list[str]:
    """Lines that fit the terminal; what goes elsewhere is one line, whoever reads it."""
    return [one_line(text)] if width is None else wrap(text, width)
