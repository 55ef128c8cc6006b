"""A question as units: what it names, in order, each with the tokens that find it.

Also the words of Japanese and English grammar, which name nothing (no word of any subject may stand
among them), and questions that compare, taken apart by wording and never inside a word. Pure
functions over text. How much a unit is worth in a manual is told in `ranking.plan`.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from tebiki.manuals.text.folding import (
    HIRAGANA,
    KANJI,
    KATAKANA,
    fold,
    is_hiragana,
    is_japanese,
    is_kanji,
    is_katakana,
    lazy_pattern,
    lower,
    tidy_question,
)
from tebiki.manuals.text.tokenizer import (
    LONE_KANJI,
    NAMES,
    bigrams,
    counted_tokens,
    runs_of,
    word_tokens,
)
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable
    from re import Match

_ENDINGS = """
については に関しては に対しては によっては においては についての に関する
に対する における について に関して に対して によって において に従って に応じて
に基づいて として とともに とは という といった といえば とされる とされて
とすると ではない ではなく ではありません でしょうか でしょう であり である
であった であれば でした です では でも ですか だった だろう なのか なのは
なので ください くださいますか くれますか ませんか ません ますか ました まして
ましょう ます たい たく たら たり ための ため されている されていた されます
されました された される させる させた せる られている られた られる られます
れている れた れる していた している していました していますか しています
しました しますか します しない したい したら した して しよう すること
するには する すれば であるか なければならない なければ なくなった なくて ない
なった なって なりました なります なる なら など ながら ことができる
ことができます ことが ことは こと ところ ものは もの もっとも もっと とき
ときは ときに できるようになった できますか できます できない できる できた
できて ありますか あります ありました ありません あった あって ある あるか
いました いますか います いた いて いる いるか いない おこなう おこなわれた
おける および または もしくは ならびに かつ また さらに そして しかし ただし
なお から まで より ので のに のか のは のが のを けど けれども だけ ほど
くらい ぐらい ばかり しか さえ こそ すべて すべての いろいろ それぞれ この
その あの どの これ それ あれ どれ ここ そこ どこ こちら そちら どちら どう
どのような どのように どんな どうして なぜ だれ いつ いくつ いくら なに なん
なんと なんの よう ように ような ようになった わけ はず つもり まま ごと うち
ほか たち さん いう いった いわれる よばれる おり おいて つつ とも にも にて
には への へと 教えて
"""
ENDINGS = frozenset(_ENDINGS.split())
LENGTHS = sorted({len(ending) for ending in ENDINGS}, reverse=True)

PARTICLES = "はがをにでともの へやかよねなだばてたしれさっんりくきいうえおけげずぬむめらるわ"
"""Characters that a rest of hiragana loses at both ends."""

_QUESTIONS = "何 誰 幾 何年 何人 何月 何日 何歳 何処 何故 何時 何度 何回"
QUESTIONS = frozenset(_QUESTIONS.split())
"""Question words that are written in kanji."""

_ENGLISH = """
a about above after again against all am an and any are as at be because been before being below
between both but by can could did do does doing down during each few for from further had has have
having he her here hers him his how i if in into is it its itself just me more most my no nor not
now of off on once only or other our out over own please s same she should so some such t than that
the their them then there these they this those through to too under until up very was we were what
when where which while who whom whose why will with would you your
"""
ENGLISH = frozenset(_ENGLISH.split())
"""Not weighed unless nothing else is asked."""

JOINING = frozenset(["a", "an", "the", "and", "or", "of", "to", "by", "is", "are"])
"""Of these, words that join others, and name nothing even where they stand in Japanese."""

MOST_NAMES = 2


def without_endings(run: str) -> list[str]:
    """What is left of a run of hiragana, in pieces: the longest ending is taken off everywhere.

    A pattern of all of them would take longer to compile than a first question to be answered.
    """
    left: list[str] = []
    start = here = 0
    while here < len(run):
        ending = next((size for size in LENGTHS if run[here : here + size] in ENDINGS), 0)
        if ending:
            left.append(run[start:here])
            start = here + ending
        here += ending or 1
    return [piece for piece in (*left, run[start:]) if piece]


SCRIPT_RUNS = lazy_pattern(rf"[{KATAKANA}]+|[{HIRAGANA}]+|[^{KATAKANA}{HIRAGANA}]+")
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
    # Without Japanese there is nothing to part before names are looked for.
    is_plain = tidied.isascii()
    runs = (
        [(m.start(), m.group()) for m in NAMES.finditer(tidied)] if is_plain else [*runs_of(tidied)]
    )
    for at, (start, run) in enumerate(runs):
        if start != end:
            group += 1
        if is_japanese(run[0]):
            pieces = SCRIPT_RUNS().findall(run)
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

    A name has capitals where not all have, or stands in Japanese without an English word beside it;
    two words in small letters there are no English sentence: `any unknown 違い`.
    """
    _, run = runs[place]
    if lower(run) not in ENGLISH:
        return False
    if (
        not tidied.isascii()
        and run not in JOINING
        and run.islower()
        and _is_one_of_two(runs, place)
    ):
        return False
    if len(run) > 1 and run.isupper() and not tidied.isupper():
        return False
    beside = [runs[at][1][0] for at in (place - 1, place + 1) if 0 <= at < len(runs)]
    return not beside or any(not is_japanese(one) and not one.isdigit() for one in beside)


