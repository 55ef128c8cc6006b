"""The composition root: settings become engines, engines become tools, tools become a server.

The only room that knows all the others. Whatever is costly to import is imported when first used.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Generic, TypeVar

from tebiki import __version__
from tebiki.errors import TebikiError
from tebiki.faces import CALLS_THE_API
from tebiki.observability.logs import Log
from tebiki.observability.redact import Redactor
from tebiki.protocol.eras import Identity
from tebiki.server.background import Background
from tebiki.server.error_map import ErrorMap
from tebiki.server.session import Session
from tebiki.transport import stdio
from tebiki.transport.outbox import Outbox

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tebiki.answers.answerer import Answerer
    from tebiki.config.sources import Loaded
    from tebiki.faces import Face
    from tebiki.manuals.library import Library
    from tebiki.observability.ledger.meter import Meter
    from tebiki.responses.client import Responder
    from tebiki.server.calls import Desk
    from tebiki.server.registry import Tool
    from tebiki.state.store import Store
    from tebiki.vault.vault import Vault
    from tebiki.websearch.searcher import Searcher

Made = TypeVar("Made")

LEDGER_PATIENCE_SECONDS = 1.0
"""How long the end of the process waits for a disk that hangs."""

WARM_UP_DELAY_SECONDS = 0.1
"""A client asks for the tools right after the handshake; that answer comes first."""

OBJECTS_BETWEEN_COLLECTIONS = 20_000
"""A find makes thousands of objects that live for a moment and hold no cycles. Looking for cycles
as often as Python does by itself takes a sixteenth of a find, and more of the slow ones."""

ID_BYTES = 8
"""Of the id of whatever runs: unlike those that any other process makes."""

TRACE_BYTES = 12
"""Of a trace id: sixteen characters that nobody guesses."""


class Once(Generic[Made]):
    """Makes a thing when it is first asked for, once, whichever threads ask."""

    def __init__(self, make: Callable[[], Made]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self.made: Made | None = None

    def __call__(self) -> Made:
        """Return the thing."""
        with self._lock:
            if self.made is None:
                self.made = self._make()
            return self.made


def new_id() -> str:
    """Make an id for something that begins."""
    return os.urandom(ID_BYTES).hex()


class App:
    """Everything one process needs, made from its settings."""

    def __init__(
        self,
        face: Face,
        loaded: Loaded,
        toolsets: Sequence[str],
        *,
        read_only: bool = False,
        store: Store | None = None,
    ) -> None:
        self.face = face
        self.loaded = loaded
        self.toolsets = tuple(toolsets)
        self.read_only = read_only
        self._store = store
        settings = loaded.settings
        self.log = Log(
            face.name,
            Redactor(loaded.api_key),
            debug=settings.flag("server.debug") or settings["server.log_level"] == "debug",
            warn=settings["server.log_level"] != "error",
            file=settings["server.debug_file"],
            as_json=settings["server.log_format"] == "json",
        )
        self.responder = Once(self._make_responder)
        self.meter = Once(self._make_meter)
        self.answerer = Once(self._make_answerer)
        self.searcher = Once(self._make_searcher)
        self.library = Once(self._make_library)
        self.vault = Once(self._make_vault)

    def tools(self) -> list[Tool]:
        """The tools this process serves."""
        from tebiki.tools.catalog import tools_of

        return tools_of(
            self.toolsets,
            answerer=self.answerer,
            searcher=self.searcher,
            library=self.library,
            notes=self.vault,
            read_only=self.read_only,
        )

    @property
    def identity(self) -> Identity:
        """What the server calls itself."""
        return Identity(self.face.name, __version__, self.face.instructions)

    def make_desk(self, errors: ErrorMap) -> Desk:
        """The desk behind which the tools are."""
        from tebiki.server.calls import Desk

        return Desk(self.tools(), errors, self.log)

    def serve_stdio(self) -> None:
        """Serve one client on standard input and output until it is gone."""
        background = Background(self.log)
        stdio.serve(
            self._sessions(background),
            self.log,
            line_mode=self.loaded.settings.flag("server.line_mode"),
            after_first_message=lambda ended: self._warm_up_soon(background, ended),
            at_end=self.close,
        )

    def close(self) -> None:
        """Let what was noted about paid calls reach the disk."""
        if self.meter.made is not None:
            self.meter.made.close(LEDGER_PATIENCE_SECONDS)

    def serve_pipes(self, wire_in: int, wire_out: int) -> None:
        """Serve one client on two descriptors of this process; returns when it has been served."""
        stdio.pump(
            wire_in,
            Outbox(wire_out, on_closed=lambda: None),
            self._sessions(Background(self.log)),
            self.log,
            line_mode=self.loaded.settings.flag("server.line_mode"),
            after_first_message=lambda _ended: None,
        )

    def _sessions(self, background: Background) -> Callable[[stdio.Channel], Session]:
        errors = ErrorMap(self.log)
        desk = Once(lambda: self.make_desk(errors))
        return lambda channel: Session(
            identity=self.identity,
            desk=desk,
            channel=channel,
            background=background,
            errors=errors,
            log=self.log,
        )

    def _warm_up_soon(self, background: Background, ended: threading.Event) -> None:
        """Import what the first calls will need while the client is still reading the tool list."""
        has_manuals = "manuals" in self.toolsets

        def warm_up() -> None:
            if ended.wait(WARM_UP_DELAY_SECONDS):
                return
            if self._can_call_the_api():
                background.start()
            self.warm_up()

        if has_manuals or self._can_call_the_api():
            threading.Thread(target=warm_up, name="warm-up", daemon=True).start()

    def warm_up(self) -> None:
        """Import what the first calls will need."""
        try:
            if "manuals" in self.toolsets:
                self.library()
            if self._can_call_the_api():
                self.responder().warm_up()
        except (TebikiError, OSError) as unusable:
            # The call that needs it will say so to the client.
            self.log.debug(f"warm-up: {unusable}")

    def _can_call_the_api(self) -> bool:
        needs_it = not CALLS_THE_API.isdisjoint(self.toolsets)
        return needs_it and self.loaded.api_key is not None

    def _make_responder(self) -> Responder:
        import random  # not before the first call
        import time

        from tebiki.responses.client import Access, Responder

        settings = self.loaded.settings
        access = Access(
            base_url=settings.text("openai.base_url"),
            api_key=self.loaded.api_key,
            key_variable=settings.text("openai.api_key_env"),
        )
        return Responder(access, self.log, time.monotonic, random.random)

    def _make_meter(self) -> Meter:
        import time  # not before the first call

        from tebiki.observability.ledger.books import Books
        from tebiki.observability.ledger.meter import Meter
        from tebiki.observability.ledger.prices import load_prices
        from tebiki.wiring import caps, ledger_file

        settings = self.loaded.settings
        file = ledger_file(settings, self.loaded.state_folder)
        books = Books(file, caps(settings), time.time, self.log.warning)
        prices = load_prices(settings["budget.prices_file"], self.log.warning)
        return Meter(
            books,
            prices,
            self.log,
            clock=time.time,
            monotonic=time.monotonic,
            new_id=new_id,
        )

    def _make_answerer(self) -> Answerer:
        import time  # not before the first call

        from tebiki.answers.answerer import Answerer
        from tebiki.wiring import answer_settings

        settings = answer_settings(self.loaded.settings)
        return Answerer(settings, self.responder(), self.meter(), time.time, self.log)

    def _make_searcher(self) -> Searcher:
        import time  # not before the first call

        from tebiki.websearch.searcher import Searcher
        from tebiki.wiring import search_settings

        settings = search_settings(self.loaded.settings)
        return Searcher(settings, self.responder(), self.meter(), time.time, self.log)

    def unnoted_library(self) -> Library:
        """A library of its own for measuring: what it finds neither is noted nor tunes anything."""
        return self._make_library(noted=False)

    def _make_library(self, *, noted: bool = True) -> Library:
        import gc  # not before the first call
        import time
        from base64 import urlsafe_b64encode

        # Before the imports: what a module makes stays, and is looked through again and again.
        gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)

        from tebiki.manuals.finder import Clocks
        from tebiki.manuals.library import Library
        from tebiki.wiring import library_settings, manuals_root

        return Library(
            manuals_root(self.loaded.settings),
            library_settings(self.loaded.settings, noted=noted),
            Clocks(time.time, time.monotonic, time.time_ns),
            lambda: urlsafe_b64encode(os.urandom(TRACE_BYTES)).decode(),
            log=self.log.warning,
            store=self._store,
        )

    def _make_vault(self) -> Vault:
        import time  # not before the first call

        from tebiki.vault.vault import Vault
        from tebiki.wiring import vault_root

        return Vault(vault_root(self.loaded.settings), time.time, read_only=self.read_only)
