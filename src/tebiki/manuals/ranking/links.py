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
from tebiki.manuals.index.values import LINKS, SectionQuery, place_in
from tebiki.manuals.ranking.headings import HeadingQuery, folded_heading, tokens_to_weigh
from tebiki.manuals.ranking.settings import CONSTANTS as C
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from tebiki.manuals.index.values import Postings, Stored
    from tebiki.manuals.ranking.headings import Scored
    from tebiki.manuals.ranking.plan import Plan

LINKING = 12
"""Sections that are proposed by what their links say."""

LOOKED_AT = 60
"""Candidates whose links are looked at, the index's best; which, all engines agree."""

LED_TO = 6
"""Pages that links propose beside the candidates."""

GUESSED = 10
"""Of these, those that are asked for before it is counted how rare the words of all links are."""

BEHIND_PART = 0.5
"""How far the other sections of a page stand behind the one that links lead to, in turns."""

SHORTEST_NAMED = 2
LEAST_SHARE = 0.01
SIGNAL = "link_text"


class LinkEvidence(NamedTuple):
    """What links are worth to the pages they lead to, from 0 to about 1; the best page first.

    `named` is the share of the question in the text that names a page in it to the letter. `parts`
    are the headings, as `fragment_key` gives them, that links to a page lead to, each by what it
    has of the best; none where more of them lead to the page itself.
    """

    worths: dict[str, float]
    named: dict[str, float]
    parts: dict[str, dict[str, float]]


NO_EVIDENCE = LinkEvidence({}, {}, {})


def linking_sections(plan: Plan) -> SectionQuery:
    """Ask for the sections whose links say what is asked for."""
    return SectionQuery(plan.weights(), LINKING, fields=(LINKS,))


def gather_evidence(
    plan: Plan, nearest: list[Stored], known: set[str], postings: Postings
) -> LinkEvidence:
    """Look at the links of candidates, and of the sections whose links say what is asked for.

    The pages that are `known` are those of all candidates.
    """
    linking = {stored.key: stored for stored in nearest if stored.links}
    linking |= {stored.key: stored for stored in postings.best(linking_sections(plan))}
    texts = (row.text for stored in linking.values() for row in read_rows(stored.links))
    postings.know(tokens_to_weigh(texts, plan))
    # In an order of their own, so that sums are the same to the last digit.
    ordered = [linking[key] for key in sorted(linking)]
    postings.foresee_places(
        lambda guessing: places_led_to(_weigh_links(ordered, plan, guessing), known, GUESSED)
    )
    return _weigh_links(ordered, plan, postings)


def _weigh_links(linking: list[Stored], plan: Plan, postings: Postings) -> LinkEvidence:
    seen = _SeenLinks(plan, postings)
    for stored in linking:
        seen.look_at(stored)
    worths: dict[str, float] = {}
    by_texts, named = seen.by_texts()
    for part, weight in ((by_texts, C.link_text), (seen.by_sentences(), C.link_sentence)):
        best = max(part.values(), default=0.0)
        for page, value in part.items():
            worths[page] = worths.get(page, 0.0) + weight * value / best
    ordered = sorted(worths.items(), key=lambda item: (-item[1], item[0]))
    return LinkEvidence(dict(ordered), named, seen.parts())


