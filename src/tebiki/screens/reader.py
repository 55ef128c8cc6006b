"""The reader: a rendered section of a manual, its neighbours, and the manual's pictures."""

from __future__ import annotations

import os
from bisect import bisect_left
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from tebiki.errors import InvalidArguments, NotFound
from tebiki.files.names import nfc
from tebiki.manuals.documents.file_types import file_type
from tebiki.manuals.documents.link_targets import (
    NamedFiles,
    fragment_key,
    target_from,
    written_target,
)
from tebiki.manuals.documents.page_marks import without_marks
from tebiki.manuals.documents.parting import of_headings, sections_of
from tebiki.manuals.limits import LONGEST_QUERY
from tebiki.manuals.reading import MOST_CHARS_PARTED
from tebiki.named_tuples import NamedTuple
from tebiki.screens.marks import needles_of
from tebiki.screens.markup import nodes_of, plain_nodes, said_nodes
from tebiki.screens.pictures import MOST_BYTES, PICTURE_KINDS, VECTOR, kind_of_picture
from tebiki.screens.screen_tools import FAMILY, NAMED, OFFSET, READS, screen_tool
from tebiki.server.registry import InThread, Parameter, Tool, ToolResult
from tebiki.tools.manuals import THREADS
from tebiki.tools.uris import manual_uri
from tebiki.values.shapes import Integer, Text
from tebiki.values.unseen import in_one_line
from tebiki.web.page.visits import sign_picture

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.manuals.documents.sections import Section
    from tebiki.manuals.library import Library
    from tebiki.screens.markup import Node
    from tebiki.server.registry import Call

MOST_SHOWN_CHARS = 60_000
"""Of one section with what is below it: several screens. What follows is one step further."""

MARKDOWN = frozenset(["md", "markdown", "mdx"])
PARTED_BY_FORM = frozenset(["json", "txt", "html"])
"""Kinds that have parts whatever headings they have; of a web page these are what it says."""

MOST_HEADINGS = 500
FILES_A_PAGE = 200
LONGEST_PATH = 4_096
MANUAL = Parameter("manual", NAMED, "Id of a manual.", required=True)
PATH = Parameter(
    "path", Text(not_blank=True, longest=LONGEST_PATH), "Path of a file.", required=True
)


class Shown(NamedTuple):
    """The sections of a file that are shown together, by their places."""

    first: int
    last: int


