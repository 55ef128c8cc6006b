"""The clients people use, each set up by `tebiki setup` and asked whether it reached the server.

Every program is run as npm delivered it, with a home folder of its own, and, on Linux, without a
network. A small script between client and server notes which variables arrived.
"""

import json
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.hosts.packages import Packages
from tests.hosts.rows import Row
from tests.hosts.stage import command

_LONGEST_RUN_SECONDS = 120
_KEPT = ("PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR")
_KEY = "sk-test-applications"
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_OFFLINE = ["unshare", "--user", "--map-root-user", "--net"]
_NOTING = """\
import json, os, sys
with open({note!r}, "w", encoding="utf-8") as file:
    json.dump(dict(os.environ), file)
os.execv({server!r}, [{server!r}, *sys.argv[1:]])
"""
_SUFFIX = ".exe" if os.name == "nt" else ""
_SYSTEMS = {"Linux": "linux", "Darwin": "darwin", "Windows": "win32"}
_MACHINES = {"x86_64": "x64", "AMD64": "x64", "aarch64": "arm64", "arm64": "arm64"}


@dataclass(frozen=True, slots=True)
class Application:
    """A client: its name for `tebiki setup`, and how it tells of its servers."""

    name: str
    package: str
    status: Callable[["Desk"], str]
    connected: str


@dataclass(frozen=True, slots=True)
class Desk:
    """One client before its own home folder."""

    packages: Packages
    home: Path

    def run(self, *line: str) -> str:
        """What a program said, on either stream, without colours."""
        done = subprocess.run(
            [*_offline(), *line],
            env=self.environment(),
            cwd=self.home / "project",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=_LONGEST_RUN_SECONDS,
            check=False,
        )
        return _COLOURS.sub("", f"{done.stdout}\n{done.stderr}").strip()

    def setup(self, *words: str) -> str:
        """Run `tebiki setup`, which must succeed."""
        done = subprocess.run(
            [command("tebiki"), "setup", *words],
            env=self.environment(),
            cwd=self.home / "project",
            capture_output=True,
            encoding="utf-8",
            timeout=_LONGEST_RUN_SECONDS,
            check=False,
        )
        assert done.returncode == 0, done
        return done.stdout.strip()

    def environment(self) -> dict[str, str]:
        """A clean environment, with a key and without anyone's settings."""
        kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
        home = {"HOME": str(self.home), "USERPROFILE": str(self.home)}
        # Gemini CLI starts no server in a folder that nobody has called trusted.
        return {**kept, **home, "OPENAI_API_KEY": _KEY, "GEMINI_CLI_TRUST_WORKSPACE": "true"}

    def binary(self, *parts: str) -> str:
        """A program in the packages; one part may be a pattern."""
        (found,) = self.packages.modules.glob("/".join(parts))
        return str(found)


def _claude(desk: Desk) -> str:
    return desk.run(
        desk.binary("@anthropic-ai", f"claude-code-{_system()}", f"claude{_SUFFIX}"), "mcp", "list"
    )


def _gemini(desk: Desk) -> str:
    script = desk.binary("@google", "gemini-cli", "bundle", "gemini.js")
    return desk.run(desk.packages.node, script, "mcp", "list")


def _opencode(desk: Desk) -> str:
    system = _system().replace("win32", "windows")
    return desk.run(desk.binary(f"opencode-{system}", "bin", f"opencode{_SUFFIX}"), "mcp", "list")


def _codex(desk: Desk) -> str:
    """Codex's `mcp list` only prints the settings; its app server connects."""
    program = desk.binary("@openai", f"codex-{_system()}", "vendor", "*", "bin", f"codex{_SUFFIX}")
    with subprocess.Popen(
        [*_offline(), program, "app-server"],
        env=desk.environment(),
        cwd=desk.home / "project",
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
    ) as process:
        try:
            hello = {"clientInfo": {"name": "tebiki-hosts", "version": "0"}}
            _ask(process, 1, "initialize", hello)
            _send(process, {"method": "initialized"})
            rows = _ask(process, 2, "mcpServerStatus/list", {})["data"]
        finally:
            process.kill()
    return "; ".join(
        f"{row['name']}: {(row['serverInfo'] or {}).get('name')}, tools {', '.join(row['tools'])}"
        for row in rows
    )


