"""Every conversation over every transport: `connect`, and manuals and notes to talk about.

A test that asks for `connect`, or for a fixture made from it, runs four times. A test that is about
fewer transports says so by its mark: `@pytest.mark.transports("line", "framed")`.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, Protocol

import pytest

from tests.interaction.differences import NO_LIMITS, as_served_over_http
from tests.interaction.manual_calls import Reader, Workspace
from tests.support.http_process import HttpProcess, HttpTalk
from tests.support.launching import nursery
from tests.support.memory_server import MemoryTalk
from tests.support.server_process import CANARY, ServerProcess

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from simulator import Simulator
    from tests.support.talk import Talk

TRANSPORTS = ("memory", "line", "framed", "http")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run what talks over a transport on every one of them, or on those of its mark.

    `--transports` chooses among those; a test that has none of the chosen runs on all of its own.
    """
    if "transport" in metafunc.fixturenames:
        mark = metafunc.definition.get_closest_marker("transports")
        meant = TRANSPORTS if mark is None else mark.args
        chosen = metafunc.config.getoption("transports").split(",")
        metafunc.parametrize("transport", [one for one in meant if one in chosen] or meant)


class Connect(Protocol):
    """Starts a server that ends with the test, and a conversation with it."""

    def __call__(
        self,
        *flags: str,
        face: str = "openai_responses_mcp",
        env: Mapping[str, str] | None = None,
    ) -> Talk:
        """Start one."""


class StartStdio(Protocol):
    """As `Connect`, for tests of the pipes themselves."""

    def __call__(
        self,
        *flags: str,
        dialect: str = "line",
        env: Mapping[str, str] | None = None,
        reading: bool = True,
        fresh: bool = False,
    ) -> ServerProcess:
        """Start one."""


class OpenManuals(Protocol):
    """Starts a server over the workspace; unless told otherwise its manuals are listed already."""

    def __call__(self, *flags: str, listed: bool = True, **env: str) -> Reader:
        """Start one."""


class OpenVault(Protocol):
    """Starts a server over the folder of notes."""

    def __call__(self, *flags: str) -> Talk:
        """Start one."""


@pytest.fixture(scope="session", autouse=True)
def _nursery() -> None:
    """Start it while descriptor 2 is nobody else's: a server in memory takes it for its own."""
    if sys.platform == "linux":
        nursery()


def connected(
    servers: ExitStack,
    transport: str,
    home: Path,
    *flags: str,
    face: str,
    env: Mapping[str, str],
) -> Talk:
    """Start a server that is reached over a transport."""
    if transport == "memory":
        return servers.enter_context(MemoryTalk(home, *flags, face=face, env=env))
    if transport == "http":
        flags = as_served_over_http(home, face, flags)
        server = HttpProcess(home, *flags, env=NO_LIMITS | dict(env))
        return HttpTalk(servers.enter_context(server))
    process = ServerProcess(home, *flags, dialect=transport, face=face, env=env)
    return servers.enter_context(process)


@pytest.fixture(name="servers")
def _servers() -> Iterator[ExitStack]:
    """What ends with the test."""
    with ExitStack() as servers:
        yield servers


@pytest.fixture(name="connect")
def _connect(servers: ExitStack, tmp_path: Path, transport: str) -> Connect:
    """Servers without a key and without an API."""

    def connect(
        *flags: str,
        face: str = "openai_responses_mcp",
        env: Mapping[str, str] | None = None,
    ) -> Talk:
        return connected(servers, transport, tmp_path, *flags, face=face, env=env or {})

    return connect


@pytest.fixture(name="access")
def _access(simulator: Simulator) -> dict[str, str]:
    """The variables of whoever may call the API: the simulator, by the canary."""
    return {"OPENAI_API_KEY": CANARY, "OPENAI_BASE_URL": simulator.base_url}


@pytest.fixture(name="start")
def _start(connect: Connect, access: dict[str, str]) -> Connect:
    """Servers whose API is the simulator and whose key is the canary."""

    def start(
        *flags: str,
        face: str = "openai_responses_mcp",
        env: Mapping[str, str] | None = None,
    ) -> Talk:
        return connect(*flags, face=face, env=access | dict(env or {}))

    return start


@pytest.fixture(name="start_stdio")
def _start_stdio(servers: ExitStack, tmp_path: Path) -> StartStdio:
    """Processes without a key, for tests of the pipes themselves."""

    def start(
        *flags: str,
        dialect: str = "line",
        env: Mapping[str, str] | None = None,
        reading: bool = True,
        fresh: bool = False,
    ) -> ServerProcess:
        process = ServerProcess(
            tmp_path, *flags, dialect=dialect, env=env, reading=reading, fresh=fresh
        )
        return servers.enter_context(process)

    return start


@pytest.fixture(params=["line", "framed"], name="dialect")
def _dialect(request: pytest.FixtureRequest) -> str:
    """Both ways of parting messages."""
    return str(request.param)


@pytest.fixture(name="workspace")
def _workspace(tmp_path: Path) -> Workspace:
    """A workspace in which nothing is made yet."""
    return Workspace(tmp_path)


@pytest.fixture(name="open_manuals")
def _open_manuals(connect: Connect, workspace: Workspace) -> OpenManuals:
    def open_manuals(*flags: str, listed: bool = True, **env: str) -> Reader:
        server = connect(
            "--toolsets=manuals",
            *flags,
            face="tebiki",
            env={"WORKSPACE_ROOT": str(workspace.folder)} | env,
        )
        reader = Reader(server)
        if listed:
            assert "items" in reader.use("ls")
        return reader

    return open_manuals


@pytest.fixture(name="reader")
def _reader(open_manuals: OpenManuals) -> Reader:
    """A connection that has listed the manuals."""
    return open_manuals()


@pytest.fixture(name="notes")
def _notes(tmp_path: Path) -> Path:
    """The vault's folder; not made yet."""
    return tmp_path / "notes"


@pytest.fixture(name="open_vault")
def _open_vault(connect: Connect, notes: Path) -> OpenVault:
    def open_vault(*flags: str) -> Talk:
        return connect("--toolsets=vault", *flags, face="tebiki", env={"VAULT_ROOT": str(notes)})

    return open_vault


@pytest.fixture(name="vault")
def _vault(open_vault: OpenVault) -> Talk:
    """A connection to the vault."""
    return open_vault()
