"""The MCP Inspector's command line, in each protocol era.

It shows an error's message but not its code.
"""

import json
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tests.hosts.rows import Row
from tests.hosts.stage import Stage, command

ERAS = {"legacy": "2025-06-18", "auto": "2026-07-28", "modern": "2026-07-28"}
_LONGEST_RUN_SECONDS = 120
_PATIENCE_SECONDS = 60
_END_SECONDS = 5
_PROBLEMS = (AssertionError, LookupError, OSError, ValueError, subprocess.TimeoutExpired)
_LOAD_CALLS = 640
_LOAD = ("--load", "--load-concurrency", "64", "--load-requests", str(_LOAD_CALLS))


@dataclass(frozen=True, slots=True)
class Inspector:
    """The Inspector in one era, before one command of ours."""

    stage: Stage
    era: str
    face: str

    def check(self) -> Iterator[Row]:
        """Go through everything the Inspector can do with a server that has tools."""
        yield self._row("connect", self._connect)
        yield self._row("list", self._list)
        if self.face == "tebiki":
            yield self._row("resources", self._resources)
            yield self._row("prompts", self._prompts)
        yield self._row("answer", lambda: self._answer("HTTP 404 の意味", searched=False))
        yield self._row("search", lambda: self._answer("本日の東京の天気", searched=True))
        yield self._row("blank", self._blank)
        yield self._row("load", self._load)

    def check_death(self) -> Iterator[Row]:
        """See that a client that dies leaves no server waiting for an answer nobody will read."""
        yield self._row("killed", self._killed)

    def _row(self, name: str, steps: Callable[[], str]) -> Row:
        client = f"Inspector, {self.era}: {self.face}"
        try:
            return Row(client, name, ok=True, detail=steps())
        except _PROBLEMS as problem:
            return Row(client, name, ok=False, detail=str(problem))

    def _connect(self) -> str:
        result = self._result("--method", "initialize")
        assert result["protocolVersion"] == ERAS[self.era], result
        return f"{result['serverInfo']['name']}, {result['protocolVersion']}"

    def _list(self) -> str:
        ended = self._run("--method", "tools/list", "--strict")
        assert (ended.returncode, ended.stderr) == (0, ""), ended
        names = [tool["name"] for tool in json.loads(ended.stdout)["result"]["tools"]]
        assert {"answer", "answer_detailed", "answer_quick"} <= set(names), names
        return f"{', '.join(names)}; no complaint from --strict"

    def _resources(self) -> str:
        listed = self._result("--method", "resources/list")["resources"]
        forms = self._result("--method", "resources/templates/list")["resourceTemplates"]
        read = self._result("--method", "resources/read", "--uri", "vault:///")["contents"]
        assert "vault:///" in [one["uri"] for one in listed], listed
        assert len(forms) == 2, forms
        assert read[0]["mimeType"] == "text/markdown", read
        return f"{len(listed)} resources, {len(forms)} templates"

    def _prompts(self) -> str:
        listed = self._result("--method", "prompts/list")["prompts"]
        # What takes several values stands before the next flag, or would take the command too.
        chosen = ("--prompt-args", "path=ideas/a.md", "--prompt-name", "save_answer")
        got = self._result("--method", "prompts/get", *chosen)["messages"]
        assert "ideas/a.md" in got[0]["content"]["text"], got
        return ", ".join(prompt["name"] for prompt in listed)

    def _answer(self, query: str, *, searched: bool) -> str:
        result = self._result(*_call(query))
        content = result["structuredContent"]
        assert json.loads(result["content"][0]["text"]) == content, result
        assert content["used_search"] is searched, content
        assert bool(content["citations"]) is searched, content
        return f"used_search {searched}, {len(content['citations'])} citations"

    def _blank(self) -> str:
        ended = self._run(*_call(" "))
        assert (ended.returncode, ended.stdout) == (1, ""), ended
        message: str = json.loads(ended.stderr)["error"]["message"]
        assert message == "answer: invalid arguments", ended.stderr
        return message

    def _load(self) -> str:
        result = self._result(*_call("HTTP 404 の意味"), *_LOAD)
        assert (result["ok"], result["errorRate"]) == (_LOAD_CALLS, 0), result
        latency = result["latencyMs"]
        rate, half, most = round(result["throughput"]), round(latency["p50"]), round(latency["p99"])
        return f"{_LOAD_CALLS} calls, 64 at once: {rate} per s, p50 {half} ms, p99 {most} ms"

    def _killed(self) -> str:
        self.stage.simulator.reset()
        with subprocess.Popen(
            self._line(*_call("simulate: hang")),
            env=self.stage.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        ) as process:
            try:
                self.stage.simulator.wait_for_requests(1, _PATIENCE_SECONDS)
            finally:
                process.kill()
        self.stage.simulator.wait_for_disconnects(1, _END_SECONDS)
        return "upstream connection closed"

    def _result(self, *arguments: str) -> dict[str, Any]:
        ended = self._run(*arguments)
        assert ended.returncode == 0, ended
        result: dict[str, Any] = json.loads(ended.stdout)["result"]
        return result

    def _run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self._line(*arguments),
            env=self.stage.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=_LONGEST_RUN_SECONDS,
            check=False,
        )

    def _line(self, *arguments: str) -> list[str]:
        start = [self.stage.packages.node, self.stage.packages.inspector, "--cli"]
        settings = self.stage.server_environment().items()
        handed_on = [part for name, value in settings for part in ("-e", f"{name}={value}")]
        era = ["--format", "json", "--protocol-era", self.era]
        return [*start, *era, *handed_on, *arguments, command(self.face), "--stdio"]


def check(stage: Stage, face: str) -> Iterator[Row]:
    """Run the Inspector in every era against one command of ours."""
    for era in ERAS:
        yield from Inspector(stage, era, face).check()
    yield from Inspector(stage, "auto", face).check_death()


def _call(query: str) -> tuple[str, ...]:
    arguments = json.dumps({"query": query}, ensure_ascii=False)
    return ("--method", "tools/call", "--tool-name", "answer", "--tool-args-json", arguments)
