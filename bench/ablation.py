"""What each part of the ranking is worth: the same questions with one part off.

In one process, straight to the engine: hundreds of thousands of finds over pipes would take hours
and tell the same. Only order is measured here, never time.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bench.set_tables import HIT_AT, RANK_AT, figures, markdown, run
from tebiki.app.settings import library_settings
from tebiki.config.sources import Given, load
from tebiki.evals.cases import same_path
from tebiki.evals.run import SearchReply
from tebiki.files.paths import Root
from tebiki.manuals.find import search_manual
from tebiki.manuals.index.refresh import ManualIndex
from tebiki.manuals.limits import DEFAULT_CANDIDATES
from tebiki.manuals.ranking import headings, links, plan, scoring, selection
from tebiki.manuals.ranking.candidates import Deadline
from tebiki.manuals.ranking.settings import CONSTANTS, FindSettings
from tebiki.manuals.text.folding import normalise_terms

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from tebiki.evals.cases import Case
    from tebiki.evals.run import Outcome
    from tebiki.manuals.index.values import Postings
    from tebiki.manuals.ranking.candidates import Search

USUAL = library_settings(load(Given(), "", {}).settings).finder.find
FIGURES = (("hit", HIT_AT), ("mrr", RANK_AT), ("section_mrr", RANK_AT))
SETTINGS_OFF: dict[str, FindSettings] = {
    "coverage (`LEXICAL_COVERAGE_WEIGHT`=0)": USUAL._replace(lexical_coverage_weight=0.0),
    "plain coverage (`SPARSE_QUERY_COVERAGE_WEIGHT`=0)": USUAL._replace(
        sparse_query_coverage_weight=0.0
    ),
    "phrases (`LEXICAL_PHRASE_WEIGHT`=0)": USUAL._replace(lexical_phrase_weight=0.0),
    "numbers (`LEXICAL_NUMBER_CONTEXT_BONUS`=0)": USUAL._replace(lexical_number_context_bonus=0.0),
    "near words (`LEXICAL_PROXIMITY_BONUS_NEAR`=0)": USUAL._replace(
        lexical_proximity_bonus_near=0.0
    ),
    "far words (`LEXICAL_PROXIMITY_BONUS_FAR`=0)": USUAL._replace(lexical_proximity_bonus_far=0.0),
    "length (`LEXICAL_LENGTH_PENALTY_WEIGHT`=0)": USUAL._replace(lexical_length_penalty_weight=0.0),
    "links (`MANUAL_FIND_LINK_WEIGHT`=0)": USUAL._replace(manual_find_link_weight=0.0),
    "headings' own pass (`MANUAL_FIND_FILE_PRESCAN_ENABLED`=false)": USUAL._replace(
        manual_find_file_prescan_enabled=False
    ),
    "exploration (`MANUAL_FIND_EXPLORATION_ENABLED`=false)": USUAL._replace(
        manual_find_exploration_enabled=False
    ),
    "sub-questions (`MANUAL_FIND_QUERY_DECOMP_ENABLED`=false)": USUAL._replace(
        manual_find_query_decomp_enabled=False
    ),
}
CONSTANTS_OFF: dict[str, dict[str, float]] = {
    "weights shared inside a compound of the question": {"share_exponent": 0.0},
    "headings and path in the base score": {"title": 0.0, "trail": 0.0, "place": 0.0},
    "best sentence": {"sentence": 0.0},
    "texts of links": {"link_text": 0.0},
    "sentences around links": {"link_sentence": 0.0},
    "headings held by the question": {"heading": 0.0, "top_heading": 0.0, "heading_named": 0.0},
    "headings that are the question": {"heading_asked": 0.0},
    "file name held by the question": {"file_name": 0.0},
    "required terms in headings": {"term_in_heading": 0.0, "term_in_top_heading": 0.0},
    "required terms that are a heading or a file name": {
        "terms_are_heading": 0.0,
        "terms_are_file_name": 0.0,
    },
    "required terms that a file is named for": {"term_in_file_name": 0.0},
    "pages that lead to a topic": {"hub": 0.0},
    "gates": {"gate": 0.0},
    "files with several good sections": {"file": 0.0},
    "files take turns": {"decay": 1.0},
}


def ablation(folder: Path, sets: Mapping[str, list[Case]]) -> Iterator[str]:
    """The lines of a table: hit@5 and MRR@10 by file, MRR@10 by section, for each set."""
    engines = {name: _Engine(folder / name / "manuals") for name in sets}
    names = [f"{name} {figure}" for name in sets for figure in ("hit@5", "MRR@10", "section")]
    yield from markdown(["without", *names], []).splitlines()
    yield _line("(nothing: all parts)", engines, sets, USUAL)
    for what, settings in SETTINGS_OFF.items():
        yield _line(what, engines, sets, settings)
    for what, values in CONSTANTS_OFF.items():
        with other_constants(values):
            yield _line(what, engines, sets, USUAL)


def _line(
    what: str,
    engines: Mapping[str, _Engine],
    sets: Mapping[str, list[Case]],
    settings: FindSettings,
) -> str:
    cells = [what]
    for name, cases in sets.items():
        cells += figures(engines[name].asked(cases, settings), FIGURES)
    return f"| {' | '.join(cells)} |"


class _Engine:
    """The manuals of a set, indexed in memory."""

    def __init__(self, manuals: Path) -> None:
        self._root = Root(manuals)
        self._known: dict[str, Postings] = {}

    def asked(self, cases: list[Case], settings: FindSettings) -> list[Outcome]:
        def find(case: Case) -> Search:
            return search_manual(
                case.query,
                normalise_terms(case.required_terms),
                self._postings(case.manual_id),
                settings,
                max_candidates=DEFAULT_CANDIDATES,
                deadline=Deadline(lambda: False),
            )

        def reply_to(_case: Case, search: Search) -> SearchReply:
            keys = [row.key for row in search.selection.rows]
            return SearchReply(tuple((same_path(path), line) for path, line, _ in keys))

        return run(cases, find, reply_to, time.perf_counter)

    def _postings(self, manual_id: str) -> Postings:
        if manual_id not in self._known:
            index = ManualIndex(
                self._root, manual_id, None, now_ns=time.time_ns, log=lambda _: None
            )
            self._known[manual_id] = index.refresh(lambda: False).postings
        return self._known[manual_id]


@contextmanager
def other_constants(values: Mapping[str, float]) -> Iterator[None]:
    """Other constants for a while: measuring is the one reason to change them."""
    others = CONSTANTS._replace(**values)
    holders = [
        (module, name)
        for module in (headings, links, plan, scoring, selection)
        for name, value in vars(module).items()
        if value is CONSTANTS
    ]
    try:
        for module, name in holders:
            setattr(module, name, others)
        headings.forget()  # what was made with them
        yield
    finally:
        for module, name in holders:
            setattr(module, name, CONSTANTS)
        headings.forget()
