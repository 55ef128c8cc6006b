"""Locking and unlocking an open file, as each system does it.

Not here: lock files and what a lock protects.
"""

from __future__ import annotations

import os
import sys
import time

PAUSE_SECONDS = 0.005
"""Between two looks at a lock, where the system cannot wait for one itself."""

FAR_AWAY = 1 << 40
"""Where Windows, which locks bytes and not files, keeps others out without hiding any content."""

if sys.platform == "win32":
    import msvcrt

    def try_lock(descriptor: int) -> bool:
        """Lock an open file without waiting; False when someone else has it."""
        os.lseek(descriptor, FAR_AWAY, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def lock(descriptor: int) -> None:
        """Lock an open file, however long it takes."""
        while not try_lock(descriptor):
            time.sleep(PAUSE_SECONDS)

    def unlock(descriptor: int) -> None:
        """Unlock it."""
        os.lseek(descriptor, FAR_AWAY, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def try_lock(descriptor: int) -> bool:
        """Lock an open file without waiting; False when someone else has it."""
        try:
            # Of the open file, not of the process: two threads keep each other out as well.
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def lock(descriptor: int) -> None:
        """Lock an open file, however long it takes."""
        fcntl.flock(descriptor, fcntl.LOCK_EX)

    def unlock(descriptor: int) -> None:
        """Unlock it."""
        fcntl.flock(descriptor, fcntl.LOCK_UN)
