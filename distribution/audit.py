"""`python -m distribution.audit`: ask the package index what is known against each locked release.

Every release in `requirements/*.lock` is looked up in the JSON of the index that pip is configured
for. Needs the network, so it is no part of `make check`. Exit code 1: something is known against a
release; 2: not every release could be asked about, and which is said.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
PINNED = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", re.MULTILINE)
INDEX = re.compile(r"Python Package Index \(default (https?://[^\s)]+)\)")
PATIENCE_SECONDS = 30
AT_ONCE = 8
KNOWN, UNASKED = 1, 2


class Release(NamedTuple):
    """One locked version of a package."""

    name: str
    version: str

    def __str__(self) -> str:
        """As a lock file writes it."""
        return f"{self.name}=={self.version}"


class Told(NamedTuple):
    """What the index says of a release: flaws, or why it could not be asked."""

    release: Release
    flaws: tuple[str, ...] = ()
    unasked: str | None = None


def main() -> int:
    """Ask about every release, and tell."""
    index = configured_index()
    releases = locked(sorted((ROOT / "requirements").glob("*.lock")))
    with ThreadPoolExecutor(AT_ONCE) as pool:
        answers = list(pool.map(lambda release: asked(index, release), releases))
    for told in answers:
        for flaw in told.flaws:
            print(f"{told.release}: {flaw}")
    unasked = [told for told in answers if told.unasked is not None]
    for told in unasked:
        print(f"{told.release}: could not ask: {told.unasked}")
    known = sum(bool(told.flaws) for told in answers)
    print(
        f"{len(answers) - len(unasked)} of {len(answers)} releases asked about, {known} with flaws"
    )
    return KNOWN if known else UNASKED if unasked else 0


def locked(paths: list[Path]) -> list[Release]:
    """Every release that a lock file names."""
    texts = [path.read_text(encoding="utf-8") for path in paths]
    return sorted({Release(*found) for text in texts for found in PINNED.findall(text)})


def configured_index() -> str:
    """Scheme and host of the index that pip would use; its own help tells, whatever sets it."""
    shown = subprocess.run(
        [sys.executable, "-m", "pip", "install", "--help"],
        capture_output=True,
        check=True,
        text=True,
    )
    found = INDEX.search(" ".join(shown.stdout.split()))
    if found is None:
        sys.exit("pip does not say which index it uses; nothing was asked")
    where = urllib.parse.urlsplit(found[1])
    return f"{where.scheme}://{where.netloc}"


def asked(index: str, release: Release) -> Told:
    """Look one release up; a flaw that was withdrawn is none."""
    url = f"{index}/pypi/{release.name}/{release.version}/json"
    try:
        with urllib.request.urlopen(url, timeout=PATIENCE_SECONDS) as reply:  # noqa: S310 -- http(s)
            rows = json.load(reply)["vulnerabilities"]
        flaws = [_words(row) for row in rows if not row.get("withdrawn")]
    except (OSError, HTTPException, ValueError, KeyError, TypeError, AttributeError) as failure:
        return Told(release, unasked=str(failure) or type(failure).__name__)
    return Told(release, tuple(flaws))


def _words(row: dict[str, object]) -> str:
    mended = row.get("fixed_in")
    where = (
        f", mended in {', '.join(map(str, mended))}" if isinstance(mended, list) and mended else ""
    )
    return f"{row['id']}{where}"


if __name__ == "__main__":
    sys.exit(main())
