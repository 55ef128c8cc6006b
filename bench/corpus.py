"""Manuals made up for measuring: Japanese and English prose whose words follow Zipf's law.

The same number of sections gives the same bytes and questions, in any process and any version of
Python: all chance comes from `Random.random`, the one sequence that Python promises to keep.
Nothing is measured here.
"""

from __future__ import annotations

import itertools
import os
import random
from bisect import bisect
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

T = TypeVar("T")

MANUAL_ID = "made-up"
SEED = 5
VOCABULARY = 30_000
"""Words of each language; the share of the n-th is 1 / n."""

LONG_AGO = 1_600_000_000
"""When every file was last changed: long settled, so that no index reads it twice."""

MOST_FILES = 1000
SECTIONS_PER_FILE = 20
FEWEST_SENTENCES, MOST_SENTENCES = 2, 6
ENGLISH_EVERY = 4
"""Of so many files one is in English."""

FILES_A_FOLDER = 100

FIRST_KANJI, KANJI = 0x4E00, 1800
KANJI_OF_A_WORD = (2, 2, 2, 3, 4)
FIRST_KATAKANA, KATAKANA = 0x30A2, 70
KATAKANA_WORDS = 0.2
"""The share of words that are written in katakana."""

SYLLABLES = [
    a + b for a in "bcdfghklmnprstvw" for b in ("a", "e", "i", "o", "u", "en", "or", "ist")
]
PATTERNS = (
    ("{}の{}は{}を{}する。", 4),
    ("{}では、{}が{}に{}される場合がある。", 4),
    ("{}を{}するには、{}と{}を確認してください。", 4),
    ("なお、{}の{}については{}を参照。", 3),
)
ENGLISH_PATTERNS = (
    ("The {} of a {} is used to {} the {}.", 4),
    ("When {} {} fails, {} the {} and try {} again.", 5),
    ("Every {} has a {} that {} before the {}.", 4),
)
QUESTIONS = ("{}の{}を{}するには?", "{}と{}の{}はどうなるか", "{}で{}が{}されるのはなぜですか")
ENGLISH_QUESTIONS = ("How does the {} {} the {}?", "What is the {} of a {} in {}?")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question to a manual, and the words an answer must have."""

    query: str
    terms: tuple[str, ...]


class Dice:
    """Chance that falls alike everywhere."""

    def __init__(self, seed: int) -> None:
        self.share = random.Random(seed).random  # noqa: S311 -- made-up text, and the same each time

    def one_of(self, choices: Sequence[T]) -> T:
        """Any of them, each as likely as the others."""
        return choices[int(self.share() * len(choices))]

    def number(self, least: int, most: int) -> int:
        """Any whole number from the least to the most."""
        return least + int(self.share() * (most - least + 1))


class Words:
    """A language's words; drawn more often the earlier they stand."""

    def __init__(self, words: list[str]) -> None:
        self._words = words
        self._weights = list(itertools.accumulate(1 / rank for rank in range(1, len(words) + 1)))

    def drawn(self, dice: Dice, count: int) -> list[str]:
        """Draw words, each as often as its rank says."""
        words, weights, share, last = self._words, self._weights, dice.share, len(self._words) - 1
        return [words[bisect(weights, share() * weights[-1], 0, last)] for _ in range(count)]

    def filled(self, dice: Dice, pattern: str, count: int) -> str:
        """Fill a pattern with words."""
        return pattern.format(*self.drawn(dice, count))


@dataclass(frozen=True, slots=True)
class Corpus:
    """A manual of so many sections; unless told, in few files when there are very many sections."""

    sections: int
    most_files: int = MOST_FILES
    sections_per_file: int = SECTIONS_PER_FILE
    english_every: int = ENGLISH_EVERY
    """0: none."""

    @property
    def files(self) -> int:
        """How many files there are."""
        return max(1, min(self.most_files, self.sections // self.sections_per_file))

    def write(self, root: Path) -> int:
        """Write the manual below a root; gives its size in bytes."""
        size = 0
        for path, content in self.contents():
            where = root / MANUAL_ID / path
            where.parent.mkdir(parents=True, exist_ok=True)
            size += where.write_bytes(content)
            os.utime(where, (LONG_AGO, LONG_AGO))
        return size

    def contents(self) -> Iterator[tuple[str, bytes]]:
        """Every file, its path within the manual first; made one after the other."""
        dice = Dice(SEED)
        languages = _languages(dice)
        for number in range(self.files):
            count = len(range(number, self.sections, self.files))
            is_english = self.english_every > 0 and number % self.english_every == 0
            text = "".join(_sections(dice, languages[is_english], count, is_english=is_english))
            yield self.path(number), text.encode()

    def path(self, number: int) -> str:
        """Where a file stands within the manual."""
        return f"{number // FILES_A_FOLDER:03}/{number:06}.md"


def questions(count: int) -> list[Asked]:
    """Make questions in the words of the manuals; one in four is English."""
    languages = _languages(Dice(SEED))
    dice = Dice(SEED + 1)
    return [_asked(dice, languages, is_english=not n % ENGLISH_EVERY) for n in range(count)]


def _asked(dice: Dice, languages: tuple[Words, Words], *, is_english: bool) -> Asked:
    words = languages[is_english].drawn(dice, 3)
    query = dice.one_of(ENGLISH_QUESTIONS if is_english else QUESTIONS).format(*words)
    return Asked(query, tuple(dict.fromkeys(words[: dice.number(1, 2)])))


def _languages(dice: Dice) -> tuple[Words, Words]:
    """Japanese, then English."""
    return Words(_japanese(dice)), Words(_english(dice))


def _japanese(dice: Dice) -> list[str]:
    kanji = Words([chr(FIRST_KANJI + 11 * place) for place in range(KANJI)])
    kana = [chr(FIRST_KATAKANA + place) for place in range(KATAKANA)]
    # A dict, because the order of a set is no promise.
    found: dict[str, None] = {}
    while len(found) < VOCABULARY:
        if dice.share() < KATAKANA_WORDS:
            word = [dice.one_of(kana) for _ in range(dice.number(3, 6))]
        else:
            word = kanji.drawn(dice, dice.one_of(KANJI_OF_A_WORD))
        found["".join(word)] = None
    return list(found)


def _english(dice: Dice) -> list[str]:
    found: dict[str, None] = {}
    while len(found) < VOCABULARY:
        found["".join(dice.one_of(SYLLABLES) for _ in range(dice.number(2, 4)))] = None
    return list(found)


def _sections(dice: Dice, words: Words, count: int, *, is_english: bool) -> Iterator[str]:
    """A file's sections: one heading of the first level, then second and third ones."""
    patterns = ENGLISH_PATTERNS if is_english else PATTERNS
    between = " " if is_english else ""
    for place in range(count):
        level = 1 if not place else 2 + place % 3 // 2
        heading = (" " if is_english else "の").join(words.drawn(dice, 2))
        sentences = dice.number(FEWEST_SENTENCES, MOST_SENTENCES)
        said = [words.filled(dice, *dice.one_of(patterns)) for _ in range(sentences)]
        yield f"{'#' * level} {heading}\n\n{between.join(said)}\n\n"
