"""What makes written bytes last."""

from __future__ import annotations

import os
import sys


def sync_file(descriptor: int) -> None:
    """Make a file's bytes survive a crash of the machine."""
    if sys.platform == "darwin":
        import fcntl

        # fsync on macOS stops at the drive's own cache.
        fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
    else:
        os.fsync(descriptor)
