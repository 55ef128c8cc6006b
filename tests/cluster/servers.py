"""Several tebiki servers that share their state, and clients that come by a balancer.

Each call is a connection of its own, as behind a balancer in the field, so two calls of one client
meet two servers.
"""

from __future__ import annotations

import hashlib
import http.client
import json
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from tests.support.http_process import HttpProcess, mcp_headers
from tests.support.overheard import PATIENCE_SECONDS
from tests.support.server_process import CANARY
from tests.support.talk import MODERN_META, encoded, request_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path
    from types import TracebackType
    from typing import Self

FIND = {"query": "switch on", "manual_id": "lamp", "required_terms": ["button"]}

PATIENT = ", timeout_ms: 5000"
"""For tests of what is shared: two cores with many processes are no network, nor a server away."""


class Servers:
    """Servers with one manual, each with a home of its own; clients are known by their names."""

    def __init__(
        self,
        folder: Path,
        config: str,
        *,
        count: int = 2,
        clients: Iterable[str] = (),
        env: Mapping[str, str] | None = None,
    ) -> None:
        self._folder = folder
        self._config = config
        self._count = count
        self._env = dict(env or {})
        names = list(clients)
        if names:
            self._env["TEBIKI_HTTP_TOKENS"] = ",".join(
                f"{name}:{hashlib.sha256(name.encode()).hexdigest()}" for name in names
            )
        self._stack = ExitStack()
        self.each: list[HttpProcess] = []

    def __enter__(self) -> Self:
        manual = self._folder / "manuals" / "lamp"
        manual.mkdir(parents=True, exist_ok=True)
        (manual / "a.md").write_text(
            "# Lamp\n\n## Switch on\n\nPress the red button.\n\n## Switch off\n\nPull the plug.\n"
        )
        for number in range(self._count):
            self.each.append(self.start(number))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    @property
    def ports(self) -> list[int]:
        """Where they listen."""
        return [server.port for server in self.each]

    def start(self, number: int, more: str = "") -> HttpProcess:
        """Start one; `more` is added to its settings."""
        home = self._folder / f"server-{number}"
        home.mkdir(exist_ok=True)
        (home / "config.yaml").write_text(self._config + more)
        server = HttpProcess(
            home,
            "--config",
            str(home / "config.yaml"),
            env={
                "OPENAI_API_KEY": CANARY,
                "MANUALS_ROOT": str(self._folder / "manuals"),
                **self._env,
            },
        )
        return self._stack.enter_context(server)


class Client:
    """One client by its name; it knows one port and nothing of what is behind it."""

    def __init__(self, port: int, name: str | None = None) -> None:
        self.port = port
        self._auth = {} if name is None else {"Authorization": f"Bearer {name}"}

    def ask(self, method: str, params: Any) -> Any:
        """One request of the modern era; gives the whole answer."""
        message = request_of(1, method, {**params, "_meta": MODERN_META})
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_SECONDS)
        try:
            connection.request("POST", "/mcp", encoded(message), mcp_headers(message) | self._auth)
            answer = connection.getresponse()
            body = answer.read()
        finally:
            connection.close()
        if (answer.getheader("content-type") or "").startswith("text/event-stream"):
            lines = [line[5:] for line in body.splitlines() if line.startswith(b"data:")]
            body = next(line for line in reversed(lines) if line.strip())
        return json.loads(body)

    def call(self, tool: str, arguments: Any) -> Any:
        """Call a tool; gives its result, or the error."""
        told = self.ask("tools/call", {"name": tool, "arguments": arguments})
        return told["error"] if "error" in told else told["result"]["structuredContent"]

    def readiness(self) -> Any:
        """What the server says of itself to a balancer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_SECONDS)
        try:
            connection.request("GET", "/readyz")
            return json.loads(connection.getresponse().read())
        finally:
            connection.close()


def state_config(port: int, more: str = "") -> str:
    """The settings of servers that share a Redis on this port."""
    return f"state: {{url: 'redis://127.0.0.1:{port}/0'{more}}}\n"
