"""The whole examination in its order; each finding is given as soon as it is known."""

from __future__ import annotations

import asyncio
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tebiki.app.settings import ledger_file, manuals_root, vault_root
from tebiki.app.stdio import serve_pipes
from tebiki.app.toolsets import call_the_api
from tebiki.doctor import access, exchange, holdings, settings, system
from tebiki.doctor.findings import FindingLevel
from tebiki.errors import UpstreamError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tebiki.app.app import App
    from tebiki.doctor.findings import Finding
    from tebiki.errors import ConfigError
    from tebiki.responses.offers import Offer

LONGEST_REQUEST_SECONDS = 15.0
LONGEST_INDEXING_SECONDS = 3.0
LONGEST_EXCHANGE_SECONDS = 15.0


def examine(app: App, *, offline: bool) -> Iterator[Finding]:
    """Look at everything that the app's toolsets need; `offline` leaves the network alone."""
    yield system.python()
    yield system.program(app.face.name)
    yield from settings.in_force(app.loaded)
    server_time = None
    if call_the_api(app.toolsets):
        found = access.key(app.loaded)
        yield found
        yield from access.null_profiles(app.loaded.settings)
        if not offline and found.verdict is not FindingLevel.FAULT:
            result = _offer(app)
            yield access.endpoint(app.loaded.settings.text("openai.base_url"), result)
            if not isinstance(result, UpstreamError):
                server_time = result.server_time
                now = time.time()
                yield from access.models(app.loaded.settings, app.toolsets, result, now)
    yield from _holdings(app)
    yield system.clock(time.time(), server_time)
    yield from exchange.exchanges(
        partial(serve_pipes, app),
        LONGEST_EXCHANGE_SECONDS,
        line_mode=app.loaded.settings.flag("server.line_mode"),
    )


def examine_without_settings(name: str, error: ConfigError) -> Iterator[Finding]:
    """Look at what can be looked at when the settings stop every start."""
    yield system.python()
    yield system.program(name)
    yield settings.unusable(error)
    yield system.clock(time.time(), None)


def worst(findings: Iterable[Finding]) -> FindingLevel:
    """The verdict on all of them."""
    verdicts = {found.verdict for found in findings}
    for verdict in (FindingLevel.FAULT, FindingLevel.WARNING):
        if verdict in verdicts:
            return verdict
    return FindingLevel.OK


def _holdings(app: App) -> Iterator[Finding]:
    values = app.loaded.settings
    if "manuals" in app.toolsets:
        yield from holdings.manuals(
            app.engines.library(),
            Path(manuals_root(values)).absolute(),
            LONGEST_INDEXING_SECONDS,
            time.monotonic,
        )
    if "vault" in app.toolsets:
        yield holdings.vault(app.engines.vault(), Path(vault_root(values)).absolute())
    if call_the_api(app.toolsets):
        yield holdings.ledger(ledger_file(values, app.loaded.state_folder))


def _offer(app: App) -> Offer | UpstreamError:
    """Ask the API once; what it failed with is a value here."""
    longest = min(LONGEST_REQUEST_SECONDS, app.loaded.settings.integer("request.timeout_ms") / 1000)

    async def ask() -> Offer:
        try:
            return await app.engines.responder().offer(longest)
        finally:
            await app.engines.responder().close()

    try:
        return asyncio.run(ask())
    except UpstreamError as failure:
        return failure
