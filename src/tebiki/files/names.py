"""What a relative path may look like, and when two names are the same: pure functions.

No file is touched here. Every rule holds on every system, so that a path means the same anywhere.
"""

from __future__ import annotations

import os
import re
import unicodedata

from tebiki.errors import Forbidden, InvalidPath
from tebiki.named_tuples import NamedTuple

LONGEST_PART = 255
LONGEST_PATH = 2048
"""Bytes; with the root before it a path stays short enough for every other program."""

TEMPORARY_PREFIX = ".tebiki-tmp-"
"""Names a write uses before it is whole; no caller can see or name them."""

OWN_FOLDER = ".system"
"""Where a vault keeps what is not the user's; never searched, wherever it lies."""

RESERVED_BY_WINDOWS = frozenset(
    ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$"]
    + [device + digit for device in ("COM", "LPT") for digit in "0123456789¹²³"]
)
DRIVE = re.compile(r"[A-Za-z]:")
PLAIN = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?")
"""Most names, of which only one rule is left to be asked; a folder may have thousands of them."""

SHORT_NAME = re.compile(r"[^.]{1,6}~[0-9]+(\.[^.]{0,3})?")
"""The second name Windows gives a file with a long one, such as `SYSTEM~1`."""

UNSEEN = frozenset(["Cc", "Cf", "Cs", "Zl", "Zp"])
"""Categories of control, bidi, zero-width and line-separating characters, and lone surrogates."""

JOINERS = "\u200c\u200d"
"""Of the unseen, those that words and emoji are written with."""

WITHOUT_JOINERS = dict.fromkeys(map(ord, JOINERS))

ALSO_WRITTEN_OTHERWISE = frozenset("K;`")
"""The ASCII characters that some other character (the Kelvin sign …) is normalised to."""


class RelativePath(NamedTuple):
    """A path below a root that passed every rule, as the caller wrote its names."""

    parts: tuple[str, ...]

    def __str__(self) -> str:
        return "/".join(self.parts)

    @property
    def above(self) -> RelativePath:
        """The folder it is in."""
        return RelativePath(self.parts[:-1])


TOP = RelativePath(())
"""The root itself."""


def parse(text: str) -> RelativePath:
    """Read a caller's path; nothing but `.` and separators gives the root itself.

    Raises:
        InvalidPath: it cannot name anything below a root.
        Forbidden: it names a file that only a write in progress uses.
    """
    slashed = text.replace("\\", "/")
    if not text:
        raise InvalidPath("The path is empty; give one relative to the root, such as notes/a.md.")
    if slashed.startswith("/") or DRIVE.match(slashed):
        raise InvalidPath(
            "The path is absolute; give one relative to the root, such as notes/a.md."
        )
    parts = tuple(part for part in slashed.split("/") if part not in {"", "."})
    # First of all: the rest takes the longer the longer they are.
    if len("/".join(parts).encode(errors="surrogatepass")) > LONGEST_PATH:
        raise InvalidPath(f"The path is longer than {LONGEST_PATH} bytes; shorten it.")
    for part in parts:
        _check(part)
    return RelativePath(parts)


def is_nameable(name: str) -> bool:
    """Tell whether a name found on disk could also be given by a caller."""
    if len(name) <= LONGEST_PART and PLAIN.fullmatch(name):
        return not _is_reserved(name)
    try:
        return parse(name).parts == (name,)
    except (InvalidPath, Forbidden):
        return False


def nfc(name: str) -> str:
    """The form names are compared and created in; what is too long for a path is left alone.

    Marks are put in order by comparing each with those before it: a million would take minutes.
    """
    return unicodedata.normalize("NFC", name) if len(name) <= LONGEST_PATH else name


def fold_name(name: str) -> str:
    """The form reserved names are compared in: compatibility characters and case do not count.

    Nor do joiners, which some file systems of macOS pass over.
    """
    seen = name if name.isascii() else name.translate(WITHOUT_JOINERS)
    once = unicodedata.normalize("NFKC", seen).casefold()
    return unicodedata.normalize("NFKC", once)


def has_one_spelling(name: str) -> bool:
    """Tell whether no other string has the same normal form, which spares listing the folder."""
    return name.isascii() and not ALSO_WRITTEN_OTHERWISE.intersection(name)


def _check(part: str) -> None:
    for character in "" if part.isascii() and part.isprintable() else part:
        if unicodedata.category(character) in UNSEEN and character not in JOINERS:
            seen = f"U+{ord(character):04X}"
            raise InvalidPath(
                f"The path has an invisible or control character ({seen}); remove it."
            )
    normal = nfc(part)
    if normal == "..":
        raise InvalidPath("The path has a `..` part; give one that only goes down from the root.")
    if ":" in normal:
        raise InvalidPath(
            "The path has a `:`, which some systems give a meaning; use another sign."
        )
    if normal[-1] in ". ":
        raise InvalidPath(f"{_show(part)} ends with a dot or a space; remove it.")
    if max(len(part.encode()), len(normal.encode())) > LONGEST_PART:
        raise InvalidPath(f"{_show(part)} is longer than {LONGEST_PART} bytes; shorten it.")
    if _is_reserved(normal):
        raise InvalidPath(f"{_show(part)} is a reserved name on Windows; use another.")
    if fold_name(part).startswith(TEMPORARY_PREFIX):
        raise Forbidden(f"{TEMPORARY_PREFIX} begins the names of unfinished writes; use another.")


def _is_reserved(part: str) -> bool:
    if part.partition(".")[0].rstrip(" ").upper() in RESERVED_BY_WINDOWS:
        return True
    return os.name == "nt" and SHORT_NAME.fullmatch(part) is not None


def _show(part: str) -> str:
    return part if len(part) <= 40 else part[:40] + "…"  # noqa: PLR2004 -- enough to recognise
