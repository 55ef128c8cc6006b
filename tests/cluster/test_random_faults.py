"""Minutes of random faults under load: what is called complete is true, what is written once.

Two servers share an index on three nodes and a Redis; the first owns the notes. Clients find and
write notes at either while revisions are published, and parts are killed, stopped and cut off.
Each answer is held against that of a server with the engine at hand over the same revision.
FAULT_SECONDS says how long (two minutes, unless set), FAULT_SEED repeats a run's choices.
"""

from __future__ import annotations

import json
import os
import random
import secrets
import signal
import sys
import threading
import time
from collections import Counter
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.cluster.cutting import CutWires
from tests.cluster.engines import free_port
from tests.cluster.proxies import Line
from tests.cluster.servers import Client
from tests.cluster.teams import MANUAL, REASONS, Publisher, Team, remote_settings, until
from tests.support.http_process import HttpProcess
from tests.support.overheard import PATIENCE_SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cluster.engines import RedisServer, SearchNodes

SECONDS = float(os.environ.get("FAULT_SECONDS") or 120)
SEED = int(os.environ.get("FAULT_SEED") or secrets.randbelow(1_000_000))
SECRET = "0123456789abcdef" * 4
QUESTIONS = ("printer network", "revision of the day", "cable paper")
CLIENTS = 3
FILES = 12
NOTE = "log.md"


class WrittenRevision(NamedTuple):
    """A version of the manual, when its publication began, and what is found in it."""

    begun: float
    answers: dict[str, str]


class History:
    """What was published when, and so what may be answered when."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.revisions: list[WrittenRevision] = []
        self._done: list[tuple[float, int]] = []

    def begin(self, answers: dict[str, str]) -> int:
        """A revision is about to be published."""
        with self._lock:
            self.revisions.append(WrittenRevision(time.monotonic(), answers))
            return len(self.revisions) - 1

    def end(self, number: int) -> None:
        """Its publication has succeeded."""
        with self._lock:
            self._done.append((time.monotonic(), number))

    def may_be(self, question: str, answer: str, begun: float) -> bool:
        """Whether a find that began then may have seen that: nothing older than was published."""
        now = time.monotonic()
        with self._lock:
            least = max((number for at, number in self._done if at <= begun), default=0)
            seen = self.revisions[least:]
        return any(one.begun <= now and one.answers[question] == answer for one in seen)

    @property
    def published(self) -> int:
        """How many publications have succeeded."""
        return len(self._done)


def form_of(found: dict[str, Any]) -> str:
    """An answer without what only this one has."""
    told = {
        name: value for name, value in found.items() if name not in {"trace_id", "next_actions"}
    }
    words = json.dumps(told, ensure_ascii=False, sort_keys=True)
    return words.replace(str(found.get("trace_id")), "TRACE")


def ask(client: Client, question: str) -> dict[str, Any]:
    """A find by a client that has listed the manuals."""
    client.call("manual_ls", {})
    term = question.partition(" ")[0]
    arguments = {"query": question, "manual_id": MANUAL, "required_terms": [term]}
    found: dict[str, Any] = client.call("manual_find", arguments)
    return found


class Site:
    """Everything that runs, and what can be done to it."""

    def __init__(
        self, folder: Path, nodes: SearchNodes, redis: RedisServer, stack: ExitStack
    ) -> None:
        self._folder, self._stack = folder, stack
        self.nodes, self.redis = nodes, redis
        self.wires = stack.enter_context(CutWires(nodes.urls))
        self.redis_line = stack.enter_context(Line(redis.port))
        self.ports = [free_port(), free_port()]
        self.owner_line = stack.enter_context(Line(self.ports[0]))
        self.prefix = f"random-{secrets.token_hex(4)}"
        self.team = Team(folder / "team", remote_settings(nodes.urls, self.prefix, replicas=2))
        self.reference_folder = folder / "revision" / MANUAL
        self.reference_folder.mkdir(parents=True)
        (folder / "vault").mkdir()
        (folder / "vault" / NOTE).write_text("begin\n")
        self.servers: list[HttpProcess] = [self.start(0), self.start(1)]
        self.reference = self._launch("reference", {}, 0, folder / "revision")

    def start(self, number: int) -> HttpProcess:
        """Start a server; the second is behind lines that can be cut."""
        redis = self.redis_line.port if number else self.redis.port
        urls = self.wires.urls if number else self.nodes.urls
        vault: dict[str, Any] = {"owner_secret_env": "NOTES_SECRET"}
        if number:
            vault["owner_url"] = f"http://127.0.0.1:{self.owner_line.port}"
        config = {
            "state": {"url": f"redis://127.0.0.1:{redis}/0"},
            "manuals": {
                "engine": "opensearch",
                "opensearch": {"addresses": list(urls), "prefix": self.prefix, "timeout_ms": 1500},
            },
            "vault": vault,
        }
        return self._launch(f"server-{number}", config, self.ports[number], self.team.root)

    def _launch(self, name: str, config: dict[str, Any], port: int, manuals: Path) -> HttpProcess:
        home = self._folder / name
        home.mkdir(exist_ok=True)
        limits = {"calls_per_minute": 0, "concurrent_calls": 1000}
        (home / "config.yaml").write_text(json.dumps({**config, "http": limits}))
        env = {
            "MANUALS_ROOT": str(manuals),
            "VAULT_ROOT": str(self._folder / "vault"),
            "NOTES_SECRET": SECRET,
        }
        flags = ("--toolsets", "manuals,vault,notes", "--config", str(home / "config.yaml"))
        server = HttpProcess(home, *flags, env=env, bind=f"127.0.0.1:{port}")
        return self._stack.enter_context(server)

    def write_everywhere(self, texts: dict[str, str]) -> None:
        """Change the servers' copy, and that of the server by which they are judged."""
        for path, text in texts.items():
            (self.reference_folder / path).write_text(text)
        self.team.write(texts)

    def kill_server(self, number: int) -> None:
        """End a server in the middle of whatever it does."""
        os.killpg(self.servers[number].process.pid, signal.SIGKILL)
        self.servers[number].process.wait(PATIENCE_SECONDS)

    def faults(self) -> dict[str, tuple[Callable[[], Any], Callable[[], Any]]]:
        """What may be broken, and how it is put right."""
        nodes, redis = self.nodes, self.redis
        chosen = random.Random(secrets.randbits(32)).choice(list(nodes))  # noqa: S311
        manager = nodes.manager

        def restart(number: int) -> None:
            self.servers[number] = self.start(number)

        return {
            "node killed": (chosen.kill, chosen.start),
            "node hangs": (chosen.pause, chosen.resume),
            "manager killed": (manager.kill, manager.start),
            "manager hangs": (manager.pause, manager.resume),
            "wire to the nodes cut": (self.wires.cut, self.wires.mend),
            "redis killed": (redis.kill, redis.start),
            "redis hangs": (redis.pause, redis.resume),
            "wire to redis cut": (self.redis_line.cut, self.redis_line.mend),
            "wire to the owner cut": (self.owner_line.cut, self.owner_line.mend),
            "index deleted": (self._delete_index, lambda: None),
            "server killed": (lambda: self.kill_server(1), lambda: restart(1)),
            "owner killed": (lambda: self.kill_server(0), lambda: restart(0)),
        }

    def _delete_index(self) -> None:
        with suppress(ValueError):
            (row,) = self.team.status()
            if row.state is not None and row.state.index_name:
                self.team.cluster.ask("DELETE", f"/{row.state.index_name}", seconds=10)


