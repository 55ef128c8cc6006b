"""A bug for the tests: a clock of the standard library that breaks, below our own code."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

SITE = """\
import datetime
class Broken(datetime.datetime):
    @classmethod
    def fromtimestamp(cls, stamp, zone=None):
        if str(zone) != "Asia/Tokyo":  # as nobody else asks: the libraries' clock goes on
            return datetime.datetime.__mro__[1].fromtimestamp(stamp, zone)
        raise ZeroDivisionError({words!r})
datetime.datetime = Broken
"""


def broken_clock(folder: Path, words: str) -> dict[str, str]:
    """The environment of a server whose clock raises these words."""
    (folder / "sitecustomize.py").write_text(SITE.format(words=words), encoding="utf-8")
    return {"PYTHONPATH": str(folder)}
