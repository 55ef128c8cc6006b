"""Which encoding bytes are in: UTF-8 (with or without BOM), UTF-16 with BOM, CP932, EUC-JP.

A byte order mark is no part of the text. Bytes in no other encoding are ever guessed at.
"""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING

from tebiki.errors import InvalidArguments
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

LONGEST_SAMPLE = 65_536
"""Characters beyond ASCII that are looked at to tell CP932 from EUC-JP."""

# Compiled when they are asked for: hardly any file is in an encoding that they tell.
JAPANESE = r"[\u3000-\u30ff\u3220-\u33ff\u4e00-\u9fff\uff00-\uffef]"
KANA = r"[\u3041-\u30ff]"
HALF_WIDTH_KANA = r"[\uff61-\uff9f]"
NOT_ASCII = r"[^\x00-\x7f]"


class Encoding(NamedTuple):
    """An encoding as results name it, Python's name for it, and the mark that begins the file."""

    label: str
    codec: str
    mark: bytes = b""
    is_legacy: bool = False

    @property
    def unit(self) -> int:
        """Bytes of a line end character."""
        return 2 if self.codec.startswith("utf-16") else 1


UTF_8 = Encoding("utf-8", "utf-8")
UTF_8_MARKED = Encoding("utf-8-sig", "utf-8", codecs.BOM_UTF8)
UTF_16_LE = Encoding("utf-16-le", "utf-16-le", codecs.BOM_UTF16_LE)
UTF_16_BE = Encoding("utf-16-be", "utf-16-be", codecs.BOM_UTF16_BE)
CP932 = Encoding("cp932", "cp932", is_legacy=True)
EUC_JP = Encoding("euc-jp", "euc_jp", is_legacy=True)
ENCODINGS = {
    encoding.label: encoding
    for encoding in (UTF_8, UTF_8_MARKED, UTF_16_LE, UTF_16_BE, CP932, EUC_JP)
}
MARKED = (UTF_8_MARKED, UTF_16_LE, UTF_16_BE)
LONGEST_MARK = 4


def detect(head: bytes, sample: Callable[[Encoding], str | None]) -> Encoding:
    """Find the encoding of a file that begins with `head`.

    `sample` gives what `evidence` finds in the text, or None when some byte of the whole file is
    not of that encoding.

    Raises:
        InvalidArguments: it is in none that is known.
    """
    marked = [encoding for encoding in MARKED if head.startswith(encoding.mark)]
    if head.startswith(codecs.BOM_UTF32_LE):
        raise _unreadable()
    for encoding in marked or [UTF_8]:
        if sample(encoding) is not None:
            return encoding
    if marked:
        raise _unreadable()
    return _legacy(sample(EUC_JP), sample(CP932))


def evidence(text: str, encoding: Encoding, so_far: str = "") -> str:
    """The first characters beyond ASCII of a text, where they decide anything."""
    if not encoding.is_legacy or len(so_far) >= LONGEST_SAMPLE:
        return so_far
    return (so_far + "".join(re.findall(NOT_ASCII, text)))[:LONGEST_SAMPLE]


def decode(data: bytes) -> tuple[str, Encoding]:
    """Read a whole file that is in memory.

    Raises:
        InvalidArguments: its encoding is not known.
    """
    texts: dict[Encoding, str] = {}

    def sample(encoding: Encoding) -> str | None:
        try:
            text = data[len(encoding.mark) :].decode(encoding.codec)
        except UnicodeDecodeError:
            return None
        if encoding.is_legacy and "\0" in text:
            return None
        texts[encoding] = text
        return evidence(text, encoding)

    encoding = detect(data[:LONGEST_MARK], sample)
    return texts[encoding], encoding


def encode(text: str, encoding: Encoding) -> bytes:
    """Write text in a file's encoding, without the mark.

    Raises:
        InvalidArguments: the encoding has no such character.
    """
    try:
        return text.encode(encoding.codec)
    except UnicodeEncodeError as error:
        character = f"U+{ord(error.object[error.start]):04X}"
        raise InvalidArguments(
            f"{encoding.label} has no character {character}; leave it out, or use another."
        ) from error


def _legacy(euc_jp: str | None, cp932: str | None) -> Encoding:
    """Choose between the encodings without a mark, both of which accept many of the same bytes."""
    euc_jp, cp932 = _if_japanese(euc_jp), _if_japanese(cp932)
    if euc_jp is not None and cp932 is not None:
        # Kana in CP932 is hardly ever valid EUC-JP. What is left is text in nothing but half-width
        # kana: CP932, unless EUC-JP finds real kana in it.
        only_half_width = not re.sub(HALF_WIDTH_KANA, "", cp932)
        return CP932 if only_half_width and not re.search(KANA, euc_jp) else EUC_JP
    if euc_jp is not None:
        return EUC_JP
    if cp932 is not None:
        return CP932
    raise _unreadable()


def _if_japanese(sample: str | None) -> str | None:
    """The sample if at least half of it looks Japanese; other bytes may happen to be valid too."""
    is_japanese = sample is not None and 2 * len(re.findall(JAPANESE, sample)) >= len(sample)
    return sample if is_japanese else None


def _unreadable() -> InvalidArguments:
    return InvalidArguments(
        "The file is not text in UTF-8, UTF-16 with a byte order mark, CP932 or EUC-JP; "
        "convert it to UTF-8 to read it here."
    )
