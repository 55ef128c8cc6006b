"""Zip files and the XML in them, taken out with an eye on how much comes out.

No part is unpacked beyond what one file may give, no XML may declare anything of its own.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from typing import IO, TYPE_CHECKING
from xml.etree import ElementTree as ET
from xml.parsers import expat

from tebiki.importer.limits import MOST_MEMBERS, MOST_UNPACKED_BYTES
from tebiki.importer.outcomes import BROKEN, ENCRYPTED, TOO_LARGE, UNSUPPORTED, Unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator

BLOCK_BYTES = 1024 * 1024
ENCRYPTED_FLAG = 0x1
UTF_8_FLAG = 0x800
STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/(\w+)")
USUAL = rb"http://schemas.openxmlformats.org/\1/2006/\2"
"""The names that a document saved as "Strict Open XML" has for what others name by year."""

WRONG = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError)
"""What the standard library says of a zip file that is not whole."""


class Archive:
    """A zip file that is open, and how much more may be taken out of it."""

    def __init__(self, file: IO[bytes]) -> None:
        try:
            self._zip = zipfile.ZipFile(file)
        except WRONG as wrong:
            raise Unreadable(BROKEN) from wrong
        self._left = MOST_UNPACKED_BYTES
        infos = self._zip.infolist()
        if len(infos) > MOST_MEMBERS:
            raise Unreadable(TOO_LARGE, f"more than {MOST_MEMBERS} files in one zip file")
        self._members = {info.filename: info for info in infos}
        self.infos = infos

    @property
    def names(self) -> frozenset[str]:
        """The files in it, as they are stored."""
        return frozenset(self._members)

    def has(self, name: str) -> bool:
        """Tell whether it has such a file."""
        return name in self._members

    def read(self, name: str) -> bytes:
        """Take a file out.

        Raises:
            Unreadable: it is not there, broken, encrypted, or too much.
        """
        info = self._members.get(name)
        if info is None:
            raise Unreadable(BROKEN, f"broken: {name} is missing in it")
        return self.read_info(info)

    def read_info(self, info: zipfile.ZipInfo) -> bytes:
        """As `read`, by the entry."""
        if info.flag_bits & ENCRYPTED_FLAG:
            raise Unreadable(ENCRYPTED)
        parts: list[bytes] = []
        try:
            with self._zip.open(info) as file:
                # What an entry says of its size is the writer's word; what comes out is counted.
                while part := file.read(BLOCK_BYTES):
                    self._left -= len(part)
                    if self._left < 0:
                        raise Unreadable(TOO_LARGE)
                    parts.append(part)
        except NotImplementedError as wrong:
            raise Unreadable(UNSUPPORTED, "packed in a way that is not read") from wrong
        except WRONG as wrong:
            raise Unreadable(BROKEN) from wrong
        return b"".join(parts)

    def xml(self, name: str) -> ET.Element:
        """A file in it as XML."""
        return xml_in(self.read(name))

    def optional_xml(self, name: str) -> ET.Element | None:
        """As `xml`, or None where there is no such file."""
        return self.xml(name) if self.has(name) else None


def xml_in(data: bytes) -> ET.Element:
    """Parse XML that declares nothing: no entity can grow, and none can name another file.

    Raises:
        Unreadable: it does, or is no XML.
    """
    try:
        _refuse_declarations(data)
        return ET.fromstring(STRICT.sub(USUAL, data))  # noqa: S314 -- what is dangerous was refused a line above
    except (ET.ParseError, expat.ExpatError, LookupError, ValueError) as wrong:
        raise Unreadable(BROKEN) from wrong


class _Begun(Exception):
    """The first element is reached: nothing can be declared any more."""


def _refuse_declarations(data: bytes) -> None:
    parser = expat.ParserCreate()

    def refuse(*_: object) -> None:
        raise Unreadable(BROKEN, "broken: its XML declares entities, which no such document does")

    def begin(*_: object) -> None:
        raise _Begun

    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.StartElementHandler = begin
    try:
        parser.Parse(data, True)
    except _Begun:
        return


def decode_name(info: zipfile.ZipInfo) -> str:
    """The name of a file in a zip file; what is not marked as UTF-8 is likely to be CP932 here."""
    if info.flag_bits & UTF_8_FLAG:
        return info.filename
    try:
        stored = info.orig_filename.encode("cp437")
    except UnicodeEncodeError:
        return info.filename
    for encoding in ("ascii", "utf-8", "cp932", "euc_jp"):
        try:
            return stored.decode(encoding)
        except UnicodeDecodeError:
            continue
    return info.filename


def relationships(archive: Archive, part: str) -> dict[str, str]:
    """What a part of an Office document refers to, by id: the paths in the archive."""
    folder, _, name = part.rpartition("/")
    root = archive.optional_xml(f"{folder}/_rels/{name}.rels")
    found: dict[str, str] = {}
    for one in root if root is not None else ():
        target = one.get("Target", "")
        if one.get("TargetMode") != "External" and target:
            found[one.get("Id", "")] = resolve(folder, target)
    return found


def resolve(folder: str, target: str) -> str:
    """The path in an archive that is meant by a target seen from a folder."""
    parts = [] if target.startswith("/") else folder.split("/")
    for part in target.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in {"", "."}:
            parts.append(part)
    return "/".join(part for part in parts if part)


def children(element: ET.Element, *names: str) -> Iterator[ET.Element]:
    """The elements along a path of names, each with its namespace."""
    if not names:
        yield element
        return
    for child in element.findall(names[0]):
        yield from children(child, *names[1:])
