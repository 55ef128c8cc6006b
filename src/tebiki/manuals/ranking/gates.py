"""Gates: the same question without and with its required terms, and how their lists are fused.

Reciprocal ranks weighed by the score itself: plain ranks would forget how much better the best is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.manuals.ranking.settings import CONSTANTS as C
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from tebiki.manuals.index.values import Key
    from tebiki.manuals.ranking.headings import Scored
    from tebiki.manuals.ranking.settings import FindSettings
    from tebiki.manuals.ranking.terms import RequiredTerm

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


def passing(gates: list[Gate]) -> set[Key]:
    """Sections that have both terms, or where there is none, one of them."""
    most = max((len(gate.terms) for gate in gates if gate.rows), default=0)
    strict = [gate for gate in gates if gate.terms and len(gate.terms) == most]
    return {row.key for gate in strict for row in gate.rows}


def contributions(gates: list[Gate], keys: set[Key]) -> dict[Key, list[Contribution]]:
    """What each gate gave to some of the rows."""
    told: dict[Key, list[Contribution]] = {key: [] for key in keys}
    for gate in gates:
        for rank, row in enumerate(gate.rows, 1):
            gave = told.get(row.key)
            if gave is not None:
                gave.append(Contribution(gate.name, rank, gate.weight))
    return told


def _signals(gate: Gate) -> tuple[str, ...]:
    if len(gate.terms) > 1:
        return ("required_term_and", "required_terms_rrf", "gate_rrf")
    return ("required_term", "gate_rrf")
