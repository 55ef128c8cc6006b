"""Manuals made up for measuring: Japanese and English prose whose words follow Zipf's law.

The same number of sections gives the same files and questions, everywhere and at any time. Nothing
is measured here.
"""

from __future__ import annotations

import itertools
import os
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MANUAL_ID = "made-up"
SEED = 5
VOCABULARY = 30_000
"""Words of each language; the share of the n-th is 1 / n."""

LONG_AGO = 1_600_000_000
"""When every file was last changed: long settled, so that no index reads it twice."""

MOST_FILES = 1000
SECTIONS_PER_FILE = 20
SENTENCES = (2, 6)
ENGLISH_EVERY = 4
"""Of so many files one is in English."""

FIRST_KANJI, KANJI = 0x4E00, 1800
FIRST_KATAKANA, KATAKANA = 0x30A2, 70
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


class Words:
    """A language's words; drawn more often the earlier they stand."""

    def __init__(self, words: list[str]) -> None:
        self._words = words
        self._weights = list(itertools.accumulate(1 / rank for rank in range(1, len(words) + 1)))

    def drawn(self, dice: random.Random, count: int) -> list[str]:
        """Draw words, each as often as its rank says."""
        return dice.choices(self._words, cum_weights=self._weights, k=count)

    def filled(self, dice: random.Random, pattern: str, count: int) -> str:
        """Fill a pattern with words."""
        return pattern.format(*self.drawn(dice, count))


@dataclass(frozen=True, slots=True)
class Corpus:
    """A manual of so many sections, in few files when there are very many sections."""

    sections: int

    @property
    def files(self) -> int:
        """How many files there are."""
        return max(1, min(MOST_FILES, self.sections // SECTIONS_PER_FILE))

    def write(self, root: Path) -> int:
        """Write the manual below a root; gives its size in bytes."""
        dice = random.Random(SEED)  # noqa: S311 -- made-up text, and the same each time
        languages = _languages(dice)
        size = 0
        for number in range(self.files):
            count = len(range(number, self.sections, self.files))
            is_english = number % ENGLISH_EVERY == 0
            text = "".join(_sections(dice, languages[is_english], count, is_english=is_english))
            where = root / MANUAL_ID / f"{number % 10}" / f"{number:04}.md"
            where.parent.mkdir(parents=True, exist_ok=True)
            size += where.write_bytes(text.encode())
            os.utime(where, (LONG_AGO, LONG_AGO))
        return size


def questions(count: int) -> list[Asked]:
    """Make questions in the words of the manuals; one in four is English."""
    languages = _languages(random.Random(SEED))  # noqa: S311 -- as above
    dice = random.Random(SEED + 1)  # noqa: S311 -- as above
    return [_asked(dice, languages, is_english=not n % ENGLISH_EVERY) for n in range(count)]


def _asked(dice: random.Random, languages: tuple[Words, Words], *, is_english: bool) -> Asked:
    words = languages[is_english].drawn(dice, 3)
    query = dice.choice(ENGLISH_QUESTIONS if is_english else QUESTIONS).format(*words)
    return Asked(query, tuple(dict.fromkeys(words[: dice.randint(1, 2)])))


def _languages(dice: random.Random) -> tuple[Words, Words]:
    """Japanese, then English."""
    return Words(_japanese(dice)), Words(_english(dice))


def _japanese(dice: random.Random) -> list[str]:
    kanji = Words([chr(FIRST_KANJI + 11 * place) for place in range(KANJI)])
    kana = [chr(FIRST_KATAKANA + place) for place in range(KATAKANA)]
    found: dict[str, None] = {}
    while len(found) < VOCABULARY:
        if dice.random() < 0.2:  # noqa: PLR2004 -- one word in five is written in katakana
            found["".join(dice.choices(kana, k=dice.randint(3, 6)))] = None
        else:
            found["".join(kanji.drawn(dice, dice.choice((2, 2, 2, 3, 4))))] = None
    return list(found)


def _english(dice: random.Random) -> list[str]:
    found: dict[str, None] = {}
    while len(found) < VOCABULARY:
        found["".join(dice.choices(SYLLABLES, k=dice.randint(2, 4)))] = None
    return list(found)


def _sections(dice: random.Random, words: Words, count: int, *, is_english: bool) -> Iterator[str]:
    """A file's sections: one heading of the first level, then second and third ones."""
    patterns = ENGLISH_PATTERNS if is_english else PATTERNS
    for place in range(count):
        level = 1 if not place else 2 + place % 3 // 2
        heading = (" " if is_english else "の").join(words.drawn(dice, 2))
        said = [words.filled(dice, *dice.choice(patterns)) for _ in range(dice.randint(*SENTENCES))]
        yield f"{'#' * level} {heading}\n\n{' '.join(said) if is_english else ''.join(said)}\n\n"
