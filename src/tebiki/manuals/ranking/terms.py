"""Required terms: how they may be written, whether a section has them, what the guard says.

Pure functions over values; the index is asked for counts only.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from tebiki.manuals.index.values import Clause
from tebiki.manuals.ranking.plan import rarity
from tebiki.manuals.text.characters import is_japanese, is_kanji, is_katakana
from tebiki.manuals.text.folding import fold, lower, tidy
from tebiki.manuals.text.okurigana import variants
from tebiki.manuals.text.punctuation import wanted_signs
from tebiki.manuals.text.query import question_of
from tebiki.manuals.text.stemming import STEMS
from tebiki.manuals.text.tokenizer import NUMBERS, counted_tokens, runs_of, spelt_in
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from tebiki.manuals.index.values import Postings, Stored

TOO_COMMON = 0.85
TOO_RARE = 0.02
FEWEST_SECTIONS = 20
"""In a smaller manual a common term says little, and is kept."""

MOST_VERIFIED = 400
"""Up to so many sections are read to count a term; of more, the index alone tells the number."""

SHORTEST_INFLECTED = 4
WORTH_EXPONENT = 0.7


class Spelled(NamedTuple):
    """How a term is found: folded in its spellings, and as a clause of the index.

    `words` are the spellings of a term of plain words, as the tokens of a text have them, and
    `pattern` finds one of words with signs. `is_plain` tells whether the index can count it alone.
    """

    spellings: tuple[str, ...]
    words: tuple[str, ...]
    pattern: re.Pattern[str] | None
    clause: Clause
    is_plain: bool

    @property
    def is_exact(self) -> bool:
        """Tell whether the sections that satisfy the clause are those that have the term.

        By its signs the index finds a term to the letter, and by one sign what it pairs with.
        """
        return self.is_plain and not self.clause.infix and not self.clause.signs

    def occurs_in(self, stored: Stored) -> bool:
        """Tell whether a section has the term: in its text, its headings or its path.

        A term of words is none of the letters inside another word; Japanese has no such borders.
        """
        body, head = stored.body, stored.head
        if self.pattern is not None:
            return bool(self.pattern.search(body.folded) or self.pattern.search(head.folded))
        wanted = self.words or self.spellings
        here, above = (body.words, head.words) if self.words else (body.folded, head.folded)
        return any(spelling in here or spelling in above for spelling in wanted)


class RequiredTerm(NamedTuple):
    """A term as asked for and folded, how it is found, and what the manual makes of it."""

    text: str
    folded: str
    spelled: Spelled
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
        """Tell whether a section has the term."""
        return self.spelled.occurs_in(stored)


def look_up_term(text: str, postings: Postings) -> RequiredTerm:
    """Look a term up in a manual."""
    spelled = _spell_term(text)
    sections = sections_with((spelled,), postings)
    tokens = [token for unit in question_of(text).units for token in unit.grams + unit.words]
    worth = sum(rarity(postings, token) for token in tokens)
    return RequiredTerm(
        text=text,
        folded=fold(text),
        spelled=spelled,
        sections=sections,
        ratio=sections / postings.sections if postings.sections else 0.0,
        worth=worth / max(1, len(tokens)) ** WORTH_EXPONENT,
    )


def _spell_term(text: str) -> Spelled:
    folded, tidied = fold(text), tidy(text)
    has_japanese = any(map(is_japanese, tidied))
    signs = wanted_signs(folded)
    words = () if has_japanese or _has_signs(tidied) else _as_tokens(tidied)
    clause = _clause(tidied, words)._replace(signs=() if words else signs.phrases)
    if signs.is_all:
        clause = Clause((), signs=signs.phrases)
    return Spelled(
        spellings=variants(folded),
        words=words,
        pattern=None if has_japanese or words else _pattern(folded),
        clause=clause,
        is_plain=bool(words) or signs.is_all or _is_one_run(tidied),
    )


def sections_with(terms: tuple[Spelled, ...], postings: Postings) -> int:
    """How many sections of the manual have all of some terms.

    Counted by the index, and read where the index cannot be sure and they are not too many.
    """
    clauses = tuple(term.clause for term in terms)
    counted = postings.count(*clauses)
    if counted > MOST_VERIFIED or all(term.is_plain for term in terms):
        return counted
    found = postings.best({}, MOST_VERIFIED, must=clauses)
    return sum(all(term.occurs_in(stored) for term in terms) for stored in found)


def _clause(tidied: str, words: tuple[str, ...]) -> Clause:
    """What the index can check of a term; the text has the last word."""
    if words:
        return Clause((_phrases(words),))
    runs = [run for _, run in runs_of(tidied)]
    japanese = [_bigrams(run) for run in runs if is_japanese(run[0])]
    others = [_phrases(_as_tokens(run)) for run in runs if not is_japanese(run[0])]
    found = (*filter(None, japanese), *others, *_number_runs(tidied))
    if found:
        return Clause(found)
    return Clause((), runs[0] if runs else "")


def _is_one_run(tidied: str) -> bool:
    return [run for _, run in runs_of(tidied)] == [tidied]


def _has_signs(tidied: str) -> bool:
    """Tell whether there is anything beside words and the spaces between them."""
    return sum(len(run) for _, run in runs_of(tidied)) + tidied.count(" ") < len(tidied)


def _bigrams(run: str) -> tuple[tuple[str, ...], ...]:
    """A run of Japanese in its spellings, each as the bigrams it consists of."""
    spelled = (tuple(one + other for one, other in pairwise(text)) for text in variants(run))
    return tuple(filter(None, spelled))


def _number_runs(tidied: str) -> list[tuple[tuple[str, ...], ...]]:
    """Numbers with what they count."""
    found: list[tuple[tuple[str, ...], ...]] = []
    for match in NUMBERS.finditer(tidied):
        after = tidied[match.end() : match.end() + 1]
        if is_kanji(after) or is_katakana(after):
            found.append(tuple((token,) for token in counted_tokens("", match.group(), after)))
    return found


def _as_tokens(tidied: str) -> tuple[str, ...]:
    """How words stand among the tokens of a text: names by their parts, and in small letters."""
    spelled = dict.fromkeys(spelt_in(one) for one in (tidied, lower(tidied)))
    return tuple(f" {one} " for one in spelled if one)


def _phrases(spelled: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(spelling.split()) for spelling in spelled)


def _pattern(folded: str) -> re.Pattern[str]:
    """Words with signs, to the letter; a word between spaces may have another ending."""
    words = [_ending(word) for word in folded.split(" ")]
    before = r"(?<![a-z0-9])" if folded[:1].isalnum() else ""
    after = r"(?![a-z0-9])" if folded[-1:].isalnum() else ""
    return re.compile(before + " ".join(words) + after)


def _ending(word: str) -> str:
    if not (word.isascii() and word.isalpha() and len(word) >= SHORTEST_INFLECTED):
        return re.escape(word)
    stem = STEMS[word]
    kept = stem if word.startswith(stem) else stem[:-1]  # policy, polici
    return f"{kept}[a-z]{{0,3}}"
