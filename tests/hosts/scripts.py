"""The clients of the TypeScript SDKs: small scripts that check, and ask here about the upstream."""

import json
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from simulator import Simulator
from tests.hosts.rows import Row
from tests.hosts.stage import Stage, command

CLIENTS = {
    "TypeScript SDK 1": ("sdk_v1.mjs",),
    "TypeScript SDK 2, legacy": ("sdk_v2.mjs", "legacy"),
    "TypeScript SDK 2, auto": ("sdk_v2.mjs", "auto"),
    "TypeScript SDK 2, modern": ("sdk_v2.mjs", "modern"),
}
_PATIENCE_SECONDS = 60
_LONGEST_RUN_SECONDS = 120
_UPSTREAM: dict[str, Callable[[Simulator], None]] = {
    "forget": Simulator.reset,
    "request": lambda simulator: simulator.wait_for_requests(1, _PATIENCE_SECONDS),
    "disconnect": lambda simulator: simulator.wait_for_disconnects(1, _PATIENCE_SECONDS),
}


def check(stage: Stage, face: str) -> Iterator[Row]:
    """Run every script against one command of ours."""
    for name, (script, *arguments) in CLIENTS.items():
        path = str(Path(__file__).with_name(script))
        line = [stage.packages.node, path, command(face), *arguments]
        yield from _converse(stage, f"{name}: {face}", line)


def _converse(stage: Stage, client: str, line: list[str]) -> Iterator[Row]:
    with _started(line, stage.environment()) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for text in process.stdout:
            said: dict[str, Any] = json.loads(text)
            if "upstream" in said:
                process.stdin.write(_ask_upstream(stage.simulator, said["upstream"]) + "\n")
                process.stdin.flush()
            else:
                yield Row(client, said["check"], said["ok"], said["detail"])
        ended = process.wait()
    yield Row(client, "script", ended == 0, f"exit code {ended}")


def _ask_upstream(simulator: Simulator, what: str) -> str:
    try:
        _UPSTREAM[what](simulator)
    except TimeoutError as late:
        return f"{what}: {late}"
    return "ok"


@contextmanager
def _started(line: list[str], environment: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    """Run a program that is killed when it takes far too long."""
    with subprocess.Popen(
        line, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
    ) as process:
        watchdog = threading.Timer(_LONGEST_RUN_SECONDS, process.kill)
        watchdog.start()
        try:
            yield process
        finally:
            watchdog.cancel()
