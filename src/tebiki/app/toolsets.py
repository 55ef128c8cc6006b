"""The toolsets: each family of tools as one value, with everything the house asks about it.

A new family is a row here, a counter in `tools/` and an engine in `engines.py`. A row imports its
counter when its tools are asked for: to name a toolset costs a start nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from collections.abc import Set as AbstractSet

    from tebiki.app.engines import Engines
    from tebiki.server.registry import Tool


class Toolset(NamedTuple):
    """A family of tools that a server has or has not.

    `names` are those of its tools, in listing order, and `writers` the ones of them that write:
    what is served can be told without making any. `tools` makes them over their engine, which is
    made with the first call; `prepare` makes it earlier, while the client still reads the list of
    tools. `root` is the setting that names the folder it works in; its files are resources too as
    long as one of the `readers` is served. `provenance` says where its text comes from. One that is
    `opt_in` is served only when it is asked for by name.
    """

    name: str
    instructions: str
    provenance: str
    names: tuple[str, ...]
    tools: Callable[[Engines], list[Tool]]
    writers: tuple[str, ...] = ()
    readers: tuple[str, ...] = ()
    prepare: Callable[[Engines], object] | None = None
    root: str | None = None
    calls_the_api: bool = False
    opt_in: bool = False


def _answers(engines: Engines) -> list[Tool]:
    from tebiki.tools import answers

    return answers.tools(engines.answerer)


def _search(engines: Engines) -> list[Tool]:
    from tebiki.tools import search

    return search.tools(engines.searcher)


def _manuals(engines: Engines) -> list[Tool]:
    from tebiki.tools import manuals

    return manuals.tools(engines.library)


def _vault(engines: Engines) -> list[Tool]:
    from tebiki.tools import vault

    made = vault.tools(engines.vault, read_only=engines.read_only)
    return _where_the_notes_are(engines, made)


def _notes(engines: Engines) -> list[Tool]:
    from tebiki.tools import notes

    made = notes.tools(engines.vault, engines.note_search, read_only=engines.read_only)
    return _where_the_notes_are(engines, made)


def _where_the_notes_are(engines: Engines, made: list[Tool]) -> list[Tool]:
    """The same tools; each asks the server that owns the notes, where that is another one."""
    if not engines.forwards_notes:
        return made
    from tebiki.tools.forwarding import forward

    return [forward(tool, engines.forwarder) for tool in made]


TOOLSETS = (
    Toolset(
        "answers",
        "Use `answer` for a question that needs current or cited facts, `answer_quick` for a "
        "simple lookup and `answer_detailed` for deep research.",
        provenance="web",
        names=("answer", "answer_detailed", "answer_quick"),
        tools=_answers,
        calls_the_api=True,
    ),
    Toolset(
        "search",
        "Use `chatgpt_o3_search` when you want the search results themselves.",
        provenance="web",
        names=("chatgpt_o3_search",),
        tools=_search,
        calls_the_api=True,
    ),
    Toolset(
        "manuals",
        "The user's own manuals: `manual_ls` first, then `manual_find` with a question and one or "
        "two required terms, then `manual_read` with the ref of a hit; `complete` tells whether "
        "everything was searched. Cite as manual://id/path#Lline; that is a resource, too.",
        provenance="manual",
        names=(
            "manual_ls",
            "manual_toc",
            "manual_find",
            "manual_hits",
            "manual_read",
            "manual_scan",
        ),
        readers=("manual_read", "manual_scan"),
        tools=_manuals,
        prepare=lambda engines: engines.library(),
        root="manuals.root",
    ),
    Toolset(
        "vault",
        "The user's own notes are in the vault: `vault_ls`, `vault_read`, `vault_scan`, "
        "`vault_create`, `vault_replace`.",
        provenance="vault",
        names=("vault_ls", "vault_create", "vault_read", "vault_scan", "vault_replace"),
        writers=("vault_create", "vault_replace"),
        readers=("vault_read", "vault_scan"),
        tools=_vault,
        root="vault.root",
    ),
    Toolset(
        "notes",
        "`vault_find` searches the notes, `vault_append` adds to one.",
        provenance="vault",
        names=("vault_append", "vault_find"),
        tools=_notes,
        writers=("vault_append",),
        root="vault.root",
        opt_in=True,
    ),
)
"""All of them, in the order in which their tools are listed."""


def toolsets_named(names: Iterable[str]) -> list[Toolset]:
    """The toolsets of these names, in listing order."""
    wanted = set(names)
    return [one for one in TOOLSETS if one.name in wanted]


def tool_names(toolsets: Iterable[str], *, read_only: bool = False) -> tuple[str, ...]:
    """The tools of these toolsets, in listing order, without those that write if told so."""
    return tuple(
        name
        for one in toolsets_named(toolsets)
        for name in one.names
        if not (read_only and name in one.writers)
    )


def instructions_of(tools: AbstractSet[str]) -> list[str]:
    """What a model is told of these tools; no sentence names one that is not served."""
    return [
        one.instructions
        for one in TOOLSETS
        if not tools.isdisjoint(one.names)
        and not (set(one.instructions.split("`")[1::2]) & set(one.names)) - tools
    ]


def call_the_api(names: Iterable[str]) -> bool:
    """Tell whether one of them needs a key; the others work without."""
    return any(one.calls_the_api for one in toolsets_named(names))
