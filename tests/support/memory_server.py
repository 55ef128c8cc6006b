"""The server without any wire: a session in this very process, with the verbs of the others.

While it is open, this process's environment and its stderr are the server's.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from tebiki.app import faces
from tebiki.app.app import App
from tebiki.cli.arguments import chosen_tools, read_arguments
from tebiki.config.sources import Given, load
from tebiki.protocol.messages import encode
from tebiki.server.background import Background
from tebiki.server.error_map import ErrorMap
from tebiki.server.session import Session
from tests.support.launching import clean_environment
from tests.support.overheard import PATIENCE_SECONDS, Overheard
from tests.support.talk import Json, Talk, encoded

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from tebiki.app.faces import Face

FACES = {
    "tebiki": faces.TEBIKI,
    "openai_responses_mcp": faces.OPENAI_RESPONSES_MCP,
    "mcp_o3_search": faces.MCP_O3_SEARCH,
}


class MemoryTalk(Talk):
    """One client's conversation with a session."""

    transport = "memory"

    def __init__(
        self,
        home: Path,
        *flags: str,
        face: str = "tebiki",
        env: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__()
        self._surroundings = ExitStack()
        environment = clean_environment(home) | dict(env or {})
        self._surroundings.callback(sys.setswitchinterval, sys.getswitchinterval())
        self._surroundings.enter_context(patch.dict(os.environ, environment, clear=True))
        self.overheard = self._surroundings.enter_context(listening_to_stderr())
        self._app = app_of(FACES[face], flags)
        self._background = Background(self._app.log)
        self._session = self._new_session()

    def _new_session(self) -> Session:
        errors = ErrorMap(self._app.log)
        desk = self._app.make_desk(errors)
        enquiries = self._app.make_enquiries(errors)
        return Session(
            identity=self._app.identity,
            desk=lambda: desk,
            enquiries=lambda: enquiries,
            channel=Ear(self),
            background=self._background,
            errors=errors,
            log=self._app.log,
        )

    def __exit__(self, *_: object) -> None:
        """Let go of all that a process would take with it."""
        thread = self._background._thread
        if thread is not None and thread.is_alive():
            self._background.submit(self._wind_up)
            thread.join(PATIENCE_SECONDS)
            self._background.loop.close()
        self._app.close()
        self._surroundings.close()

    def send(self, message: object) -> None:
        """Hand a message to the session."""
        self._session.receive(encoded(message))

    def finish(self) -> list[Json]:
        """Wait until all is answered, end, and return everything not yet taken."""
        self._session.drain()
        self.__exit__()
        self._messages.put(None)
        return self._rest()

    def hear(self, message: Json) -> None:
        """Take what the session says, as it would be on a wire."""
        body = encode(message)
        self.raw += body
        self._messages.put(json.loads(body))

    async def _wind_up(self) -> None:
        """End every task, let go of the API, stop the loop."""
        loop = asyncio.get_running_loop()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        if self._app.engines.responder.made is not None:
            await self._app.engines.responder.made.close()
        await loop.shutdown_asyncgens()
        await loop.shutdown_default_executor()
        loop.call_soon(loop.stop)


class Ear:
    """The session's way back to the client."""

    def __init__(self, talk: MemoryTalk) -> None:
        self._talk = talk
        self._one_at_a_time = threading.Lock()

    def send(self, message: dict[str, Any]) -> None:
        """Take an answer."""
        with self._one_at_a_time:
            self._talk.hear(message)

    offer = send


def app_of(face: Face, flags: tuple[str, ...]) -> App:
    """The same as the command line makes."""
    asked = read_arguments(face, flags)
    loaded = load(Given(asked.config, asked.debug, asked.debug_path), face.config_path)
    chosen = chosen_tools(face, asked)
    app = App(face, loaded, chosen.toolsets, tools=chosen.tools, read_only=asked.read_only)
    for warning in loaded.warnings:
        app.log.warning(warning)
    return app


@contextmanager
def listening_to_stderr() -> Iterator[Overheard]:
    """Hear what is written to this process's descriptor 2."""
    ours, theirs = os.pipe()
    kept = os.dup(2)
    os.dup2(theirs, 2)
    os.close(theirs)
    overheard = Overheard(os.fdopen(ours, "rb"))
    try:
        yield overheard
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        overheard.close()
