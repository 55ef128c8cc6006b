"""Web addresses: which text is one, and when two spellings mean the same page; pure and total."""

from __future__ import annotations

import re
import string
from typing import Any
from urllib.parse import SplitResult, quote, unquote_plus, urlsplit

from tebiki.values.unseen import INVISIBLE, is_all_seen

# Letters written out: ignoring case would let a long s (ſ) pass for an s.
WEB_ADDRESS = re.compile(rf"[Hh][Tt][Tt][Pp][Ss]?://[^\s{INVISIBLE}]+")
HOST = re.compile(r"[a-z0-9._-]+|\[[0-9a-f:.]+\]")
ESCAPE = re.compile(r"%[0-9a-f]{2}", re.IGNORECASE)
DEFAULT_PORTS = (80, 443)

TRACKING = re.compile(
    r"utm_.*|(?:g|d|fb|y|tw|tt)clid|msclkid|gclsrc|[gw]braid|_ga|_gl|srsltid"
    r"|mc_[ce]id|mkt_tok|_hsenc|_hsmi|igsh|igshid|li_fat_id|ref_src|ref_url",
    re.IGNORECASE | re.DOTALL,
)
"""Parameters that tell where a visitor came from, never which page it is."""


def web_address(value: Any) -> str | None:
    """The http(s) address in a value, as it is spelled there; None when there is none."""
    text = value.strip() if isinstance(value, str) else ""
    return text if _split(text) is not None else None


def host_of(address: str) -> str:
    """The host of an address, to name a page by."""
    parts = _split(address)
    return (parts.hostname or "") if parts is not None else ""


def normalise(address: str) -> str:
    """One spelling for all spellings of an address; other text comes back without outer blanks.

    The same: `http` and `https`, case of the host, an international name and its ASCII form, a
    default port, slashes at the end of the path, a fragment, tracking parameters, a letter and its
    percent escape outside ASCII. Other parameters count, in their order.
    """
    text = address.strip()
    parts = _split(text)
    host = _host(parts.hostname or "") if parts is not None else None
    if parts is None or host is None:
        return text
    suffix = "" if parts.port is None or parts.port in DEFAULT_PORTS else f":{parts.port}"
    user, at, _ = parts.netloc.rpartition("@")
    query = "&".join(piece for piece in parts.query.split("&") if piece and not _tracks(piece))
    rest = parts.path.rstrip("/") + (f"?{query}" if query else "")
    return f"https://{user}{at}{host}{suffix}{_escape(rest)}"


def _split(text: str) -> SplitResult | None:
    """Take an address apart; None for anything that no browser would fetch by http(s)."""
    if not WEB_ADDRESS.fullmatch(text) or not is_all_seen(text):
        return None
    try:
        parts = urlsplit(text)
        usable = parts.hostname and parts.port != 0  # reading a port checks it
    except ValueError:
        return None
    return parts if usable else None


def _host(name: str) -> str | None:
    """A host in lower-case ASCII; None for a name that has no such form."""
    if not name.isascii():
        try:
            name = name.encode("idna").decode("ascii")
        except UnicodeError:
            return None
    host = f"[{name.lower()}]" if ":" in name else name.lower()
    return host if HOST.fullmatch(host) else None


def _tracks(piece: str) -> bool:
    return TRACKING.fullmatch(unquote_plus(piece.partition("=")[0])) is not None


def _escape(text: str) -> str:
    """Escape what is not ASCII, and write every escape in capitals."""
    return ESCAPE.sub(lambda found: found[0].upper(), quote(text, safe=string.punctuation))
