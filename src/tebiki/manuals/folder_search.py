"""The engine of the manuals over one folder that is no manual, such as that of the notes.

Nothing of a find is kept for the one who asks, and none is noted; the index is one like any other.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from tebiki.files.names import nfc, parse
from tebiki.files.paths import Root
from tebiki.manuals.client_memory import Amnesia
from tebiki.manuals.find import UNWATCHED, Finder
from tebiki.manuals.ranking.derived_terms import derive_terms
from tebiki.manuals.request import FindRequest, Leftover
from tebiki.named_tuples import NamedTuple
from tebiki.state.memory import MemoryStateStore

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tebiki.manuals.find import Clocks, FinderSettings, Watch


class FolderHit(NamedTuple):
    """A section that was found, and what of it answers best."""

    path: str
    start_line: int
    end_line: int
    title: str
    snippet: str
    score: float


class FolderHits(NamedTuple):
    """The best of what was found, how much there is, and whether all could be searched."""

    hits: tuple[FolderHit, ...] = ()
    total: int = 0
    complete: bool = True
    unscanned: int = 0


class FolderSearch:
    """Finds sections of the texts below a folder, which need not exist yet."""

    def __init__(
        self,
        folder: str,
        settings: FinderSettings,
        clocks: Clocks,
        log: Callable[[str], None],
    ) -> None:
        self._folder = os.path.realpath(folder)
        above, self._name = os.path.split(self._folder)
        store = MemoryStateStore(clocks.wall)
        # What is no manual is never published.
        settings = settings._replace(opensearch=None)
        self._finder = Finder(Root(above), settings, clocks, log, store)
        self._amnesia = Amnesia(settings.index_root, self._finder.clear_cache)

    def find(
        self,
        query: str,
        limit: int,
        path_prefix: str | None = None,
        *,
        watch: Watch = UNWATCHED,
    ) -> FolderHits:
        """Search the folder, or what is at or below a path in it.

        Raises:
            InvalidArguments: the query is not what a find takes.
            InvalidPath: the prefix is none.
        """
        self._amnesia.obey()
        parts = parse(path_prefix).parts if path_prefix else ()
        prefix = "/".join(nfc(part) for part in parts)
        request = FindRequest(
            query,
            self._name,
            derive_terms(query) if query.strip() else (),
            only=Leftover(frozenset([prefix])) if prefix else None,
        )
        if not os.path.isdir(self._folder):
            return FolderHits()
        found = self._finder.find(request, watch=watch)
        rows = found.lists["candidates"]
        hits = tuple(_hit(row) for row in rows[:limit])
        # What is ignored, such as the journal of a vault, was never to be searched.
        missed = sum(row["reason"] != "ignored" for row in found.lists["unscanned"])
        return FolderHits(hits, len(rows), found.complete, missed)


def _hit(row: Mapping[str, Any]) -> FolderHit:
    return FolderHit(
        path=row["ref"]["path"],
        start_line=row["ref"]["start_line"],
        end_line=row["end_line"],
        title=row["title"],
        snippet=row["snippet"] or "",
        score=row["score"],
    )
