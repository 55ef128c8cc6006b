"""Requests to OpenSearch: which node, how long, how often, and what a failure means.

The only module that knows the client library. Nothing is asked for twice that is not the same
when it is done twice, and whoever waits here keeps no turn.
"""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, TypeVar

from tebiki.manuals.index.failures import Damaged
from tebiki.manuals.index.opensearch import refusals
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from contextlib import AbstractContextManager

    from tebiki.manuals.index.turns import Turns

Answer = TypeVar("Answer")

NOT_FOUND = 404
CONFLICT = 409
BUSY = frozenset([429, 502, 503, 504])
MOST_CONNECTIONS = 32
"""To each node: as many finds wait for it at once as threads work here, each for two answers."""

FEWEST_CLAUSES = 16_384
"""A question of two thousand characters asks for some thousand tokens, in each of five fields."""

MOST_CLAUSES = "indices.query.bool.max_clause_count"


class OpenSearchSettings(NamedTuple):
    """Where the nodes are, who asks, and how an index is laid out there."""

    addresses: tuple[str, ...]
    user: str | None = None
    password: str | None = None
    ca_file: str | None = None
    prefix: str = "tbk"
    shards: int = 1
    replicas: int = 1
    timeout_seconds: float = 2.0


class Away(Damaged):
    """No node answers in time."""

    reason = "index_behind"


class OtherFormat(Away):
    """What is published cannot be read by this release."""


class Incomplete(Damaged):
    """A node answers, and cannot answer for every shard."""

    reason = "shards_missing"


class StateMoved(Damaged):
    """The index is not, or no longer, what its state says; `marker` names the state."""

    reason = "index_changing"

    def __init__(self, words: str, marker: str = "") -> None:
        super().__init__(words)
        self.marker = marker


class RequestRefused(Damaged):
    """OpenSearch does not do what it is asked; nothing is gained by asking again."""

    reason = "shards_missing"


class NotThere(RequestRefused):
    """What a request names is not there."""


class Conflicted(RequestRefused):
    """Somebody else was quicker."""


