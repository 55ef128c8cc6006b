"""Files of a manual as searchable sections, and which files a manual has.

A section is a heading with its own text up to the next heading, or a part of a JSON file; together
they are the whole text. Not here: how headings and JSON are read, what is done with a section.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice, pairwise
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from tebiki.errors import Forbidden, NotFound
from tebiki.files.encodings import decode
from tebiki.files.handles import Kind, kind_of
from tebiki.files.names import RelativePath, is_nameable, nfc
from tebiki.files.paths import open_regular, told
from tebiki.files.text import LINE_END, count_line_ends
from tebiki.manuals import json_nodes, markdown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from os import stat_result

    from tebiki.files.paths import Root

MOST_BYTES = 16 * 1024 * 1024
"""Of a file that is searched; larger ones are counted, and can still be scanned."""

LINES_AT_ONCE = 10_000

FILE_TYPES = ("md", "json")
MOST_NAMES = 65_536
FILES_BETWEEN_STOPS = 256
"""A walk asks so often whether to go on."""

UNREAD = {Kind.LINK: "symlink", Kind.SPECIAL: "special"}


@dataclass(frozen=True, slots=True)
class Section:
    """One searchable node of a file; lines count from 1, the last one included."""

    path: str
    start_line: int
    end_line: int
    level: int
    title: str
    trail: tuple[str, ...]
    text: str
    json_path: str | None = None


class Skipped(NamedTuple):
    """A file or folder that is not searched: encoding, permission, too_large, symlink, special."""

    path: str
    reason: str


class FileStat(NamedTuple):
    """A file of a manual, and by what a change of it shows."""

    path: str
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


class _Name(NamedTuple):
    """What a name on disk says by itself."""

    normal: str
    is_searched: bool
    is_nameable: bool


_names: dict[str, _Name] = {}
"""A manual is walked again for every find, and has the same names each time.

Threads may write the same name twice, which is as good as once.
"""


class Walk(NamedTuple):
    """The files of a manual, and what is left out; not all of them when there was no time."""

    files: dict[str, FileStat]
    skipped: tuple[Skipped, ...]
    is_whole: bool


class Outline(NamedTuple):
    """A Markdown text's front matter, if any, and its headings, by line of the whole file."""

    front: markdown.FrontMatter | None
    headings: list[markdown.Heading]


def file_type(name: str) -> str | None:
    """Tell what kind of file a name stands for; None for what manuals do not search."""
    ending = name.rpartition(".")[2].lower() if "." in name else ""
    return ending if ending in FILE_TYPES else None


def sections_of(path: str, data: bytes, check: Callable[[], None] = lambda: None) -> list[Section]:
    """Part a file into its sections, in order; an empty file has none.

    `check` is called often, and may raise to end the work.

    Raises:
        InvalidArguments: its encoding is not known.
    """
    text, _ = decode(data)
    if not text:
        return []
    split = _of_json if file_type(path) == "json" else of_markdown
    return split(path, text, check)


def of_markdown(path: str, text: str, check: Callable[[], None] = lambda: None) -> list[Section]:
    """Part a Markdown text into its sections, in order; `check` as above."""
    front, headings = outline(text, check)
    front_lines = front.lines if front else 0
    above: list[markdown.Heading] = []
    root = (front.title,) if front and front.title else ()
    cuts: list[tuple[int, int, str, tuple[str, ...]]] = []
    if front:
        cuts.append((1, 0, front.title, ()))
    first = headings[0].line if headings else 0
    if first != front_lines + 1:
        cuts.append((front_lines + 1, 0, "", root))
    for heading in headings:
        while above and above[-1].level >= heading.level:
            above.pop()
        trail = (*root, *(holder.title for holder in above))
        cuts.append((heading.line, heading.level, heading.title, trail))
        above.append(heading)
    return _cut(path, text, cuts, check)


def outline(text: str, check: Callable[[], None] = lambda: None) -> Outline:
    """Find the front matter and the headings of a Markdown text; `check` as above."""
    lines = markdown.unified(text)
    front = markdown.front_matter(lines)
    if front is None:
        return Outline(None, markdown.headings(lines, check))
    body = lines.split("\n", front.lines)[-1] if lines.count("\n") >= front.lines else ""
    headings = markdown.headings(body, check)
    moved = [heading._replace(line=heading.line + front.lines) for heading in headings]
    return Outline(front, moved)


def _cut(
    path: str,
    text: str,
    cuts: list[tuple[int, int, str, tuple[str, ...]]],
    check: Callable[[], None],
) -> list[Section]:
    """Cut a text before the lines at which its sections begin."""
    lines = count_line_ends(text) + (text[-1] not in "\r\n")  # none after a final line end
    cuts = [cut for cut in cuts if cut[0] <= lines]
    ends = [cut[0] - 1 for cut in cuts[1:]] + [lines]
    starts = [*_line_starts(text, [cut[0] for cut in cuts], check), len(text)]
    return [
        Section(path, line, end, level, title, trail, text[start:stop])
        for (line, level, title, trail), end, (start, stop) in zip(
            cuts, ends, pairwise(starts), strict=True
        )
    ]


def _line_starts(text: str, lines: list[int], check: Callable[[], None]) -> Iterator[int]:
    """Where some lines begin; ascending, all of them there."""
    line_ends = LINE_END.finditer(text)
    line, start = 1, 0
    for wanted in lines:
        while line < wanted:
            step = min(wanted - line, LINES_AT_ONCE)
            start = next(islice(line_ends, step - 1, None)).end()
            line += step
            check()
        yield start


