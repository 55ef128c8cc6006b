"""How much of a document an import kept: 4-grams, headings, cells of tables; pure functions."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass

GRAM = 4
MARKS = re.compile(r"<!-- (?:page|slide) \d+ -->|^---$|^\|[ |:-]+\|$", re.MULTILINE)
FRONT = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
NOT_TEXT = re.compile(r"[\s#|*\\`>_-]+")


@dataclass(frozen=True)
class Score:
    """Of one document; a share is None where there is nothing to find."""

    recall: float
    precision: float
    headings: float | None
    cells: float | None


def score(expected: str, found: str) -> Score:
    """Compare what an import gave with what it should have given."""
    found = FRONT.sub("", found)
    wanted_grams, found_grams = grams(expected), grams(found)
    same = sum((wanted_grams & found_grams).values())
    return Score(
        same / max(1, sum(wanted_grams.values())),
        same / max(1, sum(found_grams.values())),
        share(headings(expected), headings(found)),
        share(cells(expected), cells(found)),
    )


def grams(markdown: str) -> Counter[str]:
    """Every four characters that follow each other, spaces and marks left out."""
    text = NOT_TEXT.sub("", unicodedata.normalize("NFKC", MARKS.sub("", markdown)))
    return Counter(text[at : at + GRAM] for at in range(len(text) - GRAM + 1))


def headings(markdown: str) -> list[str]:
    """Headings, however they are spaced."""
    return [squeezed(line) for line in markdown.split("\n") if re.match(r"#{1,6} ", line)]


def cells(markdown: str) -> list[str]:
    """Cells that say something, each with its row's first and its column's head beside it."""
    found: list[str] = []
    table: list[list[str]] = []
    for line in [*markdown.split("\n"), ""]:
        if line.startswith("|"):
            if not re.fullmatch(r"\|[ |:-]+\|", line):
                table.append([squeezed(one) for one in re.split(r"(?<!\\)\|", line)[1:-1]])
            continue
        for row in table:
            for column, text in enumerate(row):
                head = table[0][column] if column < len(table[0]) else ""
                if text:
                    found.append(f"{head}|{row[0]}|{text}")
        table = []
    return found


def share(wanted: list[str], found: list[str]) -> float | None:
    """How many of the wanted ones were found."""
    if not wanted:
        return None
    return sum((Counter(wanted) & Counter(found)).values()) / len(wanted)


def squeezed(text: str) -> str:
    """Text without spaces and marks."""
    return NOT_TEXT.sub("", unicodedata.normalize("NFKC", text))
