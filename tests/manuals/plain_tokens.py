"""Folding and tokens spelt out step by step: slow, short, and what the quick ones must equal."""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

from tebiki.manuals.text.folding import JAPANESE, KANJI, KATAKANA, SAME
from tebiki.manuals.text.lines import SOFT
from tebiki.manuals.text.tokenizer import GAP, LONGEST_JOINED, STEMS, WORD, parts_of, word_tokens

SPACES_INSIDE_JAPANESE = re.compile(rf"(?<=[{JAPANESE}\u3001\u3002]) (?=[{JAPANESE}])")
RUNS = re.compile(rf"[{JAPANESE}]+|{WORD}+(?:[-_.&+']{WORD}+)*")
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
    found, joined = _names(tidied)
    found.extend(_katakana(tidied))
    found.extend(re.findall(rf"(?<![{KANJI}])[{KANJI}](?![{KANJI}])", tidied))
    for before, number, after in COUNTED.findall(tidied):
        plain = number.replace(",", "")
        if after:
            found.append(plain + after)
        if before:
            found.append(before + plain)
        if before and after:
            found.append(before + plain + after)
    return " ".join(["", *found, *joined, ""])


def _names(tidied: str) -> tuple[list[str], list[str]]:
    """Words and the parts of names, with gaps where something parts them; and the joined forms."""
    found: list[str] = []
    joined: list[str] = []
    end = len(tidied)
    for match in re.finditer(rf"{WORD}+(?:[-_.&+']{WORD}+)*", tidied):
        if found and re.search(rf"[{JAPANESE}]|[^{SOFT}]", tidied[end : match.start()]):
            found.append(GAP)
        parts = parts_of(re.sub("'[sS]$", "", match[0]))
        name = "".join(parts)
        says = [STEMS[one] if len(one) > 1 or one.isdigit() else f"{one}{GAP}" for one in parts]
        if len(parts) == 1:
            says = [word_tokens(match[0])[0]]
        elif len(name) <= LONGEST_JOINED:
            joined.extend([GAP, STEMS[name]])
        elif all(GAP in one for one in says):
            says = parts
        found.append(f" {GAP} ".join(says))
        end = match.end()
    if found and re.search(rf"[{JAPANESE}]|[^{SOFT}]", tidied[end:]):
        found.append(GAP)
    return found, joined


def _katakana(tidied: str) -> list[str]:
    """Words, with a gap between two that would look like one."""
    found: list[str] = []
    for run in re.findall(rf"[{KATAKANA}]{{2,}}", tidied):
        word = run.rstrip("ー")
        if not word:
            continue
        if found and len(found[-1]) == len(word) == 2 and found[-1][1] == word[0]:
            found.append(GAP)
        found.append(word)
    return found


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
