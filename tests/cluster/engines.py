"""Real OpenSearch nodes and a real Redis on loopback, for the tests of this folder.

`make cluster` runs those tests. By hand, for as long as it takes:

    python -m tests.cluster.engines            # three nodes and Redis; prints their addresses
    python -m tests.cluster.engines --nodes 1  # one node and Redis
    python -m tests.cluster.engines --check    # says what is missing, and starts nothing

In a test, ask for the fixtures of `conftest`, or:

    with SearchNodes(tmp_path) as nodes, RedisServer(tmp_path) as redis:
        nodes.urls, redis.url
        nodes[1].kill(); nodes[1].start(); nodes.wait_until_green()
        redis.pause(); redis.resume()

Each node is a JVM of 512 MB that `SearchNode.java` starts, so that a kill -9 and a SIGSTOP of it
are real; which release of OpenSearch it is, `releases` says. All of it listens on 127.0.0.1, and
only what was started here is ever stopped, by its process id.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from tests.cluster.releases import NEEDED, NotStarted, fetch, missing, program

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import TracebackType
    from typing import Self

PATIENCE_SECONDS = 300.0
"""How long an engine may take to come up: three JVMs at once on two busy cores need minutes."""

LOOK_SECONDS = 0.1
"""Between two looks at whether an engine is there."""

LOGGING = """\
status = error
appender.console.type = Console
appender.console.name = console
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = [%d{ISO8601}][%-5p][%c{1.}] %m%n
rootLogger.level = info
rootLogger.appenderRef.console.ref = console
"""

# A dead or a paused node is missed after some seconds, instead of half a minute.
QUICK_DETECTION = {
    "cluster.fault_detection.follower_check.timeout": "3s",
    "cluster.fault_detection.follower_check.retry_count": "2",
    "cluster.fault_detection.leader_check.timeout": "3s",
    "cluster.fault_detection.leader_check.retry_count": "2",
}


def free_port() -> int:
    """A port of loopback that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


