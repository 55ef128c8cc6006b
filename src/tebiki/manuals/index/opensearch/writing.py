"""Sections on their way into an index on OpenSearch, and the proof that all of them arrived.

Ids never change their meaning, so whatever is sent twice is there once. A file that was removed is
taken out at the end, together with whatever a leader that died has left: by what the index holds,
held against what it should hold.
"""

from __future__ import annotations

import json
from collections import deque
from typing import TYPE_CHECKING, Any

from tebiki.manuals.index.opensearch.client import (
    BUSY,
    NOT_FOUND,
    Incomplete,
    NotThere,
    RequestRefused,
    StateMoved,
)
from tebiki.manuals.index.opensearch.layout import (
    ALIAS,
    EXISTS,
    MARKER,
    ONLY_IF_THERE,
    document_of,
    file_id,
    index_body,
    settled_body,
    similarities,
)
from tebiki.manuals.index.opensearch.questions import marker_of
from tebiki.manuals.index.values import NOTHING, add_lengths

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from tebiki.manuals.index.opensearch.client import Cluster
    from tebiki.manuals.index.packing import PackedSection
    from tebiki.manuals.index.values import Lengths

BULK_BYTES = 5_000_000
"""Of one request; a section that is larger goes alone."""

BULKS_AT_ONCE = 2
"""So many are written while the next one is made ready; each is held until it was taken."""

SLOW_SECONDS = 60.0
"""What a node may take to write or to refresh."""

COPY_SECONDS = 30
"""How long whoever publishes waits for copies on other nodes; what is not there by then comes."""

TIMED_OUT = 408
BULK_OPTIONS = {**ONLY_IF_THERE, "timeout": "30s"}
"""A shard that is gone is said to be so before this end has lost its patience."""

FILES_AT_ONCE = 5_000
REMOVED_AT_ONCE = 10_000
MOST_ROUTINGS = 10_000


class BulkWriter:
    """Adds sections in large requests; implements `IndexWriter`.

    `make`, if given, makes the index with the first of them, by how many sections that has and how
    long they are: their mean length is written into it.
    """

    def __init__(
        self,
        cluster: Cluster,
        index: str,
        make: Callable[[int, Lengths], None] | None = None,
    ) -> None:
        self._cluster, self._index = cluster, index
        self._make = make
        self._lines: list[str] = []
        self._bytes = 0
        self._on_their_way: deque[Callable[[], None]] = deque()
        self._sections, self._lengths = 0, NOTHING
        self._file, self._number = "", 0

    def put(self, packed: PackedSection, digest: str) -> None:
        """Add a section; those of a file come one after the other."""
        file = file_id(packed.paths[0], digest)
        self._number = self._number + 1 if file == self._file else 0
        self._file = file
        self._lengths = add_lengths(self._lengths, packed.lengths)
        self._sections += 1
        self.send({"index": {"_id": f"{file}-{self._number}"}}, document_of(packed, file))

    def send(self, action: dict[str, Any], document: dict[str, Any] | None = None) -> None:
        """Add an action; enough of them are sent together."""
        lines = [action] if document is None else [action, document]
        for line in lines:
            text = json.dumps(line, ensure_ascii=False)
            self._lines.append(text)
            self._bytes += len(text.encode())
        if self._bytes >= BULK_BYTES:
            self._begin_bulk()

    def remove(self, _path: str) -> None:
        """What does not belong there is taken out at the end."""

    def commit(self, _state: str) -> None:
        """Have all of it written; a refresh makes it visible."""
        self.flush()

    def close(self) -> None:
        """Nothing is held."""
        self.flush()

    def flush(self) -> None:
        """Send what waits, and see that each of it was taken.

        Raises:
            RequestRefused: something was not.
            Incomplete: a shard is lost, or too busy.
            StateMoved: there is no index any more.
        """
        if self._lines:
            self._begin_bulk()
        while self._on_their_way:
            self._on_their_way.popleft()()

    def _begin_bulk(self) -> None:
        """Have it sent, while more is made ready; no id is sent twice, so any may arrive first."""
        if self._make is not None:
            self._make(self._sections, self._lengths)
            self._make = None
        while len(self._on_their_way) >= BULKS_AT_ONCE:
            self._on_their_way.popleft()()
        body = "\n".join(self._lines) + "\n"
        self._lines, self._bytes = [], 0
        self._on_their_way.append(self._cluster.begin(lambda: self._send_bulk(body)))

    def _send_bulk(self, body: str) -> None:
        path = f"/{self._index}{ALIAS}/_bulk"
        answer = self._cluster.ask("POST", path, body, params=BULK_OPTIONS, seconds=SLOW_SECONDS)
        if not answer["errors"]:
            return
        for item in answer["items"]:
            ((kind, told),) = item.items()
            if "error" not in told:
                continue
            status = told.get("status")
            if status == NOT_FOUND and kind != "delete":
                raise StateMoved(f"{self._index} was deleted while it was written")
            if status != NOT_FOUND:
                words = f"OpenSearch did not take a section: {told['error'].get('reason', '')}"
                raise (Incomplete if status in BUSY else RequestRefused)(words[:240])


