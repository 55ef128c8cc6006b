"""Required terms: how they may be written, whether a section has them, what the guard says.

Pure functions over values; the index is asked for counts only.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from tebiki.manuals.folding import fold, tidy
from tebiki.manuals.index.values import Clause
from tebiki.manuals.ranking.planning import rarity
from tebiki.manuals.ranking.query import question_of
from tebiki.manuals.signs import is_japanese, is_kanji
from tebiki.manuals.tokenizer import runs_of, word_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tebiki.manuals.index.values import Postings, Stored

TOO_COMMON = 0.85
TOO_RARE = 0.02
FEWEST_SECTIONS = 20
"""In a smaller manual a common term says little, and is kept."""

MOST_VERIFIED = 100
"""Up to so many sections are read to count a term; of more, the index alone tells the number."""

WORTH_EXPONENT = 0.7
FINAL_KANA = "いみりきしえけせてめれげ"
INNER_KANA = "いみりきしえけせてめれげちびぎ"
"""What spells the ending of a verb, after a kanji at the end of a word and between two kanji."""


class RequiredTerm(NamedTuple):
    """A term: as asked for, folded, in its spellings, as a clause, with its matches and worth."""

    text: str
    folded: str
    spellings: tuple[str, ...]
    words: str
    clause: Clause
    sections: int
    ratio: float
    worth: float

    @property
    def reason(self) -> str | None:
        """What the guard says: too_common, too_rare or nothing."""
        if self.ratio > TOO_COMMON:
            return "too_common"
        return "too_rare" if 0 < self.ratio < TOO_RARE else None

    @property
    def is_plain(self) -> bool:
        """Tell whether the index alone can count it: one run, looked for in one way."""
        runs = self.clause.runs
        return len(runs) <= 1 and (not self.words or all(len(run) == 1 for run in runs))

    def occurs_in(self, stored: Stored) -> bool:
        """Tell whether a section has the term: in its text, its headings or its path.

        A term of words is none of the letters inside another word; Japanese has no such borders.
        """
        for one in (stored.body, stored.head):
            if self.words and self.words in one.words:
                return True
            for spelling in self.spellings:
                if spelling in one.folded and (not self.words or self._stands_in(one.folded)):
                    return True
        return False

    def _stands_in(self, folded: str) -> bool:
        return re.search(rf"(?<![a-z0-9]){re.escape(self.folded)}(?![a-z0-9])", folded) is not None


def normalised(texts: Iterable[str]) -> tuple[str, ...]:
    """Terms as they are used: tidied, the second of two that fold alike left out."""
    kept: dict[str, str] = {}
    for text in texts:
        if shown := tidy(text):
            kept.setdefault(fold(text), shown)
    return tuple(kept.values())


def required_term(text: str, postings: Postings) -> RequiredTerm:
    """Look a term up in a manual."""
    folded = fold(text)
    spellings = variants(folded)
    clause = _clause(tidy(text))
    tokens = [token for unit in question_of(text).units for token in unit.grams + unit.words]
    worth = sum(rarity(postings, token) for token in tokens)
    term = RequiredTerm(
        text,
        folded,
        spellings,
        _words(tidy(text)),
        clause,
        0,
        0.0,
        worth / max(1, len(tokens)) ** WORTH_EXPONENT,
    )
    sections = sections_with((term,), postings)
    ratio = sections / postings.sections if postings.sections else 0.0
    return term._replace(sections=sections, ratio=ratio)


def sections_with(terms: tuple[RequiredTerm, ...], postings: Postings) -> int:
    """How many sections of the manual have all of some terms.

    Counted by the index, and read where the index cannot be sure and they are not too many.
    """
    clauses = tuple(term.clause for term in terms)
    counted = postings.count(*clauses)
    if counted > MOST_VERIFIED or all(term.is_plain for term in terms):
        return counted
    found = postings.best({}, MOST_VERIFIED, must=clauses)
    return sum(all(term.occurs_in(stored) for term in terms) for stored in found)


def variants(folded: str) -> tuple[str, ...]:
    """A term and its light variants: without the kana that spell a verb's ending."""
    found = [folded]
    for one in (folded, _without_inner_kana(folded)):
        found.extend([one, _without_final_kana(one)])
    return tuple(dict.fromkeys(one for one in found if len(one) > 1 or one == folded))


def _without_inner_kana(folded: str) -> str:
    kept = [
        sign
        for before, sign, after in zip(f" {folded}", folded, f"{folded[1:]} ", strict=False)
        if sign not in INNER_KANA or not (is_kanji(before) and is_kanji(after))
    ]
    return "".join(kept)


def _without_final_kana(folded: str) -> str:
    has_one = folded[-1:] in FINAL_KANA and is_kanji(folded[-2:-1])
    return folded[:-1] if has_one else folded


def _clause(tidied: str) -> Clause:
    """What the index can check of a term; the text has the last word."""
    runs: list[tuple[tuple[str, ...], ...]] = []
    runs_in_it = [match.group() for match in runs_of(tidied)]
    for run in runs_in_it:
        if is_japanese(run[0]):
            spelled = tuple(grams for one in variants(run) if (grams := _bigrams(one)))
            if spelled:
                runs.append(spelled)
        else:
            tokens = word_tokens(run)
            whole = tuple(tokens[:-1])
            runs.append(((tokens[-1],), whole) if len(whole) > 1 else ((tokens[-1],),))
    if runs:
        return Clause(tuple(runs))
    return Clause((), runs_in_it[0] if runs_in_it else "")


def _bigrams(run: str) -> tuple[str, ...]:
    return tuple(one + other for one, other in pairwise(run))


def _words(tidied: str) -> str:
    """Tokens by which the inflected forms of a term of words are found; empty for others."""
    if any(map(is_japanese, tidied)):
        return ""
    tokens = [token for run in runs_of(tidied) for token in word_tokens(run.group())]
    return f" {' '.join(tokens)} " if tokens else ""