def _is_one_of_two(runs: list[tuple[int, str]], place: int) -> bool:
    """Tell whether a word stands in Japanese with one more word, or with none."""
    first = last = place
    while first and not is_japanese(runs[first - 1][1][0]):
        first -= 1
    while last + 1 < len(runs) and not is_japanese(runs[last + 1][1][0]):
        last += 1
    is_among_japanese = first > 0 or last + 1 < len(runs)
    return is_among_japanese and last - first < MOST_NAMES


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
    """A kanji by itself: with the character after it, it is most of a verb or an adjective."""
    if is_hiragana(after) and after not in NOT_OKURIGANA:
        return Unit(kanji + after, (kanji + after,), (), LONE_KANJI_WEIGHT, group)
    return Unit(kanji, (), (kanji,), LONE_KANJI_WEIGHT, group)


def _phrases(units: list[Unit]) -> list[str]:
    """Compounds of several units, as written."""
    groups: dict[int, list[str]] = {}
    for unit in units:
        groups.setdefault(unit.group, []).append(unit.surface)
    return list(dict.fromkeys("".join(names) for names in groups.values() if len(names) > 1))


_BEFORE = r"(?<![っこひもごおあうきくす落整])"
"""`と` after these characters is mostly inside a word: もっと, こと, ひと, あと, 落とす, 整とん."""

_AFTER = r"(?!き|ころ|して|する|すれ|され|な[るっりら]|いう|いった|は|も|く|り|ど|ら)"
"""Nor does it compare before these: 対象とする, 前提となる."""

_AND = rf"{_BEFORE}と{_AFTER}"
_DIFFERING_WORDS = "違い ちがい 相違 差 異なる どっち どちら 比較 比べ 使い分け"
_DIFFERENCES = tuple(_DIFFERING_WORDS.split())
_DIFFERENCE = (
    r"(?:(?<![間勘桁人筋場段門畑当手れき])違い(?!な[いく])|(?<!ま)ちがい|相違(?!な[いく])|差異"
    rf"|(?<![{KANJI}])差(?:額|分)?(?![しすせさそっ{KANJI}])"
    r"|異なる|どっち|どちら|比較(?!的)|比べ|使い分け)"
)
"""The same, but not in 間違い, に違いない, 誤差, 差し込み or 比較的, which compare nothing."""

_AGAINST = r"(?:(?<=[^0-9] )対(?= [^0-9])|(?<=[A-Za-z]{2})対(?=[A-Za-z]{2}))"
"""`対` by itself: 対象 and 反対 are words, and 3対1 is a ratio."""

_FAR = 80
"""Characters between `と` and the difference: longer parts are no names."""

_DIFFERING = lazy_pattern(
    rf"{_AND}(?P<b>.{{1,{_FAR}}}?)(?:と)?(?:の|は|で|を|が|、| ){{0,4}}{_DIFFERENCE}"
)
"""Begins at the `と`, so that each is tried once: a question is hostile until read."""

