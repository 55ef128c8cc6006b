"""Settings of the HTTP server as the values its rooms take, and what must hold between them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tebiki.app.settings import unread_cap
from tebiki.budget.clients import Allowance
from tebiki.config.schema import BY_KEY
from tebiki.config.sources import NAMED_HOME
from tebiki.errors import BadSetting
from tebiki.web.addresses import ListenAddress, guests_of, place_of
from tebiki.web.oauth import safe
from tebiki.web.settings import Bounds, OAuth, WebSettings
from tebiki.web.tokens import TokenFile

if TYPE_CHECKING:
    from tebiki.config.layers import Settings

NOWHERE = ListenAddress("127.0.0.1", 0)


def web_settings(settings: Settings) -> WebSettings:
    """Everything the HTTP server wants to know.

    Raises:
        BadSetting: an address, a name or a pair of settings makes no sense.
    """
    usual = place_of(BY_KEY["http.bind"].default, NOWHERE)
    place = place_of(settings.text("http.bind"), usual)
    return WebSettings(
        place=place,
        guests=guests_of(place, settings["http.allowed_hosts"], settings["http.allowed_origins"]),
        bounds=_bounds(settings),
        allowance=Allowance(
            calls_per_minute=settings.integer("http.calls_per_minute"),
            concurrent_calls=settings.integer("http.concurrent_calls"),
            daily_usd=settings["http.daily_usd"],
            daily_calls=settings.integer("http.daily_calls"),
            unread=unread_cap(settings, "http."),
        ),
        workers=settings.integer("http.workers"),
        shares_state=settings["state.url"] is not None,
        token_file=os.path.expanduser(settings.text("http.token_file")),
        token_always_needed=not place.is_loopback or _names_a_token_file(settings),
        tokens=tuple(settings["http.tokens"]),
        oauth=_oauth(settings),
        access_log=settings.flag("http.access_log"),
        page=place.is_loopback if settings["http.page"] is None else settings.flag("http.page"),
    )


def check_access(settings: Settings, made: WebSettings) -> None:
    """Refuse to start where nobody could come in, or where everybody could.

    Raises:
        BadSetting: a token file is asked for that is not there, or other machines can reach the
            server and there is neither a token nor OAuth.
    """
    if _names_a_token_file(settings):
        try:
            os.stat(made.token_file)
        except OSError as missing:
            raise BadSetting(
                f"http.token_file {made.token_file} cannot be read ({missing.strerror}): "
                "make a token first (tebiki token new NAME)"
            ) from missing
    if made.place.is_loopback or made.tokens or made.oauth:
        return
    if not TokenFile(made.token_file).entries():
        raise BadSetting(
            f"http.bind {made.place.host} can be reached from other machines: make a token first "
            "(tebiki token new NAME) or set http.oauth"
        )


def _names_a_token_file(settings: Settings) -> bool:
    """Tell whether somebody asked for a file of tokens: then it must be there."""
    setting = settings.resolve("http.token_file")
    return setting.value != BY_KEY["http.token_file"].default and setting.origin != NAMED_HOME


def _bounds(settings: Settings) -> Bounds:
    return Bounds(
        body_bytes=settings.integer("http.max_body_bytes"),
        header_bytes=settings.integer("http.max_header_bytes"),
        read_seconds=settings.integer("http.read_timeout_ms") / 1000,
        write_seconds=settings.integer("http.write_timeout_ms") / 1000,
        connections=settings.integer("http.max_connections"),
        sessions=settings.integer("http.max_sessions"),
        sessions_per_client=settings.integer("http.sessions_per_client"),
        session_idle_seconds=settings.integer("http.session_idle_ms") / 1000,
        shutdown_seconds=settings.integer("http.shutdown_ms") / 1000,
    )


def _oauth(settings: Settings) -> OAuth | None:
    issuer, audience = settings["http.oauth.issuer"], settings["http.oauth.audience"]
    if issuer is None and audience is None:
        return None
    if issuer is None or audience is None:
        raise BadSetting("http.oauth needs both: the issuer, and the audience its tokens name")
    keys = settings["http.oauth.jwks_url"]
    for address in (issuer, keys):
        if address is not None:
            safe(address)
    return OAuth(issuer, audience, keys, tuple(settings["http.oauth.scopes"]))
