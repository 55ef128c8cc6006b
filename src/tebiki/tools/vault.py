"""The vault counter: five tools over one `Vault`.

Lives here: names, descriptions, parameters, one engine call each, in a thread of its own.
Not here: paths, locks, encodings. Without write access two of the tools do not exist.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tebiki.files.limits import MOST_CHARS
from tebiki.server.registry import Behaviour, InThread, Parameter, Tool, ToolResult
from tebiki.tools import vault_forms as forms
from tebiki.tools.cursors import SCAN_CURSOR
from tebiki.tools.etags import IF_MATCH
from tebiki.tools.outputs import COUNT, CURSOR, FLAG, OBJECT, OBJECTS, TEXT, TEXT_OR_NULL, or_error
from tebiki.values.shapes import Field, Flag, Integer, RecordShape, Text

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.files.patience import Patience
    from tebiki.server.registry import Call
    from tebiki.vault.vault import Vault

PATH = Parameter(
    "path", Text(), "Path of the note below the vault, such as ideas/a.md.", required=True
)
NOT_EMPTY = Text(not_empty=True)
LINE = Integer(least=1)
OFFSET = Integer(least=0)

READS = Behaviour(read_only=True, destructive=False, idempotent=True, open_world=False)
CREATES = Behaviour(read_only=False, destructive=False, idempotent=False, open_world=False)
REPLACES = Behaviour(read_only=False, destructive=True, idempotent=False, open_world=False)


def tools(vault: Callable[[], Vault], *, read_only: bool) -> list[Tool]:
    """Every vault tool, in listing order; the engine is fetched with the first call."""
    every = [make(vault) for make in (_ls, _create, _read, _scan, _replace)]
    return [tool for tool in every if tool.behaviour.read_only or not read_only]


def _ls(vault: Callable[[], Vault]) -> Tool:
    return vault_tool(
        name="vault_ls",
        title="List notes",
        description="List one level of the notes vault: folders first, then notes, by name.",
        parameters=(Parameter("path", Text(), "Folder to list; left out: the whole vault's top."),),
        output={
            "base_path": TEXT_OR_NULL,
            "items": OBJECTS,
        },
        behaviour=READS,
        work=lambda given, _patience: forms.listing_form(vault().ls(given["path"])),
    )


def _create(vault: Callable[[], Vault]) -> Tool:
    return vault_tool(
        name="vault_create",
        title="Create a note",
        description=(
            "Create a new note; an existing one is never overwritten. Folders are made as needed. "
            "Below daily/ only daily/YYYY-MM-DD.md can be created."
        ),
        parameters=(
            PATH,
            Parameter("content", NOT_EMPTY, "The whole text of the note.", required=True),
        ),
        output={"written_path": TEXT, "written_bytes": COUNT, "etag": TEXT},
        behaviour=CREATES,
        work=lambda given, _patience: vault().create(given["path"], given["content"])._asdict(),
    )


def _read(vault: Callable[[], Vault]) -> Tool:
    def read(given: dict[str, Any], patience: Patience) -> dict[str, Any]:
        part = vault().read(
            given["path"],
            given["full"],
            **(given["range"] or {}),
            has_range=given["range"] is not None,
            patience=patience,
        )
        return forms.read_form(part)

    lines = RecordShape(
        (
            Field("start_line", LINE, "First line, counted from 1."),
            Field("end_line", LINE, "Last line; beyond the end means the end."),
        )
    )
    return vault_tool(
        name="vault_read",
        title="Read a note",
        description=(
            "Read a range of lines of a note, or all of it with full: true. "
            f"At most {MOST_CHARS} characters come back; vault_scan reads on from next_cursor."
        ),
        parameters=(
            PATH,
            Parameter("full", Flag(), "Read from the first line to the last.", default=False),
            Parameter("range", lines, "Lines to read; needed unless full is true."),
        ),
        output={
            "text": TEXT,
            "truncated": FLAG,
            "returned_chars": COUNT,
            "applied_range": OBJECT,
            "next_cursor": CURSOR,
            "truncated_reason": {"type": "string", "enum": ["none", "range_end", "max_chars"]},
            "applied": OBJECT,
        },
        behaviour=READS,
        work=read,
    )


def _scan(vault: Callable[[], Vault]) -> Tool:
    def scan(given: dict[str, Any], patience: Patience) -> dict[str, Any]:
        from tebiki.files.reading import Cursor  # not before the first call

        cursor = Cursor(**(given["cursor"] or {}))
        part = vault().scan(given["path"], given["start_line"], cursor, patience=patience)
        return forms.scan_form(part)

    return vault_tool(
        name="vault_scan",
        title="Read a note page by page",
        description=(
            f"Read a note in pages of at most {MOST_CHARS} characters. "
            "Give next_cursor back as cursor to read on, until its char_offset is null: "
            "nothing is skipped and nothing comes twice."
        ),
        parameters=(
            PATH,
            Parameter("start_line", LINE, "Line to start at; stands above the cursor."),
            Parameter("cursor", SCAN_CURSOR, "Where to go on."),
        ),
        output={
            "text": TEXT,
            "applied_range": OBJECT,
            "next_cursor": CURSOR,
            "eof": FLAG,
            "truncated": FLAG,
            "truncated_reason": {"type": "string", "enum": ["none", "max_chars"]},
            "applied": OBJECT,
        },
        behaviour=READS,
        work=scan,
    )


def _replace(vault: Callable[[], Vault]) -> Tool:
    return vault_tool(
        name="vault_replace",
        title="Replace text in a note",
        description=(
            "Replace text in a note; everything else stays byte for byte as it was. "
            "Not allowed below daily/ and .system/."
        ),
        parameters=(
            PATH,
            Parameter("find", NOT_EMPTY, "Text to look for, exactly.", required=True),
            Parameter("replace", Text(), "Text to put in its place; may be empty.", required=True),
            Parameter(
                "max_replacements",
                OFFSET,
                "Most hits to replace, from the top; 0 replaces none.",
                default=1,
            ),
            IF_MATCH,
            Parameter("dry_run", Flag(), "Write nothing; only give the diff.", default=False),
        ),
        output={"written_path": TEXT_OR_NULL, "replacements": COUNT, "etag": TEXT, "diff": TEXT},
        behaviour=REPLACES,
        work=lambda given, patience: forms.replaced_form(
            vault().replace(
                given["path"],
                given["find"],
                given["replace"],
                given["max_replacements"],
                if_match=given["if_match"],
                dry_run=given["dry_run"],
                patience=patience,
            )
        ),
    )


def vault_tool(
    *,
    name: str,
    title: str,
    description: str,
    parameters: tuple[Parameter, ...],
    output: dict[str, Any],
    behaviour: Behaviour,
    work: Callable[[dict[str, Any], Patience], dict[str, Any]],
) -> Tool:
    """A tool over the vault, in a thread of its kind."""
    # Readers never wait behind writers that wait for a lock.
    kind = "vault-read" if behaviour.read_only else "vault-write"

    def do(call: Call) -> ToolResult:
        return ToolResult(work(call.arguments, call.patience()), {})

    return Tool(
        name=name,
        title=title,
        description=description,
        family="files",
        parameters=parameters,
        output_schema=or_error(output),
        behaviour=behaviour,
        run=InThread(kind, do),
    )
