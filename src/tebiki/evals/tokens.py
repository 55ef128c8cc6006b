"""How many tokens a text is to a model, roughly; one rule for every measure."""

from __future__ import annotations

import math
import re

CHARACTERS_A_TOKEN = 4

ONE_EACH = re.compile(
    "[\u1100-\u11ff\u2e80-\u303f\u3040-\u30ff\u3100-\u9fff\ua960-\ua97f\uac00-\ud7ff"
    "\uf900-\ufaff\uff00-\uffef\U0001f000-\U0003ffff]"
)
"""Japanese and its neighbours: kana, kanji, Hangul, wide signs and emoji."""


def tokens_in(text: str) -> int:
    """Count a Japanese sign as one token, and of all else four characters as one, rounded up.

    Real tokenizers differ from each other by more than this differs from them; what counts is that
    two answers are measured alike.
    """
    wide = len(ONE_EACH.findall(text))
    return wide + math.ceil((len(text) - wide) / CHARACTERS_A_TOKEN)
