"""An app served to one client, on standard input and output or on any two descriptors."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from tebiki.app.engines import Once
from tebiki.server.background import Background
from tebiki.server.error_map import ErrorMap
from tebiki.server.session import Session
from tebiki.transport import stdio
from tebiki.transport.outbox import Outbox

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.app.app import App

WARM_UP_DELAY_SECONDS = 0.1
"""A client asks for the tools right after the handshake; that answer comes first."""


def serve_stdio(app: App) -> None:
    """Serve one client on standard input and output until it is gone."""
    background = Background(app.log)
    stdio.serve(
        _sessions(app, background),
        app.log,
        line_mode=app.loaded.settings.flag("server.line_mode"),
        after_first_message=lambda ended: _warm_up_soon(app, background, ended),
        at_end=app.close,
    )


def serve_pipes(app: App, wire_in: int, wire_out: int) -> None:
    """Serve one client on two descriptors of this process; returns when it has been served."""
    stdio.pump(
        wire_in,
        Outbox(wire_out, on_closed=lambda: None),
        _sessions(app, Background(app.log)),
        app.log,
        line_mode=app.loaded.settings.flag("server.line_mode"),
        after_first_message=lambda _ended: None,
    )


def _sessions(app: App, background: Background) -> Callable[[stdio.StdioChannel], Session]:
    errors = ErrorMap(app.log)
    desk = Once(lambda: app.make_desk(errors))
    enquiries = Once(lambda: app.make_enquiries(errors))
    return lambda channel: Session(
        identity=app.identity,
        desk=desk,
        enquiries=enquiries,
        channel=channel,
        background=background,
        errors=errors,
        log=app.log,
    )


def _warm_up_soon(app: App, background: Background, ended: threading.Event) -> None:
    """Import what the first calls will need while the client is still reading the tool list."""

    def warm_up() -> None:
        if ended.wait(WARM_UP_DELAY_SECONDS):
            return
        if app.can_call_the_api:
            background.start()
        app.warm_up()

    if app.has_to_warm_up():
        threading.Thread(target=warm_up, name="warm-up", daemon=True).start()
