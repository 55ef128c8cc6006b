"""Contradictions for measuring: sentences of real manuals, said again elsewhere and otherwise.

A sentence that stands once in a manual is repeated in another file with another number, or denied,
below the same heading, another one, or one in other words. How it is denied and how numbers look is
told here on its own terms: a search must find them without knowing these rules. The same manual
gives the same plants everywhere. Nothing is measured here.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.corpus import Dice

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

SEED = 18
KINDS = ("number", "denial")
HEADINGS = ("same", "another", "reworded")
PLACES = ("alone", "below a title", "appended")
"""A file with this heading alone, one with a title of its own above it, and the end of a file."""

SHORTEST, LONGEST = 24, 200
ASKED_SHARE = 0.55
FEWEST_ASKED = 3
FOLDER = "planted"

HEADING = re.compile(r"^(#{1,6})\s+(\S.*?)\s*#*$")
FENCE = re.compile(r"^\s*(?:```|~~~)")
SENTENCE = re.compile(r"[^。]+。|\S.*?[^\s.]{2}\.(?=\s|$)")
MARK = re.compile(r"^[\s*+-]+|^[0-9]+\. ")
ODD = re.compile(r"[|<>{}=\\]|https?:|\]\(|^\s|^!|\[[ x]?\]")
"""What is no plain prose: tables, markup, code, links."""

JAPANESE = re.compile(r"[\u3041-\u30ff\u4e00-\u9fff]")
WORDS = re.compile(r"[\u30a1-\u30fc]{2,}|[\u4e00-\u9fff]{2,}|[A-Za-z][A-Za-z0-9_.-]*[A-Za-z0-9]")

NUMBER = re.compile(
    r"(?<![A-Za-z0-9.,_:/第-])([1-9][0-9]{0,3})"
    r"(?=[ *]*(?:日|時間|分|秒|回|個|人|名|年間|か月|件|枚|歳|台|度|倍|%|円|種類|つ|ページ|文字)"
    r"| (?:days?|hours?|minutes?|seconds?|times|people|years|months|percent|bytes|characters"
    r"|pixels|values|items|digits|files|arguments|parameters|members|students|miles|meters|games)\b)"
)
KANJI_DIGITS = "〇一二三四五六七八九"
KANJI_SCALES = ("", "十", "百", "千")

DENIALS_IN_JAPANESE = (
    (r"必要はありません。$", "必要があります。"),
    (r"必要です。$", "不要です。"),
    (r"必要があります。$", "必要はありません。"),
    (r"可能です。$", "できません。"),
    (r"(?:ことが)?できます。$", "ことはできません。"),
    (r"対象です。$", "対象外です。"),
    (r"できません。$", "できます。"),
    (r"されます。$", "されません。"),
    (r"されません。$", "されます。"),
    (r"します。$", "しません。"),
    (r"であった。$", "ではなかった。"),
    (r"ている。$", "ていない。"),
    (r"(?<=[あえいれき])ます。$", "ません。"),
    (r"です。$", "ではありません。"),
    (r"である。$", "ではない。"),
    (r"した。$", "しなかった。"),
    (r"される。$", "されない。"),
    (r"する。$", "しない。"),
)
DENIALS = (
    (r"\bis not allowed\b", "is allowed"),
    (r"\bare not allowed\b", "are allowed"),
    (r"\bis allowed\b", "is prohibited"),
    (r"\bare allowed\b", "are forbidden"),
    (r"\bis required\b", "is optional"),
    (r"\bare required\b", "are unnecessary"),
    (r"\bis supported\b", "is unsupported"),
    (r"\bis possible\b", "is impossible"),
    (r"\bmust not\b", "must"),
    (r"\bcannot\b", "can"),
    (r"\bdoes not (\w+)\b", r"does \1"),
    (r"\bis not\b", "is"),
    (r"\bare not\b", "are"),
    (r"\bcan\b", "cannot"),
    (r"\bmust\b", "must not"),
    (r"\bis\b", "is not"),
    (r"\bare\b", "are not"),
    (r"\bwas\b", "was not"),
    (r"\bwere\b", "were not"),
)
"""How a sentence is denied, the first that fits: in form, or by a word that says the opposite."""

ASIDE = re.compile(
    r"ただし|なお、|除|以外|限り|except|unless|other than|\bif\b|\bonly\b|however|\bbut\b"
)
"""Sentences that narrow a rule are no plain statements, and are not planted."""


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence of a manual, and where it stands."""

    text: str
    path: str
    title: str

    @property
    def is_japanese(self) -> bool:
        """Tell the language."""
        return JAPANESE.search(self.text) is not None


