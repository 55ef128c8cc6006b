"""An app served to many clients, over HTTP; it needs the extra `tebiki[http]`.

Each worker is a process of its own and makes everything here for itself.
"""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from functools import partial
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from tebiki.app.app import App
from tebiki.app.engines import Once, new_id
from tebiki.errors import UsageError
from tebiki.named_tuples import NamedTuple
from tebiki.server.error_map import ErrorMap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tebiki.app.faces import Face
    from tebiki.budget.clients import ClientLimits
    from tebiki.budget.shared_caps import SharedCaps
    from tebiki.config.sources import Loaded
    from tebiki.state.degrading import DegradingStore
    from tebiki.state.store import StateStore
    from tebiki.web.addresses import ListenAddress
    from tebiki.web.asgi import Application
    from tebiki.web.authentication import Keepers
    from tebiki.web.door import Door
    from tebiki.web.page.own_key import OwnKey
    from tebiki.web.settings import WebSettings
    from tebiki.web.vault_calls import SealedAnswer

    PageMaker = Callable[["PageParts"], Application]

EXTRA = (
    "serving over HTTP needs more packages: pip install 'tebiki[http]' "
    "(from a checkout: pipx install --force '.[http]')"
)


def require_extra() -> None:
    """See to it that what a server needs is installed, before anything of it is imported.

    Raises:
        UsageError: it is not.
    """
    try:
        import tebiki.web.serving  # noqa: F401  (it imports all of it)
    except ImportError as missing:
        raise UsageError(EXTRA) from missing


def serve_http(
    app: App,
    page: PageMaker | None = None,
    on_listening: Callable[[ListenAddress], None] = lambda _place: None,
) -> None:
    """Serve clients over HTTP until told to stop; `page` makes what people see, where it is on.

    Raises:
        UsageError: the extra is not installed.
        BadSetting: a setting of the server is wrong, or its address is taken.
    """
    require_extra()
    from tebiki.app.http_settings import check_access, web_settings
    from tebiki.web.page.own_key import new_key
    from tebiki.web.serving import serve

    settings = web_settings(app.loaded.settings)
    check_access(app.loaded.settings, settings)
    # Made once here too: what is wrong with a token or an address is told before anybody listens.
    keepers = _keepers(settings, app.log.warning)
    _check_cluster(app)
    key = new_key()
    with TemporaryDirectory(prefix="tebiki-") as folder, _noting(app, key, settings) as note:
        plan = WorkerPlan(
            app.face,
            app.loaded,
            app.toolsets,
            app.tool_names,
            app.read_only,
            folder,
            key,
            page if settings.page else None,
        )

        def tell(place: ListenAddress) -> list[str]:
            said = note(place)
            on_listening(place)
            return said

        serve(settings, partial(application, plan), app.log, _start_words(settings, keepers), tell)


@contextmanager
def _noting(
    app: App, key: OwnKey, settings: WebSettings
) -> Iterator[Callable[[ListenAddress], list[str]]]:
    """Leave the key where commands of the same user find it, as long as the server lives."""
    from tebiki.web.page.own_key import KeyFile

    left: list[KeyFile] = []

    def note(place: ListenAddress) -> list[str]:
        if not settings.page:
            return []
        file = KeyFile(app.loaded.state_folder, place.port)
        try:
            file.write(key, place.url())
        except OSError as refused:
            why = refused.strerror or "not possible"
            app.log.warning(
                f"tebiki open cannot log in here: {file.path} cannot be written ({why})"
            )
            return []
        left.append(file)
        return [f"the page is at {place.url('/')} (tebiki open)"]

    try:
        yield note
    finally:
        for file in left:
            file.remove(key)


class WorkerPlan(NamedTuple):
    """What a worker is made from; a process can be given it."""

    face: Face
    loaded: Loaded
    toolsets: tuple[str, ...]
    tools: tuple[str, ...]
    read_only: bool
    shared_folder: str
    key: OwnKey
    page: PageMaker | None = None