class Process:
    """A program that is started, paused, killed and stopped by its process id."""

    def __init__(self, command: list[str], log: Path) -> None:
        self._command = command
        self._log = log
        self._running: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """The id of the process that runs now."""
        if self._running is None:
            raise NotStarted(f"{self._command[0]} does not run")
        return self._running.pid

    @property
    def runs(self) -> bool:
        """Whether it has neither been stopped nor ended by itself."""
        return self._running is not None and self._running.poll() is None

    def start(self) -> None:
        """Start it, with its words in a log; it may be started again after it has ended."""
        with self._log.open("ab") as log:
            self._running = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=log, stderr=log, cwd=self._log.parent
            )

    def wait_until(self, ready: Callable[[], bool]) -> None:
        """Wait until it can be used; whatever it said comes with the error if it cannot."""
        until = time.monotonic() + PATIENCE_SECONDS
        while not ready():
            if not self.runs or time.monotonic() > until:
                end = self._log.read_text(errors="replace")[-3000:]
                raise NotStarted(f"{self._command[0]} did not come up:\n{end}")
            time.sleep(LOOK_SECONDS)

    def pause(self) -> None:
        """Let it hang: its connections stay open, and nothing answers."""
        os.kill(self.pid, signal.SIGSTOP)

    def resume(self) -> None:
        """Let a paused one go on."""
        os.kill(self.pid, signal.SIGCONT)

    def kill(self) -> None:
        """End it at once, as a power cut would."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """End it in good order; one that is paused too."""
        if self.runs:
            os.kill(self.pid, signal.SIGCONT)
        self._end(signal.SIGTERM)

    def _end(self, by: signal.Signals) -> None:
        process, self._running = self._running, None
        if process is None:
            return
        if process.poll() is None:
            process.send_signal(by)
            try:
                process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        _pipe(process).close()


def _pipe(process: subprocess.Popen[bytes]) -> IO[bytes]:
    if process.stdin is None:
        raise NotStarted("a process without a pipe to it")
    return process.stdin


class Place(NamedTuple):
    """Where a node listens."""

    name: str
    http: int
    transport: int


class SearchNode(Process):
    """One OpenSearch node; its data stays over a kill and a new start."""

    def __init__(self, folder: Path, place: Place, settings: Mapping[str, str]) -> None:
        self.name = place.name
        self.url = f"http://127.0.0.1:{place.http}"
        self._port = place.http
        home = folder / place.name
        (home / "config").mkdir(parents=True)
        (home / "config" / "log4j2.properties").write_text(LOGGING)
        (home / "config" / "opensearch.yml").touch()
        built = fetch()
        its_own = {
            "path.home": str(home), "node.name": place.name, "network.host": "127.0.0.1",
            "http.port": str(place.http), "transport.port": str(place.transport),
        }  # fmt: skip
        super().__init__(
            [program("java") or "java", "-Xms512m", "-Xmx512m", "-XX:+UseSerialGC", "-Xlog:disable",
             "-cp", f"{built}{os.pathsep}{built / 'jars' / '*'}", "SearchNode",
             *(f"{name}={value}" for name, value in {**settings, **its_own}.items())],
            home / "node.log",
        )  # fmt: skip

    def ask(self, path: str, body: Any = None, method: str = "GET") -> Any:
        """One request by plain HTTP, for tests that look past the client library."""
        asked = http.client.HTTPConnection("127.0.0.1", self._port, timeout=10)
        try:
            asked.request(
                method,
                path,
                body=None if body is None else json.dumps(body),
                headers={"Content-Type": "application/json"},
            )
            answer = asked.getresponse()
            told = answer.read().decode()
        except http.client.HTTPException as cut:
            raise ConnectionError(f"{self.name}: {cut!r}") from cut
        finally:
            asked.close()
        if answer.status >= http.HTTPStatus.BAD_REQUEST:
            raise ConnectionError(f"{self.name}: {answer.status} {told[:500]}")
        return json.loads(told)


class SearchNodes:
    """Some nodes that form one cluster; more settings for each may be given."""

    def __init__(
        self, folder: Path, nodes: int = 3, settings: Mapping[str, str] | None = None
    ) -> None:
        names = [f"node-{number}" for number in range(1, nodes + 1)]
        places = [Place(name, free_port(), free_port()) for name in names]
        common = {
            "cluster.name": "tebiki-tests",
            "discovery.seed_hosts": ",".join(f"127.0.0.1:{place.transport}" for place in places),
            "cluster.initial_cluster_manager_nodes": ",".join(names),
            # What docs/cluster.md asks of every node.
            "indices.query.bool.max_clause_count": "16384",
            **QUICK_DETECTION,
            **(settings or {}),
        }
        self._nodes = [SearchNode(folder, place, common) for place in places]

    def __enter__(self) -> Self:
        try:
            for node in self._nodes:
                node.start()
            self.wait_until_green()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def __getitem__(self, number: int) -> SearchNode:
        return self._nodes[number]

    def __iter__(self) -> Iterator[SearchNode]:
        return iter(self._nodes)

    @property
    def urls(self) -> list[str]:
        """Where each node answers."""
        return [node.url for node in self._nodes]

    @property
    def manager(self) -> SearchNode:
        """The node that manages the cluster now; waits for the end of an election."""
        asked = next(node for node in self._nodes if node.runs)
        names: list[str] = []

        def knows_it() -> bool:
            try:
                names[:] = [asked.ask("/_cat/cluster_manager?format=json")[0]["node"]]
            except OSError:
                return False
            return any(node.name in names and node.runs for node in self._nodes)

        asked.wait_until(knows_it)
        return next(node for node in self._nodes if node.name in names)

    def wait_until_green(self) -> None:
        """Wait until every node is in the cluster and every copy of every shard is there."""
        for node in self._nodes:
            node.wait_until(lambda node=node: self._is_green(node))  # type: ignore[misc]

    def stop(self) -> None:
        """End every node; what they hold goes with their folder."""
        for node in self._nodes:
            # Nothing of it is needed again, so nobody waits for its good order.
            node.kill()

    def _is_green(self, node: SearchNode) -> bool:
        try:
            health = node.ask("/_cluster/health")
        except OSError:
            return False
        everybody: int = health["number_of_nodes"]
        return health["status"] == "green" and everybody == len(self._nodes)


class RedisServer(Process):
    """One Redis or Valkey that keeps nothing on disk; more of its settings may be given.

    With `certificates`, a folder of `make_certificates`, it speaks nothing but TLS.
    """

    def __init__(self, folder: Path, *settings: str, certificates: Path | None = None) -> None:
        found = program("redis-server")
        if found is None:
            raise NotStarted(f"redis-server is missing: {NEEDED['redis-server']}")
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        port = ["--port", str(self.port)]
        if certificates is not None:
            self.url = f"rediss://localhost:{self.port}/0"
            port = ["--port", "0", "--tls-port", str(self.port), "--tls-auth-clients", "no",
                    "--tls-cert-file", str(certificates / "server.pem"),
                    "--tls-key-file", str(certificates / "server.key"),
                    "--tls-ca-cert-file", str(certificates / "ca.pem")]  # fmt: skip
        super().__init__(
            [found, "--bind", "127.0.0.1", *port, "--save", "",
             "--appendonly", "no", "--dir", str(folder), *settings],
            folder / f"redis-{self.port}.log",
        )  # fmt: skip

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Start it, empty, and wait until it answers."""
        super().start()
        self.wait_until(self._listens)

    def _listens(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
        except OSError:
            return False
        return True


def main() -> int:
    """Start everything and wait for the end of the input, or say what is missing."""
    parser = argparse.ArgumentParser(prog="python -m tests.cluster.engines")
    parser.add_argument("--check", action="store_true", help="say what is missing, and stop")
    parser.add_argument("--nodes", type=int, default=3, help="OpenSearch nodes (default: 3)")
    chosen = parser.parse_args()
    lacking = missing()
    if lacking:
        sys.stderr.write("make cluster needs more than this machine has:\n")
        sys.stderr.writelines(f"  {line}\n" for line in lacking)
        return 2
    if chosen.check:
        return 0
    with (
        tempfile.TemporaryDirectory() as folder,
        SearchNodes(Path(folder), chosen.nodes) as nodes,
        RedisServer(Path(folder)) as redis,
    ):
        for node in nodes:
            sys.stdout.write(f"{node.name}  {node.url}  pid {node.pid}\n")
        sys.stdout.write(f"redis   {redis.url}  pid {redis.pid}\n")
        sys.stdout.write("Everything is up; end the input (Ctrl+D) to stop it.\n")
        sys.stdout.flush()
        sys.stdin.read()
    return 0


if __name__ == "__main__":
    sys.exit(main())
