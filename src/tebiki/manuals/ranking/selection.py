"""From scored sections to those given: passes are fused, files take turns, copies collapse.

A pass (gate) is the same question without and with its required terms. Their lists are fused by
reciprocal ranks weighed by the score itself: plain ranks would forget how much better the best is.
Pure functions over values.
"""

from __future__ import annotations

import math
from collections import defaultdict
from operator import mul
from typing import TYPE_CHECKING

from tebiki.manuals.ranking.links import NO_EVIDENCE, add_links
from tebiki.manuals.ranking.scoring import READ_CHARS
from tebiki.manuals.ranking.settings import CONSTANTS as C
from tebiki.manuals.text.tokenizer import SENTENCES
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection

    from tebiki.manuals.index.values import Key
    from tebiki.manuals.ranking.headings import Scored
    from tebiki.manuals.ranking.links import LinkEvidence
    from tebiki.manuals.ranking.plan import RequiredTerm
    from tebiki.manuals.ranking.settings import FindSettings


SUB_QUESTION = "sub_question"
"""The name of a pass that asked a part of a comparing question."""


class Contribution(NamedTuple):
    """What a list gave to a section's score."""

    gate: str
    rank: int
    weight: float

    @property
    def rrf(self) -> float:
        """The reciprocal rank."""
        return round(C.gate_k / (C.gate_k + self.rank - 1), 6)


class Gate(NamedTuple):
    """One pass: its name, the terms it required, what passed, best first, and its own question."""

    name: str
    terms: tuple[str, ...]
    weight: float
    rows: tuple[Scored, ...]
    query: str = ""


def gates_of(rows: list[Scored], base: set[Key], terms: tuple[RequiredTerm, ...]) -> list[Gate]:
    """Part scored rows into the passes: g0, one for each term, and one for both."""
    passed = [Gate("g0", (), 1.0, tuple(row for row in rows if row.key in base))]
    if not terms:
        return passed
    having = [tuple(row for row in rows if term.occurs_in(row.stored)) for term in terms]
    share = C.gate / (len(terms) + (len(terms) > 1))
    names = ("A", "B")
    for name, term, those in zip(names, terms, having, strict=False):
        passed.append(Gate(f"g_req:{name}", (term.text,), share, those))
    if len(terms) > 1:
        both = set.intersection(*map(set, having))
        texts = tuple(term.text for term in terms)
        passed.append(Gate("g_req:A+B", texts, share, tuple(row for row in rows if row in both)))
    return passed


def fuse(gates: list[Gate]) -> None:
    """Add to each row what the gates that it passed are worth.

    Every gate weighs the score from before: the order of the gates does not matter.
    """
    gains: list[tuple[Scored, float]] = []
    for gate in gates:
        if gate.terms:
            signals = _signals(gate)
            for rank, row in enumerate(gate.rows):
                gains.append((row, gate.weight * row.score * C.gate_k / (C.gate_k + rank)))
                row.signals.update(signals)
    for row, gain in gains:
        row.add("required_terms", gain)


def fuse_parts(rows: list[Scored], answers: list[Gate], settings: FindSettings) -> None:
    """Mix each row's own score with its places in the answers to the sub-questions.

    Reciprocal ranks weighed by the score: what answers one part well comes before what names both
    in passing.
    """
    gains = _gains(answers, settings.manual_find_query_decomp_rrf_k)
    best = max((gains.get(row.key, 0.0) for row in rows), default=0.0)
    if not best:
        return
    top = max(row.score for row in rows)
    base = settings.manual_find_query_decomp_base_weight
    for row in rows:
        gain = gains.get(row.key, 0.0) / best
        if gain:
            row.signals.add("query_decomp_rrf")
        row.add("sub_questions", (1 - base) * (top * gain - row.score))


