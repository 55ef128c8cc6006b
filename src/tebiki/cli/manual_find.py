"""`tebiki manuals find` and `why-not`: a question to one manual or to all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tebiki.cli import failing, find_words, manual_hits, render, shared
from tebiki.cli.commands import DONE, NEGATIVE
from tebiki.cli.manual_hits import Asked
from tebiki.cli.manual_inputs import (
    add_question,
    known_manual,
    manual_and_words,
    place_of,
    question_to,
    show_indexing,
)
from tebiki.cli.parsers import whole_number
from tebiki.errors import TebikiError, UsageError
from tebiki.manuals.limits import DEFAULT_CANDIDATES, DEFAULT_TIME_MS
from tebiki.manuals.request import FindRequest
from tebiki.tools import manual_forms as forms

if TYPE_CHECKING:
    import argparse

    from tebiki.cli.manual_inputs import TypedQuestion
    from tebiki.cli.parsers import CommandParser
    from tebiki.manuals.library import Library

USUALLY_SHOWN = 10
USUALLY_SHOWN_OF_EACH = 3
"""Of each manual, when all are asked."""


def find(library: Library, typed: argparse.Namespace) -> int:
    """Search and print; 1 when nothing was found, or a required word is nowhere."""
    if typed.all:
        return _find_in_all(library, typed)
    manual_id, words = manual_and_words(library, typed.manual, typed.words)
    question = question_to(manual_id, words, typed.require)
    asked = _ask(library, question, typed)
    limit = typed.limit or USUALLY_SHOWN
    if typed.full:
        render.out_json(manual_hits.full_form(asked))
    elif typed.json:
        render.out_json(manual_hits.short_form(library, asked, limit))
    else:
        manual_hits.print_said(find_words.first_words(question, asked.answer.found))
        parts = manual_hits.print_found(library, asked, limit, explained=typed.why)
        manual_hits.print_legend(parts if typed.why else [])
    return DONE if asked.was_found else NEGATIVE


def _ask(library: Library, question: TypedQuestion, typed: argparse.Namespace) -> Asked:
    request = FindRequest(
        question.text,
        question.manual_id,
        question.terms,
        include_claim_graph=typed.full,
        max_candidates=typed.max_candidates,
        time_ms=typed.time_ms,
    )
    with show_indexing(question.manual_id) as watch:
        answer = library.find(request, watch=watch)
    return Asked(question, answer, list(answer.found.lists["candidates"]))


def _find_in_all(library: Library, typed: argparse.Namespace) -> int:
    """Search every manual; one that fails is told of beside the others.

    Raises:
        UsageError: one manual is named as well.
        TebikiError: nothing was found, and a manual could not be asked: nobody can say there is
            nothing.
    """
    if typed.manual is not None:
        raise UsageError("--all asks every manual; leave --manual out, or --all")
    ids = [item.id for item in library.ls().items]
    answers: list[Asked] = []
    failures: dict[str, TebikiError] = {}
    for manual_id in ids:
        question = question_to(manual_id, typed.words, typed.require)
        try:
            answers.append(_ask(library, question, typed))
        except TebikiError as failure:
            failures[manual_id] = failure
    # Those that have what is required come first; otherwise as they are listed.
    answers.sort(key=lambda asked: not asked.was_found)
    was_found = any(asked.was_found for asked in answers)
    if typed.full or typed.json:
        render.out_json(_all_form(library, answers, failures, typed))
    else:
        _print_all(library, answers, failures, typed)
    if not was_found and failures:
        raise next(iter(failures.values()))
    return DONE if was_found else NEGATIVE


def _all_form(
    library: Library,
    answers: list[Asked],
    failures: dict[str, TebikiError],
    typed: argparse.Namespace,
) -> dict[str, Any]:
    """The answers of all manuals, each with whether it is complete, and what failed."""
    limit = typed.limit or USUALLY_SHOWN_OF_EACH
    rows: list[dict[str, Any]] = [
        {
            "manual_id": asked.answer.manual_id,
            "found": asked.was_found,
            "complete": asked.answer.found.complete,
            **(
                manual_hits.full_form(asked)
                if typed.full
                else manual_hits.short_form(library, asked, limit)
            ),
        }
        for asked in answers
    ]
    rows += [
        {
            "manual_id": manual_id,
            "found": False,
            "complete": False,
            "error": {"code": failing.code_of(failure), "message": failing.message_of(failure)},
        }
        for manual_id, failure in failures.items()
    ]
    return {"complete": all(row["complete"] for row in rows), "manuals": rows}


def _print_all(
    library: Library,
    answers: list[Asked],
    failures: dict[str, TebikiError],
    typed: argparse.Namespace,
) -> None:
    """Print manual by manual; of one that lacks a required word no hits if another has it."""
    was_found = any(asked.was_found for asked in answers)
    if answers and answers[0].question.is_derived:
        manual_hits.print_said([find_words.derived(answers[0].question)])
    parts: list[str] = []
    for asked in answers:
        render.out_line(render.Styled(asked.answer.manual_id, "bold"))
        found = asked.answer.found
        question = asked.question._replace(is_derived=False)  # said once, above
        if was_found and not asked.was_found:
            reason = found.failure_reason
            said = [] if reason is None else [find_words.sentence(reason, question.manual_id)]
            manual_hits.print_said([*said, f"Nothing to show, {find_words.coverage(found)}"])
            continue
        manual_hits.print_said(find_words.first_words(question, found))
        limit = typed.limit or USUALLY_SHOWN_OF_EACH
        parts += manual_hits.print_found(library, asked, limit, explained=typed.why)
    for manual_id, failure in failures.items():
        render.out_line(render.Styled(manual_id, "bold"))
        manual_hits.print_said([f"Could not be searched: {failing.message_of(failure)}"])
    manual_hits.print_legend(parts if typed.why else [])


def why_not(library: Library, typed: argparse.Namespace) -> int:
    """Tell what became of a section; 1 when it was not found."""
    manual_id, path, line = place_of(typed.place)
    manual_id = known_manual(library, manual_id)
    question = question_to(manual_id, typed.words, typed.require)
    fate = library.why_not(FindRequest(question.text, manual_id, question.terms), path, line)
    lines = [find_words.derived(question)] if question.is_derived else []
    lines += [f"{manual_id}/{fate.path}:{fate.start_line}  {fate.title}", fate.words]
    lines += [f"  {name}={value:.4f}" for name, value in fate.parts]
    if fate.parts:
        screen = render.screen()
        width = screen.width if screen.out else None
        names = (name for name, _ in fate.parts)
        lines += ["The parts of a score:", *find_words.legend(names, width)]
    value = {**forms.fate_form(fate), **manual_hits.required_form(question)}
    return shared.show(typed, value, "\n".join(lines), found=fate.was_found)


def add_find(find: CommandParser) -> None:
    """Add what `find` takes."""
    add_question(find, "[MANUAL] QUESTION")
    find.add_argument(
        "--manual", metavar="ID", help="the manual; every word is then of the question"
    )
    find.add_argument(
        "--all", action="store_true", help="ask every manual; every word is then of the question"
    )
    find.add_argument("--full", action="store_true", help="print everything the search knows")
    find.add_argument("--why", action="store_true", help="show how each score came about")
    find.add_argument(
        "--limit",
        type=whole_number(1),
        metavar="N",
        help=f"most sections to print ({USUALLY_SHOWN}; of each manual with --all: "
        f"{USUALLY_SHOWN_OF_EACH})",
    )
    for flag, usual, doc in (
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
