"""The index of a published manual as a server reads it; the counterpart of `ManualIndex`.

A server never walks a manual that is published: what was published before a find began is seen by
it, or the find says that it is not complete. Where OpenSearch cannot answer, the engine at hand
answers over this server's own copy; what it finds may be old, and is never called complete.
"""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING

from tebiki.errors import TebikiError
from tebiki.manuals.index.engine import FORMAT
from tebiki.manuals.index.failures import FAILURES
from tebiki.manuals.index.opensearch.client import Away, Cluster, StateMoved
from tebiki.manuals.index.opensearch.index_state import IndexState
from tebiki.manuals.index.opensearch.publishing import (
    PublishProgress,
    fingerprint_of,
    fresh_from,
    manifest_of,
    publish,
)
from tebiki.manuals.index.opensearch.reading import SharedReading
from tebiki.manuals.index.opensearch.shelf import SectionShelf
from tebiki.manuals.index.opensearch.state_document import StateDocuments
from tebiki.manuals.index.protocols import State
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.manuals.documents.choosing import ManualSources
    from tebiki.manuals.documents.sources import ManualSource
    from tebiki.manuals.index.opensearch.client import OpenSearchSettings
    from tebiki.manuals.index.opensearch.state_document import ManualState
    from tebiki.manuals.index.refresh import Fresh, ManualIndex
    from tebiki.manuals.index.turns import Turns

BEHIND = "index_behind"
NEVER = "{} was never published (tebiki manuals publish)"
WAIT_SECONDS = 1.0
"""How long a find waits for a publication to end, before it answers from what there is."""

LOOK_SECONDS = 0.05
PAUSE_SECONDS = 1.0
"""How long nodes that did not answer are left alone: not every find waits for them."""

REPAIR_SECONDS = 15.0
"""Between two tries of one server to put an index right."""


class SharedIndexes:
    """The published manuals of one server: one client, and one shelf for their sections."""

    def __init__(
        self,
        settings: OpenSearchSettings,
        sources: ManualSources,
        turns: Turns,
        *,
        now_ns: Callable[[], int],
        log: Callable[[str], None],
    ) -> None:
        self._cluster = Cluster(settings, turns)
        self._sources = sources
        self._now_ns, self._log = now_ns, log
        self._shelf = SectionShelf()

    def index_of(self, manual_id: str, local: ManualIndex) -> PublishedIndex:
        """The index of a manual of which this server has a copy, with an index of its own."""
        return PublishedIndex(
            self._cluster,
            manual_id,
            local,
            self._sources.walked(manual_id),
            now_ns=self._now_ns,
            log=self._log,
            shelf=self._shelf,
        )


class _Known(NamedTuple):
    """A state that was read, with all that belongs to it."""

    document: ManualState
    searched: IndexState
    fresh: Fresh


class _Proof:
    """The newest state, read once for one find; of one thread."""

    def __init__(self, cluster: Cluster, read: Callable[[], ManualState | None]) -> None:
        self._cluster, self._read = cluster, read
        self._wait: Callable[[], ManualState | None] | None = None

    def begin(self) -> Callable[[], ManualState | None]:
        """Have it read, if that was not begun; gives what waits for it."""
        self._wait = self._wait or self._cluster.begin(self._read)
        return self._wait

    def wait(self) -> ManualState | None:
        """The newest state that there was when a find began, or a later one.

        Raises:
            Damaged: nobody can tell.
        """
        return self.begin()()


