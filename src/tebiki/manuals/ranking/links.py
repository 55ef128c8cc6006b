"""What other pages say of a page: the texts of their links, and the sentences around these.

Links are looked at where they stand: in the sections that the question proposes anyway, whose
sentences hold it, and in those whose link texts do. Pure functions over what the index gives.
"""

from __future__ import annotations

import math
from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING

from tebiki.manuals.documents.link_targets import fragment_key
from tebiki.manuals.index.link_rows import read_rows
from tebiki.manuals.index.values import LINKS, SectionQuery
from tebiki.manuals.ranking.headings import HeadingQuery, folded_heading
from tebiki.manuals.ranking.settings import CONSTANTS as C
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tebiki.manuals.index.values import Postings, Stored
    from tebiki.manuals.ranking.headings import Scored
    from tebiki.manuals.ranking.plan import Plan

LINKING = 50
"""Sections that are proposed by what their links say."""

LED_TO = 20
SECTIONS_EACH = 2
"""Pages that links propose beside the candidates, and sections of each."""

SHORTEST_NAMED = 2
SIGNAL = "link_text"


class LinkEvidence(NamedTuple):
    """What links are worth to the pages they lead to, from 0 to about 1; the best page first.

    `parts` has the heading, as `fragment_key` gives it, that most of a page's links lead to.
    """

    worths: dict[str, float]
    parts: dict[str, str]


NO_EVIDENCE = LinkEvidence({}, {})


def gather_evidence(plan: Plan, candidates: Iterable[Stored], postings: Postings) -> LinkEvidence:
    """Look at the links of candidates, and of the sections whose links say what is asked for."""
    linking = {stored.key: stored for stored in candidates if stored.links}
    more = postings.best(SectionQuery(plan.weights(), LINKING, fields=(LINKS,)))
    linking |= {stored.key: stored for stored in more}
    seen = _Seen()
    for stored in linking.values():
        own = stored.key[0]
        for link in read_rows(stored.links):
            page = postings.file_of(link.target)
            if page is not None and page != own:
                seen.add(own, page, link.text, link.sentence, link.fragment)
    if not seen.sources:
        return NO_EVIDENCE
    texts = _by_texts(seen, HeadingQuery(plan, (), postings))
    sentences = _by_sentences(seen, plan)
    worths: dict[str, float] = defaultdict(float)
    for part, weight in ((texts, C.link_text), (sentences, C.link_sentence)):
        best = max(part.values(), default=0.0)
        for page, value in part.items():
            if value:
                worths[page] += weight * value / best
    ordered = sorted(worths.items(), key=lambda item: (-item[1], item[0]))
    return LinkEvidence(dict(ordered), _parts(seen))


class _Seen:
    """Links by what they say: which pages each text leads to, and from where."""

    def __init__(self) -> None:
        self.sources: dict[str, dict[str, set[str]]] = {}
        self.sentences: dict[str, set[str]] = {}
        self.fragments: dict[str, dict[str, int]] = {}

    def add(self, own: str, page: str, text: str, sentence: str, fragment: str) -> None:
        self.sources.setdefault(text, {}).setdefault(page, set()).add(own)
        self.sentences.setdefault(sentence, set()).add(page)
        counts = self.fragments.setdefault(page, {})
        counts[fragment] = counts.get(fragment, 0) + 1


def _by_texts(seen: _Seen, asked: HeadingQuery) -> dict[str, float]:
    """What the texts that the question holds are worth to each page.

    A text leads to one page for sure or to many perhaps: each gets its share, so that a text which
    names nothing is worth nothing. Of texts within each other that stand in the question to the
    letter the longest counts.
    """
    worths = {text: worth for text in seen.sources if (worth := asked.held(text)[1])}
    named = sorted(filter(None, (_named(text, asked) for text in worths)), key=len, reverse=True)
    found: dict[str, float] = defaultdict(float)
    for text, worth in worths.items():
        is_named = bool(name := _named(text, asked))
        if is_named and any(name in longer for longer in named if len(longer) > len(name)):
            continue
        pages = seen.sources[text]
        every = len(set().union(*pages.values())) if len(pages) > 1 else None
        for page, sources in pages.items():
            share = len(sources) / ((len(sources) if every is None else every) + 1)
            found[page] += worth * (1 if is_named else C.link_unnamed) * math.sqrt(share)
    return found


def _named(text: str, asked: HeadingQuery) -> str:
    """A text as it stands in the question, if it does."""
    folded = folded_heading(text)
    return folded if len(folded) >= SHORTEST_NAMED and folded in asked.folded else ""


def _by_sentences(seen: _Seen, plan: Plan) -> dict[str, float]:
    """What the sentences around links are worth to each page, each half of the one before."""
    shares: dict[str, list[float]] = defaultdict(list)
    for sentence, pages in seen.sentences.items():
        if share := plan.share_in(sentence):
            for page in pages:
                shares[page].append(share**2)
    return {
        page: sum(share * 0.5**at for at, share in enumerate(sorted(those, reverse=True)))
        for page, those in shares.items()
    }


def _parts(seen: _Seen) -> dict[str, str]:
    """The heading that most links to a page lead to, of pages that have one."""
    found: dict[str, str] = {}
    for page, counts in seen.fragments.items():
        fragment = max(counts, key=lambda one: (counts[one], one))
        if fragment:
            found[page] = fragment_key(fragment)
    return found


def pages_led_to(evidence: LinkEvidence, known: set[str]) -> list[str]:
    """The best pages that links lead to and that are not known."""
    return [page for page in evidence.worths if page not in known][:LED_TO]


def add_links(rows: list[Scored], evidence: LinkEvidence, weight: float) -> None:
    """Add to the rows of each page what links to it are worth, the first of them most.

    Where one sentence holds the question it is about that sentence, and links are all but silent.
    """
    if not evidence.worths or not rows or not weight:
        return
    share = max(row.held for row in rows) ** 2
    ramp = min(1.0, max(C.link_least, (C.link_silent - share) / C.link_width))
    top = weight * ramp * max(row.score for row in rows)
    turns: dict[str, int] = defaultdict(int)
    for row in sorted(rows, key=lambda row: (not _is_part(row, evidence.parts), *row.order)):
        if worth := evidence.worths.get(row.path):
            row.signals.add(SIGNAL)
            row.add(SIGNAL, top * worth * C.link_decay ** turns[row.path])
            turns[row.path] += 1
    rows.sort(key=lambda row: row.order)


def _is_part(row: Scored, parts: Mapping[str, str]) -> bool:
    """Tell whether links to a page lead to this section of it."""
    part = parts.get(row.path)
    return part is not None and part == _title_key(row.stored.section.title)


_title_key = lru_cache(maxsize=8192)(fragment_key)