def _gains(answers: list[Gate], k: int) -> dict[Key, float]:
    gains: dict[Key, float] = {}
    for gate in answers:
        top = gate.rows[0].score
        for rank, row in enumerate(gate.rows):
            gain = (k + 1) / (k + 1 + rank) * row.score / top
            gains[row.key] = gains.get(row.key, 0.0) + gain
    return gains


def required_keys(gates: list[Gate]) -> set[Key]:
    """Sections that have both terms, or where there is none, one of them."""
    most = max((len(gate.terms) for gate in gates if gate.rows), default=0)
    strict = [gate for gate in gates if gate.terms and len(gate.terms) == most]
    return {row.key for gate in strict for row in gate.rows}


def contributions(gates: list[Gate], keys: set[Key]) -> dict[Key, list[Contribution]]:
    """What each gate gave to some of the rows."""
    gained: dict[Key, list[Contribution]] = {key: [] for key in keys}
    for gate in gates:
        for rank, row in enumerate(gate.rows, 1):
            gave = gained.get(row.key)
            if gave is not None:
                gave.append(Contribution(gate.name, rank, gate.weight))
    return gained


def _signals(gate: Gate) -> tuple[str, ...]:
    if len(gate.terms) > 1:
        return ("required_term_and", "required_terms_rrf", "gate_rrf")
    return ("required_term", "gate_rrf")


TOP_K = 5
"""So many of the first hits are asked whether they have the required terms."""

MOST_CANDIDATES = 50
ALWAYS_KEPT = 8
LOW_SCORE = 0.25
LOW_COVERAGE = 0.5
COUNTED_OF_A_FILE = (1.0, 0.5, 0.25, 0.125)
"""What the best sections of a file count, each half of the one before."""

SAME_TEXT = 0.9
SHORTEST_SAME = 8
JUST_ABOVE = 1e-6


class Selection(NamedTuple):
    """The rows to give, best first, almost the same rows by theirs, and whether a tail was cut."""

    rows: list[Scored]
    twins: dict[Key, list[Scored]]
    is_cut: bool

    @property
    def copies(self) -> dict[Key, list[Key]]:
        """Where else almost the same is said."""
        return {key: [row.key for row in rows] for key, rows in self.twins.items()}


def select(
    rows: list[Scored],
    max_candidates: int,
    settings: FindSettings,
    required: Collection[Key] = (),
    links: LinkEvidence = NO_EVIDENCE,
) -> Selection:
    """Choose from scored rows what is given; `required` are those that passed a gate."""
    limit = min(max_candidates, MOST_CANDIDATES)
    _gather_files(rows)
    add_links(rows, links, settings.manual_find_link_weight)
    _take_turns(rows)
    rows.sort(key=lambda row: row.order)
    _lift(rows, required, min(TOP_K, limit - _exploration_count(limit, limit, settings)))
    within = _within_files(rows, settings.manual_find_per_file_candidate_cap)
    kept, twins = _without_copies(within, limit)
    shown = _cut_off(kept)
    wanted = _exploration_count(limit, len(shown), settings)
    shown = shown[: limit - wanted] if len(shown) + wanted > limit else shown
    said_before = {row.key for rows in twins.values() for row in rows}
    pool = [row for row in within if row.key not in said_before]
    shown += _exploration(shown, pool, wanted, settings)
    shown.sort(key=lambda row: row.order)
    return Selection(shown, twins, len(kept) > len(shown))


def _gather_files(rows: list[Scored]) -> None:
    """A file that has several good sections is more likely to be the one that is asked for."""
    by_file: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        by_file[row.path].append(row.score)
    worth = {
        path: sum(map(mul, sorted(scores, reverse=True), COUNTED_OF_A_FILE))
        for path, scores in by_file.items()
    }
    for row in rows:
        row.add("file", C.file * worth[row.path])
    rows.sort(key=lambda row: row.order)


