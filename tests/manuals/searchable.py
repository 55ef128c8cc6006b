"""A manual in a temporary folder with its index, for the tests of searching."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from tebiki.files.paths import Root
from tebiki.manuals.find import search_and_report
from tebiki.manuals.index.refresh import ManualIndex
from tebiki.manuals.ranking.candidates import Deadline
from tebiki.manuals.request import FindRequest, check
from tests.manuals import usual

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tebiki.manuals.ranking.settings import FindSettings
    from tebiki.manuals.report.answer import Found

LONG_AGO = 1_600_000_000


def find(
    request: FindRequest,
    index: ManualIndex,
    settings: FindSettings,
    *,
    clock: Callable[[], float],
) -> Found:
    """Search within the request's time; as a `Finder` does, but every find is made anew."""
    request = check(request)
    deadline = clock() + request.time_ms / 1000

    def stop() -> bool:
        return clock() >= deadline

    return search_and_report(index.refresh(stop), request, settings, Deadline(stop))


class Searchable:
    """A manual `m` that is written, indexed and asked."""

    def __init__(
        self, folder: Path, cache: Path | None, now_ns: Callable[[], int] = time.time_ns
    ) -> None:
        self.root = folder / "manuals"
        self.now_ns = now_ns
        self.said: list[str] = []
        self.cache = cache
        (self.root / "m").mkdir(parents=True, exist_ok=True)
        self.index = self.another()

    def another(self) -> ManualIndex:
        """The same manual as another process sees it."""
        cache = None if self.cache is None else str(self.cache)
        return ManualIndex(Root(self.root), "m", cache, now_ns=self.now_ns, log=self.said.append)

    def write(self, path: str, text: str, *, modified: int | None = None) -> None:
        """Write a file of the manual."""
        where = self.root / "m" / path
        where.parent.mkdir(parents=True, exist_ok=True)
        where.write_text(text, encoding="utf-8")
        if modified is not None:
            os.utime(where, (modified, modified))

    def ask(
        self,
        query: str,
        *terms: str,
        settings: FindSettings | None = None,
        index: ManualIndex | None = None,
        **more: object,
    ) -> Found:
        """Find something."""
        request = FindRequest(query, "m", terms or (query,), **more)  # type: ignore[arg-type]
        return find(
            request,
            index or self.index,
            settings or usual.FIND,
            clock=time.monotonic,
        )

    def paths(self, query: str, *terms: str, **more: object) -> list[str]:
        """The files found, best first."""
        found = self.ask(query, *terms, **more)  # type: ignore[arg-type]
        return [row["ref"]["path"] for row in found.lists["candidates"]]