class PageParts(NamedTuple):
    """What the page of a worker is made from: what its MCP side has, and the key of all workers."""

    app: App
    settings: WebSettings
    place: ListenAddress
    key: OwnKey
    keepers: Keepers
    store: StateStore
    errors: ErrorMap
    limits: ClientLimits
    clients: Callable[[], list[dict[str, Any]]]
    is_closing: Callable[[], bool]


def application(plan: WorkerPlan, place: ListenAddress) -> Door:
    """Make everything one worker needs."""
    from tebiki.app.http_settings import web_settings
    from tebiki.budget.clients import ClientLimits
    from tebiki.web.endpoint import Endpoint
    from tebiki.web.roster import Roster
    from tebiki.web.serving import application_of

    settings = web_settings(plan.loaded.settings)
    shared = plan.shared_folder if settings.workers > 1 else None
    # The log is the app's, which is made with the store.
    store, together = _stores(plan.loaded, shared, lambda words: app.log.warning(words))  # noqa: PLW0108
    app = App(
        plan.face,
        plan.loaded,
        plan.toolsets,
        tools=plan.tools,
        read_only=plan.read_only,
        store=store,
        # Without it each worker would count alone where the ledger is off or refuses.
        spare_ledger=None if shared is None else f"{shared}/ledger.db",
        shared_caps=None if together is None else _caps_of_all(together),
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

    roster = Roster(store, time.time)
    endpoint = Endpoint(app.identity, desk, enquiries, errors, limits, roster=roster)
    keepers = _keepers(settings, app.log.warning)

    def is_closing() -> bool:
        return endpoint.is_closing()  # which the door sets

    parts = PageParts(
        app, settings, place, plan.key, keepers, store, errors, limits, roster.rows, is_closing
    )
    return application_of(
        endpoint,
        settings,
        app.log,
        keepers=keepers,
        store=store,
        new_id=new_id,
        is_ready=ready.is_set,
        on_start=threading.Thread(target=warm_up, name="warm-up", daemon=True).start,
        look_at_state=None if together is None else together.look,
        page=plan.page(parts) if plan.page is not None else None,
        answer_vault_call=_vault_owner(app, store, errors),
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


def _check_cluster(app: App) -> None:
    """See to it that the settings of several machines can be used, before anybody listens."""
    settings = app.loaded.settings
    if settings["vault.owner_url"] or settings["vault.owner_secret_env"]:
        from tebiki.app.forwarding import check_forwarding

        check_forwarding(app.loaded)
    if settings["manuals.engine"] == "opensearch" and "manuals" in app.toolsets:
        from tebiki.app.shared_index import opensearch_settings

        opensearch_settings(app.loaded)
    if settings["state.url"] is None:
        return
    from tebiki.app.shared_state import remote_store, start_warning

    remote_store(app.loaded).close()
    warning = start_warning(app.loaded)
    if warning is not None:
        app.log.warning(warning)


def _stores(
    loaded: Loaded, shared: str | None, tell: Callable[[str], None]
) -> tuple[StateStore, DegradingStore | None]:
    """Where state is kept, and again where several machines share it.

    In a worker that is alone, in a file that all workers have open, or on a server of its own.
    """
    if loaded.settings["state.url"] is not None:
        from tebiki.app.shared_state import shared_store

        together = shared_store(loaded, tell)
        return together, together
    if shared is None:
        from tebiki.state.memory import MemoryStateStore

        return MemoryStateStore(time.time), None
    from tebiki.state.spilling import SpillingStore

    return SpillingStore(f"{shared}/state.db", time.time, tell), None


def _caps_of_all(together: DegradingStore) -> SharedCaps:
    from tebiki.budget.shared_caps import SharedCaps

    return SharedCaps(together)


def _vault_owner(
    app: App, store: StateStore, errors: ErrorMap
) -> Callable[[str, bytes], SealedAnswer] | None:
    """What answers calls that other servers forward; most servers know nothing of it."""
    if app.loaded.settings["vault.owner_secret_env"] is None:
        return None
    from tebiki.app.vault_owner import owner_of

    return owner_of(app, store, errors)
