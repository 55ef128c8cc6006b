"""Long verbatim spans of a text, each as a hash: what two texts have in common, without either.

A span is forty characters of Japanese or twelve words; each that a text holds is hashed, so that a
repeated one is met wherever it begins. Blanks, case and what parts words do not count.
"""

from __future__ import annotations

import re
from functools import partial
from hashlib import blake2b
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Buffer = bytes | memoryview

SPAN_CHARS = 40
SPAN_WORDS = 12
LEAST_JAPANESE = SPAN_CHARS // 2
"""Of forty characters that count as Japanese; names in Latin letters may be among them."""

HASH_BYTES = 8
CHAR_BYTES = 4
"""Of one character in UTF-32, where every character is as long as any other."""

JAPANESE = re.compile("[\u3001-\u9fff\uf900-\ufaff\uff01-\uffee]")
BLANKS = re.compile(r"\s+")
WORDS = re.compile(r"[^\W\u3040-\u30ff\u3400-\u9fff]+")


def hash_spans(text: str, key: bytes) -> Iterator[bytes]:
    """The hash of each span of a text, as it is read from left to right."""
    digest = partial(blake2b, digest_size=HASH_BYTES, key=key)
    small = text.casefold()
    yield from _japanese_spans(BLANKS.sub("", small), digest)
    yield from _word_spans(small, digest)


def _japanese_spans(text: str, digest: Callable[[Buffer], blake2b]) -> Iterator[bytes]:
    if len(text) < SPAN_CHARS or len(JAPANESE.findall(text)) < LEAST_JAPANESE:
        return
    data = memoryview(text.encode("utf-32-le", "surrogatepass"))
    marks = bytearray(len(text))
    for found in JAPANESE.finditer(text):
        marks[found.start()] = 1
    held = sum(marks[: SPAN_CHARS - 1])
    for start in range(len(text) - SPAN_CHARS + 1):
        held += marks[start + SPAN_CHARS - 1]
        if held >= LEAST_JAPANESE:
            yield digest(data[start * CHAR_BYTES : (start + SPAN_CHARS) * CHAR_BYTES]).digest()
        held -= marks[start]


def _word_spans(text: str, digest: Callable[[Buffer], blake2b]) -> Iterator[bytes]:
    words = [word.encode("utf-8", "surrogatepass") for word in WORDS.findall(text)]
    for start in range(len(words) - SPAN_WORDS + 1):
        yield digest(b" ".join(islice(words, start, start + SPAN_WORDS))).digest()
