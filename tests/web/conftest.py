"""HTTP servers for the tests: real processes, with the loopback API behind them."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Protocol

import pytest

from tests.support.http_process import HttpProcess
from tests.support.server_process import CANARY

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from simulator import Simulator


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
