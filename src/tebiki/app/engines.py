"""The engines and what they share, each made from its settings when it is first asked for.

Whatever is costly to import is imported where it is made: no engine waits for another's, and a
start for none.
"""

from __future__ import annotations

import os
import threading
from types import MappingProxyType
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tebiki.answers.answerer import Answerer, Lasting
    from tebiki.answers.workers import AnswersOfWorkers
    from tebiki.budget.meter import Meter
    from tebiki.budget.shared_caps import SharedCaps
    from tebiki.config.sources import Loaded
    from tebiki.guard.memory import PrivateSpans
    from tebiki.manuals.folder_search import FolderSearch
    from tebiki.manuals.library import Library
    from tebiki.observability.logs import Log
    from tebiki.responses.client import Responder
    from tebiki.state.store import StateStore
    from tebiki.vault.forwarder import Forwarder
    from tebiki.vault.vault import Vault
    from tebiki.websearch.searcher import Searcher

Made = TypeVar("Made")

LEDGER_PATIENCE_SECONDS = 5.0
"""How long the end of the process waits for a disk that hangs. A client that has less patience ends
the process; a busy machine may take seconds for a row, and what it is about was paid for."""

OBJECTS_BETWEEN_COLLECTIONS = 20_000
"""A find makes thousands of objects that live for a moment and hold no cycles. Looking for cycles
as often as Python does by itself takes a sixteenth of a find, and more of the slow ones."""

ID_BYTES = 8
"""Of the id of whatever runs: unlike those that any other process makes."""

TRACE_BYTES = 12
"""Of a trace id: sixteen characters that nobody guesses."""

NOTE_TYPES = ("md", "json")


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


