"""The toolsets: each family of tools as one value, with everything the house asks about it.

A new family is a row here, a counter in `tools/` and an engine in `engines.py`. A row imports its
counter when its tools are asked for: to name a toolset costs a start nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tebiki.app.engines import Engines
    from tebiki.server.registry import Tool


class Toolset(NamedTuple):
    """A family of tools that a server has or has not.

    `tools` makes them over their engine, which is made with the first call; `prepare` makes it
    earlier, while the client still reads the list of tools. `root` is the setting that names the
    folder it works in. `provenance` says where its text comes from. One that is `opt_in` is served
    only when it is asked for by name.
    """

    name: str
    instructions: str
    provenance: str
    tools: Callable[[Engines], list[Tool]]
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

    return vault.tools(engines.vault, read_only=engines.read_only)


TOOLSETS = (
    Toolset(
        "answers",
        "Use `answer` for a question that needs current or cited facts, `answer_quick` for a "
        "simple lookup and `answer_detailed` for deep research.",
        provenance="web",
        tools=_answers,
        calls_the_api=True,
    ),
    Toolset(
        "search",
        "Use `chatgpt_o3_search` when you want the search results themselves.",
        provenance="web",
        tools=_search,
        calls_the_api=True,
    ),
    Toolset(
        "manuals",
        "The user's own manuals: `manual_ls` first, then `manual_find` with a question and one or "
        "two required terms, then `manual_read` with the ref of a hit; `complete` tells whether "
        "everything was searched.",
        provenance="manual",
        tools=_manuals,
        prepare=lambda engines: engines.library(),
        root="manuals.root",
    ),
    Toolset(
        "vault",
        "The user's own notes are in the vault: `vault_ls`, `vault_read`, `vault_scan`, "
        "`vault_create`, `vault_replace`.",
        provenance="vault",
        tools=_vault,
        root="vault.root",
    ),
)
"""All of them, in the order in which their tools are listed."""


def toolsets_named(names: Iterable[str]) -> list[Toolset]:
    """The toolsets of these names, in listing order."""
    wanted = set(names)
    return [one for one in TOOLSETS if one.name in wanted]


def call_the_api(names: Iterable[str]) -> bool:
    """Tell whether one of them needs a key; the others work without."""
    return any(one.calls_the_api for one in toolsets_named(names))