def _of_json(path: str, text: str, check: Callable[[], None]) -> list[Section]:
    try:
        nodes = json_nodes.nodes(text, check)
    except json_nodes.Unparsable:
        last = count_line_ends(text) + (text[-1] not in "\r\n")
        return [Section(path, 1, last, 0, "", (), text)]
    found: list[Section] = []
    line = 1
    for node in nodes:
        check()
        part = text[node.start : node.end]
        ends = count_line_ends(part)
        last = line + ends - (part[-1:] in {"\r", "\n"} and ends > 0)
        title = node.keys[-1] if node.keys else ""
        shown = json_nodes.readable(part, check)
        found.append(Section(path, line, last, 0, title, node.keys[:-1], shown, node.path))
        line += ends
    return found


def contents(root: Root, manual_id: str, path: str) -> bytes | Skipped:
    """Read a file of a manual whole, or tell why it is not searched.

    Raises:
        NotFound: it is gone meanwhile.
    """
    try:
        with root.place(below(manual_id, path)) as place, told(path):
            kind = kind_of(place.folder.look(place.name))
            if kind in UNREAD:
                return Skipped(path, UNREAD[kind])
            with open_regular(place) as file:
                data = _most_of(file)
    except Forbidden:
        return Skipped(path, "permission")
    return Skipped(path, "too_large") if len(data) > MOST_BYTES else data


def _most_of(file: BinaryIO) -> bytes:
    """Read up to one byte more than is searched; an unbuffered read may give less than asked."""
    parts: list[bytes] = []
    wanted = MOST_BYTES + 1
    while wanted > 0 and (part := file.read(wanted)):
        parts.append(part)
        wanted -= len(part)
    return b"".join(parts)


def walked(root: Root, manual_id: str, stop: Callable[[], bool]) -> Walk:
    """Walk a manual until `stop` says so.

    Raises:
        NotFound: there is no such manual.
        Forbidden: it is a link, or may not be listed.
    """
    files: dict[str, FileStat] = {}
    skipped: list[Skipped] = []
    try:
        for found in manual_files(root, manual_id, stop):
            if isinstance(found, FileStat):
                files[found.path] = found
            else:
                skipped.append(found)
    except _Stopped:
        return Walk(files, tuple(skipped), is_whole=False)
    return Walk(files, tuple(skipped), is_whole=True)


def manual_files(
    root: Root, manual_id: str, stop: Callable[[], bool] = lambda: False
) -> Iterator[FileStat | Skipped]:
    """Walk a manual by name, depth first: its Markdown and JSON files, and what is left out.

    Raises:
        NotFound: there is no such manual.
        Forbidden: it is a link, or may not be listed.
    """
    is_searched = _Searched(stop)
    waiting = [""]
    while waiting:
        above = waiting.pop()
        try:
            with root.folder(below(manual_id, above)) as (folder, _), told(above or manual_id):
                entries = folder.stats(is_searched)
        except Forbidden:
            if not above:
                raise
            yield Skipped(above, "permission")
            continue
        except NotFound:
            if not above:
                raise
            continue  # removed since its folder was listed
        entries.sort(key=_by_name)
        folders: list[str] = []
        before = f"{above}/" if above else ""
        for name, kind, status in entries:
            found = _looked_at(before, name, kind, status)
            if isinstance(found, str):
                folders.append(found)
            elif found is not None:
                yield found
        waiting.extend(reversed(folders))


def below(manual_id: str, path: str) -> RelativePath:
    """The path, from the root, of what a manual has at a path that was found by walking it."""
    return RelativePath((manual_id, *(part for part in path.split("/") if part)))


def _looked_at(
    before: str, name: str, kind: Kind, status: stat_result | None
) -> FileStat | Skipped | str | None:
    """What a name is for a search: a file, something left out, a folder to enter, or nothing."""
    known = _names.get(name) or _remembered(name)
    if not (known.is_searched or kind is Kind.FOLDER or (kind is Kind.LINK and "." not in name)):
        return None
    path = before + known.normal
    if not known.is_nameable:
        # No caller could read it, so nothing may point at it.
        return Skipped(path.encode("utf-8", "replace").decode(), "special")
    if status is not None and kind is Kind.FILE:
        size = status.st_size
        if size > MOST_BYTES:
            return Skipped(path, "too_large")
        return FileStat(path, size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
    return Skipped(path, UNREAD[kind]) if kind in UNREAD else path


class _Stopped(Exception):
    """A walk is not to go on. Never leaves this module."""


class _Searched:
    """Tells which names are searched, and ends the walk that asks when it has to stop."""

    __slots__ = ("_count", "_stop")

    def __init__(self, stop: Callable[[], bool]) -> None:
        self._stop = stop
        self._count = 0

    def __call__(self, name: str) -> bool:
        self._count += 1
        if self._count % FILES_BETWEEN_STOPS == 0 and self._stop():
            raise _Stopped
        return (_names.get(name) or _remembered(name)).is_searched


def _by_name(entry: tuple[str, Kind, stat_result | None]) -> tuple[str, str]:
    name = entry[0]
    return (_names.get(name) or _remembered(name)).normal, name


def _remembered(name: str) -> _Name:
    found = _Name(nfc(name), file_type(name) is not None, is_nameable(name))
    if len(_names) >= MOST_NAMES:
        _names.clear()
    _names[name] = found
    return found