class Cluster:
    """The nodes of one cluster, as one process asks them; safe for many threads."""

    all_round_trips = 0
    """Of all clients of this process, for measurements."""

    all_beside = 0
    """Of these, what was sent beside others (`begin`)."""

    _counting = threading.Lock()

    def __init__(self, settings: OpenSearchSettings, turns: Turns | None = None) -> None:
        # Here and nowhere else: whoever sets another engine needs no client.
        import logging

        from opensearchpy import OpenSearch

        # What goes wrong is raised, and told once by whoever knows what it means.
        for name in ("opensearch", "urllib3.connectionpool"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
        login = None
        if settings.user is not None:
            login = (settings.user, settings.password or "")
        self.settings = settings
        self._turns = turns
        self._lock = threading.Lock()
        self._is_checked = False
        # Threads come as they are needed: a find's proof stands in no queue behind others.
        self._beside = ThreadPoolExecutor(MOST_CONNECTIONS, "tebiki-beside")
        self._client = OpenSearch(
            hosts=list(settings.addresses),
            http_auth=login,
            ca_certs=settings.ca_file,
            verify_certs=True,
            ssl_show_warn=False,
            timeout=settings.timeout_seconds,
            max_retries=1,
            retry_on_timeout=True,
            retry_on_status=(502, 503, 504),
            http_compress=False,
            pool_maxsize=MOST_CONNECTIONS,
        )

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        params: Mapping[str, Any] | None = None,
        seconds: float | None = None,
    ) -> dict[str, Any]:
        """Send a request; a node that does not answer is followed by another one, once.

        Raises:
            Damaged: it failed; which way is told by the kind and its `reason`.
        """
        from opensearchpy.exceptions import ConnectionError as Unreachable
        from opensearchpy.exceptions import OpenSearchException, TransportError

        given: dict[str, Any] = dict(params or {})
        if seconds is not None:
            given["request_timeout"] = seconds
        with Cluster._counting:
            Cluster.all_round_trips += 1
        try:
            with self._lent_turn():
                answer = self._client.transport.perform_request(method, path, given, body)
        except Unreachable as error:
            raise Away(refusals.unreached(error, self.settings.addresses)) from error
        except TransportError as error:
            words = refusals.refused(error.status_code, error.error, error.info)
            raise _failure_of(error.status_code, words) from error
        except OpenSearchException as error:
            raise RequestRefused(refusals.NOT_OURS) from error
        if not answer:
            return {}
        if not isinstance(answer, dict):
            raise RequestRefused(refusals.NOT_OURS)
        return answer

    def begin(self, ask: Callable[[], Answer]) -> Callable[[], Answer]:
        """Ask for something beside what this thread does; gives what waits for the answer."""
        with Cluster._counting:
            Cluster.all_beside += 1
        future = self._beside.submit(ask)

        def wait() -> Answer:
            if future.done():
                return future.result()
            with self._lent_turn():
                return future.result()

        return wait

    def _lent_turn(self) -> AbstractContextManager[None]:
        return nullcontext() if self._turns is None else self._turns.lend()

    def ask_many(self, path: str, lines: Iterable[Any], **options: Any) -> dict[str, Any]:
        """Send a body of one JSON text a line."""
        body = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
        return self.ask("POST", path, body, **options)

    def search(self, index: str, bodies: list[dict[str, Any]], near: str) -> list[dict[str, Any]]:
        """Ask several questions at once, the copies of the shards that belong to a name first.

        Raises:
            StateMoved: there is no such index.
            Incomplete: a shard did not answer, or not in time.
        """
        head = {"index": index, "preference": near, "allow_partial_search_results": False}
        lines = [line for body in bodies for line in (head, body)]
        answers = self.ask_many("/_msearch", lines)["responses"]
        for answer in answers:
            if answer.get("status", 200) == NOT_FOUND:
                raise StateMoved(f"there is no index {index}")
            if "error" in answer:
                raise _search_failure(answer)
            shards = answer["_shards"]
            if answer["timed_out"] or shards["failed"] or shards["successful"] < shards["total"]:
                raise Incomplete("a shard did not answer")
        return list(answers)

    def check(self) -> None:
        """See once whether it is OpenSearch, and questions as long as may be asked are answered.

        Raises:
            RequestRefused: it is not, or they are not, and what to do about it.
        """
        with self._lock:
            if self._is_checked:
                return
        if (foreign := refusals.foreign(self.ask("GET", "/"))) is not None:
            raise RequestRefused(foreign)
        told = self.ask(
            "GET",
            "/_cluster/settings",
            params={"include_defaults": "true", "flat_settings": "true"},
        )
        layers = (told.get(name, {}) for name in ("transient", "persistent", "defaults"))
        most = next((int(layer[MOST_CLAUSES]) for layer in layers if MOST_CLAUSES in layer), 1024)
        nodes = self.ask("GET", "/_nodes/settings", params={"flat_settings": "true"})["nodes"]
        own = [one["settings"].get(MOST_CLAUSES) for one in nodes.values()]
        most = max([most, min((int(one or 0) for one in own), default=0)])
        if most < FEWEST_CLAUSES:
            raise RequestRefused(
                f"OpenSearch allows {most} clauses in a query; set {MOST_CLAUSES} to "
                f"{FEWEST_CLAUSES} in the opensearch.yml of every node, or by _cluster/settings"
            )
        with self._lock:
            self._is_checked = True


def _failure_of(status: int | str, words: str) -> Damaged:
    if status == NOT_FOUND:
        return NotThere(words)
    if status == CONFLICT:
        return Conflicted(words)
    if status in BUSY:
        return Incomplete(words)
    return RequestRefused(f"OpenSearch refused: {words}")


def _search_failure(answer: dict[str, Any]) -> Damaged:
    words = " ".join(str(answer["error"].get("reason") or answer["error"].get("type")).split())
    causes = answer["error"].get("root_cause") or [{}]
    words = f"{words}: {causes[0].get('reason', '')}"[:300]
    is_missing = answer.get("status") in BUSY or "shard" in words.lower()
    return (
        Incomplete(words) if is_missing else RequestRefused(f"OpenSearch refused a search: {words}")
    )
