"""The page of one worker, put together: its screens behind a desk, its visits, its files."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from tebiki import __version__
from tebiki.app.engines import Once
from tebiki.screens.overview import Owner
from tebiki.web.page.application import PageApplication, PageFacts
from tebiki.web.page.counter import Counter
from tebiki.web.page.files import PageFiles
from tebiki.web.page.visits import Visits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tebiki.app.http import PageParts
    from tebiki.server.calls import Desk
    from tebiki.server.registry import Tool


def make_page(parts: PageParts) -> PageApplication:
    """Everything that people see of a server."""
    screens = Screens(parts)
    keepers = parts.keepers
    tokens = keepers.tokens

    def is_on() -> bool:
        """With OAuth as the only way in nobody could log in here."""
        return keepers.oauth is None or (tokens is not None and bool(tokens.names()))

    return PageApplication(
        PageFacts(
            __version__, parts.place.port, parts.settings.guests.origins, dict(screens.facts())
        ),
        PageFiles(),
        visits=Visits(parts.store, tokens, parts.key, time.time),
        own=parts.key,
        counter=Counter(screens.desk, screens.tools, parts.errors, parts.limits, parts.is_closing),
        is_on=is_on,
    )


class Screens:
    """The screens that there are for the tools that are served."""

    def __init__(self, parts: PageParts) -> None:
        self._parts = parts
        self._served = set(parts.app.tool_names)
        self._owner = Owner(parts.settings.place.is_loopback, parts.settings.allowance)
        self.tools: Once[dict[str, Tool]] = Once(self._make_tools)
        self.desk: Once[Desk] = Once(self._make_desk)

    @property
    def _can_find(self) -> bool:
        return {"manual_find", "manual_read"} <= self._served

    @property
    def _has_notes(self) -> bool:
        return "vault_read" in self._served

    @property
    def _can_save(self) -> bool:
        return "vault_create" in self._served and not self._parts.app.read_only

    @property
    def _can_undo(self) -> bool:
        return "vault_replace" in self._served and not self._parts.app.read_only

    def facts(self) -> Iterator[tuple[str, Any]]:
        """What the page is told: which screens there are for a visitor, and what may be done."""
        app = self._parts.app
        yield "manuals", self._can_find
        yield "vault", self._has_notes
        yield "ask", app.can_call_the_api and "answer" in self._served
        yield "usage", self._owner.sees_usage()
        yield "health", True
        yield "settings", self._owner.sees_all
        yield "clients", self._owner.sees_all
        yield "read_only", app.read_only
        yield "can_save", self._can_save
        yield "can_undo", self._can_undo
        yield "loopback", self._owner.sees_all

    def _make_desk(self) -> Desk:
        from tebiki.server.calls import Desk

        return Desk(self.tools().values(), self._parts.errors, self._parts.app.log)

    def _make_tools(self) -> dict[str, Tool]:
        return {tool.name: tool for tool in self._every_tool()}

    def _every_tool(self) -> Iterator[Tool]:
        from tebiki.screens.ask import ask_tools  # with the first request
        from tebiki.screens.find import FindScreen
        from tebiki.screens.hearing import hear
        from tebiki.screens.notes import NotesScreen
        from tebiki.screens.overview import OverviewScreens
        from tebiki.screens.reader import ReaderScreen

        app, engines = self._parts.app, self._parts.app.engines
        if self._can_find:
            find = FindScreen(engines.library, self._parts.errors)
            reader = ReaderScreen(engines.library, has_editor=self._owner.sees_all)
            yield from hear([*find.tools(), *reader.tools()], app.guard())
        if self._has_notes:
            notes = NotesScreen(engines.vault, can_save=self._can_save, can_undo=self._can_undo)
            yield from hear(notes.tools(), app.guard())
        if app.can_call_the_api:
            yield from ask_tools({tool.name: tool for tool in app.tools()})
        yield from OverviewScreens(app, self._owner, self._parts.clients).tools()
