"""The URIs of manuals and notes: to and from text, with the place in a file that a fragment names.

Pure functions. What comes in is hostile: it becomes an id and a path here, and a file at the gate.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote_to_bytes

from tebiki.errors import InvalidArguments, InvalidPath
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

MANUAL = "manual"
VAULT = "vault"

LINES = re.compile(r"L([0-9]{1,9})(?:-L?([0-9]{1,9}))?")
CHARACTERS = re.compile(r"char=([0-9]{1,12}),([0-9]{1,12})?")
"""As RFC 5147 writes them; where an answer was cut, since a line may be longer than one."""

SLASHES = ("/", "\\")


class Whereabouts(NamedTuple):
    """A place in a text: a line, some lines, or some characters; without any of them all of it."""

    first_line: int | None = None
    last_line: int | None = None
    start: int | None = None
    stop: int | None = None


class ResourceAddress(NamedTuple):
    """A URI taken apart: what stands where a host would, the path, and the place in the file."""

    authority: str
    path: str
    where: Whereabouts
    fragment: str

    @property
    def names_a_folder(self) -> bool:
        """Tell whether it cannot be meant for a file."""
        return self.path == "" or self.path.endswith("/")


def parse_uri(uri: str, scheme: str) -> ResourceAddress:
    """Take a URI of a scheme apart; characters may be percent-encoded or as they are.

    Raises:
        InvalidPath: a part cannot be decoded, or hides a separator.
        InvalidArguments: the fragment names no place.
    """
    rest = uri[len(scheme) + len("://") :]
    body, _, fragment = rest.partition("#")
    authority, _, path = body.partition("/")
    decoded = "/".join(_decode(part) for part in path.split("/"))
    return ResourceAddress(_decode(authority), decoded, _place(fragment), fragment)


def manual_uri(manual_id: str, path: Iterable[str] = ()) -> str:
    """The URI of a manual, or of something in it."""
    return f"{MANUAL}://{quote(manual_id, safe='')}/{_join(path)}"


def vault_uri(path: Iterable[str] = ()) -> str:
    """The URI of the vault, or of something in it."""
    return f"{VAULT}:///{_join(path)}"


def rest_of(uri: str, start: int, stop: int | None) -> str:
    """The URI at which a text goes on that was cut."""
    return f"{uri}#char={start},{'' if stop is None else stop}"


def _join(path: Iterable[str]) -> str:
    return "/".join(quote(part, safe="") for part in path)


def _decode(part: str) -> str:
    try:
        text = unquote_to_bytes(part).decode("utf-8")
    except UnicodeError as broken:
        raise InvalidPath("The URI does not decode to text; percent-encode UTF-8.") from broken
    if any(sign in text and sign not in part for sign in SLASHES):
        raise InvalidPath("The URI hides a separator in one of its parts; write it as it is.")
    return text


def _place(fragment: str) -> Whereabouts:
    if not fragment:
        return Whereabouts()
    if lines := LINES.fullmatch(fragment):
        return Whereabouts(int(lines[1]), None if lines[2] is None else int(lines[2]))
    if characters := CHARACTERS.fullmatch(fragment):
        stop = None if characters[2] is None else int(characters[2])
        return Whereabouts(start=int(characters[1]), stop=stop)
    raise InvalidArguments(
        "The fragment of the URI names no place; write #L10 for the section at a line, or #L10-L24 "
        "for some lines. A # in a name is written %23."
    )
