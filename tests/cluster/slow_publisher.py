"""Publishes a folder, and waits half way for a line of input, or dies after some requests."""

from __future__ import annotations

import os
import sys
import time
from typing import Any

from tebiki.errors import TebikiError
from tebiki.files.paths import Root
from tebiki.manuals.documents.sources import WalkedManual
from tebiki.manuals.index.failures import Damaged
from tebiki.manuals.index.opensearch import writing
from tebiki.manuals.index.opensearch.client import Cluster
from tebiki.manuals.index.opensearch.publishing import PublishProgress, publish
from tests.cluster.teams import LEASE_SECONDS, MANUAL, remote_settings


class Waiting:
    """Stops once, half way through."""

    def __init__(self) -> None:
        self._is_done = False

    def tell(self, done: int, every: int) -> None:
        """Wait when half of it is done."""
        if self._is_done or done < every // 2:
            return
        self._is_done = True
        sys.stdout.write("writing\n")
        sys.stdout.flush()
        sys.stdin.readline()


class Dying(Cluster):
    """A client that gets so many answers, and then the power is cut."""

    left = 0

    def ask(self, method: str, path: str, body: Any = None, **options: Any) -> dict[str, Any]:
        """Send a request, perhaps the last one."""
        if self.left == 0:
            os._exit(9)
        self.left -= 1
        return super().ask(method, path, body, **options)


def main(dies_after: str, root: str, prefix: str, *addresses: str) -> None:
    """Publish it; the last line of the output says what became of it."""
    writing.BULK_BYTES = 1  # every section is sent at once
    settings = remote_settings(addresses, prefix, replicas=2, timeout_seconds=30.0)
    cluster, progress = Cluster(settings), PublishProgress(Waiting().tell)
    if dies_after:
        cluster, progress = Dying(settings), PublishProgress()
        cluster.left = int(dies_after)
    source = WalkedManual(Root(root), MANUAL)
    try:
        publish(
            cluster,
            MANUAL,
            source,
            "slow",
            now_ns=time.time_ns,
            progress=progress,
            lease_seconds=LEASE_SECONDS,
        )
    except (TebikiError, Damaged) as error:
        sys.stdout.write(f"{error}\n")
    else:
        sys.stdout.write("published\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
