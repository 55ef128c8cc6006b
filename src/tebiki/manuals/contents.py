"""The table of contents of a manual: its files page by page, with their headings when asked.

Not here: what a heading is (`documents`), reading and searching.
"""

from __future__ import annotations

from collections import Counter
from types import MappingProxyType
from typing import TYPE_CHECKING

from tebiki.errors import InvalidArguments, NeedsNarrowScope, NotFound
from tebiki.files.encodings import decode
from tebiki.files.names import nfc, parse
from tebiki.files.patience import ENDLESS
from tebiki.files.text import count_line_ends
from tebiki.manuals.documents import json_nodes
from tebiki.manuals.documents.file_types import USUAL_TYPES, file_type, has_headings
from tebiki.manuals.documents.folders import Skipped
from tebiki.manuals.documents.ignoring import without_ignored
from tebiki.manuals.documents.kinds import kind_of_name, tally
from tebiki.manuals.documents.markdown import unify_line_ends
from tebiki.manuals.documents.page_marks import pages_at
from tebiki.manuals.documents.parting import headings_of
from tebiki.manuals.documents.walking import FileStat, contents, files_of, walk_manual
from tebiki.manuals.limits import (
    DEFAULT_FILES,
    DEFAULT_HEADINGS,
    DEPTHS,
    MOST_FILES,
    MOST_FILES_WIDE,
    MOST_HEADINGS,
)
from tebiki.named_tuples import NamedTuple
from tebiki.values.numerals import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tebiki.files.paths import Root
    from tebiki.files.patience import Patience
    from tebiki.manuals.documents.file_types import FileTypes
    from tebiki.manuals.documents.walking import Walk

MOST_FOLDERS_SHOWN = 50
NOT_FILES = frozenset(["symlink", "special", "same_name", "unusable_name", "ignored"])
"""Reasons of what is left out of the count: nobody can read it as one of a manual's files."""


class Scope(NamedTuple):
    """What was asked for, with every default filled in."""

    manual_id: str
    path_prefix: str
    is_deep: bool
    max_files: int
    max_headings: int
    offset: int


class HeadingItem(NamedTuple):
    """A heading, its line, and the page of the original if that is known."""

    title: str
    line: int
    page: str = ""


class FileItem(NamedTuple):
    """A file with its headings; `reason` tells why it could not be read."""

    path: str
    headings: tuple[HeadingItem, ...] = ()
    has_more: bool = False
    reason: str | None = None


class Contents(NamedTuple):
    """One page of a manual's files; `skipped` is what is no file of it, and why.

    `unsupported` counts, by kind, the files in scope that search does not take.
    """

    scope: Scope
    total_files: int
    items: tuple[FileItem, ...]
    skipped: tuple[Skipped, ...] = ()
    unsupported: Mapping[str, int] = MappingProxyType({})


def scope_of(
    manual_id: str,
    path_prefix: str | None = None,
    *,
    depth: str | None = None,
    max_files: int | None = None,
    max_headings: int | None = None,
    offset: int | None = None,
) -> Scope:
    """Fill in the defaults and hold the parts of a question against each other.

    Raises:
        InvalidArguments: a bound is broken, or headings are wanted of a whole manual.
        InvalidPath: the prefix is none.
    """
    prefix = parse(path_prefix).parts if path_prefix else ()
    scope = Scope(
        manual_id=manual_id,
        path_prefix="/".join(nfc(part) for part in prefix),
        is_deep=_is_deep(depth),
        max_files=DEFAULT_FILES if max_files is None else max_files,
        max_headings=DEFAULT_HEADINGS if max_headings is None else max_headings,
        offset=offset or 0,
    )
    if scope.is_deep and not scope.path_prefix:
        raise InvalidArguments("path_prefix is needed with depth deep; name a folder or a file.")
    is_wide = scope.is_deep or not scope.path_prefix
    most = MOST_FILES_WIDE if is_wide else MOST_FILES
    why = " when depth is deep or path_prefix is empty" if is_wide else ""
    _check("max_files", scope.max_files, 1, most, why)
    _check("max_headings_per_file", scope.max_headings, 1, MOST_HEADINGS)
    _check("cursor.offset", scope.offset, 0)
    return scope


