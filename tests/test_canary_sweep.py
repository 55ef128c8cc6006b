"""One sweep for secrets: every tool, every command, both ways of serving, every file they leave.

The API key, a bearer token of a client and a password in an address are in the environment or on
the wire; in none of the outputs may they, or a part of them, be.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tebiki.app.faces import TEBIKI
from tebiki.cli.commands import COMMANDS
from tests.soak.messages import CALLS, ENQUIRIES
from tests.soak.stage import environment, furnished
from tests.support.canaries import files_below, pieces
from tests.support.http_process import HttpProcess
from tests.support.launching import clean_environment
from tests.support.overheard import PATIENCE_SECONDS
from tests.support.server_process import PLAIN_CANARY, ServerProcess

if TYPE_CHECKING:
    from simulator import Simulator

DEFINITIONS = Path(__file__).parent / "snapshots" / "tools"
TOKEN = "tbk_wgqZ7XbT0vNf5RkLh2Yc8MdPaUeJsOi3"
PASSWORD = "Zx81-QuincePassword"
MARKER = "quite-harmless-words"
"""Must be found, or nothing was looked at."""

KEPT = ("ledger.db", "state.db", "config.toml", ".store", "report.html", "entries.jsonl")
"""Must be among the files that were looked at: ledger, state, setup, index, report, journal."""

TOOLSETS = f"--toolsets={','.join(TEBIKI.toolsets)}"
EVERY_CALL = [
    *CALLS,
    ("vault_append", {"path": "ideas/a.md", "content": MARKER}),
    ("vault_find", {"query": MARKER}),
]

TROUBLE = ("leak", "401", "400", "500", "malformed", "stream_error", "failed")

SCRIPT = """
import json, sys
from tebiki.app import faces
from tebiki.cli.main import main
for words in json.loads(sys.argv[1]):
    try:
        main(faces.TEBIKI, words)
    except SystemExit:
        pass
def broken(*_, **__):
    raise ZeroDivisionError("crash " + sys.argv[2])
