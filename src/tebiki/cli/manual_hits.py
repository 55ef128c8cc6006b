"""What a find of manuals found, printed for a person or as JSON for a program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tebiki.cli import find_words, render
from tebiki.cli.plain import cut, one_line
from tebiki.cli.wrapping import wrap
from tebiki.errors import TebikiError
from tebiki.files.reading import Cursor
from tebiki.manuals.report.excerpts import Excerpt, excerpt_of
from tebiki.named_tuples import NamedTuple
from tebiki.tools import manual_forms as forms
from tebiki.values.numerals import counted
from tebiki.values.pages import page_row, page_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tebiki.cli.manual_inputs import TypedQuestion
    from tebiki.manuals.client_memory import FindAnswer
    from tebiki.manuals.library import Library

LONGEST_EXCERPT = 600
"""Columns of an excerpt: a sentence may go on for pages."""

INDENT = "    "


class Asked(NamedTuple):
    """A question that was put to a manual, its answer, and all that was found."""

    question: TypedQuestion
    answer: FindAnswer
    rows: list[dict[str, Any]]

    @property
    def was_found(self) -> bool:
        """Tell whether something was found, and no required word is nowhere."""
        return self.answer.found.is_answer


def full_form(asked: Asked) -> dict[str, Any]:
    """Everything the search knows."""
    form = {**forms.full_find_form(asked.answer), "candidates": asked.rows}
    if asked.question.is_derived:
        # The search knows only that terms came with the question, not that nobody typed them.
        derived = {
            "required_terms_source": "derived",
            "required_terms_decision_reason": "rarest_looking_of_the_question",
        }
        form["applied"] = {**form["applied"], **derived}
    return form


def short_form(library: Library, asked: Asked, limit: int) -> dict[str, Any]:
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
            **_page(row, excerpt),
        }
        for row, excerpt in _with_excerpts(library, asked.rows[:limit])
    ]
    short = forms.find_form(asked.answer)
    hits = {**short["inline_hits"], "limit": limit, "items": items}
    told = list(find_words.first_words(asked.question, asked.answer.found))
    return {**short, "inline_hits": hits, **required_form(asked.question), "words": told}


def required_form(question: TypedQuestion) -> dict[str, Any]:
    """Which words were required, and whether anybody typed them."""
    return {"required_terms": list(question.terms), "required_terms_derived": question.is_derived}


def _page(row: dict[str, Any], excerpt: Excerpt | None) -> dict[str, int]:
    """The page of the original on which the excerpt stands, where that is known."""
    first = page_words(row, "first_")
    return page_row((excerpt.page if excerpt else "") or first) if first else {}


def _with_excerpts(
    library: Library, rows: list[dict[str, Any]]
) -> list[tuple[dict[str, Any], Excerpt | None]]:
    return [(row, _excerpt(library, row)) for row in rows]


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


def print_said(sentences: Iterable[str]) -> None:
    """Print what is to be known before the hits."""
    screen = render.screen()
    for said in sentences:
        for line in _lines(said, screen.width if screen.out else None):
            render.out_line(render.Styled(line, "yellow"))


def print_found(library: Library, asked: Asked, limit: int, *, explained: bool) -> list[str]:
    """Print hits, how much was searched, and what disagrees; gives the parts of scores shown."""
    screen = render.screen()
    width = screen.width - len(INDENT) if screen.out else None
    found = asked.answer.found
    shown = asked.rows[:limit]
    for number, (row, excerpt) in enumerate(_with_excerpts(library, shown), start=1):
        _print_hit(asked.answer.manual_id, number, row, excerpt, width)
        if explained:
            render.out("\n".join(f"{INDENT}  {part}" for part in row["rank_explain"]))
    render.out(f"{_count(len(shown), len(asked.rows))}, {find_words.coverage(found)}")
    _print_conflicts(asked.answer.manual_id, found.lists["conflicts"], limit, width)
    return [part.partition("=")[0] for row in shown for part in row["rank_explain"]]


def _print_conflicts(
    manual_id: str, conflicts: Sequence[dict[str, Any]], limit: int, width: int | None
) -> None:
    """Print what disagrees: each passage below the place where it stands."""
    for row in conflicts[:limit]:
        render.out("These disagree:")
        for side in (row, *row["conflict_with"]):
            ref = side["ref"]
            render.out(f"{INDENT}{manual_id}/{ref['path']}:{ref['start_line']}")
            for line in _lines(cut(one_line(side["text"]), LONGEST_EXCERPT), width):
                render.out(f"{INDENT}{line}")
    if (more := len(conflicts) - limit) > 0:
        render.out(f"{counted(more, 'more pair')} disagree; --full has all of them")


def print_legend(names: list[str]) -> None:
    """Print what the parts of scores mean, where any were shown."""
    if names:
        screen = render.screen()
        lines = find_words.legend(names, screen.width if screen.out else None)
        render.out("\n".join(["The parts of a score:", *lines]))


def _count(shown: int, total: int) -> str:
    return counted(total, "section") if shown == total else f"{shown} of {total} sections"


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
    page = page_words(_page(row, excerpt))
    place = f"{manual_id}/{ref['path']}:{ref['start_line']}"
    render.out(f"{INDENT}{place}{f' ({page})' if page else ''}")
    if excerpt is not None:
        for text in filter(None, (excerpt.header, excerpt.text)):
            for line in _lines(cut(one_line(text), LONGEST_EXCERPT), width):
                render.out(f"{INDENT}{line}")


def _lines(text: str, width: int | None) -> list[str]:
    """Lines that fit the terminal; what goes elsewhere is one line, whoever reads it."""
    return [one_line(text)] if width is None else wrap(text, width)
