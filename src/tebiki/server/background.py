"""One event loop in a background thread, started with the first call that needs it.

The main thread reads the wire with the standard library's quickest parts; asyncio and whatever the
engines import arrive here, after the handshake has long been answered.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from tebiki.server.threads import share_the_interpreter

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Task
    from collections.abc import Callable, Coroutine

    from tebiki.observability.logs import Log

    Work = Callable[[], Coroutine[Any, Any, None]]


class LoopJob:
    """One piece of work handed to the loop; may be cancelled from any thread, at any time."""

    def __init__(self, background: Background, work: Work) -> None:
        self._background = background
        self._work = work
        self._cancelled = False
        self._task: Task[None] | None = None

    def cancel(self) -> None:
        """Stop the work wherever it is, even before it began."""
        self._background.in_loop(self._cancel)

    def begin(self) -> None:
        """Start the work; called in the loop's thread."""
        if not self._cancelled:
            self._task = self._background.start_task(self._work())

    def _cancel(self) -> None:
        self._cancelled = True
        if self._task is not None:
            self._task.cancel()


class Background:
    """The loop, its thread, and what waits for it to come up."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._lock = threading.Lock()
        self._loop: AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._waiting: list[Callable[[], None]] = []
        # The loop itself holds its tasks only weakly.
        self._tasks: set[Task[None]] = set()

    def start(self) -> None:
        """Bring the loop up, if it is not."""
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="loop", daemon=True)
                self._thread.start()

    def submit(self, work: Work) -> LoopJob:
        """Run a coroutine in the loop, soon."""
        job = LoopJob(self, work)
        self.in_loop(job.begin)
        return job

    def in_loop(self, step: Callable[[], None]) -> None:
        """Call a function in the loop's thread, in the order asked."""
        self.start()
        with self._lock:
            if self._loop is None:
                self._waiting.append(step)
            else:
                self._loop.call_soon_threadsafe(step)

    @property
    def loop(self) -> AbstractEventLoop:
        """The running loop; only in its own thread."""
        if self._loop is None:
            raise RuntimeError("the loop is asked for before it runs")
        return self._loop

    def start_task(self, work: Coroutine[Any, Any, None]) -> Task[None]:
        """Make a task and keep it until it is done; only in the loop's thread."""
        task = self.loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _note_stray_failure(self, _loop: AbstractEventLoop, context: dict[str, Any]) -> None:
        """Note what a library's own task failed with; our calls leave through the error map."""
        self._log.debug(f"loop: {context.get('message')} {context.get('exception')!r}")

    def _run(self) -> None:
        import asyncio  # the reason for this module

        share_the_interpreter()
        loop = asyncio.new_event_loop()
        loop.set_exception_handler(self._note_stray_failure)
        with self._lock:
            self._loop = loop
            for step in self._waiting:
                loop.call_soon(step)
            self._waiting.clear()
        loop.run_forever()
