"""The settings of `--http`: where to listen, whom to let in, and how much of everything.

Rows of the one table in `schema`; apart because they are many.
"""

from __future__ import annotations

from tebiki.config.setting import Setting
from tebiki.values.shapes import Address, Flag, Integer, ListOf, Number, Text

LONGEST_WAIT_MS = 3_600_000
"""An hour: longer than any connection should be waited for."""

HTTP_ROWS: tuple[Setting, ...] = (
    Setting(
        "http.bind",
        Text(not_blank=True),
        "127.0.0.1:8765",
        "Where `--http` listens; anything but loopback needs tokens or OAuth.",
        "TEBIKI_HTTP_BIND",
    ),
    Setting(
        "http.workers",
        Integer(least=1, most=64),
        1,
        "Number of worker processes; with more than one there are no MCP sessions.",
        "TEBIKI_HTTP_WORKERS",
    ),
    Setting(
        "http.allowed_hosts",
        ListOf(Text(not_blank=True)),
        [],
        "Host names, optionally with a port, that clients may use besides those of loopback.",
        "TEBIKI_HTTP_ALLOWED_HOSTS",
    ),
    Setting(
        "http.allowed_origins",
        ListOf(Text(not_blank=True)),
        [],
        "Origins (https://host) of web pages that may call the server.",
        "TEBIKI_HTTP_ALLOWED_ORIGINS",
    ),
    Setting(
        "http.page",
        Flag(),
        None,
        "Serve the page for people at `/`; left out: only where no other machine can reach it.",
        "TEBIKI_HTTP_PAGE",
    ),
    Setting(
        "http.max_body_bytes",
        Integer(least=1024, most=64 * 1024 * 1024),
        4 * 1024 * 1024,
        "Maximum bytes of a request body.",
    ),
    Setting(
        "http.max_header_bytes",
        Integer(least=1024, most=1024 * 1024),
        16 * 1024,
        "Maximum bytes of a request's headers.",
    ),
    Setting(
        "http.read_timeout_ms",
        Integer(least=1, most=LONGEST_WAIT_MS),
        15_000,
        "Milliseconds that a client has to send a request's headers, and again for its body.",
    ),
    Setting(
        "http.write_timeout_ms",
        Integer(least=1, most=LONGEST_WAIT_MS),
        30_000,
        "Milliseconds that a client may leave an answer unread.",
    ),
    Setting(
        "http.max_connections",
        Integer(least=1, most=100_000),
        1000,
        "Maximum number of open connections per worker.",
    ),
    Setting(
        "http.max_sessions",
        Integer(least=1, most=100_000),
        1000,
        "Maximum number of open MCP sessions.",
    ),
    Setting(
        "http.sessions_per_client",
        Integer(least=1, most=100_000),
        250,
        "Maximum number of open MCP sessions per client.",
    ),
    Setting(
        "http.session_idle_ms",
        Integer(least=1, most=24 * LONGEST_WAIT_MS),
        1_800_000,
        "Milliseconds after which an unused MCP session is closed.",
    ),
    Setting(
        "http.shutdown_ms",
        Integer(least=0, most=LONGEST_WAIT_MS),
        10_000,
        "Milliseconds that running calls get to finish when the server is asked to stop.",
    ),
    Setting(
        "http.token_file",
        Text(not_blank=True),
        "~/.config/tebiki/tokens",
        "File of bearer tokens, hashed; `tebiki token new NAME` adds one.",
        "TEBIKI_HTTP_TOKEN_FILE",
    ),
    Setting(
        "http.tokens",
        ListOf(Text(not_blank=True)),
        [],
        "More bearer tokens, each as NAME:SHA256 in hexadecimal.",
        "TEBIKI_HTTP_TOKENS",
    ),
    Setting(
        "http.oauth.issuer",
        Address(),
        None,
        "Address of the OAuth server whose tokens are accepted.",
        "TEBIKI_OAUTH_ISSUER",
    ),
    Setting(
        "http.oauth.audience",
        Address(),
        None,
        "Address of this server as tokens name it; needed with an issuer.",
        "TEBIKI_OAUTH_AUDIENCE",
    ),
    Setting(
        "http.oauth.jwks_url",
        Address(),
        None,
        "Address of the issuer's keys; unset: taken from its metadata.",
        "TEBIKI_OAUTH_JWKS_URL",
    ),
    Setting(
        "http.oauth.scopes",
        ListOf(Text(not_blank=True)),
        [],
        "Scopes that a token must have.",
    ),
    Setting(
        "http.calls_per_minute",
        Integer(least=0, most=1_000_000),
        240,
        "Tool calls that one client may make in a minute; 0 means no limit.",
        "TEBIKI_HTTP_CALLS_PER_MINUTE",
    ),
    Setting(
        "http.concurrent_calls",
        Integer(least=1, most=1000),
        16,
        "Tool calls that one client may have running at once.",
        "TEBIKI_HTTP_CONCURRENT_CALLS",
    ),
    Setting(
        "http.daily_usd",
        Number(least=0),
        None,
        "Refuse a client's paid calls once it has spent this much on a UTC day, by estimate.",
        "TEBIKI_HTTP_DAILY_USD",
        limits_money=True,
    ),
    Setting(
        "http.daily_calls",
        Integer(least=0, most=1_000_000),
        0,
        "Paid calls that one client may make on a UTC day; 0 means no limit.",
        "TEBIKI_HTTP_DAILY_CALLS",
        limits_money=True,
    ),
    Setting(
        "http.access_log",
        Flag(),
        True,
        "Write a line on stderr for each request: never a token, an address's query or a text.",
    ),
)
