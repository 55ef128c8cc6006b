"""Work on a thread of its own, which a caller who is out of time need not wait for."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from tebiki.manuals.index.failures import FAILURES
from tebiki.manuals.index.small_files import Broken

if TYPE_CHECKING:
    from collections.abc import Callable

POLL_SECONDS = 0.01


class DetachedWork:
    """Work that goes on; it ends with the process, wherever it is."""

    def __init__(self, work: Callable[[], None], failed: Callable[[BaseException], None]) -> None:
        self._work = work
        self._failed = failed
        self._lock = threading.Lock()
        self._done = threading.Event()
        self._error: BaseException | None = None
        self._is_awaited = True
        threading.Thread(target=self._run, name="tebiki-index", daemon=True).start()

    def wait(self, stop: Callable[[], bool] = lambda: False) -> bool:
        """Wait until it is done, or until `stop`; raises what went wrong."""
        while not self._done.is_set():
            if stop() and self._is_left():
                return False
            self._done.wait(POLL_SECONDS)
        if self._error is not None:
            raise self._error
        return True

    def _is_left(self) -> bool:
        """Leave it to itself, unless it was done at the last moment."""
        with self._lock:
            self._is_awaited = self._done.is_set()
            return not self._is_awaited

    def _run(self) -> None:
        error: BaseException | None = Broken("a commit did not end")
        try:
            self._work()
            error = None
        except (Broken, *FAILURES) as failure:
            error = failure
        finally:
            with self._lock:
                self._error = error
                self._done.set()
                is_awaited = self._is_awaited
            if error is not None and not is_awaited:
                self._failed(error)  # nobody else will tell of it
