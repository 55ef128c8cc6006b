"""The server without any wire: a session in this very process, with the verbs of the others."""

from __future__ import annotations

import asyncio
import json
import queue
from typing import TYPE_CHECKING, Any, Self

from tebiki import __version__, faces
from tebiki.app import App
from tebiki.config.sources import Given, load
from tebiki.protocol.eras import Identity
from tebiki.server.background import Background
from tebiki.server.calls import Desk
from tebiki.server.error_map import ErrorMap
from tebiki.server.session import Session
from tests.server_process import PATIENCE_SECONDS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


class MemoryTalk:
    """One client's conversation with a session."""

    def __init__(self, home: Path, env: Mapping[str, str]) -> None:
        environ = {"HOME": str(home), "XDG_CACHE_HOME": str(home / "cache"), **env}
        loaded = load(Given(), str(home / "no-such-file.yaml"), environ)
        app = App(faces.TEBIKI, loaded, faces.TEBIKI.toolsets)
        errors = ErrorMap(app.log)
        desk = Desk(app.tools(), errors, app.log)
        self._app = app
        self._background = Background(app.log)
        self._messages: queue.Queue[dict[str, Any]] = queue.Queue()
        self._session = Session(
            identity=Identity(faces.TEBIKI.name, __version__, faces.TEBIKI.instructions),
            desk=lambda: desk,
            channel=self,
            background=self._background,
            errors=errors,
            log=app.log,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Let go of the API and of the loop, which a process would take with it."""
        loop, thread = self._background.loop, self._background._thread
        closing = asyncio.run_coroutine_threadsafe(self._app.responder().close(), loop)
        closing.result(PATIENCE_SECONDS)
        loop.call_soon_threadsafe(loop.stop)
        assert thread is not None
        thread.join(PATIENCE_SECONDS)
        loop.close()

    def send(self, message: dict[str, Any]) -> None:
        """Take an answer from the session."""
        self._messages.put(json.loads(json.dumps(message)))

    offer = send

    def ask(self, request_id: object, method: str, params: Any = None) -> dict[str, Any]:
        """Send a request and wait for its answer."""
        message = {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}
        self._session.receive(json.dumps(message).encode())
        return self._messages.get(timeout=PATIENCE_SECONDS)

    def call(self, request_id: object, tool: str, arguments: object, **params: Any) -> Any:
        """Call a tool and wait for its answer."""
        return self.ask(request_id, "tools/call", {"name": tool, "arguments": arguments, **params})