class FaultRun:
    """The load, the faults, and what came of it."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.history = History()
        self.over = threading.Event()
        self.counts: Counter[str] = Counter()
        self.faults: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.notes: dict[str, str] = {}
        self._choose = random.Random(SEED)  # noqa: S311
        self._lock = threading.Lock()

    def write_revision(self) -> int:
        """Make the next revision in the servers' copy, and learn what is found in it."""
        number = len(self.history.revisions)
        team, folder = self.site.team, self.site.reference_folder
        chosen = f"f{number % FILES}.md"
        texts = {
            "day.md": f"# revision of the day\nThe printer network of revision {number}.\n",
            chosen: f"# printer {number}\nA cable and paper for the network, {number} times.\n",
        }
        for path, text in texts.items():
            (folder / path).write_text(text)
        client = Client(self.site.reference.port)
        answers = {question: form_of(ask(client, question)) for question in QUESTIONS}
        number = self.history.begin(answers)
        team.write(texts)
        return number

    def publish(self) -> None:
        """Publish one revision after the other; some who do so are killed or fall asleep."""
        while not self.over.is_set():
            number = self.write_revision()
            how = self._choose.random()
            if how < 0.2:
                publisher = Publisher(self.site.team, dies_after=self._choose.randrange(30))
                if publisher.end() == "published":
                    self.history.end(number)
                else:
                    self.counts["publisher killed"] += 1
            elif how < 0.3:
                publisher = Publisher(self.site.team)
                with suppress(AssertionError):  # it may be refused before it writes
                    publisher.wait_until_it_writes()
                publisher.send(signal.SIGSTOP)
                self.over.wait(4)
                publisher.send(signal.SIGCONT)
                if publisher.end() == "published":
                    self.history.end(number)
                self.counts["publisher asleep"] += 1
            elif self.site.team.publishes(f"r{number}"):
                self.history.end(number)
            else:
                self.counts["publication refused"] += 1
            self.over.wait(1)

    def load(self, seed: int) -> None:
        """Find and write at either server, and hold every answer against the history."""
        choose = random.Random(seed)  # noqa: S311
        while not self.over.is_set():
            server = choose.randrange(2)
            client = Client(self.site.ports[server])
            if choose.random() < 0.2:
                self._write_note(client)
                continue
            question = choose.choice(QUESTIONS)
            begun = time.monotonic()
            try:
                found = ask(client, question)
            except (OSError, ValueError, KeyError, StopIteration):
                self._count("find: server away")
                self.over.wait(0.2)
                continue
            self._judge(question, found, begun)

    def _judge(self, question: str, found: dict[str, Any], begun: float) -> None:
        if "complete" not in found:
            # What it had listed was lost with a Redis in the moment between.
            self._count(f"find: {found.get('code')}")
            if "manual_ls" not in str(found):
                self._note_wrong(f"{question}: {found}")
        elif found["complete"]:
            self._count("find: complete")
            if not self.history.may_be(question, form_of(found), begun):
                self._note_wrong(f"{question}: not of any revision it may be of: {form_of(found)}")
        else:
            self._count(f"find: {found['failure_reason']}")
            if found["failure_reason"] not in REASONS:
                self._note_wrong(f"{question}: {found['failure_reason']}")

    def _write_note(self, client: Client) -> None:
        token = secrets.token_hex(8)
        with self._lock:
            self.notes[token] = "unsure"
        try:
            told = client.call("vault_append", {"path": NOTE, "content": token})
        except (OSError, ValueError, KeyError, StopIteration):
            return
        if "written_path" in told:
            self.notes[token] = "written"
        elif "Nothing was written" in str(told):
            self.notes[token] = "refused"

    def _count(self, what: str) -> None:
        with self._lock:
            self.counts[what] += 1

    def _note_wrong(self, words: str) -> None:
        with self._lock:
            self.wrong.append(words[:2000])

    def guarded(self, work: Callable[[], None]) -> threading.Thread:
        """Run it in a thread; what goes wrong in it is not lost."""

        def run() -> None:
            try:
                work()
            except BaseException as error:
                self._note_wrong(f"{work}: {error!r}")
                self.over.set()
                raise

        thread = threading.Thread(target=run)
        thread.start()
        return thread

    def break_things(self) -> None:
        """One fault after the other, each for some seconds."""
        end = time.monotonic() + SECONDS
        names = sorted(self.site.faults())
        turns: list[str] = []
        while time.monotonic() < end and not self.over.is_set():
            turns = turns or self._choose.sample(names, len(names))
            name = turns.pop()
            harm, mend = self.site.faults()[name]
            self.faults[name] += 1
            harm()
            try:
                self.over.wait(self._choose.uniform(1, 9))
            finally:
                mend()
            self.over.wait(self._choose.uniform(1, 5))

    def is_well(self) -> bool:
        """Whether both servers find all of the newest revision again."""
        newest = self.history.revisions[-1].answers
        for port in self.site.ports:
            for question in QUESTIONS:
                found = ask(Client(port), question)
                if not found.get("complete") or form_of(found) != newest[question]:
                    return False
        return True


