"""The whole examination in its order; each finding is given as soon as it is known."""

from __future__ import annotations

import asyncio
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tebiki.app.app import App
from tebiki.app.settings import ledger_path, manuals_root, vault_root
from tebiki.app.stdio import serve_pipes
from tebiki.app.toolsets import call_the_api
from tebiki.config.layers import Origin
from tebiki.doctor import access, clients, exchange, holdings, settings, system
from tebiki.doctor.findings import FindingLevel, good, wrong
from tebiki.errors import BadSetting, UpstreamError
from tebiki.values.phrases import as_is, phrase

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tebiki.clients.places import Machine
    from tebiki.doctor.clients import ClientUse
    from tebiki.doctor.findings import Finding
    from tebiki.errors import ConfigError
    from tebiki.responses.offers import Offer

MANUALS_SETTINGS = ("manuals.root", "workspace.root")
LONGEST_REQUEST_SECONDS = 15.0
LONGEST_INDEXING_SECONDS = 3.0
LONGEST_EXCHANGE_SECONDS = 15.0


def examine(app: App, machine: Machine, *, offline: bool) -> Iterator[Finding]:
    """Look at everything that the app's toolsets need; `offline` leaves the network alone."""
    yield system.python()
    yield system.program(app.face.name)
    yield from settings.in_force(app.loaded)
    server_time = None
    if call_the_api(app.toolsets):
        found = access.key(app.loaded)
        yield found
        yield from access.null_profiles(app.loaded.settings)
        offer: Offer | UpstreamError | None = None
        if not offline and found.verdict is not FindingLevel.FAULT:
            offer = _offer(app)
            yield access.endpoint(app.loaded.settings.text("openai.base_url"), offer)
        if offer is None or isinstance(offer, UpstreamError):
            yield from access.endings(app.loaded.settings, app.toolsets, time.time())
        else:
            server_time = offer.server_time
            yield from access.models(app.loaded.settings, app.toolsets, offer, time.time())
    uses = list(clients.look_at(machine, str(Path.cwd())))
    yield from (use.finding for use in uses)
    yield from _holdings(app, uses)
    if app.loaded.settings["state.url"] is not None and not offline:
        from tebiki.doctor import shared  # needs the extra, and is not for everybody

        yield shared.state(app.loaded)
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


def _holdings(app: App, uses: Sequence[ClientUse]) -> Iterator[Finding]:
    values = app.loaded.settings
    if "manuals" in app.toolsets:
        yield from _searchable(app, uses)
    if "vault" in app.toolsets and app.engines.forwards_notes:
        yield holdings.forwarded_notes(app.engines.forwarder, values.text("vault.owner_url"))
    elif "vault" in app.toolsets:
        own = Path(vault_root(values)).absolute()
        yield holdings.vault(app.engines.vault(), own)
        for root in _others(own, (use.vault for use in uses)):
            yield holdings.vault(_elsewhere(app, "vault.root", root).engines.vault(), root)
    if call_the_api(app.toolsets):
        path = ledger_path(values, app.loaded.state_folder)
        yield holdings.ledger(path if values.flag("ledger.enabled") else None)


def _searchable(app: App, uses: Sequence[ClientUse]) -> Iterator[Finding]:
    """Look at the manuals and their indexes, unless the settings say of none where it is."""
    try:
        library = app.engines.library()
    except BadSetting as refused:
        advice = phrase("correct it: no server searches manuals with it")
        yield wrong("cluster", as_is(refused), advice)
        return
    yield from _manuals(app, uses)
    yield holdings.indexes(library)
    yield from _shared_index(app)


def _shared_index(app: App) -> Iterator[Finding]:
    library = app.engines.library()
    if library.opensearch is not None:
        # With the client, which few have.
        from tebiki.doctor.shared import shared_index

        yield from shared_index(library.opensearch, [item.id for item in library.ls().items])


def _manuals(app: App, uses: Sequence[ClientUse]) -> Iterator[Finding]:
    """Look at the manuals of the commands here, and at those that clients were set up with."""
    own = Path(manuals_root(app.loaded.settings)).absolute()
    others = _others(own, (use.manuals for use in uses))
    if others and not own.exists() and not app.loaded.settings.is_given(*MANUALS_SETTINGS):
        yield good(
            "manuals",
            phrase(
                "commands look in {folder}, which is not there; clients have folders of their own "
                "(--manuals DIR or manuals.root names one for commands)",
                folder=own,
            ),
            root=str(own),
        )
    else:
        yield from _manuals_in(app, own)
    yield from holdings.missing_roots(app.loaded.settings["manuals.roots"])
    for root in others:
        yield from _manuals_in(_elsewhere(app, "manuals.root", root), root)


def _manuals_in(app: App, root: Path) -> Iterator[Finding]:
    library = app.engines.library()
    return holdings.manuals(library, root, LONGEST_INDEXING_SECONDS, time.monotonic)


def _others(own: Path, roots: Iterable[Path | None]) -> list[Path]:
    """The folders that clients have and commands have not; what is missing was told already."""
    found = dict.fromkeys(root for root in roots if root is not None and root != own)
    return [root for root in found if root.is_dir()]


def _elsewhere(app: App, key: str, root: Path) -> App:
    """The same with another folder."""
    settings = app.loaded.settings.with_values({key: str(root)}, Origin("cli", "a client's entry"))
    return App(app.face, app.loaded._replace(settings=settings), app.toolsets)


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
