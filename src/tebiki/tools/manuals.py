"""The manuals counter: six tools over one `Library`, all of them only reading.

Lives here: names, descriptions, parameters, one engine call each, in a thread of its own.
Not here: paths, ranking, what a connection has seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tebiki.errors import TebikiError
from tebiki.files.limits import MOST_CHARS
from tebiki.manuals import limits
from tebiki.server.registry import Behaviour, InThread, Parameter, Tool, ToolResult
from tebiki.tools import find_app
from tebiki.tools import manual_forms as forms
from tebiki.tools.cursors import SCAN_CURSOR, RecordOrNumber
from tebiki.tools.outputs import (
    COUNT,
    CURSOR,
    FLAG,
    OBJECT,
    OBJECT_OR_NULL,
    OBJECTS,
    TEXT,
    TEXT_OR_NULL,
    or_error,
)
from tebiki.values.shapes import Field, Flag, Integer, ListOf, RecordShape, Text

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.manuals.find import Watch
    from tebiki.manuals.library import Library
    from tebiki.server.registry import Call

    Work = Callable[[Library, Call], dict[str, Any]]

THREADS = "manuals"

READS = Behaviour(read_only=True, destructive=False, idempotent=True, open_world=False)

NAMED = Text(not_blank=True)
LINE = AT_LEAST_ONE = Integer(least=1)
OFFSET = Integer(least=0)
DEPTHS = Text(choices=limits.DEPTHS)
SCOPES = Text(choices=limits.SCOPES)
KINDS = Text(choices=limits.KINDS)
MANUAL = Parameter("manual_id", NAMED, "Id of a manual, as manual_ls lists it.", required=True)


def tools(library: Callable[[], Library]) -> list[Tool]:
    """Every manuals tool, in listing order; the engine is fetched with the first call."""
    return [make(library) for make in (_ls, _toc, _find, _hits, _read, _scan)]


def _ls(library: Callable[[], Library]) -> Tool:
    return _tool(
        library,
        name="manual_ls",
        title="List manuals",
        description=(
            "List the manuals, or one level of a manual's folders and files. Call it first: the "
            "other manual tools need the ids it gives."
        ),
        parameters=(
            Parameter("id", Text(), "Id of a manual or folder to list; left out: all manuals."),
        ),
        output={"id": TEXT, "items": OBJECTS, "unsupported": OBJECT},
        work=lambda manuals, call: forms.listing_form(manuals.ls(call.arguments["id"])),
    )


def _toc(library: Callable[[], Library]) -> Tool:
    def toc(manuals: Library, call: Call) -> dict[str, Any]:
        given = call.arguments
        contents = manuals.toc(
            given["manual_id"],
            given["path_prefix"],
            depth=given["depth"],
            max_files=given["max_files"],
            max_headings=given["max_headings_per_file"],
            offset=(given["cursor"] or {}).get("offset"),
            patience=call.patience(),
        )
        return forms.contents_form(contents)

    cursor = RecordShape((Field("offset", OFFSET, "Files to pass over; from next_cursor."),))
    return _tool(
        library,
        name="manual_toc",
        title="Show a manual's contents",
        description=(
            "List the files of a manual in pages; with depth deep also their headings, below a "
            "path_prefix. Use it to see how a manual is built; use manual_find to find something."
        ),
        parameters=(
            MANUAL,
            Parameter("path_prefix", Text(), "Folder or file to look below; needed when deep."),
            Parameter(
                "max_files",
                Integer(least=1, most=limits.MOST_FILES),
                f"Files on a page, {limits.DEFAULT_FILES} by default; at most "
                f"{limits.MOST_FILES_WIDE} when deep or without path_prefix.",
            ),
            Parameter("cursor", RecordOrNumber(cursor, "offset"), "next_cursor of the last page."),
            Parameter("depth", DEPTHS, "deep shows headings too.", default=limits.DEPTHS[0]),
            Parameter(
                "max_headings_per_file",
                Integer(least=1, most=limits.MOST_HEADINGS),
                "Headings shown of each file.",
                default=limits.DEFAULT_HEADINGS,
            ),
        ),
        output={
            "applied": OBJECT,
            "total_files": COUNT,
            "next_cursor": OBJECT_OR_NULL,
            "items": OBJECTS,
            "total_skipped": COUNT,
            "skipped": OBJECTS,
            "unsupported": OBJECT,
        },
        work=toc,
    )


def _find(library: Callable[[], Library]) -> Tool:
    return _tool(
        library,
        name="manual_find",
        title="Search a manual",
        description=(
            "Search one manual for the sections that answer a question, Japanese or English. The "
            "best come back at once (inline_hits), the rest with manual_hits; read them with "
            "manual_read. `complete` tells whether everything was searched."
        ),
        parameters=_find_parameters(),
        output={
            "trace_id": TEXT,
            "candidates": COUNT,
            "status": TEXT,
            "failure_reason": TEXT_OR_NULL,
            "next_actions": OBJECTS,
            "inline_hits": OBJECT,
            "complete": FLAG,
            "unscanned": COUNT,
            "unsupported": OBJECT,
        },
        work=_find_result,
    )._replace(app=find_app.URI)


def _find_result(manuals: Library, call: Call) -> dict[str, Any]:
    from tebiki.manuals.request import FindRequest  # not before the first call

    given = call.arguments
    budget, inline = given["budget"] or {}, given["inline_hits"] or {}
    limits = {name: value for name, value in budget.items() if value is not None}
    request = FindRequest(
        given["query"],
        given["manual_id"],
        tuple(given["required_terms"]),
        given["expand_scope"],
        include_claim_graph=given["include_claim_graph"] or False,
        **limits,
    )
    answer = manuals.find(
        request,
        unscanned_from=given["only_unscanned_from_trace_id"],
        use_cache=given["use_cache"],
        inline_limit=inline.get("limit"),
        watch=watch_of(call),
    )
    return forms.find_form(answer)


def _find_parameters() -> tuple[Parameter, ...]:
    most, usual_ms = limits.DEFAULT_CANDIDATES, limits.DEFAULT_TIME_MS
    sections = f"Most sections to give, {most} by default; seldom are so many worth giving."
    time_ms = f"Milliseconds the search may take, {usual_ms} by default."
    budget = RecordShape(
        (
            Field("max_candidates", AT_LEAST_ONE, sections),
            Field("time_ms", AT_LEAST_ONE, time_ms),
        )
    )
    at_once = limits.MOST_INLINE
    shown = f"Hits to show at once; more than {at_once} means {at_once}."
    inline = RecordShape((Field("limit", AT_LEAST_ONE, shown),))
    return (
        Parameter(
            "query",
            Text(not_blank=True, longest=limits.LONGEST_QUERY),
            "The question, in full, or its keywords.",
            required=True,
        ),
        MANUAL,
        Parameter(
            "required_terms",
            ListOf(Text(not_blank=True, longest=limits.LONGEST_TERM), least=1),
            "One or two words the answer must contain, such as a code or a product's name.",
            required=True,
        ),
        Parameter("expand_scope", Flag(), "Accepted and echoed; a search stays in its manual."),
        Parameter(
            "only_unscanned_from_trace_id",
            NAMED,
            "Search only what the find with this trace_id left unscanned.",
        ),
        Parameter("include_claim_graph", Flag(), "Also keep claims, evidences and edges."),
        Parameter("use_cache", Flag(), "false searches anew; left out: as the server is set."),
        Parameter("budget", budget, "Limits of the search."),
        Parameter("inline_hits", inline, "How many of the best hits the answer shows."),
    )


def _hits(library: Callable[[], Library]) -> Tool:
    def hits(manuals: Library, call: Call) -> dict[str, Any]:
        given = call.arguments
        trace_id, kind = given["trace_id"], given["kind"]
        page = manuals.hits(trace_id, kind, offset=given["offset"], limit=given["limit"])
        return forms.hits_form(page)

    return _tool(
        library,
        name="manual_hits",
        title="Page through what a search found",
        description=(
            "Give the rows of an earlier manual_find: its candidates, what it did not search, "
            "conflicts, gaps, and how it ranked."
        ),
        parameters=(
            Parameter("trace_id", NAMED, "trace_id of a manual_find.", required=True),
            Parameter("kind", KINDS, "Which rows.", default=limits.KINDS[0]),
            Parameter("offset", OFFSET, "Rows to pass over.", default=0),
            Parameter("limit", AT_LEAST_ONE, "Most rows to give.", default=limits.DEFAULT_HITS),
        ),
        output={
            "trace_id": TEXT,
            "manual_id": TEXT,
            "kind": TEXT,
            "offset": COUNT,
            "limit": COUNT,
            "total": COUNT,
            "items": OBJECTS,
        },
        work=hits,
    )


def _read(library: Callable[[], Library]) -> Tool:
    def read(manuals: Library, call: Call) -> dict[str, Any]:
        from tebiki.manuals.reading import Ref, Wanted  # not before the first call

        given = call.arguments
        wanted = Wanted(given["scope"], given["allow_file"], **(given["expand"] or {}))
        ref = {key: value for key, value in given["ref"].items() if key != "target"}
        passage = manuals.read(Ref(**ref), wanted, patience=call.patience())
        return forms.passage_form(passage)

    ref = RecordShape(
        (
            Field("manual_id", NAMED, "Id of a manual.", required=True),
            Field("path", Text(), "Path of a file in the manual.", required=True),
            Field("start_line", LINE, "A line of the section; left out: the first section."),
            Field("target", Text(choices=("manual",)), "As in the ref of an evidence; ignored."),
        )
    )
    usual = f"{limits.AROUND_CHARS} by default"
    expand = RecordShape(
        (
            Field("before_chars", OFFSET, f"Characters before the line, {usual}."),
            Field("after_chars", OFFSET, f"Characters after the line, {usual}."),
        )
    )
    return _tool(
        library,
        name="manual_read",
        title="Read a manual",
        description=(
            "Read the section around a line of a manual, with everything below its heading, up to "
            f"{MOST_CHARS} characters; manual_scan reads on from next_cursor. "
            "Asking for the same section again gives what follows it (mode scan_fallback)."
        ),
        parameters=(
            Parameter("ref", ref, "Where to read: the ref of a hit.", required=True),
            Parameter(
                "scope",
                SCOPES,
                "How much to read; by default the section of a .md file, all of a .json file.",
            ),
            Parameter("allow_file", Flag(), "Needed for scope file of .md files.", default=False),
            Parameter("expand", expand, "How much a snippet shows around its line."),
        ),
        output={
            "text": TEXT,
            "truncated": FLAG,
            "applied": OBJECT,
            "applied_range": OBJECT,
            "next_cursor": CURSOR,
            "eof": FLAG,
        },
        work=read,
    )


def _scan(library: Callable[[], Library]) -> Tool:
    def scan(manuals: Library, call: Call) -> dict[str, Any]:
        from tebiki.files.reading import Cursor  # not before the first call

        given = call.arguments
        cursor = Cursor(**(given["cursor"] or {}))
        part = manuals.scan(
            given["manual_id"],
            given["path"],
            given["start_line"],
            cursor,
            patience=call.patience(),
        )
        return forms.scan_form(part)

    return _tool(
        library,
        name="manual_scan",
        title="Read a manual's file page by page",
        description=(
            f"Read a file of a manual in pages of at most {MOST_CHARS} characters. "
            "Give next_cursor back as cursor to read on: "
            "nothing is skipped and nothing comes twice."
        ),
        parameters=(
            MANUAL,
            Parameter("path", Text(), "Path of the file in the manual.", required=True),
            Parameter("start_line", LINE, "Line to start at; stands above the cursor."),
            Parameter(
                "cursor",
                RecordOrNumber(SCAN_CURSOR, "char_offset"),
                "Where to go on; a number means char_offset.",
            ),
        ),
        output={
            "manual_id": TEXT,
            "path": TEXT,
            "text": TEXT,
            "applied_range": OBJECT,
            "next_cursor": CURSOR,
            "eof": FLAG,
            "truncated": FLAG,
            "truncated_reason": {"type": "string", "enum": ["none", "max_chars"]},
            "applied": OBJECT,
        },
        work=scan,
    )


def _tool(
    library: Callable[[], Library],
    *,
    name: str,
    title: str,
    description: str,
    parameters: tuple[Parameter, ...],
    output: dict[str, Any],
    work: Work,
) -> Tool:
    def do(call: Call) -> ToolResult:
        manuals = library().for_client(call.client)
        try:
            return ToolResult(work(manuals, call), {})
        except TebikiError as failure:
            forms.name_tools(failure)
            raise

    return Tool(
        name=name,
        title=title,
        description=description,
        family="files",
        parameters=parameters,
        output_schema=or_error(output),
        behaviour=READS,
        run=InThread(THREADS, do),
    )


def watch_of(call: Call) -> Watch:
    """Let the client call the work off, and hear how far an index is built."""
    from tebiki.manuals.find import Watch  # not before the first call

    def progress(done: int, of_all: int) -> None:
        call.progress.report(f"indexing {done} of {of_all} files", done, of_all)

    return Watch(call.is_cancelled, progress)