class PublishedIndex:
    """One manual; safe for many threads."""

    def __init__(
        self,
        cluster: Cluster,
        manual_id: str,
        local: ManualIndex,
        source: ManualSource,
        *,
        now_ns: Callable[[], int],
        log: Callable[[str], None],
        shelf: SectionShelf,
    ) -> None:
        self._cluster, self._manual_id = cluster, manual_id
        self._local, self._source = local, source
        self._now_ns, self._log = now_ns, log
        self._shelf = shelf
        self._documents = StateDocuments(cluster)
        self._near = os.urandom(4).hex()
        self._lock = threading.Lock()
        self._known: _Known | None = None
        self._highest = 0
        self._said: set[str] = set()
        self._repaired_at = 0.0
        self._away_until = 0.0

    def refresh(
        self,
        stop: Callable[[], bool],
        progress: Callable[[int, int], None] = lambda _done, _all: None,
    ) -> Fresh:
        """The state that is published, or this server's own copy where that cannot be read.

        Raises:
            NotFound: there is no such manual.
            Forbidden: it is a link, or may not be listed.
        """
        if time.monotonic() < self._away_until:
            return self._search_copy(Away.reason, stop, progress)
        try:
            return self._as_fresh(self._known or self._load(), is_strict=True)
        except FAILURES as error:
            return self._answer_from_copy(error, stop, progress)

    def rebuild(
        self,
        error: Exception,
        stop: Callable[[], bool],
        progress: Callable[[int, int], None] = lambda _done, _all: None,
    ) -> Fresh:
        """Another state to search, after a search met one that cannot be relied upon."""
        if not isinstance(error, StateMoved):
            return self._answer_from_copy(error, stop, progress)
        until = time.monotonic() + WAIT_SECONDS
        try:
            while True:
                known = self._load()
                is_new = known.document.marker != error.marker
                if is_new and known.document.is_at_head:
                    return self._as_fresh(known, is_strict=True)
                self._repair()
                if stop() or time.monotonic() > until:
                    return self._as_fresh(known, is_strict=False)
                time.sleep(LOOK_SECONDS)
        except FAILURES as second:
            return self._answer_from_copy(second, stop, progress)

    def state(self) -> ManualState | None:
        """What is published; None where nothing is."""
        return self._documents.read(self._manual_id)

    def _load(self) -> _Known:
        """Read the newest state, as far as it is not known."""
        self._cluster.check()
        document = self._documents.read(self._manual_id)
        if document is not None and document.gen < self._highest:
            # By a node that has not heard of a newer one; or an old one was restored.
            document = self._documents.read_newest(self._manual_id)
        if document is None or document.revision is None:
            raise Away(NEVER.format(self._manual_id))
        with self._lock:
            self._highest = document.gen
        known = self._known
        if known is not None and _is_same(known.document, document):
            return known._replace(document=document)
        manifest, beside = manifest_of(
            self._documents.read_parts(self._manual_id, document), FORMAT
        )
        index = IndexState(
            document.index_name,
            document.marker,
            len(document.routings),
            manifest,
            document.means,
        )
        reading = SharedReading(self._cluster, index, self._shelf, self._near)
        fresh = fresh_from(manifest, beside, State(manifest, reading))
        known = _Known(document, index, fresh)
        with self._lock:
            self._known = known
        return known

    def _as_fresh(self, known: _Known, *, is_strict: bool) -> Fresh:
        """A state for one find, which learns at its end whether it was the newest.

        That is asked beside the search and not after it: each of its answers shows by itself, with
        the markers, that it is of this state, and no find has to see what is published meanwhile.
        """
        proof = _Proof(self._cluster, lambda: self._documents.read_newest(self._manual_id))
        reading = SharedReading(
            self._cluster,
            known.searched,
            self._shelf,
            self._near,
            is_strict=is_strict,
            begin_proof=proof.begin,
        )

        def doubt() -> str | None:
            try:
                return reading.doubt or self._doubt(known, proof.wait())
            except FAILURES as error:
                if is_strict:
                    raise
                return str(getattr(error, "reason", BEHIND))

        return known.fresh._replace(postings=reading, doubt=doubt)

    def _doubt(self, known: _Known, document: ManualState | None) -> str | None:
        """Why a state is not the newest that there was when the find began.

        Raises:
            StateMoved: it is not.
            Damaged: nothing is published any more.
        """
        if document is None:
            raise Away(NEVER.format(self._manual_id))
        with self._lock:
            # Lower than before where somebody has restored an old state: it is the newest now.
            self._highest = document.gen
        if not _is_same(document, known.document):
            raise StateMoved("it was published anew", known.document.marker)
        if not document.is_at_head:
            self._repair()
            raise _Behind("a newer revision is being published", known.document.marker)
        return None

    def _answer_from_copy(
        self, error: Exception, stop: Callable[[], bool], progress: Callable[[int, int], None]
    ) -> Fresh:
        """Search this server's own copy: nobody can tell whether it is the newest."""
        words = " ".join(str(error).split())[:200]
        if words not in self._said:
            self._said.add(words)
            self._log(f"index of {self._manual_id}: {words}; answering from this machine's copy")
        reason = str(getattr(error, "reason", BEHIND))
        if not isinstance(error, Away):
            self._repair()
        with self._lock:
            self._known = None
            if isinstance(error, Away):
                self._away_until = time.monotonic() + PAUSE_SECONDS
        return self._search_copy(reason, stop, progress)

    def _search_copy(
        self, reason: str, stop: Callable[[], bool], progress: Callable[[int, int], None]
    ) -> Fresh:
        return self._local.refresh(stop, progress)._replace(doubt=lambda: reason)

    def _repair(self) -> None:
        """Have the index put right by this server, if its own copy is what was published last."""
        with self._lock:
            now = time.monotonic()
            if self._repaired_at and now - self._repaired_at < REPAIR_SECONDS:
                return
            self._repaired_at = now
        threading.Thread(target=self._put_right, name="tebiki-repair", daemon=True).start()

    def _put_right(self) -> None:
        try:
            document = self._documents.read(self._manual_id)
            if document is None or document.head is None:
                return
            fresh = self._local.refresh(lambda: False)
            if fingerprint_of(fresh) != document.head.fingerprint:
                return
            seen = time.monotonic()
            done = publish(
                self._cluster,
                self._manual_id,
                self._source,
                document.head.label,
                now_ns=self._now_ns,
                progress=PublishProgress(stop=lambda: time.monotonic() - seen > REPAIR_SECONDS),
                repairing=document,
            )
            if done.is_new:
                self._log(f"index of {self._manual_id}: put right from this machine's copy")
        except (TebikiError, *FAILURES) as error:
            words = " ".join(str(error).split())[:200]
            self._log(f"index of {self._manual_id}: could not be put right ({words})")


def _is_same(one: ManualState, other: ManualState) -> bool:
    """Tell whether two states are one; numbers alone come again where a state was lost."""
    return (one.gen, one.index_name, one.marker) == (other.gen, other.index_name, other.marker)


class _Behind(StateMoved):
    """The index is whole, and not what was published last."""

    reason = BEHIND
