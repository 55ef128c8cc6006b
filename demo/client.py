"""A small MCP client over the pipes of a real server process, in either dialect."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import IO, TYPE_CHECKING, Any, Self, cast

if TYPE_CHECKING:
    from collections.abc import Mapping

Json = dict[str, Any]


class Client:
    """One server process and the conversation with it."""

    def __init__(self, dialect: str, env: Mapping[str, str]) -> None:
        self._dialect = dialect
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tebiki", "--stdio"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=dict(env),
        )
        self._last_id = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        cast(IO[bytes], self._process.stdin).close()
        self._process.wait()
        cast(IO[bytes], self._process.stdout).close()

    def ask(self, method: str, params: Json | None = None) -> tuple[Json, list[Json]]:
        """Send a request; return its answer and the notifications that came before it."""
        self._last_id += 1
        self._send(
            {"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params or {}}
        )
        before: list[Json] = []
        while (message := self._receive()).get("id") != self._last_id:
            before.append(message)
        return message, before

    def _send(self, message: Json) -> None:
        body = json.dumps(message, ensure_ascii=False).encode()
        framed = b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
        pipe = cast(IO[bytes], self._process.stdin)
        pipe.write(framed if self._dialect == "framed" else body + b"\n")
        pipe.flush()

    def _receive(self) -> Json:
        pipe = cast(IO[bytes], self._process.stdout)
        head = pipe.readline()
        if not head:
            sys.exit("demo: the server has ended unexpectedly")
        if self._dialect == "framed":
            pipe.readline()
            head = pipe.read(int(head.partition(b":")[2]))
        return cast(Json, json.loads(head))
