"""Work on a thread of its own, which a caller who is out of time need not wait for."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from typing import TYPE_CHECKING

from tebiki.manuals.index.engine import FAILURES
from tebiki.manuals.index.kept import Broken

if TYPE_CHECKING:
    from collections.abc import Callable

POLL_SECONDS = 0.01


class Aside:
    """Work that goes on; it ends with the process, wherever it is."""

    def __init__(self, work: Callable[[], None], failed: Callable[[BaseException], None]) -> None:
        self._work = work
        self._failed = failed
        self._result: Future[None] = Future()
        threading.Thread(target=self._run, name="tebiki-index", daemon=True).start()

    def wait(self, stop: Callable[[], bool] = lambda: False) -> bool:
        """Wait until it is done, or until `stop`; raises what went wrong."""
        while True:
            try:
                self._result.result(POLL_SECONDS)
            except NotYet:
                if stop():
                    self._result.add_done_callback(self._note)
                    return False
            else:
                return True

    def _run(self) -> None:
        try:
            self._work()
        except (Broken, *FAILURES) as error:
            self._result.set_exception(error)
        else:
            self._result.set_result(None)
        finally:
            if not self._result.done():
                self._result.set_exception(Broken("a commit did not end"))

    def _note(self, result: Future[None]) -> None:
        """Tell of a failure that nobody waits for."""
        if (error := result.exception()) is not None:
            self._failed(error)
