"""The counter of the toolset `notes`: two more tools over the vault, for those who ask for them.

Lives here: names, descriptions, parameters, one engine call each. Without write access one of the
two does not exist.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.manuals.limits import LONGEST_QUERY
from tebiki.server.registry import Behaviour, InThread, Parameter, Tool, ToolResult
from tebiki.tools.etags import IF_MATCH
from tebiki.tools.manuals import watch_of
from tebiki.tools.outputs import COUNT, FLAG, OBJECTS, TEXT, or_error
from tebiki.tools.vault import NOT_EMPTY, PATH, READS, vault_tool
from tebiki.tools.vault_forms import folder_hits_form
from tebiki.values.shapes import Integer, Text

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.manuals.folder_search import FolderSearch
    from tebiki.server.registry import Call
    from tebiki.vault.vault import Vault

APPENDS = Behaviour(read_only=False, destructive=False, idempotent=False, open_world=False)
DEFAULT_HITS = 10
MOST_HITS = 50


def tools(
    vault: Callable[[], Vault], search: Callable[[], FolderSearch], *, read_only: bool
) -> list[Tool]:
    """Both tools, in listing order; the engines are fetched with the first call."""
    found = _find(search)
    return [found] if read_only else [_append(vault), found]


def _append(vault: Callable[[], Vault]) -> Tool:
    return vault_tool(
        name="vault_append",
        title="Append to a note",
        description=(
            "Add text to the end of an existing note, on a line of its own; daily notes too. "
            "No note is created."
        ),
        parameters=(
            PATH,
            Parameter("content", NOT_EMPTY, "Text to add.", required=True),
            IF_MATCH,
        ),
        output={"written_path": TEXT, "written_bytes": COUNT, "etag": TEXT},
        behaviour=APPENDS,
        work=lambda given, patience: (
            vault()
            .append(given["path"], given["content"], if_match=given["if_match"], patience=patience)
            ._asdict()
        ),
    )


def _find(search: Callable[[], FolderSearch]) -> Tool:
    def find(call: Call) -> ToolResult:
        given, watch = call.arguments, watch_of(call)
        found = search().find(given["query"], given["limit"], given["path_prefix"], watch=watch)
        return ToolResult(folder_hits_form(found), {})

    return Tool(
        name="vault_find",
        title="Search the notes",
        description=(
            "Search all notes for a question or some words; Japanese and English. Read a hit with "
            "vault_read from its start_line."
        ),
        family="files",
        parameters=(
            Parameter(
                "query",
                Text(not_blank=True, longest=LONGEST_QUERY),
                "Question or words.",
                required=True,
            ),
            Parameter("limit", Integer(1, MOST_HITS), "Most hits to give.", default=DEFAULT_HITS),
            Parameter("path_prefix", NOT_EMPTY, "Folder or note to search in."),
        ),
        output_schema=or_error(
            {"total": COUNT, "items": OBJECTS, "complete": FLAG, "unscanned": COUNT}
        ),
        behaviour=READS,
        run=InThread("vault-find", find),
    )
