"""The numbers of a sentence with what they count, however written: 60日, 六十日, sixty days.

Kanji are a number only before a word that counts and not inside another word: 一部 and 唯一 are
none. Pure functions over folded text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.manuals.text.folding import Memo, is_kanji, lazy_pattern
from tebiki.manuals.text.query import ENGLISH
from tebiki.manuals.text.tokenizer import LONGEST_TEXT, MOST_TEXTS, STEMS
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from re import Match, Pattern

KANJI_DIGITS = {digit: value for value, digit in enumerate("〇一二三四五六七八九")}
TENS = {"十": 10, "百": 100, "千": 1000}
SCALES = {"万": 10**4, "億": 10**8, "兆": 10**12}

_SMALL = (
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
_TIES = "twenty thirty forty fifty sixty seventy eighty ninety"
NUMBER_WORDS = {word: value for value, word in enumerate(_SMALL.split(), 2)} | {
    word: 10 * value for value, word in enumerate(_TIES.split(), 2)
}
"""Without `one`, which is a pronoun as well."""

MONTHS = "[かヶカケ箇]月"
COUNTERS = (
    rf"{MONTHS}|[かヶカケ箇]所|営業日|文字|日|年|月|時間|(?<=[二三四五六七八九十])時(?![点代期])|週|分|秒|回|個|人|名|件|枚|歳|才|台|度|倍|円|つ"
    "|割|冊|本|匹|階|点|種|泊|通|社|校|桁|行|列|組|箱|席|室|票|ページ|パーセント|ドル|ユーロ|ポイント"
    "|メートル|平方|立方|キロ|グラム|リットル|バイト|%"
)
"""What numbers in kanji count."""

# Each begins with what it looks for, so that a search need not look back at every character.
DIGITS = (
    r"(?P<digits>[0-9](?<![a-z0-9.,_第].)(?<![a-z]-.)[0-9,]*(?:\.[0-9]+)?)"
    r"(?: ?(?P<scale>[万億兆千百]+))?"
    rf"(?:[ *]{{0,4}}(?P<unit>{MONTHS}|[つ\u4e00-\u9fff]|[\u30a1-\u30fc]+|[a-z]+|[%°]))?"
)
IN_KANJI = (
    r"(?P<kanji>[〇一二三四五六七八九十百千万億兆]"
    r"(?:(?<![\u4e00-\u9fff].)|(?<=[約月年日時分全計毎満各翌率].)|(?<=午[前後].))"
    r"[〇一二三四五六七八九十百千万億兆]{0,15})"
    # 十分 is most often the word that means enough.
    rf"(?!(?<=十)分(?![間以後前毎お]))(?P<counter>{COUNTERS})"
)
IN_WORDS = (
    rf"\b(?P<word>{'|'.join(NUMBER_WORDS)})(?:-(?P<more>{'|'.join(_SMALL.split()[:8])}))?"
    r" (?P<thing>[a-z]+)"
)
_AMOUNT = lazy_pattern(f"{DIGITS}|{IN_KANJI}|{IN_WORDS}")
PLAIN_AMOUNT = lazy_pattern(
    r"(?P<digits>[0-9](?<![a-z0-9.,_].)(?<![a-z]-.)[0-9,]*(?:\.[0-9]+)?)"
    rf"(?:[ *]{{0,4}}(?P<unit>[a-z]+|%))?|{IN_WORDS}"
)
"""As above for text without any Japanese: the other takes milliseconds to compile."""

PERCENT = frozenset(["percent", "パーセント"])
PLAIN_DIGITS = frozenset("0123456789")
NUMERALS = PLAIN_DIGITS | frozenset([*KANJI_DIGITS, *TENS])
RANGES = ("~", "-")


class Amount(NamedTuple):
    """A number and the unit behind it, if any; `is_end` when it is one end of a range."""

    value: float
    unit: str
    is_end: bool


class Amounts(NamedTuple):
    """The numbers of a sentence in their order, and the sentence with a mark in place of each."""

    every: tuple[Amount, ...]
    rest: str

    def by_unit(self) -> dict[str, set[float]]:
        """The numbers of each unit; the ends of ranges are none."""
        found: dict[str, set[float]] = {}
        for one in self.every:
            if one.unit and not one.is_end:
                found.setdefault(one.unit, set()).add(one.value)
        return found


PLACE = "\N{NUMBER SIGN}"


def amount_pattern(folded: str) -> Pattern[str]:
    """By what the numbers of a folded text are found."""
    return PLAIN_AMOUNT() if folded.isascii() else _AMOUNT()


def _take_amounts(folded: str) -> Amounts:
    is_plain = folded.isascii()
    if (PLAIN_DIGITS if is_plain else NUMERALS).isdisjoint(folded) and (
        not is_plain or NUMBER_WORDS.keys().isdisjoint(folded.replace("-", " ").split())
    ):
        return Amounts((), folded)
    every: list[Amount] = []
    rest: list[str] = []
    done = 0
    for match in amount_pattern(folded).finditer(folded):
        every.append(_amount(match))
        unit = every[-1].unit or match["unit"] or match["thing"] or ""
        rest += [folded[done : match.start()], PLACE, unit]
        done = match.end()
    return Amounts(tuple(every), "".join([*rest, folded[done:]]))


AMOUNTS = Memo(_take_amounts, most=MOST_TEXTS, longest=LONGEST_TEXT)
"""The numbers of a folded sentence."""


def _amount(match: Match[str]) -> Amount:
    before = match.string[: match.start()].rstrip()[-1:]
    after = match.string[match.end() :].lstrip()[:1]
    is_end = before in RANGES or after in RANGES
    groups = match.groupdict("")
    if groups["digits"]:
        value = float(groups["digits"].replace(",", ""))
        for scale in groups.get("scale", ""):
            value *= TENS.get(scale) or SCALES[scale]
        return Amount(value, _unit(groups["unit"]), is_end)
    if groups.get("kanji"):
        return Amount(kanji_value(groups["kanji"]), _unit(groups["counter"]), is_end)
    value = NUMBER_WORDS[groups["word"]] + NUMBER_WORDS.get(groups["more"], 0)
    return Amount(value, _unit(groups["thing"]), is_end)


def kanji_value(text: str) -> float:
    """A number in kanji: 三十, 二百五, 二〇二六, 一万二千."""
    total = part = digits = 0
    has_digits = False
    for character in text:
        if character in KANJI_DIGITS:
            digits = digits * 10 + KANJI_DIGITS[character]
            has_digits = True
            continue
        if character in TENS:
            part += (digits if has_digits else 1) * TENS[character]
        else:
            total += (part + digits or 1) * SCALES[character]
            part = 0
        digits, has_digits = 0, False
    return float(total + part + digits)


def _unit(written: str) -> str:
    """One spelling of a unit; a word of grammar is none."""
    if written.endswith("月") and len(written) > 1:
        return "か月"
    if is_kanji(written[:1]):
        return written[0]
    if written in PERCENT:
        return "%"
    return "" if written in ENGLISH else STEMS[written]