@dataclass(frozen=True, slots=True)
class Plant:
    """A contradiction: what is said, what is said against it and where, and how it is asked for."""

    said: Said
    kind: str
    heading: str
    place: str
    against: str
    title: str
    path: str
    query: str

    def write(self, manual: Path) -> None:
        """Put it into a copy of the manual."""
        file = manual / self.path
        file.parent.mkdir(parents=True, exist_ok=True)
        above = f"# {'補足' if self.said.is_japanese else 'Supplement'}\n\n"
        before = file.read_text() if file.exists() else ""
        before = above if self.place == "below a title" else before and before + "\n"
        level = "#" if self.place == "alone" else "##"
        file.write_text(f"{before}{level} {self.title}\n\n{self.against}\n")


def plants_in(manual: Path, most: int, seed: int = SEED) -> list[Plant]:
    """Contradictions for a manual: every kind, heading and place in turn."""
    dice = Dice(seed)
    said = _said_once(manual)
    titles = sorted({one.title for one in said})
    paths = sorted({one.path for one in said})
    found: list[Plant] = []
    for kind in KINDS:
        fitting = [one for one in said if _against(one, kind, dice) is not None]
        for turn, one in enumerate(_some(fitting, most // 2, dice)):
            heading = HEADINGS[turn % 3]
            place = PLACES[turn // 3 % 3]
            others = [path for path in paths if path != one.path]
            path = f"{FOLDER}/{kind}-{turn}.md"
            path = dice.one_of(others) if place == "appended" and others else path
            against = _against(one, kind, dice) or ""
            title = _title(one, heading, titles, dice)
            query = one.text if turn % 2 else _part_of(one.text, dice)
            found.append(Plant(one, kind, heading, place, against, title, path, query))
    return found


def _said_once(manual: Path) -> list[Said]:
    """Plain sentences that stand in a manual once."""
    every: dict[str, list[Said]] = {}
    for file in sorted(manual.rglob("*.md")):
        for one in _sentences(file, file.relative_to(manual).as_posix()):
            every.setdefault(one.text, []).append(one)
    return [places[0] for places in every.values() if len(places) == 1]


def _sentences(file: Path, path: str) -> Iterator[Said]:
    title = ""
    is_code = False
    for line in file.read_text().splitlines():
        if FENCE.match(line):
            is_code = not is_code
        elif is_code:
            continue
        elif heading := HEADING.match(line):
            title = heading[2]
        elif title and not ODD.search(line):
            for part in SENTENCE.findall(line):
                text = MARK.sub("", part)
                if SHORTEST <= len(text) <= LONGEST and not ASIDE.search(text.lower()):
                    yield Said(text, path, title)


def _against(said: Said, kind: str, dice: Dice) -> str | None:
    """What contradicts a sentence; nothing where that cannot be said plainly."""
    if kind == "number":
        numbers = list(NUMBER.finditer(said.text))
        if len(numbers) != 1:
            return None
        start, end = numbers[0].span()
        other = int(numbers[0][1]) * 2 + 1
        in_kanji = said.is_japanese and said.text[end] != "%" and dice.share() < 1 / 3
        number = kanji_number(other) if in_kanji else str(other)
        return said.text[:start] + number + said.text[end:]
    for pattern, denied in DENIALS_IN_JAPANESE if said.is_japanese else DENIALS:
        against, count = re.subn(pattern, denied, said.text, count=1)
        if count:
            return against
    return None


def kanji_number(number: int) -> str:
    """A number below ten thousand as it is written in kanji."""
    found = ""
    for digit, scale in zip(reversed(str(number)), KANJI_SCALES, strict=False):
        if digit != "0":
            found = ("" if digit == "1" and scale else KANJI_DIGITS[int(digit)]) + scale + found
    return found


def _title(said: Said, heading: str, titles: Sequence[str], dice: Dice) -> str:
    """A heading for what is planted: the same, any other one, or one that shares a word."""
    if heading == "same":
        return said.title
    if heading == "another":
        return dice.one_of([title for title in titles if title != said.title])
    if JAPANESE.search(said.title):
        _, _, last = said.title.rpartition("の")
        return dice.one_of([f"改訂版の{last}", f"{said.title}について", f"{said.title}の補足"])
    last = said.title.split()[-1]
    return dice.one_of([f"Revised {last}", f"About {said.title}", f"{said.title} in detail"])


def _part_of(text: str, dice: Dice) -> str:
    """Somewhat more than half of a sentence's words, in their order."""
    words = WORDS.findall(text)
    drawn = sorted((dice.share(), place) for place in range(len(words)))
    kept = sorted(place for _, place in drawn[: math.ceil(ASKED_SHARE * len(words))])
    return " ".join(words[place] for place in kept) if len(kept) >= FEWEST_ASKED else text


def _some(said: Sequence[Said], most: int, dice: Dice) -> list[Said]:
    keyed = sorted((dice.share(), place) for place in range(len(said)))
    return [said[place] for _, place in keyed[:most]]