_DIFFERING_IN_KANA = lazy_pattern(
    rf"(?<=[{HIRAGANA}])と(?!と)(?P<b>[{HIRAGANA}]{{2,20}}?)と?(?:の|では?|は|を){_DIFFERENCE}"
)
"""`と` between two words in hiragana, where it may as well be inside one."""

_PATTERNS = (
    (
        ("between",),
        lazy_pattern(r"(?i)\bdifferences?\s+between\s+(?P<a>.+?)\s+and\s+(?P<b>.+)"),
    ),
    (
        ("compar",),
        lazy_pattern(r"(?i)\bcompar(?:e|ing|ison of)\s+(?P<a>.+?)\s+(?:and|with|to)\s+(?P<b>.+)"),
    ),
    (
        ("vs", "versus", "対"),
        lazy_pattern(
            # From a line's start alone: what is found from within it is found from there.
            r"(?im)^(?P<a>.*\S)\s*"
            rf"(?:(?<![A-Za-z0-9_.-])(?:vs\.?|versus)(?![A-Za-z0-9_-])|{_AGAINST})"
            r"\s*(?P<b>\S.*)"
        ),
    ),
)
"""How else a comparison is worded, each with the words without which it is none."""

_IN_CASE_OF = "の場合の"
_POINTING = ("こ", "そ", "あ", "ど")
"""この場合 points to a case and names none."""

LONGEST_PART = 40
_RIM = " \t、。,.?？!！「」『』()（）:："


def sub_questions(question: str, most: int) -> tuple[str, ...]:
    """The questions that a comparing question consists of; none when it does not compare."""
    text = tidy_question(question)
    if any(cue in text for cue in _DIFFERENCES):
        if found := _differing(text, match := _DIFFERING().search(text)) or _joined_in_kana(text):
            return found[:most]
        if match is not None:
            return ()
    lowered = text.lower()
    for cues, pattern in _PATTERNS:
        match = pattern().search(text) if any(cue in lowered for cue in cues) else None
        if match:
            return _clean([match["a"], match["b"]])[:most]
    case, is_case, asked = text.partition(_IN_CASE_OF)
    if not is_case or case.endswith(_POINTING) or not _names_something(case):
        return ()
    return _clean([f"{case} {asked}", asked])[:most]


def _differing(text: str, match: Match[str] | None) -> tuple[str, ...]:
    """The parts around the first `と` that has a name on both sides: たとえば has one inside."""
    while match is not None and match.start() <= LONGEST_PART:
        if found := _clean([text[: match.start()], match["b"]]):
            return found
        match = _DIFFERING().search(text, match.start() + 1)
    return ()


def _joined_in_kana(text: str) -> tuple[str, ...]:
    """The parts of a comparison of two words in hiragana: りんごとみかん.

    Which of several `と` joins them is not written; the one that leaves words of like length is
    taken.
    """
    pairs: list[tuple[str, str]] = []
    match = _DIFFERING_IN_KANA().search(text)
    while match is not None and match.start() <= LONGEST_PART:
        pair = (text[: match.start()].strip(_RIM), match["b"].strip(_RIM))
        if all(map(_is_kana_word, pair)):
            pairs.append(pair)
        match = _DIFFERING_IN_KANA().search(text, match.start() + 1)
    return min(pairs, key=lambda pair: abs(len(pair[0]) - len(pair[1])), default=())


def _is_kana_word(part: str) -> bool:
    """Tell a word in hiragana from words of grammar alone, or half a word."""
    return len(part) >= SHORTEST_KANA and not part.endswith("っ") and bool(without_endings(part))


def _clean(parts: Iterable[str]) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(part.strip(_RIM) for part in parts))
    return found if len(found) > 1 and all(map(_names_something, found)) else ()


def _names_something(part: str) -> bool:
    """Tell whether it can be compared: neither half a page nor an adverb or a verb alone."""
    units = question_of(part).units if len(part) <= LONGEST_PART else ()
    return any(unit.weight == 1 or unit.words for unit in units)
