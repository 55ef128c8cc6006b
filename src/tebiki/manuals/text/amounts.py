"""The numbers of a sentence with what they count, however written: 60日, 六十日, sixty days.

Kanji are a number only before a word that counts and not inside another word: 一部 and 唯一 are
none. Numbers that are one date or one time of day are joined where sentences are compared. Pure
functions over folded text.
"""

from __future__ import annotations

from functools import lru_cache
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
    r"(?:(?<![\u4e00-\u9fff].)|(?<=[約月年日時分全計毎満各翌率後前額大小].)"
    r"|(?<=[一二三四五六七八九十][人名回組室台件個枚冊本].)"
    # Behind a word in kanji one of them alone is mostly a part of it.
    r"|(?<!第.)(?=[〇一二三四五六七八九十百千万億兆]{2}))"
    r"[〇一二三四五六七八九十百千万億兆]{0,15})"
    # 十分 is most often the word that means enough.
    rf"(?!(?<=十)分(?![間以後前毎お]))[ *]{{0,4}}(?P<counter>{COUNTERS})"
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
CURRENCIES = {"$": "$", "€": "€", "£": "£", "¥": "円"}
MEASURES = {
    **dict.fromkeys(("秒", "second", "sec", "s"), ("time", 1)),
    **dict.fromkeys(("分", "minut", "min"), ("time", 60)),
    **dict.fromkeys(("時", "hour", "h"), ("time", 3600)),
    **dict.fromkeys(("日", "day"), ("time", 86400)),
    **dict.fromkeys(("週", "week"), ("time", 604800)),
    **dict.fromkeys(("か月", "month"), ("months", 1)),
    **dict.fromkeys(("年", "year"), ("months", 12)),
    "%": ("share", 1),
    "割": ("share", 10),
}
"""What units of one kind are of each other. A day has no certain share of a month."""

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


def without_amounts(folded: str) -> str:
    """A folded text without its numbers and their units; what is left of a unit is left alike."""
    return amount_pattern(folded).sub(_rest_of_unit, folded)


def _rest_of_unit(match: Match[str]) -> str:
    counter = match.groupdict("").get("counter", "")
    return f" {counter[1:]}" if is_kanji(counter[:1]) else " "


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
        rest += [folded[done : match.start()], PLACE, _shown_unit(match, every[-1])]
        done = match.end()
    return Amounts(tuple(every), "".join([*rest, folded[done:]]))


AMOUNTS = Memo(_take_amounts, most=MOST_TEXTS, longest=LONGEST_TEXT)
"""The numbers of a folded sentence."""


def _shown_unit(match: Match[str], amount: Amount) -> str:
    """What stands behind a number in what is left of its sentence."""
    counter = match.groupdict("").get("counter", "")
    if is_kanji(counter[:1]):
        return counter  # 営業日 and 時間 as behind other digits
    if amount.unit in CURRENCIES.values() and match["digits"]:
        return match["unit"] or ""  # its sign stands before it
    return amount.unit or match["unit"] or match["thing"] or ""


_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_MONTH = (
    "(?:jan(?:uar[yi])?|feb(?:ruar[yi])?|mar(?:ch)?|apr(?:il)?|may|june?|jul[yi]?|aug(?:ust)?"
    "|sept?(?:emb(?:er)?)?|oct(?:ob(?:er)?)?|nov(?:emb(?:er)?)?|dec(?:emb(?:er)?)?)"
)
"""Months as they are written, and their stems: behind a number they are taken for its unit."""