def _send(process: subprocess.Popen[str], message: dict[str, Any]) -> None:
    assert process.stdin is not None
    process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    process.stdin.flush()


def _ask(process: subprocess.Popen[str], number: int, method: str, params: Any) -> Any:
    _send(process, {"id": number, "method": method, "params": params})
    assert process.stdout is not None
    for line in process.stdout:
        said = json.loads(line)
        if said.get("id") == number:
            return said["result"]
    raise EOFError(f"the app server ended before it answered {method}")


APPLICATIONS = (
    Application("claude-code", "@anthropic-ai/claude-code", _claude, r"tebiki: .* - ✔ Connected"),
    Application("gemini", "@google/gemini-cli", _gemini, r"✓ tebiki: .* \(stdio\) - Connected"),
    Application("opencode", "opencode-ai", _opencode, r"✓ tebiki\s+connected"),
    Application("codex", "@openai/codex", _codex, r"tebiki: tebiki, tools .*answer"),
)


def check(application: Application, packages: Packages, home: Path) -> Iterator[Row]:
    """Set up, connect, see what arrives, undo."""
    (home / "project").mkdir(parents=True)
    desk = Desk(packages, home)
    title = f"{application.package} {_version(packages, application.package)}"
    noting, note = _noting(home)
    steps: dict[str, Callable[[], str]] = {
        "before": lambda: _not_there(application, desk),
        "setup": lambda: _line(desk.setup(application.name, "--write"), "written: "),
        "connected": lambda: _connected(application, desk),
        "undo": lambda: _line(desk.setup(application.name, "--undo"), "undone in "),
        "after": lambda: _not_there(application, desk),
        "key": lambda: _arrived(application, desk, noting, note),
    }
    for name, step in steps.items():
        try:
            yield Row(title, name, ok=True, detail=step())
        except (
            AssertionError,
            EOFError,
            OSError,
            StopIteration,
            ValueError,
            subprocess.TimeoutExpired,
        ) as wrong:
            yield Row(title, name, ok=False, detail=str(wrong))


def _line(said: str, start: str) -> str:
    return next(line for line in said.splitlines() if line.startswith(start))


def _connected(application: Application, desk: Desk) -> str:
    said = application.status(desk)
    found = re.search(application.connected, said)
    assert found, said
    return found.group()


def _not_there(application: Application, desk: Desk) -> str:
    said = application.status(desk)
    assert not re.search(r"\btebiki\b(?!-)", said), said
    return said or "no servers"


def _arrived(application: Application, desk: Desk, noting: str, note: Path) -> str:
    """Set up with the script that notes its variables, and look what it noted."""
    options = ("--command", noting, "--vault", str(desk.home / "notes"))
    desk.setup(application.name, "--write", *options)
    _connected(application, desk)
    variables = json.loads(note.read_text("utf-8"))
    assert variables.get("OPENAI_API_KEY") == _KEY, sorted(variables)
    assert variables.get("VAULT_ROOT") == str(desk.home / "notes"), sorted(variables)
    desk.setup(application.name, "--undo", *options[:2])
    return "OPENAI_API_KEY and VAULT_ROOT reach the server"


def _noting(home: Path) -> tuple[str, Path]:
    note, script = home / "variables.json", home / "start.py"
    script.write_text(_NOTING.format(note=str(note), server=command("tebiki")), "utf-8")
    return shlex.join([sys.executable, str(script)]), note


def _version(packages: Packages, package: str) -> str:
    described = json.loads((packages.modules / package / "package.json").read_text("utf-8"))
    return str(described["version"])


def _system() -> str:
    return f"{_SYSTEMS[platform.system()]}-{_MACHINES[platform.machine()]}"


def is_offline() -> bool:
    """Tell whether the programs are run without a network."""
    return bool(_offline())


def _offline() -> list[str]:
    """Words that take the network away from a program, where the system can do that."""
    if shutil.which(_OFFLINE[0]) is None:
        return []
    done = subprocess.run([*_OFFLINE, "true"], capture_output=True, check=False)
    return _OFFLINE if done.returncode == 0 else []
