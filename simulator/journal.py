"""What the simulator saw, kept so that any thread may read it or wait for it."""

import threading
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

_KEPT_REQUESTS = 10_000  # a benchmark may run for hours; the counts go on beyond this


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    """One request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any
    received_at: float
    connection: int


class Journal:
    """Records requests, disconnects and how often each script was played."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._requests: deque[RecordedRequest] = deque(maxlen=_KEPT_REQUESTS)
        self._request_count = 0
        self._disconnects = 0
        self._turns: Counter[str] = Counter()

    @property
    def requests(self) -> list[RecordedRequest]:
        """The requests so far, oldest first."""
        with self._changed:
            return list(self._requests)

    @property
    def disconnects(self) -> int:
        """How often a client left while its request was being answered."""
        with self._changed:
            return self._disconnects

    def record(self, request: RecordedRequest) -> None:
        """Keep a request that has just arrived."""
        with self._changed:
            self._requests.append(request)
            self._request_count += 1
            self._changed.notify_all()

    def record_disconnect(self) -> None:
        """Count a client that did not wait for its answer."""
        with self._changed:
            self._disconnects += 1
            self._changed.notify_all()

    def next_turn(self, script: str) -> int:
        """Tell how many requests carried this script before this one."""
        with self._changed:
            turn = self._turns[script]
            self._turns[script] += 1
            return turn

    def reset(self) -> None:
        """Forget everything."""
        with self._changed:
            self._requests.clear()
            self._request_count = 0
            self._disconnects = 0
            self._turns.clear()

    def wait_for_requests(self, count: int, timeout: float) -> None:
        """Return once this many requests have arrived."""
        self._wait(lambda: self._request_count, count, timeout, "requests")

    def wait_for_disconnects(self, count: int, timeout: float) -> None:
        """Return once this many clients have left early."""
        self._wait(lambda: self._disconnects, count, timeout, "disconnects")

    def _wait(self, seen: Callable[[], int], count: int, timeout: float, what: str) -> None:
        with self._changed:
            if not self._changed.wait_for(lambda: seen() >= count, timeout):
                raise TimeoutError(f"{seen()} of {count} {what} after {timeout} s")
