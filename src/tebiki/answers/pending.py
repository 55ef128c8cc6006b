"""Which background answers are on their way: one small file each, for its owner alone.

A file holds the response's id and a hash of what was asked, and never a word of it. Whoever
follows an answer holds a lock on its file; the lock goes with the process, the file stays. So an
answer whose process died is found by the next one, and nobody takes up what another still follows.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from tebiki.system.file_locks import try_lock, unlock
from tebiki.system.private_files import open_regular

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LONGEST_LOST_SECONDS = 600.0
"""How long an answer may go on that nobody waits for; the API may keep it no longer either."""

LARGEST_FILE = 4096
MOST_FILES = 1000
"""Looked at; there are a handful at most."""

SECONDS_BETWEEN_TOUCHES = 5.0


@dataclass(frozen=True, slots=True)
class Pending:
    """What is kept of an answer on its way; the last three name its row in the ledger."""

    response: str
    request: str
    client: str
    profile: str
    model: str
    time: float
    ledger: str
    payer: str


class HeldAnswer:
    """A pending answer whose file is locked by us, until it is let go of or removed."""

    def __init__(self, path: str, descriptor: int, pending: Pending) -> None:
        self.pending = pending
        self._path = path
        self._descriptor: int | None = descriptor
        self._touched = 0.0

    def touch(self, now: float) -> None:
        """Note that the answer is still followed."""
        if self._descriptor is not None and now - self._touched >= SECONDS_BETWEEN_TOUCHES:
            self._touched = now
            with suppress(OSError):
                os.utime(self._path, (now, now))

    def release(self) -> None:
        """Let others take it up."""
        if self._descriptor is not None:
            with suppress(OSError):
                unlock(self._descriptor)
            os.close(self._descriptor)
            self._descriptor = None

    def hold_again(self) -> bool:
        """Hold what was let go of; false where somebody else took it up since, or has heard it."""
        if self._descriptor is None:
            found = _hold(self._path, lambda one: one == self.pending)
            self._descriptor = None if found is None else found._descriptor
        return self._descriptor is not None

    def remove(self) -> None:
        """Forget the answer; nothing of it is left."""
        # Still locked: in between nobody takes up what was heard. Windows removes no open file.
        with suppress(OSError):
            os.unlink(self._path)
        self.release()
        with suppress(OSError):
            os.unlink(self._path)


class PendingAnswers:
    """The folder of pending answers."""

    def __init__(
        self, folder: str, clock: Callable[[], float], warn: Callable[[str], None]
    ) -> None:
        self._folder = folder
        self._clock = clock
        self._warn = warn
        self._has_warned = False

    def begin(self, pending: Pending) -> HeldAnswer | None:
        """Note an answer that has begun; None where that cannot be written, which fails no call."""
        name = hashlib.sha256(pending.response.encode()).hexdigest()[:32]
        path = os.path.join(self._folder, f"{name}.json")
        descriptor = None
        try:
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
            descriptor = open_regular(path, os.O_RDWR | os.O_CREAT | os.O_EXCL)
            try_lock(descriptor)
            os.write(descriptor, json.dumps(asdict(pending)).encode())
        except OSError as refused:
            if descriptor is not None:  # a full disk lets files be made, and nothing be written
                os.close(descriptor)
                with suppress(OSError):
                    os.unlink(path)
            if not self._has_warned:
                self._has_warned = True
                reason = refused.strerror or refused
                self._warn(f"background answers cannot be noted in {self._folder} ({reason})")
            return None
        return HeldAnswer(path, descriptor, pending)

    def take(self, wanted: Callable[[Pending], bool]) -> HeldAnswer | None:
        """Hold the newest answer that is wanted, not too old and followed by nobody."""
        since = self._clock() - LONGEST_LOST_SECONDS
        for path, changed in sorted(self._files(), key=lambda file: -file[1]):
            if changed >= since:
                held = _hold(path, wanted)
                if held is not None:
                    return held
        return None

    def take_old(self) -> Iterator[HeldAnswer]:
        """Hold each answer that nobody has asked for in time."""
        since = self._clock() - LONGEST_LOST_SECONDS
        for path, changed in self._files():
            if changed < since:
                held = _hold(path, lambda _pending: True)
                if held is not None:
                    yield held

    def _files(self) -> list[tuple[str, float]]:
        """The files by path, with when each was last touched."""
        found = []
        with suppress(OSError), os.scandir(self._folder) as entries:
            for entry in entries:
                if entry.name.endswith(".json") and entry.is_file(follow_symlinks=False):
                    found.append((entry.path, entry.stat(follow_symlinks=False).st_mtime))
                if len(found) >= MOST_FILES:
                    break
        return found


def _hold(path: str, wanted: Callable[[Pending], bool]) -> HeldAnswer | None:
    """Lock a file, if it is a pending answer that is wanted and nobody has it."""
    try:
        descriptor = open_regular(path, os.O_RDWR)
    except OSError:
        return None
    held = None
    with suppress(OSError):
        pending = _read(os.read(descriptor, LARGEST_FILE))
        # Locked first, then looked whether it is still there: its follower may just have ended.
        if pending and wanted(pending) and try_lock(descriptor) and os.path.exists(path):
            held = HeldAnswer(path, descriptor, pending)
    if held is None:
        os.close(descriptor)
    return held


def _read(data: bytes) -> Pending | None:
    """Read what a file holds; None when it is none of ours."""
    try:
        fields: dict[str, Any] = json.loads(data)
        pending = Pending(**fields)
        texts = (value for name, value in fields.items() if name != "time")
        sound = all(isinstance(value, str) for value in texts)
        return pending if sound and isinstance(pending.time, float) else None
    except (ValueError, TypeError, RecursionError):
        return None


def hash_of(*parts: Any) -> str:
    """One name for what was asked, and by whom, that tells neither."""
    written = json.dumps(parts, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(written.encode()).hexdigest()
