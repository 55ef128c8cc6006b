"""The index that a team's servers share, from the settings; nothing of it where none is set."""

from __future__ import annotations

import os
import re
from importlib.util import find_spec
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tebiki.errors import BadSetting
from tebiki.manuals.index.opensearch.client import OpenSearchSettings

if TYPE_CHECKING:
    from tebiki.config.sources import Loaded

LOOPBACK = frozenset(["127.0.0.1", "::1", "localhost"])
PREFIX = re.compile("[a-z][a-z0-9-]{0,39}")
EXTRA = (
    "manuals.engine: opensearch needs more packages: pip install 'tebiki[cluster]' "
    "(from a checkout: pipx install --force '.[http,cluster]')"
)
BOTH = (
    "manuals.opensearch.user and manuals.opensearch.password_env belong together; set both, or none"
)


def opensearch_settings(loaded: Loaded) -> OpenSearchSettings:
    """What the manuals' engine is told, where it is OpenSearch.

    Raises:
        BadSetting: something is missing, or a password would travel for all to read.
    """
    section = loaded.settings.section("manuals.opensearch")
    if not PREFIX.fullmatch(section["prefix"]):
        raise BadSetting(
            "manuals.opensearch.prefix must be small letters, digits and -, a letter first"
        )
    addresses = tuple(section["addresses"])
    if not addresses:
        raise BadSetting(
            "manuals.engine is opensearch: manuals.opensearch.addresses must name its nodes"
        )
    if find_spec("opensearchpy") is None:
        raise BadSetting(EXTRA)
    ca_file = section["tls_ca"]
    if ca_file is not None and not os.path.isfile(ca_file):
        raise BadSetting(f"manuals.opensearch.tls_ca: there is no file {ca_file}")
    return OpenSearchSettings(
        addresses,
        user=section["user"],
        password=_password(loaded, addresses),
        ca_file=ca_file,
        prefix=section["prefix"],
        shards=section["shards"],
        replicas=section["replicas"],
        timeout_seconds=section["timeout_ms"] / 1000,
    )


def _password(loaded: Loaded, addresses: tuple[str, ...]) -> str | None:
    settings = loaded.settings
    is_named = settings["manuals.opensearch.password_env"] is not None
    if is_named != (settings["manuals.opensearch.user"] is not None):
        raise BadSetting(BOTH)
    password = loaded.secret("manuals.opensearch.password_env")
    for address in addresses if password is not None else ():
        parts = urlsplit(address)
        if parts.scheme != "https" and parts.hostname not in LOOPBACK:
            raise BadSetting(
                f"manuals.opensearch.addresses: the password would travel to {parts.hostname} "
                "unencrypted; use https://"
            )
    return password
