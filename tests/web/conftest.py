"""HTTP servers for the tests: real processes, with the loopback API behind them."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, NamedTuple, Protocol

import pytest

from simulator import Simulator
from tests.support.browser_like import BrowserLike
from tests.support.http_process import HttpProcess
from tests.support.page_home import fill_home
from tests.support.server_process import CANARY

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


@pytest.fixture(name="shared_http", scope="session")
def _shared_http(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpProcess]:
    """One server for the tests that leave nothing behind in it."""
    with HttpProcess(tmp_path_factory.mktemp("shared")) as server:
        yield server


class StartHttp(Protocol):
    """Starts a real HTTP server that ends with the test."""

    def __call__(
        self, *flags: str, env: Mapping[str, str] | None = None, config: str | None = None
    ) -> HttpProcess:
        """Start one; `config` is the text of its settings file."""


@pytest.fixture(name="start_http")
def _start_http(tmp_path: Path, simulator: Simulator) -> Iterator[StartHttp]:
    """Servers whose API is the simulator and whose key is the canary."""
    manual = tmp_path / "manuals" / "lamp"
    manual.mkdir(parents=True)
    (manual / "a.md").write_text(
        "# Lamp\n\n## Switch on\n\nPress the red button.\n\n## Switch off\n\nPull the plug.\n"
    )
    with ExitStack() as servers:

        def start(
            *flags: str, env: Mapping[str, str] | None = None, config: str | None = None
        ) -> HttpProcess:
            access = {"OPENAI_API_KEY": CANARY, "OPENAI_BASE_URL": simulator.base_url}
            if config is not None:
                path = tmp_path / "config.yaml"
                path.write_text(config)
                flags = (*flags, "--config", str(path))
            server = HttpProcess(tmp_path, *flags, env=access | dict(env or {}))
            return servers.enter_context(server)

        yield start


class PageServer(NamedTuple):
    """A server whose page is open, its home, and a browser that is signed in."""

    server: HttpProcess
    home: Path
    browser: BrowserLike


@pytest.fixture(name="page_server", scope="module")
def _page_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageServer]:
    """One server for the tests of a module that leave each other's traces alone."""
    home = tmp_path_factory.mktemp("page")
    fill_home(home)
    with (
        Simulator() as api,
        HttpProcess(
            home,
            env={
                "OPENAI_API_KEY": CANARY,
                "OPENAI_BASE_URL": api.base_url,
                "TEBIKI_HTTP_CALLS_PER_MINUTE": "0",
            },
        ) as server,
    ):
        yield PageServer(server, home, BrowserLike(server).open(home))
