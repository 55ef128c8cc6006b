"""The other composition: the same engines and tools for many clients, over HTTP.

Apart from `app.py` because it needs the extra `tebiki[http]`, which a stdio server does without.
Each worker is a process of its own and makes everything here for itself.
"""

from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING

from tebiki import __version__
from tebiki.app import App, Once
from tebiki.errors import UsageError
from tebiki.protocol.eras import Identity
from tebiki.server.calls import Desk
from tebiki.server.error_map import ErrorMap

if TYPE_CHECKING:
    from tebiki.config.sources import Loaded
    from tebiki.faces import Face
    from tebiki.web.door import Door

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
    from tebiki.web_wiring import web_settings

    settings = web_settings(app.loaded.settings)
    make = partial(application, app.face, app.loaded, app.toolsets, read_only=app.read_only)
    serve(settings, make, app.log)


def application(face: Face, loaded: Loaded, toolsets: tuple[str, ...], *, read_only: bool) -> Door:
    """Make everything one worker needs."""
    from tebiki.web.endpoint import Endpoint
    from tebiki.web.serving import application_of
    from tebiki.web_wiring import web_settings

    app = App(face, loaded, toolsets, read_only=read_only)
    settings = web_settings(loaded.settings)
    errors = ErrorMap(app.log)
    desk = Once(lambda: Desk(app.tools(), errors, app.log))
    identity = Identity(face.name, __version__, face.instructions)
    ready = threading.Event()

    def warm_up() -> None:
        desk()
        app.warm_up()
        ready.set()

    return application_of(
        Endpoint(identity, desk, errors),
        settings,
        app.log,
        is_ready=ready.is_set,
        on_start=threading.Thread(target=warm_up, name="warm-up", daemon=True).start,
    )
