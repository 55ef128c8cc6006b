"""A team in one process: a manual that is published, a server that reads it, and a checker.

The checker knows every revision by what the engine at hand finds in it: an answer that is called
complete must be that of the newest, and any other must say why it is not.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

from tebiki.errors import Conflict
from tebiki.files.paths import Root
from tebiki.manuals.documents.sources import WalkedManual
from tebiki.manuals.find import Clocks
from tebiki.manuals.index.failures import Damaged
from tebiki.manuals.index.opensearch.client import Cluster, OpenSearchSettings
from tebiki.manuals.index.opensearch.publishing import publish
from tebiki.manuals.index.opensearch.status import look_at
from tebiki.manuals.library import Library
from tebiki.manuals.request import FindRequest
from tests.manuals import usual
from tests.manuals.libraries import library_at

if TYPE_CHECKING:
    import signal
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from tebiki.manuals.index.opensearch.publishing import Publication
    from tebiki.manuals.index.opensearch.status import PublishedManual
    from tebiki.manuals.report.answer import Found

MANUAL = "m"
LEASE_SECONDS = 2.0
PATIENCE_SECONDS = 90.0
REASONS = {"index_behind", "index_changing", "shards_missing"}


def words_of(found: Found) -> str:
    """An answer as one text, all of it."""
    return json.dumps(found.to_json(), ensure_ascii=False, sort_keys=True, default=sorted)


def rows_of(found: Found) -> list[tuple[Any, float]]:
    """What was found, in its order, with the scores."""
    return [(row["ref"], row["score"]) for row in found.lists["candidates"]]


def asked(question: str) -> FindRequest:
    """A question that requires its first word."""
    return FindRequest(question, MANUAL, (question.partition(" ")[0],), time_ms=20_000)


def until(is_so: Callable[[], bool], seconds: float = PATIENCE_SECONDS) -> None:
    """Wait for something that comes about by itself."""
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.1)


def remote_settings(urls: Iterable[str], prefix: str, **more: Any) -> OpenSearchSettings:
    """Where the engine is, below a prefix of the test's own."""
    return OpenSearchSettings(tuple(urls), prefix=prefix, **{"timeout_seconds": 5.0, **more})


class Team:
    """A folder with one manual, and a server of it."""

    def __init__(self, folder: Path, settings: OpenSearchSettings) -> None:
        self.settings = settings
        self.root = folder / "manuals"
        (self.root / MANUAL).mkdir(parents=True)
        self._direct = Cluster(settings._replace(timeout_seconds=30.0))
        self.said: list[str] = []
        finder = usual.FINDER._replace(opensearch=settings)
        clocks = Clocks(time.time, time.monotonic, time.time_ns)
        self.server = Library(
            self.root,
            usual.LIBRARY._replace(finder=finder),
            clocks,
            lambda: "id",
            log=self.said.append,
        )
        self.server.ls()

    @property
    def cluster(self) -> Cluster:
        """A client that is nobody's."""
        return self._direct

    def write(self, files: Mapping[str, str | None]) -> None:
        """Change the files of this machine's copy."""
        for path, text in files.items():
            place = self.root / MANUAL / path
            if text is None:
                place.unlink()
            else:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(text, encoding="utf-8")

    def texts(self) -> dict[str, str]:
        """The files of this machine's copy."""
        folder = self.root / MANUAL
        return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}

    def publishes(self, label: str) -> bool:
        """Try to publish; while a node is missed, or another leader at work, it may be refused."""
        try:
            self.publish(label)
        except (Damaged, Conflict):
            return False
        return True

    def publish(self, label: str = "") -> Publication:
        """Publish this machine's copy."""
        return publish(
            self._direct,
            MANUAL,
            WalkedManual(Root(str(self.root)), MANUAL),
            label,
            now_ns=time.time_ns,
            lease_seconds=LEASE_SECONDS,
        )

    def find(self, question: str) -> Found:
        """Ask the server; never answered from the cache."""
        return self.server._finder.find(asked(question), use_cache=False)

    def find_here(self, question: str) -> Found:
        """Ask the engine at hand, over this machine's copy as it is now."""
        return library_at(self.root)._finder.find(asked(question), use_cache=False)

    def status(self) -> list[PublishedManual]:
        """How the manual is published."""
        return look_at(self._direct, [MANUAL])

    def check(self, question: str, expected: Found) -> bool:
        """Ask, and see that nothing untrue is called complete; tells whether it was complete."""
        found = self.find(question)
        if found.complete:
            assert words_of(found) == words_of(expected)
        else:
            assert found.failure_reason in REASONS, found.failure_reason
            self.said.append(f"{question}: {found.failure_reason}")
        return found.complete


class Publisher:
    """A leader in a process of its own, which waits in the middle of its work, or dies."""

    def __init__(self, team: Team, dies_after: int | None = None) -> None:
        """`dies_after` so many requests, and without a wait; else it waits half way through."""
        last = "" if dies_after is None else str(dies_after)
        where = (str(team.root), team.settings.prefix, *team.settings.addresses)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.cluster.slow_publisher", last, *where],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def wait_until_it_writes(self) -> None:
        """Wait until it has sent a part."""
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "writing\n"

    def send(self, number: signal.Signals) -> None:
        """Stop it, let it go on or kill it."""
        self._process.send_signal(number)

    def end(self) -> str:
        """Let it finish; gives its last words."""
        said, _ = self._process.communicate("go on\n", timeout=120)
        return said.strip()
