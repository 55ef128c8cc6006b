"""The store of several machines: Redis or Valkey. Needs the extra `tebiki[cluster]`.

Each method is one script there (`redis_scripts`), so all machines agree. Owners and keys leave as
hashes. Nothing is ever tried twice: a count that timed out may have been counted. What to do while
the server is away is not decided here (`degrading`).
"""

from __future__ import annotations

import json
import math
import threading
from contextlib import contextmanager, suppress
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from redis import Redis
from redis.backoff import NoBackoff
from redis.cluster import RedisCluster
from redis.exceptions import ConnectionError as NotConnected
from redis.exceptions import MovedError, RedisError
from redis.retry import Retry

from tebiki.named_tuples import NamedTuple
from tebiki.state import redis_scripts as scripts
from tebiki.state.store import Lease, StateAway

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from redis.commands.core import Script

    from tebiki.state.store import Kept, Shelf

PREFIX = "tbk:1"
"""Of every key; the number is that of their form. A user of the server may be bound to it."""

LONGEST_LIFE_SECONDS = 400 * 86_400
"""How long what has no end of its own is kept after the last write to its shelf."""

HASH_DIGITS = 32

UNREADABLE = (ValueError, TypeError, LookupError, AttributeError, RecursionError)
"""What becomes of a value that is not one of ours."""


class RedisAddress(NamedTuple):
    """Where the server is, and as whom to go there; how long to wait for any answer."""

    host: str
    port: int
    database: int = 0
    tls: bool = False
    certificates: str | None = None
    user: str | None = None
    password: str | None = None
    seconds: float = 0.1