def _take_turns(rows: list[Scored]) -> None:
    """Damp the second, third … section of a file."""
    seen: dict[str, int] = defaultdict(int)
    for row in rows:
        path = row.path
        row.add("diversity", row.score * (C.decay ** seen[path] - 1))
        seen[path] += 1


def _lift(rows: list[Scored], required: Collection[Key], places: int) -> None:
    """See that one of the first rows has a required term, if any row at all has one."""
    if not required or any(row.key in required for row in rows[:places]):
        return
    found = next((row for row in rows if row.key in required), None)
    if found is not None:
        last = rows[places - 1].score
        found.add("required_terms", last + JUST_ABOVE * abs(last) - found.score)
        rows.sort(key=lambda row: row.order)


def _within_files(rows: list[Scored], most: int) -> list[Scored]:
    """The best sections of each file, so many of each."""
    seen: dict[str, int] = defaultdict(int)
    within: list[Scored] = []
    for row in rows:
        path = row.path
        if seen[path] < most:
            within.append(row)
        seen[path] += 1
    return within


def _without_copies(rows: list[Scored], limit: int) -> tuple[list[Scored], dict[Key, list[Scored]]]:
    """Leave out what an earlier row has said almost word for word."""
    kept: list[Scored] = []
    said: list[set[str]] = []
    holders: dict[str, tuple[int, ...]] = {}
    twins: dict[Key, list[Scored]] = {}
    for row in rows:
        if len(kept) >= limit:
            break
        says = _sayings(row)
        if holders.keys().isdisjoint(says):  # as most are
            holders.update(dict.fromkeys(says, (len(kept),)))
        else:
            twin = next((at for at in _sharers(says, holders) if _is_same(says, said[at])), None)
            if twin is not None:
                twins.setdefault(kept[twin].key, []).append(row)
                continue
            for sentence in says:
                holders[sentence] = (*holders.get(sentence, ()), len(kept))
        kept.append(row)
        said.append(says)
    return kept, twins


def _sayings(row: Scored) -> set[str]:
    body = row.stored.body.folded
    if len(body) > READ_CHARS:
        return {body}
    return {part for part in SENTENCES[body] if len(part) >= SHORTEST_SAME}


def _sharers(says: set[str], holders: dict[str, tuple[int, ...]]) -> list[int]:
    return sorted({at for sentence in says for at in holders.get(sentence, ())})


def _is_same(one: set[str], other: set[str]) -> bool:
    shared = sum(map(len, one & other))
    return bool(shared) and shared >= SAME_TEXT * max(sum(map(len, one)), sum(map(len, other)))


def _cut_off(rows: list[Scored]) -> list[Scored]:
    """Stop where both the score and the coverage have fallen."""
    if not rows:
        return []
    low = rows[0].score * LOW_SCORE
    for place, row in enumerate(rows):
        if place >= ALWAYS_KEPT and row.score < low and row.coverage < LOW_COVERAGE:
            return rows[:place]
    return rows


def _exploration_count(limit: int, shown: int, settings: FindSettings) -> int:
    """How many places are kept for sections outside the favourites."""
    if not settings.manual_find_exploration_enabled:
        return 0
    share = math.ceil(settings.manual_find_exploration_ratio * min(limit, shown))
    wanted = max(settings.manual_find_exploration_min_candidates, share)
    # The best answer is never given up for an exploration.
    return max(0, min(wanted, limit - 1))


def _exploration(
    shown: list[Scored], pool: list[Scored], wanted: int, settings: FindSettings
) -> list[Scored]:
    """The best sections of files that are not shown yet, then any others."""
    keys = {row.key for row in shown}
    paths = {row.path for row in shown}
    rest = [row for row in pool if row.key not in keys]
    rest.sort(key=lambda row: (row.path in paths, *row.order))
    found = rest[:wanted]
    for row in found:
        row.signals.add("exploration")
        scale = settings.manual_find_exploration_score_scale - 1
        row.add("exploration", row.score * scale)
    return found
