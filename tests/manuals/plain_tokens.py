"""Folding and tokens spelt out step by step: slow, short, and what the quick ones must equal."""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

from tebiki.manuals.folding import SAME
from tebiki.manuals.signs import JAPANESE, KANJI, KATAKANA
from tebiki.manuals.tokenizer import GAP, WORD, word_tokens

SPACES_INSIDE_JAPANESE = re.compile(rf"(?<=[{JAPANESE}\u3001\u3002]) (?=[{JAPANESE}])")
COUNTED = re.compile(rf"([{KANJI}]?)([0-9][0-9,.]*[0-9]|[0-9])([{KANJI}{KATAKANA}]?)")


def tidy_question(text: str) -> str:
    """Normal form, one spelling, no marks on Latin letters, single spaces."""
    text = unicodedata.normalize("NFKC", text).translate(SAME)
    text = re.sub("[\u00c0-\u024f\u1e00-\u1eff]", _without_marks, text)
    return re.sub(r"\s+", " ", text).strip()


def tidy(text: str) -> str:
    """And no spaces inside Japanese."""
    return SPACES_INSIDE_JAPANESE.sub("", tidy_question(text))


def lower(tidied: str) -> str:
    """Without case."""
    folded = tidied.casefold()
    if unicodedata.is_normalized("NFKC", folded):
        return folded
    return tidy(unicodedata.normalize("NFKC", folded).casefold())


def words(text: str) -> str:
    """Tokens beside the bigrams, between spaces."""
    tidied = tidy(text)
    found: list[str] = []
    for run in re.findall(rf"{WORD}+(?:[-_.&+']{WORD}+)*", tidied):
        found.extend(word_tokens(run))
    katakana = [run.rstrip("ー") for run in re.findall(rf"[{KATAKANA}]{{2,}}", tidied)]
    for place, word in enumerate(katakana):
        before = katakana[place - 1] if place else ""
        if len(before) == len(word) == 2 and before[1] == word[0]:
            found.append(GAP)
        found.append(word)
    found.extend(re.findall(rf"(?<![{KANJI}])[{KANJI}](?![{KANJI}])", tidied))
    for before, number, after in COUNTED.findall(tidied):
        plain = number.replace(",", "")
        if after:
            found.append(plain + after)
        if before:
            found.append(before + plain)
        if before and after:
            found.append(before + plain + after)
    return f" {' '.join(found)} "


def bigrams(folded: str) -> list[str]:
    """Every pair of neighbours in Japanese."""
    runs = re.findall(rf"[{JAPANESE}]{{2,}}", folded)
    return [first + second for run in runs for first, second in pairwise(run)]


def spaced_bigrams(folded: str) -> str:
    """The same, with a gap between any two runs."""
    runs = re.findall(rf"[{JAPANESE}]{{2,}}", folded)
    pairs = (" ".join(first + second for first, second in pairwise(run)) for run in runs)
    return f" {GAP} ".join(pairs)


def _without_marks(match: re.Match[str]) -> str:
    return unicodedata.normalize("NFD", match.group())[0]