class _SeenLinks:
    """Links that have something of a question: what texts and sentences are worth, and to whom."""

    def __init__(self, plan: Plan, postings: Postings) -> None:
        self._plan = plan
        self._asked = HeadingQuery(plan, (), postings)
        self._file_of = postings.file_of
        self._needles = [(part.needle, part.mass / plan.mass) for part in plan.parts if plan.mass]
        self._worths: dict[str, float] = {}
        self._shares: dict[str, float] = {}
        self._leads: dict[tuple[str, str], int] = {}
        self._sentences: dict[tuple[str, str], float] = {}
        self._fragments: dict[tuple[str, str], float] = {}

    def look_at(self, stored: Stored) -> None:
        """Take in the links of a section; those of a page to itself do not count."""
        own, kept = stored.key[0], stored.links
        needles = [both for both in self._needles if both[0] in kept]
        worths, shares, held = self._worths, self._shares, self._asked.held
        for _, target, fragment, text, sentence in read_rows(kept):
            if text not in worths:
                worths[text] = held(text)[1]
            if sentence not in shares:
                shares[sentence] = _share_in(sentence, needles) if needles else 0.0
            worth, share = worths[text], shares[sentence]
            if not worth and share < LEAST_SHARE:
                continue
            page = self._file_of(target)
            if page is None or page == own:
                continue
            if worth:
                self._leads[text, page] = self._leads.get((text, page), 0) + 1
            if share >= LEAST_SHARE:
                self._sentences[sentence, page] = share
            where = (page, fragment)
            self._fragments[where] = self._fragments.get(where, 0.0) + worth + share

    def by_texts(self) -> tuple[dict[str, float], dict[str, float]]:
        """What the texts that the question holds are worth to each page, and how far they name it.

        A text that leads to many pages is worth little to any of them, so that one which names
        nothing is worth nothing. Of texts within each other that stand in the question to the
        letter the longest counts.
        """
        every: dict[str, int] = {}
        for (text, _), times in self._leads.items():
            every[text] = every.get(text, 0) + times
        names = {text: name for text in every if (name := self._name_of(text))}
        inner = {
            text
            for text, name in names.items()
            if any(name in longer for longer in names.values() if len(longer) > len(name))
        }
        found: dict[str, float] = {}
        named: dict[str, float] = {}
        for (text, page), times in self._leads.items():
            if text in inner:
                continue
            worth = self._worths[text]
            if text in names:
                share = self._plan.share_in(names[text]) * math.sqrt(times / every[text])
                named[page] = max(named.get(page, 0.0), share)
            else:
                worth *= C.link_unnamed
            found[page] = found.get(page, 0.0) + worth * math.sqrt(times / (every[text] + 1))
        return found, named

    def _name_of(self, text: str) -> str:
        """A text as it stands in the question, if it does."""
        folded = folded_heading(text)
        return folded if len(folded) >= SHORTEST_NAMED and folded in self._asked.folded else ""

    def by_sentences(self) -> dict[str, float]:
        """What the sentences around links are worth to each page, each half of the one before."""
        shares: dict[str, list[float]] = defaultdict(list)
        for (_, page), share in self._sentences.items():
            shares[page].append(share)
        return {
            page: sum(share * 0.5**at for at, share in enumerate(sorted(those, reverse=True)))
            for page, those in shares.items()
        }

    def parts(self) -> dict[str, dict[str, float]]:
        """The headings that links to a page lead to, unless more of them lead to the page itself.

        Each by what it has of the best: of two that are led to alike, the text decides.
        """
        best: dict[str, tuple[float, str]] = {}
        for (page, fragment), worth in self._fragments.items():
            best[page] = max(best.get(page, (0.0, "")), (worth, fragment))
        found: dict[str, dict[str, float]] = {}
        for (page, fragment), worth in self._fragments.items():
            most, first = best[page]
            if first and fragment:
                found.setdefault(page, {})[fragment_key(fragment)] = worth / most
        return found


def _share_in(sentence: str, needles: list[tuple[str, float]]) -> float:
    """The square of the share of a question that a sentence around a link holds."""
    held = 0.0
    for needle, share in needles:
        if needle in sentence:
            held += share
    return held**2


def places_led_to(evidence: LinkEvidence, known: set[str], most: int = LED_TO) -> list[str]:
    """Where links lead to, the best pages that are not known: a part of each, or its top."""
    pages = [page for page in evidence.worths if page not in known][:most]
    return [place_in(page, _first_part(evidence.parts.get(page))) for page in pages]


def _first_part(parts: dict[str, float] | None) -> str:
    return max(parts, key=lambda part: (parts[part], part)) if parts else ""


def add_links(rows: list[Scored], evidence: LinkEvidence, weight: float) -> None:
    """Add to the rows of each page, best first, what links to it are worth: each half of the last.

    A section that they lead to gets all of it, and the others then a little less.
    """
    if not evidence.worths or not rows or not weight:
        return
    share = _held_alone(rows)
    top = weight * max(row.score for row in rows)
    turns: dict[str, int] = defaultdict(int)
    for row in rows:
        path = row.path
        if worth := evidence.worths.get(path):
            row.signals.add(SIGNAL)
            behind = float(turns[path])
            if parts := evidence.parts.get(path):
                led_to = parts.get(_title_key(row.stored.section.title), 0.0)
                behind = (1 - led_to) * (behind + BEHIND_PART)
            ramp = _ramp(share - evidence.named.get(path, 0.0) ** 2)
            row.add(SIGNAL, top * ramp * worth * C.link_decay**behind)
            turns[path] += 1
    rows.sort(key=lambda row: row.order)


def _held_alone(rows: list[Scored]) -> float:
    """How far one page has a sentence that holds the question, and no other page has.

    Where one has, the question is about that sentence, and links are all but silent; what several
    pages say is no mark of any of them.
    """
    held: dict[str, float] = {}
    for row in rows:
        held[row.path] = max(held.get(row.path, 0.0), row.held)
    best, second, *_ = *sorted(held.values(), reverse=True), 0.0
    return best**2 - C.link_shared * second**2


def _ramp(share: float) -> float:
    return min(1.0, max(C.link_least, (C.link_silent - share) / C.link_width))


_title_key = lru_cache(maxsize=8192)(fragment_key)
