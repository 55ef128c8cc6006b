"""Long verbatim spans of a text, each as a hash: what two texts have in common, without either.

Japanese is compared letter by letter and other text word by word, whatever stands between them:
width, case, accents, blanks, signs and characters without a width do not count. So that a span of
forty characters is met with its signs in it or without, stretches of thirty letters are hashed, and
what a question repeats in a row is measured in the question. A span with a sign at an end of it, or
with many in it, is hashed as a whole besides.
"""

from __future__ import annotations

import re
import unicodedata
from functools import partial
from hashlib import blake2b
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from collections.abc import Set as AbstractSet

    Buffer = bytes | memoryview
    Hashes = AbstractSet[bytes]

SPAN_CHARS = 40
SPAN_WORDS = 12
STRETCH_LETTERS = 30
"""Of forty characters in a row, at least so many are letters or digits."""

LEAST_JAPANESE = STRETCH_LETTERS // 2
"""Of the letters of a stretch; Latin ones may be among them."""

HASH_BYTES = 8
CHAR_BYTES = 4
"""Of one character in UTF-32, where every character is as long as any other."""

JAPANESE = re.compile("[\u3041-\u30ff\u3400-\u9fff]")
WORDS = re.compile(r"[^\W_\u3040-\u30ff\u3400-\u9fff]+")
SIGNS = re.compile(r"[\W_]")
MOST_CHARS = 1_000_000
"""Looked at of one text: more than any tool gives, and than a model is asked at once."""

SIGNS_KEPT = 20_000
"""In each table, which a hostile text would fill."""


class Signs(dict[int, str]):
    """What a sign is compared as: its letters in one width and case; without any, as `other` says.

    Sign by sign, so that no run of marks has to be put into an order.
    """

    def __init__(self, other: Callable[[str], str]) -> None:
        super().__init__()
        self._other = other

    def __missing__(self, sign: int) -> str:
        plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", chr(sign)).casefold())
        letters = "".join(one for one in plain if unicodedata.category(one)[0] in "LN")
        compared = letters or self._other(chr(sign))
        if len(self) < SIGNS_KEPT:
            self[sign] = compared
        return compared


def _has_width(sign: str) -> bool:
    category = unicodedata.category(sign)
    return category[0] != "M" and category != "Cf"


def _if_seen(sign: str) -> str:
    return unicodedata.normalize("NFKD", sign)[:1] if unicodedata.category(sign)[0] in "PS" else ""


LETTERS = Signs(lambda _sign: "")
SEEN = Signs(_if_seen)
JOINED = Signs(lambda sign: " " if _has_width(sign) else "")
"""Words as they are read: a soft hyphen or a mark is within one."""

PARTED = Signs(lambda sign: " " if unicodedata.category(sign)[0] != "M" else "")
"""Words of whoever parts them by characters without a width."""


def hash_spans(text: str, key: bytes) -> Iterator[bytes]:
    """The hashes by which a text is known again."""
    text = text[:MOST_CHARS]
    digest = partial(blake2b, digest_size=HASH_BYTES, key=key)
    for _, stretch in _stretches(text.translate(LETTERS), digest):
        yield stretch
    yield from _signed_spans(text.translate(SEEN), digest)
    yield from _word_spans(text.translate(JOINED), digest)


class WebQuestion:
    """A text that may repeat others: its hashes, and how many long spans of it those others hold.

    At most `most` of its hashes are made, of each kind.
    """

    def __init__(self, text: str, key: bytes, most: int) -> None:
        text = text[:MOST_CHARS]
        digest = partial(blake2b, digest_size=HASH_BYTES, key=key)
        self._text = text
        self._stretches = dict(islice(_stretches(text.translate(LETTERS), digest), most))
        readings = {text.translate(JOINED), text.translate(PARTED)}
        self._whole = {
            span for reading in readings for span in islice(_word_spans(reading, digest), most)
        }
        self._whole.update(islice(_signed_spans(text.translate(SEEN), digest), most))

    @property
    def hashes(self) -> set[bytes]:
        """Everything that it may be known by."""
        return self._whole.union(self._stretches.values())

    def count(self, known: Hashes) -> int:
        """How many of its spans are long enough and known."""
        return len(self._whole & known) + sum(
            max(0, chars - SPAN_CHARS + 1) for chars in self._lengths(known)
        )

    def _lengths(self, known: Hashes) -> list[int]:
        """The length in characters, blanks left out, of each run of letters that is known."""
        starts = [start for start, stretch in self._stretches.items() if stretch in known]
        if not starts:
            return []
        places = _places(self._text)
        lengths, first = [], starts[0]
        for start, following in zip(starts, [*starts[1:], None], strict=True):
            if following != start + 1:
                lengths.append(places[start + STRETCH_LETTERS - 1] - places[first] + 1)
                first = following if following is not None else 0
        return lengths


def _places(text: str) -> list[int]:
    """Where each letter of a text stands among the characters that are seen."""
    places: list[int] = []
    seen = 0
    for sign in text:
        places += [seen] * len(LETTERS[ord(sign)])
        seen += bool(SEEN[ord(sign)])
    return places


def _stretches(text: str, digest: Callable[[Buffer], blake2b]) -> Iterator[tuple[int, bytes]]:
    """Each stretch of letters that is Japanese, by where it begins."""
    if len(text) < STRETCH_LETTERS or len(JAPANESE.findall(text)) < LEAST_JAPANESE:
        return
    data = memoryview(text.encode("utf-32-le", "surrogatepass"))
    marks = bytearray(len(text))
    for found in JAPANESE.finditer(text):
        marks[found.start()] = 1
    held = sum(marks[: STRETCH_LETTERS - 1])
    for start in range(len(text) - STRETCH_LETTERS + 1):
        held += marks[start + STRETCH_LETTERS - 1]
        if held >= LEAST_JAPANESE:
            end = (start + STRETCH_LETTERS) * CHAR_BYTES
            yield start, digest(data[start * CHAR_BYTES : end]).digest()
        held -= marks[start]


def _signed_spans(text: str, digest: Callable[[Buffer], blake2b]) -> Iterator[bytes]:
    """Each span that stretches alone do not tell: signs at its ends, or too many of them in it."""
    if len(JAPANESE.findall(text)) * 2 < SPAN_CHARS:
        return
    for start in _signed_starts([found.start() for found in SIGNS.finditer(text)]):
        span = text[start : start + SPAN_CHARS] if start >= 0 else ""
        if len(span) == SPAN_CHARS and len(JAPANESE.findall(span)) * 2 >= SPAN_CHARS:
            yield digest(span.encode("utf-8", "surrogatepass")).digest()


def _signed_starts(signs: list[int]) -> Iterator[int]:
    """Where such spans may begin, by where the signs are."""
    for at in signs:
        yield at
        yield at - SPAN_CHARS + 1
    following = 0
    for first, last in zip(signs, signs[SPAN_CHARS - STRETCH_LETTERS :], strict=False):
        yield from range(max(following, last - SPAN_CHARS + 1), first + 1)
        following = max(following, first + 1)


def _word_spans(text: str, digest: Callable[[Buffer], blake2b]) -> Iterator[bytes]:
    words = [word.encode("utf-8", "surrogatepass") for word in WORDS.findall(text)]
    for start in range(len(words) - SPAN_WORDS + 1):
        yield digest(b" ".join(words[start : start + SPAN_WORDS])).digest()