json.dumps = broken
main(faces.TEBIKI, ["--show-config"])
main(faces.TEBIKI, ["--show-config", "--debug"])
"""
"""Every command in one process, which costs a tenth; then two that crash with the key at hand."""


def commands(key: str) -> list[list[str]]:
    """Every command at least once, some with the key among the words."""
    ask = ["--require", "button"]
    return [
        ["ask", "HTTP 404"],
        ["ask", "simulate: leak"],
        ["ask", "simulate: 401", "--json"],
        ["search", "MCP"],
        ["search", "simulate: 401"],
        ["cluster", "status"],
        ["completion", "bash"],
        ["doctor", "--json"],
        ["doctor"],
        ["eval", "--dataset", "set.jsonl", "--report", "report.html"],
        ["manuals", "ls"],
        ["manuals", "find", "lamp", "switch", *ask],
        ["manuals", "why-not", "lamp/a.md:3", "switch", *ask],
        ["manuals", "index"],
        ["manuals", "clean"],
        ["help", "settings"],
        ["help", key],
        ["open", key],
        ["setup"],
        ["setup", "cursor", "--write", "--command", "tebiki"],
        ["setup", "codex", "--write", "--command", "tebiki"],
        ["setup", "cursor", "--undo", "--command", "tebiki"],
        ["show-config", "--origins"],
        ["show-config", "--json"],
        ["--show-config", "--origins"],
        ["usage"],
        ["usage", "--json"],
        ["token", "new", "somebody"],
        ["token", "ls"],
        ["vault", "create", "c.md", "--content", MARKER],
        ["vault", "replace", "c.md", "harmless", "harmless"],
        ["vault", "append", "c.md", "--content", MARKER],
        ["vault", "find", MARKER],
        ["vault", "mv", "c.md", "d.md"],
        ["vault", "rm", "d.md"],
        ["vault", "log"],
        ["vault", "diff", "1"],
        ["vault", "forget", "c.md"],
        ["--help"],
        [key],
        ["--config", key, "--stdio"],
    ]


def run_all(home: Path, key: str, env: dict[str, str]) -> str:
    """What all commands print."""
    words = json.dumps(commands(key))
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, words, key],
        capture_output=True,
        check=False,
        timeout=PATIENCE_SECONDS,
        env=clean_environment(home) | env,
        cwd=home,
    )
    shown = (done.stdout + done.stderr).decode()
    assert "ZeroDivisionError: crash" in shown, shown[-2000:]
    assert shown.count("internal error") == 2
    return shown


def call_all(talk: Any) -> None:
    """Every tool, and every trouble that the API can repeat a key in."""
    talk.ask("list", "tools/list")
    for tool, arguments in EVERY_CALL:
        talk.call(tool, tool, arguments)
    for method, params in ENQUIRIES:
        talk.ask(method, method, params)
    for script in TROUBLE:
        for tool in ("answer", "chatgpt_o3_search"):
            talk.call(f"{tool} {script}", tool, {"query": f"simulate: {script}"})
    talk.call("marker", "vault_create", {"path": f"{MARKER}.md", "content": MARKER})


@pytest.mark.requirement("security:secrets:sweep")
def test_the_sweep_leaves_nothing_out() -> None:
    """A new tool or command has to be swept too."""
    swept = {words[0] for words in commands(PLAIN_CANARY)}

    assert {command.name for command in COMMANDS} <= swept
    assert {tool for tool, _ in EVERY_CALL} == {path.stem for path in DEFINITIONS.glob("*.json")}


@pytest.mark.requirement("security:secrets:sweep")
def test_no_secret_is_in_anything_that_comes_out(tmp_path: Path, simulator: Simulator) -> None:
    """Wire, log, debug file, ledger, index, traces, state, doctor, settings, setup, crashes."""
    key = PLAIN_CANARY  # nothing about it looks like a key, so only knowing it keeps it in
    home = furnished(tmp_path)
    case = {"query": "switch", "manual_id": "lamp", "expected_paths": ["a.md"]}
    (home / "set.jsonl").write_text(json.dumps(case), encoding="utf-8")
    (home / "tmp").mkdir()
    digest = hashlib.sha256(TOKEN.encode()).hexdigest()
    env = environment(home, simulator.base_url) | {
        "OPENAI_API_KEY": key,
        "SERVER_MAX_RETRIES": "1",
        "DEBUG": str(home / "debug.log"),
        "TEBIKI_BUDGET_DAILY_USD": "100",
        "TEBIKI_HTTP_TOKENS": f"client:{digest}",
        "TMPDIR": str(home / "tmp"),
        "HTTPS_PROXY": f"http://user:{PASSWORD}@127.0.0.1:9",
    }
    heard: dict[str, str] = {}
    with ServerProcess(home, TOOLSETS, face="tebiki", env=env) as pipe:
        call_all(pipe)
        pipe.finish()
        heard |= {"stdio": pipe.raw.decode(), "log of stdio": pipe.stderr}
    with HttpProcess(home, TOOLSETS, "--workers", "2", env=env) as web:
        talk = web.talk(token=TOKEN)
        call_all(talk)
        refused = web.post({"jsonrpc": "2.0", "id": 1, "method": "ping"}, Authorization=TOKEN)
        heard["refused"] = str(refused)
        heard |= {f"running: {name}": text for name, text in files_below(home).items()}
        web.stop()
        heard["log of http"] = web.stderr
    heard["commands"] = run_all(home, key, env)
    heard |= files_below(home)

    found = {
        (name, secret)
        for name, text in heard.items()
        for secret in (key, TOKEN, PASSWORD)
        if any(piece in text for piece in pieces(secret))
    }
    assert found == set()
    marked = {name for name, text in heard.items() if MARKER in text}
    assert {"stdio", "log of stdio", "debug.log", "commands", f"vault/{MARKER}.md"} <= marked
    assert [kind for kind in KEPT if not any(kind in name for name in heard)] == []