class ReaderScreen:
    """Reads manuals for the page."""

    def __init__(self, library: Callable[[], Library], *, has_editor: bool) -> None:
        self._library = library
        self._has_editor = has_editor

    def tools(self) -> list[Tool]:
        """What can be asked."""
        question = Parameter("q", Text(longest=LONGEST_QUERY), "Its words are marked.")
        line = Parameter("line", Integer(least=1), "A line of the section.")
        anchor = Parameter("anchor", Text(longest=LONGEST_PATH), "A heading as a link names it.")
        picture = Tool(
            "GET picture",
            "GET picture",
            "GET picture",
            FAMILY,
            (MANUAL, PATH),
            None,
            READS,
            InThread(THREADS, self._picture),
        )
        return [
            screen_tool(
                "GET section", THREADS, (MANUAL, PATH, line, anchor, question), self._section
            ),
            screen_tool(
                "GET manuals", THREADS, (MANUAL._replace(required=False), OFFSET), self._manuals
            ),
            picture,
        ]

    def _manuals(self, call: Call) -> dict[str, Any]:
        library = self._library().for_client(call.client)
        ids = [item.id for item in library.ls().items]
        manual, offset = call.arguments["manual"], call.arguments["offset"]
        if manual is None:
            return {"manuals": [{"id": one} for one in ids]}
        paths = sorted(library.index(manual).paths)
        shown = paths[offset : offset + FILES_A_PAGE]
        end = offset + len(shown)
        return {
            "manual": manual,
            "files": [{"path": path} for path in shown],
            "total": len(paths),
            "next": end if end < len(paths) else None,
        }

    def _section(self, call: Call) -> dict[str, Any]:
        given = call.arguments
        library = self._library().for_client(call.client)
        library.ls()
        manual, path = nfc(given["manual"]), given["path"]
        sections = self._sections(library, manual, path, call)
        path = sections[0].path
        at = _place(sections, given["line"], given["anchor"])
        shown = _shown_with(sections, at, is_prose=_kind(path) != "json")
        nodes, is_cut = self._nodes(library, call, sections[shown.first : shown.last + 1])
        section = sections[at]
        before = sections[at - 1] if at else None
        after = sections[shown.last + 1] if shown.last + 1 < len(sections) else None
        uri = manual_uri(manual, path.split("/"))
        return {
            "manual": manual,
            "path": path,
            "line": section.start_line,
            "end_line": sections[shown.last].end_line,
            "title": _title(section),
            "trail": [in_one_line(title) for title in section.trail],
            "kind": _kind(path),
            "page": section.page or None,
            "uri": f"{uri}#L{section.start_line}",
            "nodes": nodes,
            "headings": _headings_around(sections, at),
            "previous": None if before is None else _heading(before),
            "next": None if after is None else _heading(after),
            "cut": is_cut,
            "editor": self._editor(library, manual, path, section.start_line),
        }

    def _sections(self, library: Library, manual: str, path: str, call: Call) -> list[Section]:
        """The sections of a file; of one that is too long to be parted, its beginning as one."""
        wait = call.patience()
        with library.browser().open_text(manual, path, wait) as text:
            whole = text.slice(0, min(text.index.chars, MOST_CHARS_PARTED))
        # As the gate takes it: what a browser sent may be spelt in another way.
        shown = "/".join(
            part for part in path.replace("\\", "/").split("/") if part not in {"", "."}
        )
        if not whole.strip():
            raise NotFound(f"{path} is empty.")
        if _kind(shown) in PARTED_BY_FORM:
            found = sections_of(shown, whole.encode("utf-8", "surrogatepass"), wait.check)
            if not found:
                raise NotFound(f"{path} has no text.")
            return found
        sections = of_headings(shown, whole, wait.check)
        return sections[1:] if len(sections) > 1 and not sections[0].text.strip() else sections

    def _nodes(
        self, library: Library, call: Call, sections: list[Section]
    ) -> tuple[list[Node], bool]:
        first, kind = sections[0], _kind(sections[0].path)
        text = "".join(section.text for section in sections)
        if first.page:  # an import's marks of pages are for machines
            text = without_marks(text)
        is_cut = len(text) > MOST_SHOWN_CHARS
        text = text[:MOST_SHOWN_CHARS]
        needles = needles_of(call.arguments["q"]) if call.arguments["q"] else ()
        if kind == "html":
            shown = sections if not is_cut else [first._replace(text=text)]
            said = (said_nodes(one.text, one.level, needles, one.start_line) for one in shown)
            return [node for nodes in said for node in nodes], is_cut
        if kind not in MARKDOWN or _is_front(first):
            return plain_nodes(text, needles, first.start_line), is_cut
        leads = ManualLeads(library, call.arguments["manual"], first.path, call.client)
        return nodes_of(text, needles, leads, first.start_line), is_cut

    def _editor(self, library: Library, manual: str, path: str, line: int) -> str | None:
        """A link by which an editor of the same machine opens the file; nothing is started here."""
        if not self._has_editor:
            return None
        file = os.path.join(*library.origin_of(manual), *path.split("/"))
        return f"vscode://file{'' if file.startswith('/') else '/'}{quote(file)}:{line}"

    def _picture(self, call: Call) -> ToolResult:
        library = self._library().for_client(call.client)
        manual, path = call.arguments["manual"], call.arguments["path"]
        data = library.browser().read_bytes(manual, path, MOST_BYTES)
        if len(data) > MOST_BYTES:
            raise InvalidArguments(f"{path} has more than {MOST_BYTES} bytes, too many to show.")
        media_type = kind_of_picture(data)
        if media_type is None:
            raise NotFound(f"{path} is no picture that can be shown.")
        block = {
            "type": "picture",
            "bytes": data,
            "media_type": media_type,
            "is_download": media_type == VECTOR,
        }
        return ToolResult(None, {}, (block,))


