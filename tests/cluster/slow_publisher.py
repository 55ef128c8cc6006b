"""Publishes a folder, and waits for a line of input once its first sections are written."""

from __future__ import annotations

import sys
import time

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


def main(root: str, prefix: str, addresses: list[str]) -> None:
    """Publish it; the last line of the output says what became of it."""
    writing.BULK_BYTES = 1  # every section is sent at once
    cluster = Cluster(remote_settings(addresses, prefix, replicas=2, timeout_seconds=30.0))
    source = WalkedManual(Root(root), MANUAL)
    progress = PublishProgress(Waiting().tell)
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
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