def _short(text: str) -> str:
    """An owner or a key as it is sent: of one length, and nobody's name."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:HASH_DIGITS]


def _flag(value: bool) -> str:
    return "1" if value else "0"


class RedisStore:
    """Keeps things on a server that several machines ask; raises `StateAway` where it fails."""

    waits = True

    def __init__(self, address: RedisAddress, clock: Callable[[], float] | None = None) -> None:
        """`clock`: instead of the server's own."""
        self._clock = clock
        tls: dict[str, Any] = (
            {"ssl": True, "ssl_cert_reqs": "required", "ssl_check_hostname": True}
            if address.tls
            else {}
        )
        if address.tls and address.certificates is not None:
            tls["ssl_ca_certs"] = address.certificates
        self._how: dict[str, Any] = {
            "host": address.host,
            "port": address.port,
            "username": address.user,
            "password": address.password,
            "socket_timeout": address.seconds,
            "socket_connect_timeout": address.seconds,
            # By itself it would try again for seconds, and count twice what only timed out.
            "retry": Retry(NoBackoff(), 0),
            "protocol": 2,
            **tls,
        }
        self._lock = threading.Lock()
        self._redis = Redis(db=address.database, **self._how)
        self._asked: Redis | RedisCluster = self._redis
        self._put, self._get, self._clear = map(
            self._script, (scripts.PUT, scripts.GET, scripts.CLEAR)
        )
        self._count = self._script(scripts.COUNT)
        self._lease, self._renew, self._release = map(
            self._script, (scripts.LEASE, scripts.RENEW, scripts.RELEASE)
        )

    def _script(self, text: str) -> Script:
        return self._redis.register_script(text)

    def put(self, shelf: Shelf[Kept], owner: str, key: str, value: Kept) -> None:
        """Keep a thing, in place of one with the same key."""
        self._keep(shelf, owner, key, value, only_new=False)

    def add(self, shelf: Shelf[Kept], owner: str, key: str, value: Kept) -> bool:
        """Keep a thing, unless somebody has that key already."""
        return self._keep(shelf, owner, key, value, only_new=True)

    def _keep(
        self, shelf: Shelf[Kept], owner: str, key: str, value: Kept, *, only_new: bool
    ) -> bool:
        text = json.dumps(shelf.pack(value))
        seconds, is_endless = _seconds(shelf)
        life = LONGEST_LIFE_SECONDS if is_endless else min(seconds, LONGEST_LIFE_SECONDS)
        kept = self._run(
            self._put,
            _shelf_keys(shelf.name),
            [self._now(), _short(owner), _short(key), text, _flag(only_new), seconds,
             shelf.most, shelf.most_in_all, _flag(is_endless), life],
        )  # fmt: skip
        return bool(kept)

    def get(self, shelf: Shelf[Kept], owner: str, key: str) -> Kept | None:
        """Give a thing that is still kept for that owner."""
        seconds, is_endless = _seconds(shelf)
        text = self._run(
            self._get,
            _shelf_keys(shelf.name),
            [self._now(), _short(owner), _short(key), seconds, _flag(is_endless),
             _flag(shelf.by_use)],
        )  # fmt: skip
        if text is None:
            return None
        try:
            return shelf.unpack(json.loads(text))
        except UNREADABLE:
            # Another release wrote it, or somebody who is none of us.
            return None

    def clear(self, shelf_name: str) -> None:
        """Forget everything on a shelf."""
        self._run(self._clear, _shelf_keys(shelf_name), [self._now()])

    def count(self, name: str, owner: str, seconds: int, amount: float = 1) -> float:
        """Add to an owner's sum of this stretch of time."""
        key = f"{PREFIX}:c:{{{name}|{_short(owner)}}}"
        return float(self._run(self._count, [key], [self._now(), seconds, repr(float(amount))]))

    def lease(self, lease: Lease, most: float, seconds: float) -> float | None:
        """Take something of an owner's for a while."""
        has_bound = math.isfinite(most)
        taken = self._run(
            self._lease,
            _lease_keys(lease),
            [self._now(), _short(lease.key), repr(float(lease.amount)), seconds,
             _flag(has_bound), most if has_bound else 0],
        )  # fmt: skip
        return None if taken is None else float(taken)

    def renew(self, leases: Collection[Lease], seconds: float) -> None:
        """Keep what is still held."""
        asked: list[tuple[list[str], list[Any]]] = [
            (_lease_keys(lease), [self._now(), _short(lease.key), seconds]) for lease in leases
        ]
        if self._asked is self._redis:
            with _translate_redis_errors(), suppress(MovedError):
                with self._redis.pipeline(transaction=False) as together:
                    for keys, given in asked:
                        self._renew(keys, given, client=together)
                    together.execute()
                return
        # Each may be on another node of a cluster.
        for keys, given in asked:
            self._run(self._renew, keys, given)

    def release(self, lease: Lease) -> None:
        """Give back what was taken."""
        self._run(self._release, _lease_keys(lease), [self._now(), _short(lease.key)])

    def try_out(self) -> None:
        """Do what a server does with it, as this user: run scripts, and write below our prefix.

        Raises:
            StateAway: it cannot.
        """
        trial = Lease("trial", "", "trial")
        self.lease(trial, math.inf, 1)
        self.release(trial)

    def close(self) -> None:
        """Let go of the connections."""
        self._redis.close()
        if self._asked is not self._redis:
            self._asked.close()

    def _run(self, script: Script, keys: list[str], given: list[Any]) -> Any:
        with _translate_redis_errors():
            try:
                return script(keys, given, client=self._asked)
            except MovedError:
                # It is one node of a cluster, and has done nothing: the keys are at another.
                return script(keys, given, client=self._as_cluster())

    def _as_cluster(self) -> RedisCluster:
        with self._lock:
            if not isinstance(self._asked, RedisCluster):
                self._asked = RedisCluster(require_full_coverage=False, **self._how)
            return self._asked

    def _now(self) -> str:
        return "" if self._clock is None else repr(self._clock())


@contextmanager
def _translate_redis_errors() -> Iterator[None]:
    try:
        yield
    except (RedisError, OSError) as refused:
        # Its own words name the address and never the password.
        never_sent = isinstance(refused, NotConnected) and "connecting" in str(refused)
        raise StateAway(str(refused) or repr(refused), never_sent=never_sent) from refused


def _seconds(shelf: Shelf[Any]) -> tuple[float, bool]:
    is_endless = math.isinf(shelf.seconds)
    return (0.0 if is_endless else shelf.seconds), is_endless


def _shelf_keys(shelf_name: str) -> list[str]:
    tag = f"{{{shelf_name}}}"
    return [f"{PREFIX}:{kind}:{tag}" for kind in "tmuk"] + [f"{PREFIX}:o:{tag}:"]


def _lease_keys(lease: Lease) -> list[str]:
    tag = f"{{{lease.name}|{_short(lease.owner)}}}"
    return [f"{PREFIX}:l:{tag}", f"{PREFIX}:a:{tag}"]
