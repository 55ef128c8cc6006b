"""Which OpenSearch the tests of this folder run, what that needs, and how it gets here.

It comes as jars by Maven coordinates (`pom.xml`) into build/cluster, once for each release. 2.19 is
taken unless TEBIKI_OPENSEARCH says 3.8, which needs Java 21; JAVA_HOME may name another Java than
the one that is found first.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent


class Release(NamedTuple):
    """A release of OpenSearch: as which jars it comes, what makes a node of them, which Java."""

    runner: str
    bundled: str
    java: int


RELEASES = {"2.19": Release("2.19.1.0", "line2", 11), "3.8": Release("3.8.0.0", "line3", 21)}
USUAL = "2.19"
"""What every machine runs, and what the examples name."""
CHOSEN = os.environ.get("TEBIKI_OPENSEARCH") or USUAL
BUILT = HERE.parents[1] / "build" / "cluster" / CHOSEN

NEEDED = {
    "java": "Java (Debian: openjdk-17-jdk-headless)",
    "javac": "the Java compiler (Debian: openjdk-17-jdk-headless)",
    "mvn": "Maven, which fetches OpenSearch (Debian: maven)",
    "openssl": "OpenSSL, which makes certificates (Debian: openssl)",
    "redis-server": "Redis (Debian: redis-server) or Valkey (valkey-server)",
}
INSTEAD = {"redis-server": "valkey-server"}


class NotStarted(Exception):
    """An engine that did not come up, with the end of what it wrote."""


def program(name: str) -> str | None:
    """Where a program is, or one that does the same."""
    home = os.environ.get("JAVA_HOME")
    if home and name in {"java", "javac"}:
        return shutil.which(name, path=str(Path(home) / "bin"))
    return shutil.which(name) or (shutil.which(INSTEAD[name]) if name in INSTEAD else None)


def missing() -> list[str]:
    """What this machine lacks, in words."""
    if CHOSEN not in RELEASES:
        return [f"OpenSearch {CHOSEN}: TEBIKI_OPENSEARCH may be {' or '.join(RELEASES)}"]
    lacking = [f"{name}: {words}" for name, words in NEEDED.items() if program(name) is None]
    least = RELEASES[CHOSEN].java
    if not lacking and java_release() < least:
        lacking.append(f"java: OpenSearch {CHOSEN} needs Java {least}; set JAVA_HOME to one")
    return lacking


def java_release() -> int:
    """Which Java there is."""
    told = subprocess.run(
        [program("java") or "java", "-XshowSettings:properties", "-version"],
        capture_output=True,
        text=True,
        check=False,
    )
    found = re.search(r"java\.specification\.version = (?:1\.)?(\d+)", told.stderr + told.stdout)
    return int(found[1]) if found else 0


def fetch() -> Path:
    """The folder with OpenSearch's jars and our launcher, made once for this checkout."""
    release = RELEASES[CHOSEN]
    sources = [HERE / "SearchNode.java", HERE / release.bundled / "BundledPlugins.java"]
    made_of = [one.read_bytes() for one in (HERE / "pom.xml", *sources)]
    key = hashlib.sha256(b"".join(made_of) + release.runner.encode()).hexdigest()
    stamp = BUILT / "fetched"
    if stamp.exists() and stamp.read_text() == key:
        return BUILT
    shutil.rmtree(BUILT, ignore_errors=True)
    BUILT.mkdir(parents=True)
    _run("mvn", "-B", "-q", "-f", str(HERE / "pom.xml"), "dependency:copy-dependencies",
         f"-Drunner={release.runner}", f"-DoutputDirectory={BUILT / 'jars'}")  # fmt: skip
    _run("javac", "-cp", str(BUILT / "jars" / "*"), "-d", str(BUILT), *map(str, sources))
    stamp.write_text(key)
    return BUILT


def _run(name: str, *arguments: str) -> None:
    path = program(name)
    if path is None:
        raise NotStarted(f"{name} is missing: {NEEDED[name]}")
    ended = subprocess.run([path, *arguments], capture_output=True, text=True, check=False)
    if ended.returncode:
        raise NotStarted(f"{name} failed:\n{(ended.stdout + ended.stderr)[-3000:]}")
