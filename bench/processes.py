"""Child processes over pipes: the server, the simulator and the plain script.

Each gets the same small environment with an empty home. Nothing here knows what is measured.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, Self

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import TracebackType

CHUNK = 65_536
SECONDS_TO_END = 10
INHERITED = ("PATH", "LANG", "LC_ALL", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT")
MODULE_COMMAND = (
    sys.executable,
    "-c",
    "from tebiki.__main__ import openai_responses_mcp; openai_responses_mcp()",
    "--stdio",
)
SCRIPT_COMMAND = (
    os.path.join(os.path.dirname(sys.executable), "openai-responses-mcp"),
    "--stdio",
)
PLAIN_SCRIPT_COMMAND = (sys.executable, "-m", "bench.plain_script")


class ProcessGone(Exception):
    """A child closed its output before it had answered."""


class Piped:
    """A child process spoken to in lines."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=dict(environment),
            bufsize=0,
            cwd=os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
        )
        if self._process.stdin is None or self._process.stdout is None:
            raise ProcessGone(command[0])
        self._stdin = self._process.stdin
        self._stdout = self._process.stdout
        self._rest = b""
        self._waiting: list[bytes] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self.close()

    def send(self, line: bytes) -> None:
        """Write one line, its newline included."""
        os.write(self._stdin.fileno(), line)

    def lines(self, seconds: float | None = None) -> list[bytes]:
        """Wait for output; the lines that are whole by then, none when the time is up.

        Raises:
            ProcessGone: the child closed its output.
        """
        while True:
            if seconds is not None and not select.select([self._stdout], [], [], seconds)[0]:
                return []
            chunk = os.read(self._stdout.fileno(), CHUNK)
            if not chunk:
                raise ProcessGone(f"exit code {self._process.wait(SECONDS_TO_END)}")
            *whole, self._rest = (self._rest + chunk).split(b"\n")
            if whole:
                return whole

    def ask(self, message: Mapping[str, Any]) -> Any:
        """Send one message and wait for the one line that answers it."""
        self.send(line_of(message))
        return self.next()

    def next(self) -> Any:
        """The next message; waits for it, and keeps what comes with it for later."""
        if not self._waiting:
            self._waiting = self.lines()
        return json.loads(self._waiting.pop(0))

    @property
    def pid(self) -> int:
        """The number the system knows the process by."""
        return self._process.pid

    def resident_mb(self) -> float:
        """The memory the process holds, as Linux counts it."""
        return resident_mb(self._process.pid)

    def held(self) -> Held:
        """The same memory by kind."""
        return held_by(self._process.pid)

    def cpu_ms(self) -> float:
        """The CPU time the process has used, as Linux counts it."""
        return cpu_ms(self._process.pid)

    def close(self) -> None:
        """End the child by closing its input; one that does not end is killed."""
        self._stdin.close()
        try:
            self._process.wait(SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._stdout.close()


def line_of(message: Mapping[str, Any]) -> bytes:
    """One message in the line dialect."""
    return json.dumps(message, ensure_ascii=False).encode() + b"\n"


def resident_mb(pid: int) -> float:
    """VmRSS of a process, in MB."""
    return _status_mb(pid, "VmRSS:")


class Held(NamedTuple):
    """Memory in MB: what a process has for itself, and files that it only maps.

    Linux takes the second kind back whenever something else needs the room.
    """

    own: float
    mapped: float


def held_by(pid: int) -> Held:
    """RssAnon and RssFile of a process."""
    return Held(_status_mb(pid, "RssAnon:"), _status_mb(pid, "RssFile:"))


def _status_mb(pid: int, name: str) -> float:
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as status:
        for line in status:
            if line.startswith(name):
                return int(line.split()[1]) / 1024
    raise ProcessGone(f"process {pid} holds no memory any more")


def cpu_ms(pid: int) -> float:
    """CPU time a process has used, in ms."""
    return activity_of(f"/proc/{pid}").ticks / os.sysconf("SC_CLK_TCK") * 1000


class Activity(NamedTuple):
    """A process or thread as Linux shows it: its state, and the CPU time it has used in ticks."""

    state: str
    ticks: int


def activity_of(folder: str) -> Activity:
    """Read the state of what has this folder below /proc."""
    with open(f"{folder}/stat", encoding="ascii", errors="replace") as status:
        # Its name comes before, in parentheses that may be part of the name too.
        fields = status.read().rpartition(")")[2].split()
    return Activity(fields[0], int(fields[11]) + int(fields[12]))


def can_see_memory() -> bool:
    """Tell whether this system has /proc as Linux does."""
    return os.path.exists("/proc/self/status")


@contextmanager
def clean_environment(base_url: str | None = None) -> Iterator[dict[str, str]]:
    """Give an environment without the user's settings: an empty home and a dummy key."""
    with tempfile.TemporaryDirectory() as home:
        environment = {name: os.environ[name] for name in INHERITED if name in os.environ}
        environment |= {"HOME": home, "USERPROFILE": home, "OPENAI_API_KEY": "sk-bench-dummy"}
        if base_url is not None:
            environment["OPENAI_BASE_URL"] = base_url
        yield environment


@contextmanager
def simulator(delay_ms: float) -> Iterator[str]:
    """Run the simulated API in a process of its own; gives its base URL."""
    command = (
        *(sys.executable, "-m", "simulator"),
        *("--port", "0", "--delay-ms", str(delay_ms)),
    )
    with clean_environment() as environment, Piped(command, environment) as process:
        yield process.lines()[0].decode()


@contextmanager
def server(base_url: str) -> Iterator[Piped]:
    """Run the server against an API; it has answered `initialize`."""
    with clean_environment(base_url) as environment, Piped(MODULE_COMMAND, environment) as process:
        process.ask({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": {}})
        yield process


@contextmanager
def plain_script(base_url: str, body: Mapping[str, Any]) -> Iterator[Piped]:
    """Run the yardstick, which sends this body with the SDK for each call."""
    with (
        clean_environment(base_url) as environment,
        Piped(PLAIN_SCRIPT_COMMAND, environment) as process,
    ):
        process.ask(body)
        yield process