def test_random_faults_under_load(
    nodes: SearchNodes, redis_server: RedisServer, tmp_path: Path
) -> None:
    """No wrong answer is complete, no note is lost or doubled, and all of it heals by itself."""
    with ExitStack() as stack:
        site = Site(tmp_path, nodes, redis_server, stack)
        run = FaultRun(site)
        for at in range(FILES):
            site.write_everywhere({f"f{at}.md": f"# printer\nThe network of file {at}, cable.\n"})
        number = run.write_revision()
        site.team.publish("first")
        run.history.end(number)
        nodes.wait_until_green()
        threads = [run.guarded(run.publish)]
        threads += [run.guarded(lambda n=n: run.load(SEED + n)) for n in range(CLIENTS)]  # type: ignore[misc]
        try:
            run.break_things()
        finally:
            run.over.set()
            for thread in threads:
                thread.join()
        nodes.wait_until_green()
        number = run.write_revision()
        until(lambda: site.team.publishes("last"))
        run.history.end(number)
        until(run.is_well)
        text = (tmp_path / "vault" / NOTE).read_text()
        for name in site.team.cluster.ask("GET", f"/{site.prefix}-*"):
            site.team.cluster.ask("DELETE", f"/{name}", seconds=30)

    times = {token: text.count(token) for token in run.notes}
    outcomes = Counter(run.notes.values())
    told = {"seed": SEED, "published": run.history.published, **run.counts, **run.faults,
            **{f"note {name}": number for name, number in outcomes.items()}}  # fmt: skip
    sys.stderr.write(f"\n{json.dumps(told, indent=1)}\n")
    assert run.wrong == []
    assert [one for one, how in run.notes.items() if how == "written" and times[one] != 1] == []
    assert [one for one, how in run.notes.items() if how == "refused" and times[one]] == []
    assert max(times.values(), default=0) <= 1
    assert run.counts["find: complete"] > SECONDS / 3
    assert outcomes["written"] > SECONDS / 10
