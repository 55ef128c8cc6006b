"""Signs that a reader does not see but a program or a model does, taken out of text from the web.

Joiners stay where they belong, inside words and emoji; so does a variation selector after a sign
that has variants. Runs of them are a known way to hide a message: one is kept where one means
something. Pure; each function leaves its own result as it is.
"""

from __future__ import annotations

import re
import unicodedata

INVISIBLE = (
    r"\x00-\x1f\x7f-\x9f"  # control characters
    r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidi marks, embeddings, overrides, isolates
    r"\u00ad\u034f\u200b\u2028\u2029\u2060-\u2065\u206a-\u206f\ufeff\ufff0-\ufffb"  # no width
    r"\u115f\u1160\u17b4\u17b5\u3164\uffa0\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"  # fillers
    r"\ud800-\udfff"  # halves of surrogate pairs
    r"\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"  # tag characters, a hidden alphabet
)
"""Inside of a character class; joiners and variation selectors are not in it."""

SEQUENCE = re.compile(
    r"\x1b\[[0-?]*+[ -/]*+[@-~]"  # colours and cursor moves
    r"|\x9b[0-?]*+[ -/]*+[@-~]"  # the same by one sign
    r"|\x1b\][^\x07\x1b\x9c]*+(?:\x07|\x1b\\|\x9c)"  # window titles, links
    r"|\x1b[PX^_][^\x1b\x9c]*+(?:\x1b\\|\x9c)"  # strings for the terminal itself
    r"|\x1b[ -/]*+[0-~]"
)
"""What a terminal obeys."""

BREAK = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_FLAG = r"\U0001f3f4\U000e0067\U000e0062(?:%s)\U000e007f"
_NATIONS = ("\U000e0065\U000e006e\U000e0067", "\U000e0073\U000e0063\U000e0074")
_WALES = "\U000e0077\U000e006c\U000e0073"
# Three flags are spelled with tag characters (England, Scotland, Wales); nothing else is.
HIDDEN = re.compile(f"({_FLAG % '|'.join((*_NATIONS, _WALES))})|[{INVISIBLE}]")
HIDDEN_IN_LINES = re.compile(HIDDEN.pattern.replace(r"|[\x00-\x1f", r"|[\x00-\x08\x0b-\x1f"))

JOINERS = "\u200c\u200d"
ATTACHED = re.compile(f"[{JOINERS}\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]+")
JOINABLE = frozenset(("So", "Sk", "Sm"))
"""Kinds of signs that emoji are made of; letters, digits and marks are joinable anyway."""

FIRST_MONGOLIAN, LAST_MONGOLIAN = "\u1820", "\u18aa"

FIRST_OF_OTHER_SCRIPTS = "\u1000"
"""Letters before it have no variants."""


def without_unseen(text: str) -> str:
    """The text without hidden signs and sequences; its lines and tabs stay."""
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    broken = BREAK.sub("\n", SEQUENCE.sub("", text))
    return _tidy(HIDDEN_IN_LINES.sub(r"\1", broken))


def in_one_line(text: str) -> str:
    """The same on one line, with single blanks."""
    return " ".join(without_unseen(text).split())


def is_all_seen(text: str) -> bool:
    """Tell whether nothing is hidden in a text of one line."""
    return "\n" not in text and "\t" not in text and without_unseen(text) == text


def _tidy(text: str) -> str:
    """The text with joiners and selectors only where they have a meaning."""

    def kept(run: re.Match[str]) -> str:
        before, after = text[run.start() - 1 : run.start()], text[run.end() : run.end() + 1]
        first = run[0][0]
        selector = first if first not in JOINERS and _has_variants(before, first) else ""
        joiner = next((sign for sign in run[0] if sign in JOINERS), "")
        return selector + (joiner if _is_joinable(before) and _is_joinable(after) else "")

    return ATTACHED.sub(kept, text)


def _is_joinable(sign: str) -> bool:
    if not sign:
        return False
    kind = unicodedata.category(sign)
    return kind[0] in "LNM" or kind in JOINABLE


def _has_variants(sign: str, selector: str) -> bool:
    if not sign or sign.isspace():
        return False
    if selector < "\ufe00":
        # Selectors and the separator of Mongolian, which has them after its letters.
        return FIRST_MONGOLIAN <= sign <= LAST_MONGOLIAN
    if selector > "\uffff":
        # Variants of ideographs alone.
        return unicodedata.category(sign) == "Lo" and sign > "\u2e7f"
    return not sign.isalpha() or sign >= FIRST_OF_OTHER_SCRIPTS
