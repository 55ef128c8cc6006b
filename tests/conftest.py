"""What every test may ask for: the loopback API, and servers that talk to it."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Protocol

import pytest

from tebiki.responses.simulator import Simulator
from tests.server_process import CANARY, ServerProcess

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


class StartServer(Protocol):
    """Starts a real server process that ends with the test."""

    def __call__(
        self,
        *flags: str,
        dialect: str = "line",
        face: str = "openai_responses_mcp",
        env: Mapping[str, str] | None = None,
        reading: bool = True,
    ) -> ServerProcess:
        """Start one."""


@pytest.fixture(name="simulator")
def _simulator() -> Iterator[Simulator]:
    """The loopback Responses API; one for each test, so that no test hears another's requests."""
    with Simulator() as simulator:
        yield simulator


@pytest.fixture(name="start_offline")
def _start_offline(tmp_path: Path) -> Iterator[StartServer]:
    """Servers without a key and without an API."""
    with ExitStack() as servers:

        def start(
            *flags: str,
            dialect: str = "line",
            face: str = "openai_responses_mcp",
            env: Mapping[str, str] | None = None,
            reading: bool = True,
        ) -> ServerProcess:
            server = ServerProcess(
                tmp_path, *flags, dialect=dialect, face=face, env=env, reading=reading
            )
            return servers.enter_context(server)

        yield start


@pytest.fixture(name="start")
def _start(start_offline: StartServer, simulator: Simulator) -> StartServer:
    """Servers whose API is the simulator and whose key is the canary."""

    def start(
        *flags: str,
        dialect: str = "line",
        face: str = "openai_responses_mcp",
        env: Mapping[str, str] | None = None,
        reading: bool = True,
    ) -> ServerProcess:
        access = {"OPENAI_API_KEY": CANARY, "OPENAI_BASE_URL": simulator.base_url}
        env = access | dict(env or {})
        return start_offline(*flags, dialect=dialect, face=face, env=env, reading=reading)

    return start


@pytest.fixture(params=["line", "framed"], name="dialect")
def _dialect(request: pytest.FixtureRequest) -> str:
    """Both ways of parting messages."""
    return str(request.param)
