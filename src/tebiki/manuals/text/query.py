"""A question as units: what it names, in order, each with the tokens that find it.

Pure functions over text. How much a unit is worth in a manual is told in `ranking.plan`.
"""

from __future__ import annotations

import re
from itertools import pairwise

from tebiki.manuals.text.characters import (
    HIRAGANA,
    KATAKANA,
    is_hiragana,
    is_japanese,
    is_kanji,
    is_katakana,
)
from tebiki.manuals.text.folding import fold, lower, tidy_question
from tebiki.manuals.text.function_words import ENGLISH, PARTICLES, QUESTIONS, without_endings
from tebiki.manuals.text.tokenizer import LONE_KANJI, bigrams, counted_tokens, runs_of, word_tokens
from tebiki.named_tuples import NamedTuple

PIECES = re.compile(rf"[{KATAKANA}]+|[{HIRAGANA}]+|[^{KATAKANA}{HIRAGANA}]+")
"""The scripts of a run of Japanese; what is no kana there is kanji."""

HIRAGANA_WEIGHT = 0.5
LONE_KANJI_WEIGHT = 0.5
SHORTEST_KANA = 2


class Unit(NamedTuple):
    """One thing a question names: how it is written (folded), its tokens, and its place.

    Units of the same `group` stood together without a gap: a compound.
    """

    surface: str
    grams: tuple[str, ...]
    words: tuple[str, ...]
    weight: float
    group: int


class Question(NamedTuple):
    """A question taken apart; `phrases` are its compounds as written."""

    folded: str
    units: tuple[Unit, ...]
    phrases: tuple[str, ...]


def question_of(text: str) -> Question:
    """Take a question apart."""
    units = units_of(text)
    return Question(fold(text), tuple(units), tuple(_phrases(units)))


def units_of(text: str) -> list[Unit]:
    """What a text names; its function words too if it has nothing else."""
    tidied = tidy_question(text)
    return _units(tidied, drop_function_words=True) or _units(tidied, drop_function_words=False)


def literally(text: str) -> Question:
    """A question as runs of letters, with nothing taken off: for when its words are not known."""
    units = [
        Unit(lower(run), tuple(dict.fromkeys(bigrams(run))), word_tokens(run), 1.0, place)
        if not is_japanese(run[0])
        else Unit(
            run, tuple(dict.fromkeys(bigrams(run))), tuple(LONE_KANJI().findall(run)), 1.0, place
        )
        for place, (_, run) in enumerate(runs_of(tidy_question(text)))
    ]
    return Question(fold(text), tuple(unit for unit in units if unit.grams or unit.words), ())


def _units(tidied: str, *, drop_function_words: bool) -> list[Unit]:
    units: list[Unit] = []
    group = 0
    end = -1
    previous = ""
    runs = list(runs_of(tidied))
    for at, (start, run) in enumerate(runs):
        if start != end:
            group += 1
        if is_japanese(run[0]):
            pieces = PIECES.findall(run)
            for place, piece in enumerate(pieces):
                after = pieces[place + 1][0] if place + 1 < len(pieces) else ""
                unit = _japanese(piece, after, group, drop=drop_function_words)
                if is_hiragana(piece[0]):
                    group += 1
                if unit is not None:
                    units.append(unit)
        elif not (drop_function_words and _is_grammar(runs, at, tidied)):
            after = tidied[start + len(run) : start + len(run) + 1]
            units.append(_word(run, previous, after, group))
        end = start + len(run)
        previous = run[-1]
    return units


def _is_grammar(runs: list[tuple[int, str]], place: int, tidied: str) -> bool:
    """Tell a word of English grammar from a name that is spelt like one: `IT`, the A of `プランA`.

    A name has capitals where not all have, or stands in Japanese without an English word beside it.
    """
    _, run = runs[place]
    if lower(run) not in ENGLISH:
        return False
    if len(run) > 1 and run.isupper() and not tidied.isupper():
        return False
    beside = [runs[at][1][0] for at in (place - 1, place + 1) if 0 <= at < len(runs)]
    return not beside or any(not is_japanese(sign) and not sign.isdigit() for sign in beside)


def _word(run: str, before: str, after: str, group: int) -> Unit:
    folded = lower(run)
    words = list(word_tokens(run))
    if folded.isdigit():
        before = before if is_kanji(before) else ""
        after = after if is_kanji(after) else ""
        words.extend(counted_tokens(before, folded, after))
    return Unit(folded, (), tuple(words), 1.0, group)


def _japanese(piece: str, after: str, group: int, *, drop: bool) -> Unit | None:
    first = piece[0]
    weight = 1.0
    words: tuple[str, ...] = ()
    if is_hiragana(first):
        if drop:
            piece = max(without_endings(piece), key=len, default="").strip(PARTICLES)
        weight = HIRAGANA_WEIGHT
        if len(piece) < SHORTEST_KANA:
            return None
    elif drop and piece in QUESTIONS:
        return None
    elif len(piece) == 1:
        return _lone(piece, after, group)
    elif is_katakana(first):
        words = (piece.rstrip("ー"),)
    grams = tuple(dict.fromkeys(a + b for a, b in pairwise(piece)))
    return Unit(piece, grams, words, weight, group)


NOT_OKURIGANA = "はがをにでともの、"


def _lone(kanji: str, after: str, group: int) -> Unit:
    """A kanji by itself: with the sign after it, it is most of a verb or an adjective."""
    if is_hiragana(after) and after not in NOT_OKURIGANA:
        return Unit(kanji + after, (kanji + after,), (), LONE_KANJI_WEIGHT, group)
    return Unit(kanji, (), (kanji,), LONE_KANJI_WEIGHT, group)


def _phrases(units: list[Unit]) -> list[str]:
    """Compounds of several units, as written."""
    groups: dict[int, list[str]] = {}
    for unit in units:
        groups.setdefault(unit.group, []).append(unit.surface)
    return list(dict.fromkeys("".join(names) for names in groups.values() if len(names) > 1))
