"""How else a word may be written: with more or fewer kana, or with a slip of the finger.

申込, 申込み and 申し込み are one word, and so are 問合せ and 問い合わせ. Kana are left out wherever
they may spell an ending, and put in only where writers are known to leave them out: 取得 has
nothing to do with 取り得る. Pure functions over folded text.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from tebiki.manuals.text.folding import is_hiragana, is_kanji

if TYPE_CHECKING:
    from collections.abc import Iterable

FINAL_KANA = "いみりきしえけせてめれげ"
INNER_KANA = "いみりきしえけせてめれげちびぎっ"
"""What spells the ending of a verb, after a kanji at the end of a word and between two kanji."""


def _by_kanji(kanji_by_ending: dict[str, str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for ending, every in kanji_by_ending.items():
        for kanji in every:
            found[kanji] = (*found.get(kanji, ()), ending)
    return found


FIRST = _by_kanji(
    {
        "い": "言追買問払雇使",
        "え": "植据備",
        "き": "置書抜引巻焼突付",
        "け": "明受掛付届",
        "げ": "投",
        "し": "移貸差話申戻押",
        "ち": "打立持待",
        "っ": "引",
        "て": "立捨",
        "び": "呼",
        "み": "組積読編",
        "め": "埋締",
        "り": "売折借刈切繰座釣取乗張貼振盛譲割送",
        "れ": "入",
    }
)
"""Endings of the first verb of a compound: 申(し)込み."""

SECOND = _by_kanji(
    {
        "い": "扱会合払添",
        "え": "換替押",
        "ぎ": "次継",
        "き": "引置抜続",
        "け": "付受掛",
        "げ": "上下揚",
        "し": "渡出消戻越返崩壊卸離直貸増",
        "せ": "合",
        "て": "立捨当",
        "べ": "調延",
        "み": "込組積",
        "め": "決止締占",
        "もり": "積",
        "り": "取切入締積",
        "れ": "入倒",
        "わせ": "合",
    }
)
"""Endings of the second one, where more of the word follows: 申込(み)書."""

ENDLESS = "手支仕見日値"
"""What stands before a second verb and has no ending of its own: 手続, 支払, 仕切, 見積."""

OTHER_WORDS = {"組合", "持続", "送付"}
"""組合 is a union and 組み合わせ a combination; nor are the others written with kana."""

_LONG_AND_SHORT = (
    ("預かり", "預り"),
    ("押さえ", "押え"),
    ("落とし", "落し"),
    ("終わり", "終り"),
    ("代わり", "代り"),
    ("変わり", "変り"),
    ("起こし", "起し"),
    ("当たり", "当り"),
    ("積もり", "積り"),
    ("締まり", "締り"),
    ("合わせ", "合せ"),
)
RESPELT = {a: b[1:] for pair in _LONG_AND_SHORT for a, b in (pair, pair[::-1])}
"""Endings that are written in two ways, by the kanji with the other one."""

MOST_SPELLINGS = 16
"""Each is a phrase that the index is asked for."""


def variants(folded: str) -> tuple[str, ...]:
    """A term in its spellings, as it is written first."""
    if not any(map(is_kanji, folded)):
        return (folded,)
    pieces: list[tuple[str, ...]] = []
    count = 1
    for options in _options(folded):
        # What would make too many of them stays as it is written.
        pieces.append(options if count * len(options) <= MOST_SPELLINGS else options[:1])
        count *= len(pieces[-1])
    found = dict.fromkeys(map("".join, product(*pieces)))
    return tuple(one for one in found if len(one) > 1 or one == folded)


def _options(folded: str) -> list[tuple[str, ...]]:
    """A term in pieces (a kanji with its kana, or another character), in the ways to write it."""
    options: list[tuple[str, ...]] = []
    place = 0
    before = ""
    while place < len(folded):
        character = folded[place]
        end = place + 1
        if is_kanji(character):
            while is_hiragana(folded[end : end + 1]):
                end += 1
            kana = folded[place + 1 : end]
            endings = dict.fromkeys([kana, *_endings(before, character, kana, folded[end:])])
            options.append(tuple(character + ending for ending in endings))
            before = character
        else:
            options.append((character,))
            before = ""
        place = end
    return options


def _endings(before: str, kanji: str, kana: str, rest: str) -> list[str]:
    """Other endings of a kanji, by the kanji before it and what stands behind."""
    found = [RESPELT[kanji + kana]] if kanji + kana in RESPELT else []
    is_inner = is_kanji(rest[:1])
    if before + kanji in OTHER_WORDS:
        return found
    if kana:
        is_ending = kana in INNER_KANA or kana in SECOND.get(kanji, ())
        if (is_inner and is_ending) or (not rest and kana in FINAL_KANA):
            found.append("")
    elif is_inner:
        is_other = kanji + rest[0] in OTHER_WORDS and rest[1:2] not in ("せ", "わ")
        if rest[0] in SECOND and not is_other:
            found.extend(FIRST.get(kanji, ()))
        if before in FIRST or (before and before in ENDLESS):
            found.extend(SECOND.get(kanji, ()))
    return found


LONG_WORD = 8
"""From this length on two slips are forgiven instead of one."""


def most_slips(word: str) -> int:
    """How many slips of the finger are forgiven in a word."""
    return 2 if len(word) >= LONG_WORD else 1


def closest(word: str, known: Iterable[str]) -> str | None:
    """The known word with the fewest slips; None when all have too many."""
    most = most_slips(word)
    letters = set(word)
    best: tuple[int, str] | None = None
    for other in known:
        if abs(len(other) - len(word)) > most or not other.isalpha():
            continue
        # A slip takes at most one letter away and brings another: most words end here.
        if len(letters.symmetric_difference(other)) > 2 * most:
            continue
        slips = slips_between(word, other, most)
        if slips <= most and (best is None or (slips, other) < best):
            best = (slips, other)
    return best[1] if best else None


def slips_between(one: str, other: str, most: int) -> int:
    """How many letters to add, drop, change or swap; more than `most` are not counted on."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        before_that, before, row = before, row, [i]
        for j, match in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != match))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == match:
                cost = min(cost, before_that[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return row[-1]
