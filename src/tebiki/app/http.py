"""An app served to many clients, over HTTP; it needs the extra `tebiki[http]`.

Each worker is a process of its own and makes everything here for itself.
"""

from __future__ import annotations

import threading
import time
from functools import partial
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tebiki.app.app import App
from tebiki.app.engines import Once, new_id
from tebiki.errors import UsageError
from tebiki.named_tuples import NamedTuple
from tebiki.server.error_map import ErrorMap

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.app.faces import Face
    from tebiki.config.sources import Loaded
    from tebiki.state.store import StateStore
    from tebiki.web.authentication import Keepers
    from tebiki.web.door import Door
    from tebiki.web.settings import WebSettings

EXTRA = "serving over HTTP needs more packages: pip install 'tebiki[http]'"


def serve_http(app: App) -> None:
    """Serve clients over HTTP until told to stop.

    Raises:
        UsageError: the extra is not installed.
        BadSetting: a setting of the server is wrong, or its address is taken.
    """
    try:
        from tebiki.web.serving import serve
    except ImportError as missing:
        raise UsageError(EXTRA) from missing
    from tebiki.app.http_settings import check_access, web_settings

    settings = web_settings(app.loaded.settings)
    check_access(app.loaded.settings, settings)
    # Made once here too: what is wrong with a token or an address is told before anybody listens.
    keepers = _keepers(settings, app.log.warning)
    with TemporaryDirectory(prefix="tebiki-") as folder:
        plan = WorkerPlan(app.face, app.loaded, app.toolsets, app.tool_names, app.read_only, folder)
        serve(settings, partial(application, plan), app.log, _start_words(settings, keepers))


class WorkerPlan(NamedTuple):
    """What a worker is made from; a process can be given it."""

    face: Face
    loaded: Loaded
    toolsets: tuple[str, ...]
    tools: tuple[str, ...]
    read_only: bool
    shared_folder: str


def application(plan: WorkerPlan) -> Door:
    """Make everything one worker needs."""
    from tebiki.app.http_settings import web_settings
    from tebiki.budget.clients import ClientLimits
    from tebiki.web.endpoint import Endpoint
    from tebiki.web.serving import application_of

    settings = web_settings(plan.loaded.settings)
    shared = plan.shared_folder if settings.workers > 1 else None
    # The log is the app's, which is made with the store.
    store = _store(shared, lambda words: app.log.warning(words))  # noqa: PLW0108
    app = App(
        plan.face,
        plan.loaded,
        plan.toolsets,
        tools=plan.tools,
        read_only=plan.read_only,
        store=store,
        # Without it each worker would count alone where the ledger is off or refuses.
        spare_ledger=None if shared is None else f"{shared}/ledger.db",
    )
    errors = ErrorMap(app.log)
    desk = Once(lambda: app.make_desk(errors))
    enquiries = Once(lambda: app.make_enquiries(errors))
    limits = ClientLimits(settings.allowance, store, new_id=new_id)
    ready = threading.Event()

    def warm_up() -> None:
        desk()
        app.warm_up()
        ready.set()

    return application_of(
        Endpoint(app.identity, desk, enquiries, errors, limits),
        settings,
        app.log,
        keepers=_keepers(settings, app.log.warning),
        store=store,
        new_id=new_id,
        is_ready=ready.is_set,
        on_start=threading.Thread(target=warm_up, name="warm-up", daemon=True).start,
    )


def _keepers(settings: WebSettings, complain: Callable[[str], None]) -> Keepers:
    from tebiki.web.authentication import Issuer, Keepers
    from tebiki.web.oauth import IssuerKeys, OAuthTokens
    from tebiki.web.tokens import TokenFile
    from tebiki.web.tokens_in_force import KnownTokens

    tokens = KnownTokens(
        TokenFile(settings.token_file),
        settings.tokens,
        complain,
        always_needed=settings.token_always_needed,
    )
    oauth = None
    if settings.oauth is not None:
        keys = IssuerKeys(settings.oauth, time.monotonic)
        oauth = Issuer(settings.oauth, OAuthTokens(settings.oauth, keys, complain))
    return Keepers(tokens, oauth)


def _start_words(settings: WebSettings, keepers: Keepers) -> list[str]:
    """What a person who starts a server is told about who may call it, and by which names."""
    from tebiki.web.addresses import start_hint
    from tebiki.web.tokens_in_force import start_words

    issuer = settings.oauth.issuer if settings.oauth is not None else None
    words = [] if keepers.tokens is None else [start_words(keepers.tokens, issuer)]
    hint = start_hint(settings.place, settings.guests)
    return words if hint is None else [*words, hint]


def _store(shared: str | None, warn: Callable[[str], None]) -> StateStore:
    """Where state is kept: in a worker that is alone, or in a file that all workers have open."""
    if shared is None:
        from tebiki.state.memory import MemoryStateStore

        return MemoryStateStore(time.time)
    from tebiki.state.spilling import SpillingStore

    return SpillingStore(f"{shared}/state.db", time.time, warn)
