"""Required terms: how they may be written, whether a section has them, what the guard says.

Pure functions over values; the index is asked for counts only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tebiki.manuals.folding import JAPANESE, fold, tidy
from tebiki.manuals.index.values import Clause
from tebiki.manuals.ranking.planning import rarity
from tebiki.manuals.ranking.query import question_of
from tebiki.manuals.tokenizer import KANJI, RUNS, bigrams, word_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tebiki.manuals.index.values import Postings, Stored

TOO_COMMON = 0.85
TOO_RARE = 0.02
FEWEST_SECTIONS = 20
"""In a smaller manual a common term says little, and is kept."""

WORTH_EXPONENT = 0.7
FINAL_KANA = re.compile(rf"(?<=[{KANJI}])[いみりきしえけせてめれげ]$")
INNER_KANA = re.compile(rf"(?<=[{KANJI}])[いみりきしえけせてめれげちびぎ](?=[{KANJI}])")
IS_JAPANESE = re.compile(rf"[{JAPANESE}]")


@dataclass(frozen=True, slots=True)
class RequiredTerm:
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

    def occurs_in(self, stored: Stored) -> bool:
        """Tell whether a section has the term: in its text, its headings or its path."""
        fields = (stored.body, stored.title, stored.trail, stored.place)
        if any(spelling in one.folded for spelling in self.spellings for one in fields):
            return True
        return bool(self.words) and any(self.words in one.words for one in fields)


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
    sections = postings.count(clause)
    tokens = [token for unit in question_of(text).units for token in unit.grams + unit.words]
    worth = sum(rarity(postings, token) for token in tokens)
    return RequiredTerm(
        text,
        folded,
        spellings,
        _words(tidy(text)),
        clause,
        sections,
        sections / postings.sections if postings.sections else 0.0,
        worth / max(1, len(tokens)) ** WORTH_EXPONENT,
    )


def variants(folded: str) -> tuple[str, ...]:
    """A term and its light variants: without the kana that spell a verb's ending."""
    found = [folded]
    without_inner = INNER_KANA.sub("", folded)
    for one in (folded, without_inner):
        found.extend([one, FINAL_KANA.sub("", one)])
    return tuple(dict.fromkeys(one for one in found if len(one) > 1 or one == folded))


def _clause(tidied: str) -> Clause:
    """What the index can check of a term; the text has the last word."""
    runs: list[tuple[tuple[str, ...], ...]] = []
    for run in RUNS.findall(tidied):
        if IS_JAPANESE.match(run):
            spelled = tuple(tuple(grams) for one in variants(run) if (grams := bigrams(one)))
            if spelled:
                runs.append(spelled)
        else:
            tokens = word_tokens(run)
            whole = tuple(tokens[:-1])
            runs.append(((tokens[-1],), whole) if len(whole) > 1 else ((tokens[-1],),))
    if runs:
        return Clause(tuple(runs))
    lone = RUNS.search(tidied)
    return Clause((), lone.group() if lone else "")


def _words(tidied: str) -> str:
    """Tokens by which the inflected forms of a term of words are found; empty for others."""
    if IS_JAPANESE.search(tidied):
        return ""
    tokens = [token for run in RUNS.findall(tidied) for token in word_tokens(run)]
    return f" {' '.join(tokens)} " if tokens else ""
