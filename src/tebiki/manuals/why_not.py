"""Why a section was not found: how far it came on its way through a search.

The same search as any other, looked at from one section's side. For people, not over the wire.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from tebiki.errors import InvalidArguments
from tebiki.manuals.documents.folders import Skipped
from tebiki.manuals.documents.parting import sections_of
from tebiki.manuals.documents.walking import contents
from tebiki.manuals.find import search_manual
from tebiki.manuals.index.values import SectionQuery, key_of
from tebiki.manuals.ranking.candidates import Deadline
from tebiki.manuals.ranking.passes import FIRST
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tebiki.files.paths import Root
    from tebiki.manuals.documents.sections import Section
    from tebiki.manuals.index.refresh import Fresh, SearchedIndex
    from tebiki.manuals.index.values import Key
    from tebiki.manuals.ranking.candidates import Search
    from tebiki.manuals.ranking.headings import Scored
    from tebiki.manuals.ranking.settings import FindSettings
    from tebiki.manuals.request import FindRequest

LOOKED_THROUGH = 5000
"""Sections of the index's own order among which a section that was not proposed is looked for."""

STAGES = (
    "found",
    "copy",
    "file_cap",
    "cut_off",
    "hard_cap",
    "not_proposed",
    "no_shared_word",
    "left_out",
)
"""How far a section can come, the furthest first."""


class Fate(NamedTuple):
    """How far a section came: the stage by name, in words, and its score if it got one."""

    path: str
    start_line: int
    title: str
    stage: str
    words: str
    score: float | None = None
    parts: tuple[tuple[str, float], ...] = ()

    @property
    def was_found(self) -> bool:
        """Tell whether there is nothing to explain."""
        return self.stage == "found"


def section_at(sections: Sequence[Section], path: str, line: int | None) -> Section:
    """The section of a file that holds a line; without a line the first.

    Raises:
        InvalidArguments: the file has no section there.
    """
    if not sections:
        raise InvalidArguments(f"{path} is empty; it has nothing that could be found.")
    for section in sections:
        if line is None or section.start_line <= line <= section.end_line:
            return section
    raise InvalidArguments(f"{path} has no section at line {line}.")


def explain(
    root: Root,
    index: SearchedIndex,
    request: FindRequest,
    settings: FindSettings,
    *,
    path: str,
    line: int | None,
) -> Fate:
    """Tell how far a section came in a find; the request was checked.

    Raises:
        NotFound: there is no such file.
        InvalidArguments: there is no such line.
    """
    data = contents(root, request.manual_id, path)
    fresh = index.refresh(lambda: False)
    left_out = {skipped.path: skipped.reason for skipped in fresh.skipped}
    if isinstance(data, Skipped):
        left_out.setdefault(path, data.reason)
    # A folder above may be what is left out: a link, which nobody reads through.
    places = accumulate(path.split("/"), "{}/{}".format)
    reason = next((left_out[place] for place in places if place in left_out), None)
    if isinstance(data, Skipped) or reason is not None:
        return Fate(path, line or 1, path, "left_out", f"its file is left out: {reason}")
    return fate_of(section_at(sections_of(path, data), path, line), request, fresh, settings)


def fate_of(section: Section, request: FindRequest, fresh: Fresh, settings: FindSettings) -> Fate:
    """Make the search and see what became of a section; the request was checked."""
    search = search_manual(
        request.query,
        request.terms,
        fresh.postings,
        settings,
        max_candidates=request.max_candidates,
        deadline=Deadline(lambda: False),
    )
    key = key_of(section)
    row = next((one for one in search.ranked if one.key == key), None)
    if row is None:
        stage, words = _explain_unscored(key, search, fresh, settings)
        return Fate(*key[:2], section.title, stage, words)
    stage, words = _explain_ranked(row, search, settings)
    parts = tuple((name, round(value, 4)) for name, value in row.parts.items())
    return Fate(*key[:2], section.title, stage, words, round(row.score, 4), parts)


def _explain_unscored(
    key: Key, search: Search, fresh: Fresh, settings: FindSettings
) -> tuple[str, str]:
    weights = search.plan.weights()
    order = fresh.postings.best(SectionQuery(weights, LOOKED_THROUGH))
    place = next((at for at, stored in enumerate(order, 1) if stored.key == key), None)
    if place is not None and place <= FIRST and search.cut == "candidate_cap":
        most = settings.manual_find_scan_hard_cap
        return "hard_cap", (
            f"the index puts it at place {place}; {most} sections are scored "
            "(manuals.find.scan_hard_cap)"
        )
    if place is not None:
        return "not_proposed", (
            f"the index puts it at place {place}; it looks at {FIRST}, and at those with the "
            f"required terms: use rarer words, or a required term of that section"
        )
    if len(order) < LOOKED_THROUGH:
        return "no_shared_word", "it shares no word with the question; use words of its text"
    return "not_proposed", f"it is not among the first {LOOKED_THROUGH} of the index"


def _explain_ranked(row: Scored, search: Search, settings: FindSettings) -> tuple[str, str]:
    given = search.selection.rows
    if row in given:
        return "found", f"found, at place {given.index(row) + 1} of {len(given)}"
    for kept, copies in search.selection.copies.items():
        if row.key in copies:
            return "copy", f"it says almost word for word what {kept[0]}:{kept[1]} says"
    same_file = [one for one in search.ranked if one.key[0] == row.key[0]]
    most = settings.manual_find_per_file_candidate_cap
    if row in same_file[most:]:
        return (
            "file_cap",
            f"{most} sections of its file are better (manuals.find.per_file_candidate_cap)",
        )
    place = search.ranked.index(row) + 1
    # Those of an exploration are given beside the best, whatever their scores.
    best = [one.score for one in given if "exploration" not in one.signals]
    last = min(best, default=0.0)
    return "cut_off", (
        f"it is at place {place} of {len(search.ranked)} with {row.score:.2f}; "
        f"the last one given has {last:.2f}"
    )
