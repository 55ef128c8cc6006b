"""Reading a manual: the section or snippet around a line and what follows, or a file by pages.

Cuts and cursors are those of `files.reading`. What a client read last is in its memory; apart
from that a reading depends on nothing but the file and the question.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.errors import Forbidden, InvalidArguments, InvalidPath, InvalidScope, NotFound
from tebiki.files.clusters import is_boundary
from tebiki.files.limits import MOST_CHARS
from tebiki.files.names import RelativePath, nfc, parse
from tebiki.files.patience import ENDLESS
from tebiki.files.reading import cursor_offset, line_offset, page
from tebiki.manuals.client_memory import ClientMemory, Mark
from tebiki.manuals.documents.file_types import USUAL_TYPES, file_type, has_headings
from tebiki.manuals.documents.folders import MOST_BYTES
from tebiki.manuals.documents.markdown import front_matter, unify_line_ends
from tebiki.manuals.documents.page_marks import LONGEST_FRONT, page_before, pages_of
from tebiki.manuals.documents.parting import of_headings
from tebiki.manuals.limits import AROUND_CHARS, MOST_SECTIONS_READ, SCOPES
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from tebiki.files.patience import Patience
    from tebiki.files.reading import Cursor, Page, Texts
    from tebiki.files.text import FileText
    from tebiki.manuals.documents.file_types import FileTypes
    from tebiki.manuals.documents.sections import Section

MOST_CHARS_PARTED = MOST_BYTES
"""As many as the largest file that is searched can have; longer texts are scanned."""


class Ref(NamedTuple):
    """A place in a manual: a file, and perhaps a line of it."""

    manual_id: str
    path: str
    start_line: int | None = None


class Wanted(NamedTuple):
    """How much to read around a place."""

    scope: str | None = None
    allow_file: bool = False
    before_chars: int | None = None
    after_chars: int | None = None


class Passage(NamedTuple):
    """What was read; `goes_on` when it is not what was asked for but what follows that."""

    page: Page
    scope: str
    goes_on: bool = False
    pages: tuple[str, str] = ("", "")
    """The first and the last page of the original, where the text was imported."""


class ScanPart(NamedTuple):
    """A page of a file that is read on and on."""

    manual_id: str
    path: str
    page: Page


def path_in(manual_id: str, path: str, types: FileTypes = USUAL_TYPES) -> RelativePath:
    """A caller's path to a file of a manual that is known.

    Raises:
        InvalidPath: it names no file below the manual.
        NotFound: manuals have no files of that kind.
        Forbidden: it is a name that only a write in progress uses.
    """
    parts = parse(path).parts
    if not parts:
        raise InvalidPath("The path names the manual itself; name a file in it.")
    if types.of(parts[-1]) is None:
        raise NotFound(f"{path} is no {types.in_words()} file.", remedy="list_files")
    return RelativePath((manual_id, *parts))


def read(
    texts: Texts,
    ref: Ref,
    wanted: Wanted,
    memory: ClientMemory,
    *,
    allows_files: bool,
    patience: Patience = ENDLESS,
    types: FileTypes = USUAL_TYPES,
) -> Passage:
    """Read what is wanted around a place in a manual that is known.

    Raises:
        InvalidScope: the file has no sections.
        Forbidden: a whole Markdown file is not to be read.
        InvalidArguments: there is no such line or scope.
        NotFound: there is no such file.
    """
    path = path_in(ref.manual_id, ref.path, types)
    scope = _scope(path, wanted, allows_files=allows_files)
    with texts.open(path, patience) as text:
        line = 1 if ref.start_line is None else ref.start_line
        start = line_offset(text, line)
        if scope == "file":
            passage = Passage(page(text, 0), scope)
        elif scope == "snippet":
            passage = Passage(_snippet(text, line, start, wanted), scope)
        else:
            nodes = _nodes(text, ref.path, patience)
            at = _node_at(nodes, ref.start_line)
            if scope == "sections":
                passage = Passage(_some_sections(text, nodes, at), scope)
            else:
                start, stop = _whole_section(text, nodes, at)
                mark = Mark(ref.manual_id, nfc(str(path)), start, stop, text.index.chars)
                passage = _read_marked(text, mark, memory)
        return passage._replace(pages=_pages(text, passage.page))


def scan(
    texts: Texts,
    manual_id: str,
    path: str,
    start_line: int | None,
    cursor: Cursor,
    *,
    patience: Patience = ENDLESS,
    types: FileTypes = USUAL_TYPES,
) -> ScanPart:
    """Read a page of a file from a line or a cursor on, be it too large to be searched.

    Raises:
        NotFound: there is no such file.
        InvalidArguments: there is no such line or offset, or the file is too large.
    """
    where = path_in(manual_id, path, types)
    with texts.open(where, patience) as text:
        part = page(text, cursor_offset(text, start_line, cursor))
    return ScanPart(manual_id, "/".join(nfc(name) for name in where.parts[1:]), part)


def _pages(text: FileText, given: Page) -> tuple[str, str]:
    """The pages of the original that a passage is from; empty where it has none."""
    front = front_matter(unify_line_ends(text.slice(0, min(text.index.chars, LONGEST_FRONT))))
    if front is None or not front.is_paged:
        return "", ""
    return pages_of(given.text, page_before(text.slice, given.end - len(given.text)))


def section_at(text: FileText, shown: str, line: int, patience: Patience) -> tuple[int, int]:
    """Where the section of a Markdown text with a line in it begins and ends.

    Raises:
        InvalidArguments: there is no such line, or the text is too long to be parted.
    """
    line_offset(text, line)
    nodes = _nodes(text, shown, patience)
    return _whole_section(text, nodes, _node_at(nodes, line))


def snippet_at(text: FileText, line: int) -> Page:
    """A line of any text, and a little around it.

    Raises:
        InvalidArguments: there is no such line.
    """
    return _snippet(text, line, line_offset(text, line), Wanted())


def _scope(path: RelativePath, wanted: Wanted, *, allows_files: bool) -> str:
    is_headed = has_headings(path.parts[-1])
    scope = wanted.scope or ("section" if is_headed else "file")
    if scope not in SCOPES:
        raise InvalidArguments(f"scope is {scope!r}; it must be one of {', '.join(SCOPES)}.")
    if not is_headed and scope in {"section", "sections"}:
        kind = "JSON" if file_type(path.parts[-1]) == "json" else "plain text"
        raise InvalidScope(f"A {kind} file has no sections; use scope file or snippet.")
    if is_headed and scope == "file" and not (allows_files and wanted.allow_file):
        needed = "allow_file: true" if allows_files else "the server's setting ALLOW_FILE_SCOPE"
        raise Forbidden(f"Reading a whole Markdown file needs {needed}; read its sections instead.")
    return scope


def _snippet(text: FileText, line: int, start: int, wanted: Wanted) -> Page:
    """A line and what is around it, no grapheme cluster cut."""
    before = _side("before_chars", wanted.before_chars)
    after = _side("after_chars", wanted.after_chars)
    stop = text.start_of_line(line + 1)
    # A page has only so many characters, and the line itself is to be among them.
    before = min(before, max(0, MOST_CHARS - (stop - start)))
    stop -= len(_line_end(text.slice(max(stop - 2, start), stop)))
    return page(
        text,
        _boundary(text, max(0, start - before), 1),
        _boundary(text, min(text.index.chars, stop + after), -1),
    )


def _side(name: str, chars: int | None) -> int:
    if chars is not None and chars < 0:
        raise InvalidArguments(f"expand.{name} is {chars}; it must be at least 0.")
    return AROUND_CHARS if chars is None else chars


def _line_end(tail: str) -> str:
    if tail.endswith("\r\n"):
        return "\r\n"
    return tail[-1:] if tail[-1:] in {"\r", "\n"} else ""


def _boundary(text: FileText, offset: int, step: int) -> int:
    """The nearest end of a cluster, towards the line."""
    start = max(0, offset - AROUND_CHARS)
    seen = text.slice(start, min(text.index.chars, offset + AROUND_CHARS))
    at = offset - start
    while 0 < at < len(seen) and not is_boundary(seen, at):
        at += step
    return start + at


def _nodes(text: FileText, shown: str, patience: Patience) -> list[Section]:
    """The nodes of a Markdown text; blank lines before the first heading go with it."""
    if text.index.chars > MOST_CHARS_PARTED:
        raise InvalidArguments(
            f"{shown} has {text.index.chars} characters, and only texts of up to "
            f"{MOST_CHARS_PARTED} are split into sections; read it page by page.",
            remedy="scan",
        )
    whole = text.slice(0, text.index.chars)
    nodes = of_headings(shown, whole, patience.check) if whole else []
    return nodes[1:] if len(nodes) > 1 and not nodes[0].text.strip() else nodes


def _node_at(nodes: list[Section], line: int | None) -> int:
    """The innermost node with a line; without one, the first."""
    after = [at for at, node in enumerate(nodes) if line is not None and node.start_line <= line]
    return after[-1] if after else 0


def _whole_section(text: FileText, nodes: list[Section], at: int) -> tuple[int, int]:
    """Where a section with everything below its heading begins and ends."""
    if not nodes:
        return 0, 0
    own = nodes[at]
    last = own.end_line
    for node in nodes[at + 1 :]:
        if node.level <= own.level or own.level == 0:
            break
        last = node.end_line
    return text.start_of_line(own.start_line), text.start_of_line(last + 1)


def _some_sections(text: FileText, nodes: list[Section], at: int) -> Page:
    if not nodes:
        return page(text, 0)
    last = nodes[at : at + MOST_SECTIONS_READ][-1]
    start = text.start_of_line(nodes[at].start_line)
    return page(text, start, text.start_of_line(last.end_line + 1))


def _read_marked(text: FileText, mark: Mark, memory: ClientMemory) -> Passage:
    """Give a section, or what follows if this very section was read last."""
    last, end = memory.last_read or (None, 0)
    goes_on = last == mark and end < mark.chars
    given = page(text, end) if goes_on else page(text, mark.start, mark.stop)
    memory.last_read = mark, given.end
    return Passage(given, "section", goes_on)