class Engines:
    """What does the work behind the tools and the commands of one process.

    `serve_long` is set by whoever serves, before the first call: what pays only in time is left
    out of a command.
    """

    def __init__(
        self,
        loaded: Loaded,
        log: Log,
        *,
        read_only: bool = False,
        store: StateStore | None = None,
        spare_ledger: str | None = None,
        shared_caps: SharedCaps | None = None,
        named_manuals: Mapping[str, str] = MappingProxyType({}),
        lasting: bool = True,
    ) -> None:
        """`lasting`: whether answers may outlive their client and be given again."""
        self.read_only = read_only
        self._named_manuals = named_manuals
        self.serve_long = False
        self._lasting = lasting
        self._loaded = loaded
        self._log = log
        self._store = store
        self._spare_ledger = spare_ledger
        self._shared_caps = shared_caps
        self.responder = Once(self._make_responder)
        self.meter = Once(self._make_meter)
        self.answerer = Once(self._make_answerer)
        self.searcher = Once(self._make_searcher)
        self.library: Once[Library] = Once(self._make_library)
        self.vault = Once(self._make_vault)
        self.note_search = Once(self._make_note_search)
        self.private_spans = Once(self._make_private_spans)
        self.forwarder = Once(self._make_forwarder)

    @property
    def forwards_notes(self) -> bool:
        """Whether the notes are another server's."""
        return self._loaded.settings["vault.owner_url"] is not None

    def close(self) -> None:
        """Let what was noted about paid calls reach the disk."""
        if self.meter.made is not None:
            self.meter.made.close(LEDGER_PATIENCE_SECONDS)

    def _make_responder(self) -> Responder:
        import random  # not before the first call
        import time

        from tebiki.responses.client import Access, Responder

        settings = self._loaded.settings
        access = Access(
            base_url=settings.text("openai.base_url"),
            api_key=self._loaded.api_key,
            key_variable=settings.text("openai.api_key_env"),
        )
        return Responder(access, self._log, time.monotonic, random.random)

    def _make_meter(self) -> Meter:
        import time  # not before the first call

        from tebiki.app.settings import caps, ledger_path
        from tebiki.budget.database import LedgerDatabase
        from tebiki.budget.earlier_ledger import IN_MEMORY
        from tebiki.budget.ledger import Ledgers
        from tebiki.budget.meter import Meter
        from tebiki.budget.prices import load_prices

        settings = self._loaded.settings
        own = ledger_path(settings, self._loaded.state_folder)
        paths = (own if settings.flag("ledger.enabled") else None, self._spare_ledger, IN_MEMORY)
        ledgers = [LedgerDatabase(path, self._log.warning) for path in paths if path is not None]
        return Meter(
            Ledgers(ledgers, time.time, self._log.warning),
            caps(settings),
            load_prices(settings["budget.prices_file"], self._log.warning),
            self._log,
            clock=time.time,
            monotonic=time.monotonic,
            new_id=new_id,
            shared=self._shared_caps,
        )

    def _make_answerer(self) -> Answerer:
        import time  # not before the first call

        from tebiki.answers.answerer import Answerer
        from tebiki.app.settings import answer_settings

        settings = answer_settings(self._loaded.settings, lasting=self._lasting)
        return Answerer(
            settings,
            self.responder(),
            self.meter(),
            time.time,
            self._log,
            lasting=Once(self._make_lasting),
        )

    def _make_lasting(self) -> Lasting:
        import time  # not before the first call

        from tebiki.answers.answerer import Lasting
        from tebiki.answers.pending import PendingAnswers
        from tebiki.answers.sharing import SharedAnswers
        from tebiki.answers.survival import Survivors
        from tebiki.responses.background import BackgroundResponses

        folder = os.path.join(self._loaded.state_folder, "answers")
        pending = PendingAnswers(folder, time.time, self._log.warning)
        responses = BackgroundResponses(self.responder(), self._log, time.monotonic)
        seconds = self._loaded.settings["answers.cache_seconds"]
        return Lasting(
            SharedAnswers(
                seconds, time.monotonic, self._log.debug, self._make_answers_of_workers(seconds)
            ),
            Survivors(responses, pending, self.meter(), time.time, self._log),
            pending,
        )

    def _make_answers_of_workers(self, seconds: float) -> AnswersOfWorkers | None:
        """What keeps the answers of several processes; None in one that is alone."""
        if self._store is None or not self._store.waits:
            return None
        import time  # not before the first call

        from tebiki.answers.workers import AnswersOfWorkers

        patience_seconds = self._loaded.settings.integer("request.timeout_ms") / 1000
        return AnswersOfWorkers(
            self._store,
            seconds,
            patience_seconds=patience_seconds,
            monotonic=time.monotonic,
            new_id=new_id,
            debug=self._log.debug,
        )

    def _make_searcher(self) -> Searcher:
        import time  # not before the first call

        from tebiki.app.settings import search_settings
        from tebiki.websearch.searcher import Searcher

        settings = search_settings(self._loaded.settings)
        return Searcher(settings, self.responder(), self.meter(), time.time, self._log)

    def unnoted_library(self) -> Library:
        """A library of its own for measuring: what it finds neither is noted nor tunes anything."""
        return self._make_library(noted=False)

    def _make_library(self, *, noted: bool = True) -> Library:
        import gc  # not before the first call
        import time
        from base64 import urlsafe_b64encode

        # Before the imports: what a module makes stays, and is looked through again and again.
        gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)

        from tebiki.app.settings import library_settings, manuals_root
        from tebiki.manuals.find import Clocks
        from tebiki.manuals.library import Library

        settings = library_settings(self._loaded.settings, noted=noted, lasting=self.serve_long)
        if self._loaded.settings["manuals.engine"] == "opensearch":
            from tebiki.app.shared_index import opensearch_settings  # few share an index

            where = opensearch_settings(self._loaded)
            settings = settings._replace(finder=settings.finder._replace(opensearch=where))
        return Library(
            manuals_root(self._loaded.settings),
            settings,
            Clocks(time.time, time.monotonic, time.time_ns),
            lambda: urlsafe_b64encode(os.urandom(TRACE_BYTES)).decode(),
            log=self._log.warning,
            store=self._store,
            named=self._named_manuals,
        )

    def _make_forwarder(self) -> Forwarder:
        from tebiki.app.forwarding import forwarder_of

        return forwarder_of(self._loaded)

    def _require_own_notes(self) -> None:
        """Refuse to open a folder of notes where they are another server's.

        Raises:
            Forbidden: they are.
        """
        if self.forwards_notes:
            from tebiki.errors import Forbidden

            url = self._loaded.settings.text("vault.owner_url")
            raise Forbidden(f"The notes are on {url} (vault.owner_url); ask there.")

    def _make_note_search(self) -> FolderSearch:
        self._require_own_notes()
        import time  # not before the first call

        from tebiki.app.settings import library_settings, vault_root
        from tebiki.manuals.find import Clocks
        from tebiki.manuals.folder_search import FolderSearch

        settings = self._loaded.settings
        return FolderSearch(
            vault_root(settings),
            # What a manual may hold besides is no kind of note.
            library_settings(settings, noted=False).finder._replace(file_types=NOTE_TYPES),
            Clocks(time.time, time.monotonic, time.time_ns),
            self._log.warning,
        )

    def _make_vault(self) -> Vault:
        self._require_own_notes()
        import time  # not before the first call

        from tebiki.app.settings import journal_bytes, vault_root
        from tebiki.vault.vault import Vault

        settings = self._loaded.settings
        return Vault(
            vault_root(settings),
            time.time,
            read_only=self.read_only,
            journal_bytes=journal_bytes(settings),
        )

    def _make_private_spans(self) -> PrivateSpans:
        import time  # not before the first call

        from tebiki.guard.memory import PrivateSpans
        from tebiki.state.memory import MemoryStateStore

        return PrivateSpans(self._store or MemoryStateStore(time.time))
