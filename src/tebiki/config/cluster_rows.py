"""The settings of several machines: the state and the index they share, and who owns the notes.

Rows of the one table in `schema`. A password is never a setting: a setting names the variable that
holds it.
"""

from __future__ import annotations

from tebiki.config.setting import Setting
from tebiki.values.shapes import Address, Integer, ListOf, Text, VariableName

STATE_ROWS: tuple[Setting, ...] = (
    Setting(
        "state.url",
        Address(("redis://", "rediss://"), without_user=True),
        None,
        "Redis or Valkey that keeps what several `--http` servers share; `rediss://` is TLS. "
        "Unset: each server by itself. Needs `tebiki[cluster]`.",
        "TEBIKI_STATE_URL",
        # A server that shares nothing would let every client have its limits once more.
        stops_from_env=True,
    ),
    Setting("state.user", Text(not_blank=True), None, "User of that server, as its ACL has it."),
    Setting(
        "state.password_env",
        VariableName(),
        None,
        "Name of the environment variable that holds that user's password.",
    ),
    Setting(
        "state.tls_ca",
        Text(not_blank=True),
        None,
        "File of the certificates that `rediss://` trusts; unset: those of the system.",
    ),
    Setting(
        "state.timeout_ms",
        Integer(least=10, most=10_000),
        100,
        "Milliseconds that a call waits for the shared state before it goes on without.",
    ),
)

INDEX_ROWS: tuple[Setting, ...] = (
    Setting(
        "manuals.engine",
        Text(choices=("local", "opensearch")),
        "local",
        "Where manuals are searched: `local`, in an index of this machine over its own files, or "
        "`opensearch`, what was published there (`tebiki manuals publish`). Needs "
        "`tebiki[cluster]`.",
        "TEBIKI_MANUALS_ENGINE",
        # Its servers would answer from other files than the team published.
        stops_from_env=True,
    ),
    Setting(
        "manuals.opensearch.addresses",
        ListOf(Address(without_user=True)),
        [],
        "Nodes of that cluster, such as `https://search-1:9200`.",
    ),
    Setting(
        "manuals.opensearch.user", Text(not_blank=True), None, "User who may read and write there."
    ),
    Setting(
        "manuals.opensearch.password_env",
        VariableName(),
        None,
        "Name of the environment variable that holds that user's password.",
    ),
    Setting(
        "manuals.opensearch.tls_ca",
        Text(not_blank=True),
        None,
        "File of the certificates that its nodes are checked by; unset: those of `certifi`.",
    ),
    Setting(
        "manuals.opensearch.prefix",
        Text(not_blank=True),
        "tbk",
        "What the names of its indexes begin with: small letters, digits and `-`.",
    ),
    Setting(
        "manuals.opensearch.shards",
        Integer(least=1, most=64),
        1,
        "Shards of an index that is made anew; one holds 30 GB.",
    ),
    Setting(
        "manuals.opensearch.replicas",
        Integer(least=0, most=8),
        1,
        "Copies of each shard beside the first.",
    ),
    Setting(
        "manuals.opensearch.timeout_ms",
        Integer(least=50, most=60_000),
        2_000,
        "Milliseconds that a node may take for one request before another one is asked.",
    ),
)

OWNER_ROWS: tuple[Setting, ...] = (
    Setting(
        "vault.owner_url",
        Address(without_user=True),
        None,
        "Server that owns the notes: the vault's tools are forwarded to it. Unset: they are here.",
        "TEBIKI_VAULT_OWNER_URL",
        # Notes must not be written here that belong there.
        stops_from_env=True,
    ),
    Setting(
        "vault.owner_secret_env",
        VariableName(),
        None,
        "Name of the environment variable with the secret that the owner and those who forward to "
        "it share; at the owner it opens the way in.",
    ),
    Setting(
        "vault.owner_ca",
        Text(not_blank=True),
        None,
        "File of the certificates that are trusted for the owner; unset: those of the system.",
    ),
)