class IndexBuild:
    """One index as its leader treats it."""

    def __init__(self, cluster: Cluster, index: str) -> None:
        self._cluster, self.index = cluster, index

    def make(self, means: Sequence[float]) -> None:
        """Make it anew."""
        settings = self._cluster.settings
        alias = f"{self.index}{ALIAS}"
        body = index_body(settings.shards, means, alias)
        self.drop()
        try:
            self._ask("PUT", "", body)
        except RequestRefused as error:
            # It was dropped above, and no other leader uses its name: the first try has made it.
            if EXISTS not in str(error):
                raise

    def tune(self, means: Sequence[float]) -> None:
        """Have other means in its similarity; nobody may search it yet, for it is closed for that.

        Raises:
            Incomplete: it could not be opened again in time.
        """
        self._ask("POST", "/_close")
        self._ask("PUT", "/_settings", {"index": {"similarity": similarities(means)}})
        if not self._ask("POST", "/_open")["shards_acknowledged"]:
            raise Incomplete(f"{self.index} could not be opened again")

    def spread(self) -> None:
        """Have it copied to other nodes, as far as there are any."""
        replicas = self._cluster.settings.replicas
        self._ask("PUT", "/_settings", settled_body(replicas))
        nodes = self._cluster.ask("GET", "/_cluster/health")["number_of_data_nodes"]
        # Where there is no node for a copy nobody waits for it.
        wanted = "wait_for_status" if nodes > replicas else "wait_for_no_initializing_shards"
        self._cluster.ask(
            "GET",
            f"/_cluster/health/{self.index}",
            params={
                wanted: "green" if nodes > replicas else "true",
                "timeout": f"{COPY_SECONDS}s",
                "ignore": TIMED_OUT,
            },
            seconds=COPY_SECONDS + SLOW_SECONDS,
        )

    def drop(self) -> None:
        """Remove it, if there is one."""
        try:
            self._ask("DELETE", "")
        except NotThere:
            return

    def exists(self) -> bool:
        """Tell whether it can be used: it is there, and no shard of it is lost."""
        try:
            # First: of an index that is not there the cluster's health waits for half a minute.
            self._ask("GET", "/_settings")
            health = self._cluster.ask("GET", f"/_cluster/health/{self.index}")
        except (NotThere, Incomplete):
            return False
        return str(health["status"]) != "red"

    def refresh(self) -> None:
        """Make visible what was written, in every copy that there is."""
        shards = self._ask("POST", "/_refresh")["_shards"]
        if shards["failed"]:
            raise Incomplete("a shard could not be refreshed")

    def files(self) -> dict[str, int]:
        """The files that it holds, by their ids, with the number of sections of each."""
        found: dict[str, int] = {}
        after: dict[str, Any] = {}
        while True:
            sources = [{"file": {"terms": {"field": "file"}}}]
            asked = {"composite": {"size": FILES_AT_ONCE, "sources": sources, **after}}
            answer = self._search({"size": 0, "aggs": {"files": asked}})
            buckets = answer["aggregations"]["files"]["buckets"]
            found |= {one["key"]["file"]: one["doc_count"] for one in buckets}
            if len(buckets) < FILES_AT_ONCE:
                return found
            after = {"after": answer["aggregations"]["files"]["after_key"]}

    def remove_files(self, files: Iterable[str]) -> None:
        """Remove all sections of some files."""
        names = sorted(files)
        for at in range(0, len(names), FILES_AT_ONCE):
            self._remove({"terms": {"file": names[at : at + FILES_AT_ONCE]}})

    def mark(self, state: str, routings: Sequence[str]) -> None:
        """Put a marker of a state into each shard, instead of those of others."""
        writer = BulkWriter(self._cluster, self.index)
        for routing in routings:
            action = {"index": {"_id": f"{MARKER}-{state}-{routing}", "routing": routing}}
            writer.send(action, {"state": state})
        writer.flush()

    def unmark(self, state: str, routings: Sequence[str]) -> None:
        """Take the markers of a state away before anything is written: none of it counts then."""
        writer = BulkWriter(self._cluster, self.index)
        for routing in routings:
            writer.send({"delete": {"_id": f"{MARKER}-{state}-{routing}", "routing": routing}})
        writer.flush()

    def remove_markers(self) -> None:
        """Take away the markers of whichever state."""
        self._remove({"exists": {"field": "state"}})

    def routings(self) -> tuple[str, ...]:
        """A routing for each shard: what is sent with it lands there."""
        found: dict[int, str] = {}
        for number in range(MOST_ROUTINGS):
            routing = f"r{number}"
            asked = self._ask("GET", "/_search_shards", params={"routing": routing})
            shard = asked["shards"][0][0]["shard"]
            found.setdefault(shard, routing)
            if len(found) == self._cluster.settings.shards:
                return tuple(found[at] for at in sorted(found))
        raise RequestRefused("no routing leads to some of the shards")

    def prove(self, state: str, markers: int, files: Mapping[str, int]) -> None:
        """See that it holds what it should, and nothing else.

        Raises:
            StateMoved: it does not.
        """
        held = self.files()
        if held != files:
            wrong = len(held.items() ^ files.items())
            raise StateMoved(f"{self.index}: {wrong} files are not as they were written")
        marked = self._search({"size": 0, "track_total_hits": True, "query": marker_of(state)})
        every = self._search({"size": 0, "track_total_hits": True})
        documents = every["hits"]["total"]["value"]
        if marked["hits"]["total"]["value"] != markers or documents != sum(
            files.values(), start=markers
        ):
            raise StateMoved(f"{self.index} has {documents} documents, and not what was written")

    def _remove(self, query: dict[str, Any]) -> None:
        """Remove what a query finds, by ids: not every cluster removes by queries."""
        body = {"size": REMOVED_AT_ONCE, "_source": False, "query": query}
        while hits := self._search(body)["hits"]["hits"]:
            writer = BulkWriter(self._cluster, self.index)
            for hit in hits:
                routing = {"routing": hit["_routing"]} if "_routing" in hit else {}
                writer.send({"delete": {"_id": hit["_id"], **routing}})
            writer.flush()
            self.refresh()

    def _search(self, body: dict[str, Any]) -> dict[str, Any]:
        answer = self._ask(
            "POST", "/_search", body, params={"allow_partial_search_results": "false"}
        )
        if answer["timed_out"] or answer["_shards"]["failed"]:
            raise Incomplete("a shard did not answer")
        return answer

    def _ask(self, method: str, path: str, body: Any = None, **options: Any) -> dict[str, Any]:
        options.setdefault("seconds", SLOW_SECONDS)
        return self._cluster.ask(method, f"/{self.index}{path}", body, **options)