_WHOLE = lazy_pattern(
    rf"(?P<kanji>(?:{PLACE}年)?{PLACE}月{PLACE}日)"
    rf"|(?<![-/{PLACE}])(?P<iso>{PLACE}(?P<mark>[-/]){PLACE}(?P=mark){PLACE})(?![-/{PLACE}])"
    rf"|\b(?P<before>{_MONTH})\.? {PLACE}(?:st|nd|rd|th)?(?![a-z:%])(?:,? {PLACE})?"
    rf"|{PLACE}(?:(?:st|nd|rd|th) ?(?:of )?)?(?P<after>{_MONTH})\b(?:,? {PLACE})?"
    rf"|(?<![:.{PLACE}])(?:(?P<half>午[前後]) ?)?{PLACE}"
    rf"(?P<clock>時(?!間)(?:{PLACE}分|半)?|:{PLACE}(?![:{PLACE}])|(?=[ap]\.?m\b))"
    r" ?(?P<meridiem>[ap](?=\.?m\b))?"
)
dates_in_words = lazy_pattern(
    rf"午[前後](?=[0-9〇一二三四五六七八九十])|\b{_MONTH}\b\.?(?= [0-9])|(?<=[0-9] ){_MONTH}\b"
)
"""What of a date or a time of day is no number."""

DATE, DAY, CLOCK = "年月日", "月日", "時刻"
FIRST_YEAR, LAST_MONTH, LAST_DAY, HALF_A_DAY = 1000, 12, 31, 12


@lru_cache(maxsize=1024)
def whole_amounts(folded: str) -> Amounts:
    """The numbers of a sentence; those of one date, or of one time of day, as one of them."""
    found = AMOUNTS[folded]
    if not found.every or found.rest.count(PLACE) != len(found.every):
        return found  # the text has such marks of its own
    every: list[Amount] = []
    rest: list[str] = []
    done = taken = 0
    for match in _WHOLE().finditer(found.rest):
        start = taken + found.rest.count(PLACE, done, match.start())
        end = start + match[0].count(PLACE)
        whole = _join(match, [one.value for one in found.every[start:end]])
        if whole is not None:
            every += [*found.every[taken:start], whole]
            rest += [found.rest[done : match.start()], PLACE, whole.unit]
            taken, done = end, match.end()
    every += found.every[taken:]
    return Amounts(tuple(every), "".join([*rest, found.rest[done:]]))


def _join(match: Match[str], values: list[float]) -> Amount | None:
    """The date or the time of day that some numbers are; nothing where they are neither."""
    if match["clock"] is not None:
        return _time_of_day(match, values)
    if match["before"] or match["after"]:
        month = 1.0 + _MONTHS.index((match["before"] or match["after"])[:3])
        values = [*values[1:], month, values[0]]
    *years, month, day = values
    # What is written with its signs is a date, even an impossible one; other numbers must be one.
    if not match["kanji"] and not (1 <= month <= LAST_MONTH and 1 <= day <= LAST_DAY):
        return None
    if not years:
        return Amount(100 * month + day, DAY, is_end=False)
    if not match["kanji"] and years[0] < FIRST_YEAR:
        return None
    return Amount(10000 * years[0] + 100 * month + day, DATE, is_end=False)


def _time_of_day(match: Match[str], values: list[float]) -> Amount:
    hours = values[0] + (values[1] / 60 if len(values) > 1 else 0.0)
    if match["clock"].endswith("半"):
        hours += 0.5
    is_late = match["half"] == "午後" or match["meridiem"] == "p"
    return Amount(hours + HALF_A_DAY * (is_late and hours < HALF_A_DAY), CLOCK, is_end=False)


def _amount(match: Match[str]) -> Amount:
    before = match.string[: match.start()].rstrip()[-1:]
    after = match.string[match.end() :].lstrip()[:1]
    is_end = before in RANGES or after in RANGES
    groups = match.groupdict("")
    if groups["digits"]:
        currency = CURRENCIES.get(match.string[max(0, match.start() - 1) : match.start()])
        value = float(groups["digits"].replace(",", ""))
        for scale in groups.get("scale", ""):
            value *= TENS.get(scale) or SCALES[scale]
        return Amount(value, currency or _unit(groups["unit"]), is_end)
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