def toc(
    root: Root, scope: Scope, patience: Patience = ENDLESS, types: FileTypes = USUAL_TYPES
) -> Contents:
    """List the files of a scope, a page of them; whoever waits is asked between files and blocks.

    Raises:
        NeedsNarrowScope: there are more files than one table shows.
        InvalidArguments: the offset is past the end.
        NotFound: the manual is gone.
        Conflict: nobody waits any more.
    """
    walk = walk_manual(root, scope.manual_id, patience.is_over, types=types)
    walk = without_ignored(
        walk, lambda path: contents(root, scope.manual_id, path), patience.is_over
    )
    patience.check()
    inside = [file for file in files_of(walk) if _is_in(file.path, scope)]
    files = [file for file in inside if not _is_left_out(file)]
    if len(files) > MOST_FILES:
        raise _too_wide(scope, [file.path for file in files])
    if scope.offset > len(files):
        raise InvalidArguments(
            f"cursor.offset is {scope.offset}; the scope has {counted(len(files), 'file')}."
        )
    page = files[scope.offset : scope.offset + scope.max_files]
    items = tuple(_item(root, scope, file, patience) for file in page)
    skipped = tuple(file for file in inside if isinstance(file, Skipped) and _is_left_out(file))
    return Contents(scope, len(files), items, skipped, _unsupported(walk, scope))


def _unsupported(walk: Walk, scope: Scope) -> dict[str, int]:
    """How many files in scope there are of each kind that search does not take."""
    files = (file.path for folder in walk.unsupported.values() for file in folder.files)
    names = [path.rpartition("/")[2] for path in files if _is_in(path, scope)]
    return tally([Counter(map(kind_of_name, names))])


def _is_deep(depth: str | None) -> bool:
    if depth is not None and depth not in DEPTHS:
        raise InvalidArguments(f"depth is {depth!r}; it must be {' or '.join(DEPTHS)}.")
    return depth == "deep"


def _check(name: str, value: int, least: int, most: int | None = None, why: str = "") -> None:
    if value < least or (most is not None and value > most):
        bounds = f"at least {least}" if most is None else f"from {least} to {most}"
        raise InvalidArguments(f"{name} is {value}; it must be {bounds}{why}.")


def _is_in(path: str, scope: Scope) -> bool:
    prefix = scope.path_prefix
    return not prefix or path == prefix or path.startswith(f"{prefix}/")


def _is_left_out(file: FileStat | Skipped) -> bool:
    """Tell what is not one of the files: as above, and folders that may not be listed."""
    if isinstance(file, FileStat):
        return False
    return file.reason in NOT_FILES or file_type(file.path) is None


def _item(root: Root, scope: Scope, file: FileStat | Skipped, patience: Patience) -> FileItem:
    if isinstance(file, Skipped):
        return FileItem(file.path, reason=file.reason)
    if not scope.is_deep:
        return FileItem(file.path)
    try:
        data = contents(root, scope.manual_id, file.path, patience.check)
    except NotFound:
        return FileItem(file.path, reason="gone")
    if isinstance(data, Skipped):
        return FileItem(file.path, reason=data.reason)
    return _with_headings(file.path, data, scope.max_headings, patience)


def _with_headings(path: str, data: bytes, limit: int, patience: Patience) -> FileItem:
    try:
        text, _ = decode(data)
    except InvalidArguments:
        return FileItem(path, reason="encoding")
    if file_type(path) == "json":
        found = _keys(text, limit + 1)
    else:
        found = _headings(path, text, limit + 1, patience) if has_headings(path) else []
    return FileItem(path, tuple(found[:limit]), has_more=len(found) > limit)


def _headings(path: str, text: str, limit: int, patience: Patience) -> list[HeadingItem]:
    front, headings = headings_of(path, text, patience.check)
    found = [HeadingItem(heading.title, heading.line) for heading in headings[:limit]]
    if front is None or not front.is_paged:
        return found
    pages = pages_at(unify_line_ends(text), [heading.line for heading in found])
    return [one._replace(page=page) for one, page in zip(found, pages, strict=True)]


def _keys(text: str, limit: int) -> list[HeadingItem]:
    try:
        members = json_nodes.members(text, limit)
    except json_nodes.Unparsable:
        return []
    found: list[HeadingItem] = []
    line, counted = 1, 0
    for member in members:
        line += count_line_ends(text[counted : member.start])
        counted = member.start
        found.append(HeadingItem(member.key, line))
    return found


def _too_wide(scope: Scope, paths: list[str]) -> NeedsNarrowScope:
    """Tell how many files there are, and in which folders."""
    start = len(scope.path_prefix) + 1 if scope.path_prefix else 0
    folders = Counter(path[: path.index("/", start)] for path in paths if "/" in path[start:])
    shown = [{"path": path, "files": files} for path, files in sorted(folders.items())]
    narrower = "one of the folders in details" if shown else "a file"
    return NeedsNarrowScope(
        f"{len(paths)} files are in scope, and at most {MOST_FILES} are listed; give "
        f"{narrower} as path_prefix, or search.",
        details={
            "total_files": len(paths),
            "max_files_in_scope": MOST_FILES,
            "sub_folders": shown[:MOST_FOLDERS_SHOWN],
        },
        remedy="search",
    )
