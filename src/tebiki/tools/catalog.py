"""Every toolset by name, and which tools a server with some of them has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.tools import answers, manuals, search, vault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tebiki.answers.answerer import Answerer
    from tebiki.manuals.library import Library
    from tebiki.server.registry import Tool
    from tebiki.vault.vault import Vault
    from tebiki.websearch.searcher import Searcher


def tools_of(
    toolsets: Iterable[str],
    *,
    answerer: Callable[[], Answerer],
    searcher: Callable[[], Searcher],
    library: Callable[[], Library],
    notes: Callable[[], Vault],
    read_only: bool = False,
) -> list[Tool]:
    """The tools of the chosen toolsets, in a fixed order."""
    chosen = set(toolsets)
    tools: list[Tool] = []
    if answers.FAMILY in chosen:
        tools += answers.tools(answerer)
    if search.FAMILY in chosen:
        tools += search.tools(searcher)
    if manuals.FAMILY in chosen:
        tools += manuals.tools(library)
    if vault.FAMILY in chosen:
        tools += vault.tools(notes, read_only=read_only)
    return tools
