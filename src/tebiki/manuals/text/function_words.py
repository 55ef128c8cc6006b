"""Words that carry a sentence and not its subject: particles, endings, question words.

Lists of Japanese and English grammar, and what takes the endings off a run of hiragana; no word of
any subject may stand here.
"""

from __future__ import annotations

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
"""Signs that a rest of hiragana loses at both ends."""

QUESTIONS = frozenset(
    [
        "何",
        "誰",
        "幾",
        "何年",
        "何人",
        "何月",
        "何日",
        "何歳",
        "何処",
        "何故",
        "何時",
        "何度",
        "何回",
    ]
)
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
