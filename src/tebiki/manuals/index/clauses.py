"""What a section must have, as the engine asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tantivy import Occur, Query

from tebiki.manuals.index.values import FIELDS
from tebiki.manuals.text.tokenizer import GAP

if TYPE_CHECKING:
    from tantivy import Schema

    from tebiki.manuals.index.values import Clause

MOST_CLAUSES = 64
SIGNS = "signs"
"""The field of what is no letter, in the text, the headings and the path."""


class Clauses:
    """Clauses by how the engine asks for them; one search counts with them, and asks again."""

    __slots__ = ("_known", "_schema")

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._known: dict[Clause, Query] = {}

    def asked(self, clause: Clause) -> Query:
        """Ask for a clause."""
        known = self._known.get(clause)
        if known is None:
            known = self._built(clause)
            if len(self._known) >= MOST_CLAUSES:
                self._known.clear()
            self._known[clause] = known
        return known

    def both(self, rare: Clause, common: Clause) -> Query:
        """Ask for two clauses, of which one is satisfied far more often.

        The engine cannot skip within alternatives: those of the common clause are taken out of it,
        and each is looked for only where the rare one is satisfied.
        """
        first = self.asked(rare)
        alternatives = [self.asked(common)]
        if len(common.runs) == 1 and not common.infix and not common.signs:
            alternatives = self._spellings(common.runs[0])
        together = [
            Query.boolean_query([(Occur.Must, first), (Occur.Must, one)]) for one in alternatives
        ]
        return Query.boolean_query([(Occur.Should, one) for one in together])

    def term(self, field: str, token: str) -> Query:
        """Ask for a token in a field."""
        return Query.term_query(self._schema, field, token, "freq")

    def _built(self, clause: Clause) -> Query:
        runs = [
            (Occur.Must, Query.boolean_query([(Occur.Should, one) for one in self._spellings(run)]))
            for run in clause.runs
        ]
        if clause.infix:
            # A sign by itself: its pairs, and what counts with it. A pattern that begins with any
            # number of signs would go through every token there is.
            pattern = f"{clause.infix}.?|.{clause.infix}|.?[0-9][0-9.]*{clause.infix}"
            anywhere = [
                (Occur.Should, Query.regex_query(self._schema, field, pattern)) for field in FIELDS
            ]
            runs.append((Occur.Must, Query.boolean_query(anywhere)))
        runs += [(Occur.Must, self._phrase(SIGNS, signs)) for signs in clause.signs]
        return Query.boolean_query(runs) if runs else Query.empty_query()

    def _spellings(self, run: tuple[tuple[str, ...], ...]) -> list[Query]:
        return [self._phrase(field, spelling) for spelling in run for field in FIELDS]

    def _phrase(self, field: str, spelling: tuple[str, ...]) -> Query:
        placed = [(place, token) for place, token in enumerate(spelling) if token != GAP]
        if len(placed) == 1:
            return self.term(field, placed[0][1])
        return Query.phrase_query(self._schema, field, list(placed))
