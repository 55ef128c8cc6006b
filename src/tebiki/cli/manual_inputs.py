"""What a person names in `tebiki manuals …`: a manual, a place in it, a question and its terms."""

from __future__ import annotations

import difflib
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tebiki.cli import shared
from tebiki.errors import InvalidArguments, NotFound, UsageError
from tebiki.files.names import nfc
from tebiki.manuals.find import Watch
from tebiki.manuals.limits import MOST_TERMS
from tebiki.manuals.ranking.derived_terms import derive_terms
from tebiki.named_tuples import NamedTuple
from tebiki.values.numerals import count_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tebiki.cli.parsers import CommandParser
    from tebiki.manuals.library import Library

MOST_NAMED = 10
"""Manuals that an error lists."""


class TypedQuestion(NamedTuple):
    """A question to a manual, and the words its answer must have: given, or derived from it."""

    manual_id: str
    text: str
    terms: tuple[str, ...]
    is_derived: bool


def add_question(parser: CommandParser, words: str) -> None:
    """Add the places for a question; no quotes are needed around it."""
    parser.add_argument("words", nargs="+", metavar=words, help="the question, or its keywords")
    parser.add_argument(
        "--require",
        action="append",
        default=[],
        metavar="TERM",
        help="a word the answer must contain, once or twice; left out: one is taken "
        "from the question",
    )


def question_to(manual_id: str, words: Sequence[str], required: Sequence[str]) -> TypedQuestion:
    """Put a question from what was typed.

    Raises:
        UsageError: nothing is asked, or the terms are not as many as a search takes.
    """
    text = " ".join(words).strip()
    if not text:
        raise UsageError("the question is blank; ask for something")
    if any(not term.strip() for term in required):
        raise UsageError("--require needs a word that is not blank")
    if len(set(required)) > MOST_TERMS:
        raise UsageError(f"--require may be given {MOST_TERMS} times; leave the others out")
    return TypedQuestion(manual_id, text, tuple(required) or derive_terms(text), not required)


def manual_and_words(
    library: Library, named: str | None, words: Sequence[str]
) -> tuple[str, Sequence[str]]:
    """Tell the manual from the question: `--manual`, or the first word if it is an id, or the only.

    Raises:
        NotFound: there is no such manual.
        UsageError: it cannot be told which one is meant, or nothing is asked of it.
    """
    ids = [item.id for item in library.ls().items]
    if named is not None:
        return known_manual(library, named), words
    first = nfc(words[0])
    if first in ids:
        if len(words) == 1:
            raise UsageError(f"{first} is a manual; what is the question? ({first} QUESTION)")
        return first, words[1:]
    if len(ids) == 1:
        return ids[0], words
    if not ids:
        known_manual(library, first)
    raise UsageError(
        f"say which manual{name_nearest(first, ids)}: the first word, or --manual ID, or --all; "
        f"{_listed(ids)}"
    )


def known_manual(library: Library, manual_id: str) -> str:
    """The id as it is listed.

    Raises:
        NotFound: there is no such manual.
    """
    ids = [item.id for item in library.ls().items]
    wanted = nfc(manual_id.removesuffix("/"))
    if wanted in ids:
        return wanted
    raise NotFound(
        f"there is no manual {manual_id}{name_nearest(wanted, ids)}; {_listed(ids)}",
        details={"manual": manual_id, "manuals": ids},
    )


def place_of(text: str) -> tuple[str, str, int | None]:
    """Take `MANUAL/PATH[:LINE]` apart.

    Raises:
        InvalidArguments: it names no file.
    """
    manual_id, _, path = text.partition("/")
    if not manual_id or not path:
        raise InvalidArguments(f"{text}: say MANUAL/PATH or MANUAL/PATH:LINE")
    before, colon, line = path.rpartition(":")
    if colon and before and line.isascii() and line.isdigit():
        return manual_id, before, count_in(line)
    return manual_id, path, None


@contextmanager
def show_indexing(manual_id: str) -> Iterator[Watch]:
    """A bar at the foot of a terminal while an index is built."""
    with shared.progress_bar() as show:
        yield Watch(progress=lambda done, of_all: show(f"indexing {manual_id}", done, of_all))


def _listed(ids: Sequence[str]) -> str:
    if not ids:
        return "there are none: --manuals DIR names a folder of folders"
    more = "" if len(ids) <= MOST_NAMED else f" and {len(ids) - MOST_NAMED} more (manuals ls)"
    return f"there are: {', '.join(ids[:MOST_NAMED])}{more}"


def name_nearest(word: str, ids: Sequence[str]) -> str:
    """What was probably meant, in brackets; nothing if nobody can tell."""
    found = difflib.get_close_matches(word, ids, n=1)
    return f" (did you mean {found[0]}?)" if found else ""
