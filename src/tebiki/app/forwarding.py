"""The settings of forwarding: what servers sign with, and the way to the owner of the notes."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from tebiki.errors import BadSetting
from tebiki.vault.sealing import SHORTEST_SECRET, Sealer

if TYPE_CHECKING:
    from tebiki.config.sources import Loaded
    from tebiki.vault.forwarder import Forwarder

NAMING = "vault.owner_secret_env"
"""The setting that names the variable with the secret."""

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
NONCE_BYTES = 16


def sealer_of(loaded: Loaded) -> Sealer | None:
    """What both servers sign with; None where no secret is named.

    Raises:
        BadSetting: the variable is not set, or holds too little.
    """
    secret = loaded.secret(NAMING)
    if secret is None:
        return None
    if len(secret) < SHORTEST_SECRET:
        name = loaded.settings[NAMING]
        raise BadSetting(
            f"{NAMING}: what {name} holds is too short; make one with: openssl rand -hex 32"
        )
    return Sealer(secret)


def check_forwarding(loaded: Loaded) -> None:
    """See to it that the settings of forwarding can be used.

    Raises:
        BadSetting: they cannot.
    """
    from urllib.parse import urlsplit

    sealer = sealer_of(loaded)
    url = loaded.settings["vault.owner_url"]
    if url is None:
        return
    if sealer is None:
        raise BadSetting(
            f"vault.owner_url needs {NAMING}: the name of a variable that holds a secret, "
            "the same at the owner"
        )
    parts = urlsplit(url)
    if parts.scheme != "https" and parts.hostname not in LOOPBACK:
        raise BadSetting("vault.owner_url must be https:// unless it is loopback")
    if parts.path.strip("/") or parts.query or parts.fragment:
        raise BadSetting("vault.owner_url is the server's address alone, without a path")


def forwarder_of(loaded: Loaded) -> Forwarder:
    """The way to the owner.

    Raises:
        BadSetting: the settings do not lead there.
    """
    from tebiki.vault.forwarder import Forwarder, OwnerPlace

    check_forwarding(loaded)
    sealer = sealer_of(loaded)
    if sealer is None:
        raise BadSetting(f"vault.owner_url needs {NAMING}")
    settings = loaded.settings
    place = OwnerPlace(settings.text("vault.owner_url"), settings["vault.owner_ca"])
    return Forwarder(place, sealer, time.time, lambda: os.urandom(NONCE_BYTES).hex())
