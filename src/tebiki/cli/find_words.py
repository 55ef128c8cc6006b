"""What a find says of itself, in sentences for people; pure.

The machine's own words (`status`, `failure_reason`, names of score parts) are for `--json`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.cli.wrapping import wrap
from tebiki.manuals.documents import kinds
from tebiki.manuals.documents.reasons import in_words
from tebiki.values.numerals import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tebiki.cli.manual_inputs import TypedQuestion
    from tebiki.manuals.report.answer import Found

SENTENCES = {
    "required_terms_not_found_in_manual_scope": "{terms} {is_} nowhere in {manual}.",
    "some_required_terms_not_found_in_manual_scope": "{terms} {is_} nowhere in {manual}.",
    "required_terms_not_found_in_readable_files": (
        "{terms} {is_} in no file of {manual} that could be read."
    ),
    "zero_candidates_with_required_terms": (
        "No section that answers the question has {terms}; these are the nearest without."
    ),
    "required_terms_too_common": (
        "{terms} {is_} in nearly every section of {manual}, and narrowed nothing down."
    ),
    "required_terms_not_in_top": "{terms} {is_} in none of the first {top} sections.",
    "time_budget": "The time was over before everything was searched; --time-ms allows more.",
    "candidate_cap": (
        "More sections matched than are looked at; a rarer word, or a higher "
        "manuals.find.scan_hard_cap, finds more."
    ),
    "index_behind": (
        "This may not be the newest revision of {manual}: nobody could say what was published "
        "last; tebiki cluster status tells more."
    ),
    "index_changing": (
        "This may not be the newest revision of {manual}: its index was being written, or was "
        "lost; tebiki cluster status tells more."
    ),
    "shards_missing": (
        "This may not be the newest revision of {manual}: OpenSearch could not answer for all of "
        "it; tebiki cluster status tells more."
    ),
}
NOTHING_TO_SEARCH = "there is no Markdown or JSON file to search"
NOT_IN_TOP = "required_terms_not_in_top"

LEGEND = {
    "base": "words of the question in the text, the rare ones counting more",
    "coverage": "how much of the question it holds, the rare words counting more",
    "sparse_coverage": "how many of the question's words it holds, each counting the same",
    "phrase": "words that stand together in the question and in the text",
    "proximity_near": "neighbours in the question that are close in the text",
    "proximity_far": "neighbours in the question that are not far apart in the text",
    "sentence": "how much of the question one sentence holds",
    "number_context": "a number of the question beside another of its words",
    "code_exact": "a code of the question, letter by letter",
    "length_penalty": "taken off because the section is long",
    "bare_heading": "taken off because there is nothing below the heading",
    "heading": "words of the question in its heading",
    "heading_named": "its whole heading stands in the question",
    "heading_asked": "its heading is the question",
    "top_heading": "words of the question in the heading at the top of the file",
    "file_name": "words of the question in the file's name",
    "terms_are_heading": "the required words are its heading",
    "terms_are_file_name": "the required words are the file's name",
    "term_in_file_name": "the file is named for a required word",
    "hub": "the question names the topic that its file leads to",
    "term_in_heading": "a required word in its heading",
    "term_in_top_heading": "a required word in the heading at the top of the file",
    "link_text": "links of other pages to its file say what is asked for",
    "required_terms": "it has the required words",
    "sub_questions": "what the parts of a comparing question found",
    "file": "its file has several good sections",
    "diversity": "taken off because better sections of its file are shown",
    "exploration": "taken off because it is shown beside the best, for breadth",
}
"""The parts of a score, as `--why` and `why-not` show them."""

LEGEND_CELLS = 22
"""Columns before what a part means."""


def first_words(question: TypedQuestion, found: Found) -> Iterator[str]:
    """Say what is to be known before the hits: which words were required, which are nowhere."""
    if question.is_derived:
        yield derived(question)
    if found.failure_reason is not None:
        typed = " ".join((question.text, *question.terms))
        yield sentence(found.failure_reason, question.manual_id, typed)
        if found.missing_terms and found.lists["candidates"]:
            yield "The nearest without:" if len(question.terms) == 1 else "The nearest:"


def derived(question: TypedQuestion) -> str:
    """Say which words were looked for above all although nobody named them."""
    terms = _quoted(_as_typed(term, question.text) for term in question.terms)
    return f"Looking for {terms}, taken from the question (--require TERM names another)"


def sentence(failure_reason: str, manual_id: str, typed: str = "") -> str:
    """A machine's reason, with its terms as somebody typed them, as a sentence."""
    reason, _, listed = failure_reason.partition(":")
    terms = [_as_typed(term, typed) for term in listed.split(",")] if listed else []
    top = ""
    if reason.startswith(NOT_IN_TOP):
        reason, top = NOT_IN_TOP, reason.removeprefix(f"{NOT_IN_TOP}_")
    template = SENTENCES.get(reason)
    if template is None:
        return f"{in_words(reason).capitalize()}{': ' if terms else ''}{_quoted(terms)}."
    return template.format(
        terms=_quoted(terms), is_="is" if len(terms) == 1 else "are", manual=manual_id, top=top
    )


def coverage(found: Found) -> str:
    """How much was searched, and which kinds of files were not."""
    left = found.unscanned - sum(found.unsupported.values())
    searched = "everything searched"
    if not found.complete:
        searched = f"{counted(left, 'file')} not searched ({', '.join(_reasons(found))})"
    if not found.unsupported:
        return searched
    if found.complete and not found.summary["scanned_files"]:
        searched = NOTHING_TO_SEARCH
    return f"{searched}; {kinds.in_words(found.unsupported)}"


def _reasons(found: Found) -> list[str]:
    """Why files were not searched, each reason once."""
    told = (row["reason"] for row in found.lists["unscanned"] if row["reason"] != "unsupported")
    return list(dict.fromkeys(in_words(reason) for reason in told))


def legend(names: Iterable[str], width: int | None = None) -> Iterator[str]:
    """What the parts of a score mean, as far as they were shown; in lines of a terminal's width."""
    for name in dict.fromkeys(names):
        words = LEGEND.get(name, name.replace("_", " "))
        first, *rest = [words] if width is None else wrap(words, width - LEGEND_CELLS)
        yield f"  {name:<19} {first}"
        yield from (" " * LEGEND_CELLS + line for line in rest)


def _as_typed(term: str, text: str) -> str:
    """A term as it stands in a text, which has capitals where the index has none."""
    place = text.casefold().find(term)
    found = text[place : place + len(term)] if place >= 0 else ""
    return found if found.casefold() == term else term


def _quoted(terms: Iterable[str]) -> str:
    return " and ".join(f'"{term}"' for term in terms)