class ManualLeads:
    """Where the links and pictures of a manual's file lead."""

    def __init__(self, library: Library, manual: str, path: str, owner: str) -> None:
        self._library = library
        self._manual = manual
        self._path = path
        self._folder = path.rpartition("/")[0]
        self._owner = owner
        self._names: NamedFiles | None = None

    def link(self, address: str) -> str | None:
        """The reader's address of a file of this manual."""
        if address.startswith("#"):
            return self._address(self._path, address[1:])
        target, fragment = target_from(self._path, address)
        found = self._files().file_of(target) if target else None
        return None if found is None else self._address(found, fragment)

    def picture(self, address: str) -> tuple[str, bool] | None:
        """The address of a picture of this manual, for this visit alone."""
        target, _ = written_target(self._folder, address)
        path = target.removeprefix("/")
        ending = path.rpartition(".")[2].lower()
        if not path or ending not in PICTURE_KINDS:
            return None
        signature = sign_picture(self._owner, self._manual, path)
        query = urlencode({"manual": self._manual, "path": path, "sig": signature})
        return f"/ui/api/picture?{query}", PICTURE_KINDS[ending] != VECTOR

    def _address(self, path: str, fragment: str) -> str:
        place = {"manual": self._manual, "path": path}
        if fragment.startswith("L") and fragment[1:].isascii() and fragment[1:].isdigit():
            place["line"] = fragment[1:]
        elif fragment:
            place["anchor"] = fragment
        return f"#read?{urlencode(place)}"

    def _files(self) -> NamedFiles:
        if self._names is None:
            self._names = NamedFiles(self._library.index(self._manual).paths)
        return self._names


def _kind(path: str) -> str:
    """What kind of file it is; one whose ending says nothing is Markdown, as everywhere."""
    return file_type(path) or "md"


def _place(sections: list[Section], line: int | None, anchor: str | None) -> int:
    """The innermost section with a line, or with the heading a link names; or the first."""
    if line is None and anchor:
        key = fragment_key(anchor)
        for at, section in enumerate(sections):
            if fragment_key(section.title) == key:
                return at
    after = [at for at, one in enumerate(sections) if line is not None and one.start_line <= line]
    if after:
        return after[-1]
    return 1 if len(sections) > 1 and _is_front(sections[0]) else 0


def _is_front(section: Section) -> bool:
    """Tell whether it is what stands above a text about it, for programs."""
    return section.start_line == 1 and not section.level and section.text.startswith("---")


def _shown_with(sections: list[Section], at: int, *, is_prose: bool) -> Shown:
    """A section with those below its heading, as many as one screen should have."""
    chars, last = len(sections[at].text), at
    for place in range(at + 1, len(sections)):
        one = sections[place]
        chars += len(one.text)
        is_below = one.level > sections[at].level > 0
        if not is_prose or not is_below or chars > MOST_SHOWN_CHARS:
            break
        last = place
    return Shown(at, last)


def _heading(section: Section) -> dict[str, Any]:
    return {"title": _title(section), "level": section.level, "line": section.start_line}


def _headings_around(sections: list[Section], at: int) -> list[dict[str, Any]]:
    """The headings of a file; of a long one those nearest to the section that is shown."""
    places = [place for place, one in enumerate(sections) if one.title]
    before = bisect_left(places, at)
    first = max(0, min(before - MOST_HEADINGS // 2, len(places) - MOST_HEADINGS))
    return [_heading(sections[place]) for place in places[first : first + MOST_HEADINGS]]


def _title(section: Section) -> str:
    return in_one_line(section.title) or section.path.rpartition("/")[2]
