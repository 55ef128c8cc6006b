"""The state that several machines share, from its settings; needs the extra `tebiki[cluster]`."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tebiki.errors import BadSetting, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.config.sources import Loaded
    from tebiki.state.degrading import DegradingStore
    from tebiki.state.redis_store import RedisStore

EXTRA = (
    "state.url needs more packages: pip install 'tebiki[cluster]' "
    "(from a checkout: pipx install --force '.[http,cluster]')"
)
USUAL_PORT = 6379
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


def shared_store(loaded: Loaded, tell: Callable[[str], None]) -> DegradingStore:
    """The store that `state.url` names; it may be away, now or later.

    Raises:
        UsageError: the extra is not installed.
        BadSetting: the settings do not say how to reach it.
    """
    remote = remote_store(loaded)
    from tebiki.state.degrading import DegradingStore

    return DegradingStore(remote, time.time, time.monotonic, tell)


def remote_store(loaded: Loaded) -> RedisStore:
    """The same, as it is: whoever asks hears when it is away.

    Raises:
        UsageError, BadSetting: as above.
    """
    try:
        from tebiki.state.redis_store import RedisAddress, RedisStore
    except ImportError as missing:
        raise UsageError(EXTRA) from missing
    from urllib.parse import urlsplit

    settings = loaded.settings
    parts = urlsplit(settings.text("state.url"))
    database = parts.path.strip("/") or "0"
    if parts.query or parts.fragment or not (database.isascii() and database.isdigit()):
        raise BadSetting("state.url must end with the number of a database, as in /0, or nothing")
    return RedisStore(
        RedisAddress(
            parts.hostname or "",
            parts.port or USUAL_PORT,
            int(database),
            tls=parts.scheme == "rediss",
            certificates=settings["state.tls_ca"],
            user=settings["state.user"],
            password=loaded.secret("state.password_env"),
            seconds=settings.integer("state.timeout_ms") / 1000,
        )
    )


def start_warning(loaded: Loaded) -> str | None:
    """What a person who starts a server should know about how its state travels."""
    from urllib.parse import urlsplit

    parts = urlsplit(loaded.settings.text("state.url"))
    if parts.scheme == "rediss" or parts.hostname in LOOPBACK:
        return None
    return (
        f"state.url: what is kept travels to {parts.hostname} unencrypted; use rediss:// unless "
        "nobody else is on that network"
    )
