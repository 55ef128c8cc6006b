"""The ground the program stands on: Python, packages, the command, the clock."""

from __future__ import annotations

import platform
import re
import shutil
import sys
from datetime import UTC, datetime
from importlib import metadata
from typing import TYPE_CHECKING

from tebiki import __version__
from tebiki.doctor.findings import doubtful, good, wrong
from tebiki.values.phrases import as_is, listed, phrase

if TYPE_CHECKING:
    from tebiki.doctor.findings import Finding

REINSTALL = phrase("install tebiki again, with its dependencies")
RELEASED = datetime(2026, 1, 1, tzinfo=UTC)
"""No clock that is right shows an earlier time to this version."""

MOST_SECONDS_APART = 300


def python() -> Finding:
    """The interpreter and the packages this program needs."""
    words = phrase(
        "tebiki {version}, Python {python}", version=__version__, python=platform.python_version()
    )
    try:
        required = metadata.requires("tebiki") or []
    except metadata.PackageNotFoundError:
        return doubtful(
            "python", phrase("{words}, not installed as a package", words=words), REINSTALL
        )
    names = [_name(line) for line in required if "extra ==" not in line]
    versions = {name: _version(name) for name in names}
    missing = [name for name, version in versions.items() if version is None]
    facts = {"tebiki": __version__, "python": platform.python_version(), "packages": versions}
    if missing:
        told = phrase("{words}; missing: {names}", words=words, names=", ".join(missing))
        return wrong("python", told, REINSTALL, **facts)
    installed = (f"{name} {version}" for name, version in versions.items())
    return good("python", listed([words, *installed]), **facts)


def program(name: str) -> Finding:
    """Whether a client finds the command by its name."""
    path = shutil.which(name)
    if path is None:
        return doubtful(
            "command",
            phrase("{name} is not on the PATH", name=name),
            phrase("give clients a whole path: {program} -m tebiki", program=sys.executable),
        )
    return good("command", as_is(path), path=path)


def clock(now: float, server_time: float | None) -> Finding:
    """The time and its zone; compared with the API's where that is known."""
    local = datetime.fromtimestamp(now, UTC).astimezone()
    words = phrase(
        "{time} {zone} (answers date by Asia/Tokyo)",
        time=f"{local:%Y-%m-%d %H:%M}",
        zone=local.tzname(),
    )
    facts = {"time": local.isoformat(timespec="seconds"), "zone": local.tzname()}
    advice = phrase("set the clock: wrong dates get into answers, and certificates fail")
    if now < RELEASED.timestamp():
        return wrong("clock", phrase("{words}: in the past", words=words), advice, **facts)
    apart = 0 if server_time is None else round(now - server_time)
    if abs(apart) > MOST_SECONDS_APART:
        way = (
            phrase("{words}: {n} s ahead of the API's", words=words, n=apart)
            if apart > 0
            else phrase("{words}: {n} s behind the API's", words=words, n=-apart)
        )
        return doubtful("clock", way, advice, **facts)
    return good("clock", words, **facts)


def _name(requirement: str) -> str:
    found = re.match(r"[A-Za-z0-9._-]+", requirement)
    return found[0] if found is not None else requirement


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
