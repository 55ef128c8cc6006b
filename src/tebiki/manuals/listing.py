"""The manuals, and what is in one of their folders: ids that can be read, always fresh from disk.

Also the one place where a caller's manual id becomes a folder. Not here: searching, reading.
"""

from __future__ import annotations

from collections import Counter
from types import MappingProxyType
from typing import TYPE_CHECKING

from tebiki.errors import Forbidden, InvalidArguments, InvalidPath, NotFound
from tebiki.files.handles import Kind, kind_of
from tebiki.files.names import TOP, RelativePath, nfc, parse
from tebiki.files.paths import translate_os_errors
from tebiki.manuals.documents.file_types import USUAL_TYPES
from tebiki.manuals.documents.folders import IGNORE_FILE, by_spelling, is_ignored
from tebiki.manuals.documents.kinds import kind_of_name, tally
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tebiki.files.paths import FolderEntry, Root
    from tebiki.manuals.documents.file_types import FileTypes

ROOT_ID = "manuals"


class Item(NamedTuple):
    """A manual, a folder or a file; only files have a path and a type."""

    id: str
    name: str
    kind: str
    path: str | None = None
    file_type: str | None = None


class Listing(NamedTuple):
    """What is directly below an id; `unsupported` counts, by kind, what search does not take."""

    id: str
    items: tuple[Item, ...]
    unsupported: Mapping[str, int] = MappingProxyType({})


def ls(root: Root, identifier: str | None = None, types: FileTypes = USUAL_TYPES) -> Listing:
    """List the manuals, or the direct children of a manual or folder, by name.

    Raises:
        NotFound: there is no such manual or folder.
        InvalidArguments: the id is that of a file, or cannot be one at all.
        Forbidden: a link is on the way.
    """
    if identifier is None or identifier == ROOT_ID:
        return Listing(ROOT_ID, tuple(Item(name, name, "dir") for name in manual_ids(root)))
    path = _folder_of(root, identifier)
    try:
        stored, entries = root.listing(path)
    except NotFound:
        _refuse_file(root, path)
        raise
    above = [nfc(part) for part in stored.parts]
    items = (_item(above, name, kind, types) for name, kind in _by_name(entries))
    names = [
        entry.name for entry in entries if entry.kind is Kind.FILE and not types.has(entry.name)
    ]
    others = [name for name in names if len(above) > 1 or name != IGNORE_FILE]
    unsupported = tally([Counter(map(kind_of_name, others))])
    return Listing("/".join(above), tuple(filter(None, items)), unsupported)


def manual_ids(root: Root) -> list[str]:
    """The folders directly below the root, links left out, by name; none when it is missing.

    A folder that is called like the root's id could not be told from it, and is left out; so are
    those that tools keep for themselves.
    """
    _, entries = root.listing(TOP)
    return [
        name
        for name, kind in _by_name(entries)
        if kind is Kind.FOLDER and name != ROOT_ID and not is_ignored(name)
    ]


def loose_files(root: Root, types: FileTypes = USUAL_TYPES) -> int:
    """How many files that could be searched lie in the root itself, and so in no manual."""
    _, entries = root.listing(TOP)
    return sum(entry.kind is Kind.FILE and types.has(entry.name) for entry in entries)


def resolve_manual(root: Root, manual_id: str) -> str:
    """Take a manual id exactly as it was listed; nothing in it is read as a path.

    Raises:
        NotFound: no manual has that id.
        InvalidArguments: it is the root's, or cannot be one at all.
    """
    ids = manual_ids(root)
    details = {"manual_id": manual_id, "candidate_ids": ids}
    if manual_id == ROOT_ID:
        raise InvalidArguments(
            f"{ROOT_ID} stands for all manuals; name one of them.", details=details
        )
    if nfc(manual_id) in ids:
        return nfc(manual_id)
    if not manual_id.strip() or manual_id in {".", ".."} or {"/", "\\"} & set(manual_id):
        raise InvalidArguments(
            "manual_id must be one of the ids that are listed, without any path.",
            details=details,
            remedy="list",
        )
    raise NotFound("There is no such manual.", details=details, remedy="list")


def _by_name(entries: list[FolderEntry]) -> list[tuple[str, Kind]]:
    """The names that a caller can give, sorted; of those that read the same, where they lead."""
    found: dict[str, FolderEntry] = {}
    for entry in sorted(entries, key=lambda entry: by_spelling(entry.name)):
        found.setdefault(nfc(entry.name), entry)
    return [(name, entry.kind) for name, entry in found.items() if entry.nameable]


def _folder_of(root: Root, identifier: str) -> RelativePath:
    manual_id, *parts = identifier.split("/")
    if not all(part.strip() and part not in {".", ".."} for part in (manual_id, *parts)):
        raise InvalidArguments("id must be one that was listed, or left out.", remedy="list")
    manual = resolve_manual(root, manual_id)
    try:
        inner = [part for name in parts for part in parse(name).parts]
    except (InvalidPath, Forbidden) as refusal:
        raise InvalidArguments(
            f"id is not one that was listed. {refusal}", remedy="list"
        ) from refusal
    return RelativePath((manual, *inner))


def _refuse_file(root: Root, path: RelativePath) -> None:
    with root.place(path) as place, translate_os_errors(str(path)):
        is_file = kind_of(place.folder.look(place.name)) is Kind.FILE
    if is_file:
        raise InvalidArguments("id is that of a file, which has nothing to list.", remedy="read")


def _item(above: list[str], name: str, kind: Kind, types: FileTypes) -> Item | None:
    identifier = "/".join([*above, name])
    if kind is Kind.FOLDER:
        return Item(identifier, name, "dir")
    found = types.of(name) if kind is Kind.FILE else None
    return Item(identifier, name, "file", "/".join([*above[1:], name]), found) if found else None
