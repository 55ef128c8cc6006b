"""A question as units: what it names, in order, each with the tokens that find it.

Also the words of Japanese and English grammar, which name nothing: no word of any subject may
stand among them. Pure functions over text. How much a unit is worth in a manual is told in
`ranking.plan`.
"""

from __future__ import annotations

from itertools import pairwise

from tebiki.manuals.text.folding import (
    HIRAGANA,
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

AFTER_A_WORD = "はがをにでのと"
"""Of these, those that seldom end a word."""

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
                named = piece
                if is_hiragana(piece[0]):
                    group += 1
                    if drop_function_words:
                        named = _word_in(piece, begins=place == 0)
                unit = _japanese(named, after, group, drop=drop_function_words) if named else None
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


def _word_in(run: str, *, begins: bool) -> str:
    """What a run of hiragana names: the longest rest of it without grammar.

    Where no character stands before the run, and it does not begin as grammar may, a word begins
    there: what looks like grammar inside it is left where nothing else is (ぶどう).
    """
    left = without_endings(run)
    named = max(left, key=len, default="").strip(PARTICLES)
    if len(named) >= SHORTEST_KANA or not begins or not left or run[0] in PARTICLES:
        return named
    first = left[0].rstrip(AFTER_A_WORD) if run.startswith(left[0]) else ""
    return first if len(first) >= SHORTEST_KANA else run.rstrip(AFTER_A_WORD)


def _japanese(piece: str, after: str, group: int, *, drop: bool) -> Unit | None:
    first = piece[0]
    weight = 1.0
    words: tuple[str, ...] = ()
    if is_hiragana(first):
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
