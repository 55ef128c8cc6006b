"""How a file looks from outside, to show that nobody wrote it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def look_at(path: Path) -> tuple[int, ...]:
    """All that a write changes, to the nanosecond; reading a file changes when it was read."""
    seen = path.stat()
    return (
        *(seen.st_dev, seen.st_ino, seen.st_nlink, seen.st_mode, seen.st_uid, seen.st_gid),
        *(seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns),
    )
