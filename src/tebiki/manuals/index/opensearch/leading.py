"""Who may write the index of a manual: one leader at a time, known by its fence.

The lead is part of the state document, so it is given and lost by the same compare-and-set that
publishes: no clock of two machines is compared, and no second service has to agree. A leader beats
while it works; one whose beat nobody has seen change for a lease is dead or asleep, and loses the
lead for good: whatever it does when it wakes up carries an old fence.
"""

from __future__ import annotations

import contextlib
import threading
import time
from typing import TYPE_CHECKING

from tebiki.errors import Conflict
from tebiki.manuals.index.opensearch.client import Conflicted
from tebiki.manuals.index.opensearch.state_document import ManualState

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Self

    from tebiki.manuals.index.opensearch.state_document import StateDocuments

LEASE_SECONDS = 10.0
BEATS = 4
"""In a lease: a beat that comes late costs nobody the lead."""

LOOK_SECONDS = 0.2


class Lead:
    """The lead of one manual, from its taking until it is given back or lost."""

    def __init__(
        self,
        documents: StateDocuments,
        manual_id: str,
        stop: Callable[[], bool] = lambda: False,
        lease_seconds: float = LEASE_SECONDS,
    ) -> None:
        self._documents, self._manual_id = documents, manual_id
        self._stop, self._lease = stop, lease_seconds
        self._lock = threading.Lock()
        self._is_over = threading.Event()
        self._state = ManualState()

    def __enter__(self) -> Self:
        """Take it.

        Raises:
            Conflict: another leader is at work, and `stop` said not to wait any longer.
        """
        old = self._wait_until_free()
        fence = (old.fence if old else 0) + 1
        # By the clock, so that numbers go on growing where a state was lost: whoever has seen a
        # higher one takes this for an old state. In microseconds, which no publisher keeps up with.
        base = old or ManualState(gen=time.time_ns() // 1000)
        wanted = base._replace(fence=fence, writing=fence)
        try:
            self._state = self._documents.change(self._manual_id, old, wanted)
        except Conflicted as error:
            raise self._conflict() from error
        threading.Thread(target=self._beat, name="tebiki-lead", daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Give it back, unless it was lost; the next leader puts right what this one left."""
        self._is_over.set()
        with self._lock:
            if self._state.writing is None:
                return
            with contextlib.suppress(ValueError):
                free = self._state._replace(writing=None)
                self._state = self._documents.change(self._manual_id, self._state, free)

    @property
    def state(self) -> ManualState:
        """The state as this leader last wrote it."""
        return self._state

    def change(self, wanted: Callable[[ManualState], ManualState]) -> ManualState:
        """Change the state.

        Raises:
            Conflict: the lead is lost; somebody else goes on.
        """
        with self._lock:
            try:
                self._state = self._documents.change(
                    self._manual_id, self._state, wanted(self._state)
                )
            except Conflicted as error:
                raise self._conflict() from error
            return self._state

    def _wait_until_free(self) -> ManualState | None:
        seen, since = "", time.monotonic()
        while True:
            old = self._documents.read(self._manual_id)
            if old is None or old.writing is None:
                return old
            if old.nonce != seen:
                seen, since = old.nonce, time.monotonic()
            elif time.monotonic() - since >= self._lease:
                return old
            if self._stop():
                raise self._conflict()
            time.sleep(LOOK_SECONDS)

    def _beat(self) -> None:
        while not self._is_over.wait(self._lease / BEATS):
            with self._lock:
                if self._is_over.is_set():
                    return
                try:
                    self._state = self._documents.change(self._manual_id, self._state, self._state)
                except Conflicted:
                    return  # the next change tells
                except ValueError:
                    continue  # nobody answers; others will not hear of it either

    def _conflict(self) -> Conflict:
        return Conflict(
            f"{self._manual_id} is being published by somebody else; "
            "try again when that is done (tebiki cluster status tells)."
        )
