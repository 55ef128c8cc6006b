"""Incidents of servers like this one that belong to no single room, each under its name.

docs/security.md lists all of them with their tests; what a room answers for is tested there.
"""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.soak.stage import environment, furnished
from tests.support.command import run_command
from tests.support.http_process import HttpProcess
from tests.support.server_process import ServerProcess

if TYPE_CHECKING:
    from simulator import Simulator

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src" / "tebiki"
NETWORK = {
    *("socket", "ssl", "http", "urllib.request", "httpx", "httpx2", "requests", "aiohttp"),
    *("redis", "opensearchpy"),
}
REACH_THE_NETWORK = {
    "cli/open.py",  # asks the listener on this machine whether it is the user's own server
    "manuals/index/opensearch/client.py",  # the index of `manuals.opensearch`, where it is set
    "state/redis_store.py",  # the state of `state.url`, where it is set
    "vault/forwarder.py",  # the owner of the notes, `vault.owner_url`, where it is set
    "web/oauth.py",  # the issuer's keys: https, no redirects
    "web/serving.py",  # listens
}
AT_ONCE = 4
PRIVATE = "walnut-private-words"
TAKEOVER_MENDED = (1, 27, 2)
"""The release of the MCP SDK since which a session is bound to its principal."""


@pytest.mark.requirement("security:data:private-text")
def test_private_text_is_sent_only_by_who_asks(simulator: Simulator, tmp_path: Path) -> None:
    """Lethal trifecta: what was read in notes and manuals is in no request to the API."""
    furnished(tmp_path)
    (tmp_path / "manuals" / "lamp" / "b.md").write_text(f"# Walnut\n\n{PRIVATE}\n")
    env = environment(tmp_path, simulator.base_url)
    read: list[tuple[str, dict[str, Any]]] = [
        ("manual_ls", {}),
        ("vault_create", {"path": "a.md", "content": PRIVATE}),
        ("vault_read", {"path": "a.md", "full": True}),
        ("manual_find", {"query": "walnut", "manual_id": "lamp", "required_terms": [PRIVATE]}),
        ("manual_scan", {"manual_id": "lamp", "path": "b.md"}),
    ]

    with ServerProcess(tmp_path, face="tebiki", env=env) as server:
        answers = [server.call(f"{number}", *call) for number, call in enumerate(read)]
        for tool in ("answer", "answer_detailed", "answer_quick", "chatgpt_o3_search"):
            server.call(tool, tool, {"query": "本日の天気"})

    assert PRIVATE in str(answers[2])
    assert PRIVATE in str(answers[4])
    assert len(simulator.requests) == 4
    assert PRIVATE not in str(simulator.requests)


@pytest.mark.requirement("security:settings:strangers-folder")
@pytest.mark.parametrize(
    "name", ["config.yaml", "tebiki.yaml", ".tebiki.yaml", ".tebiki/config.yaml", ".env"]
)
def test_nothing_is_configured_by_the_folder_one_stands_in(tmp_path: Path, name: str) -> None:
    """Project-local configuration: a stranger's folder widens no root and runs nothing."""
    project, home = tmp_path / "project", tmp_path / "home"
    for folder in (project / ".tebiki", home):
        folder.mkdir(parents=True)
    dotenv = "OPENAI_BASE_URL=http://evil.example\nVAULT_ROOT=/\n"
    yaml = "openai: {base_url: 'http://evil.example'}\nvault: {root: /}\n"
    (project / name).write_text(dotenv if name == ".env" else yaml)

    shown = run_command(project, "show-config", face="tebiki", env={"HOME": str(home)})

    assert shown.code == 0
    assert "evil.example" not in shown.stdout
    assert "vault.root = /\n" not in shown.stdout


@pytest.mark.requirement("security:network:named-modules")
def test_only_named_modules_reach_the_network() -> None:
    """Request forgery: no page is fetched; only hosts that a setting names are called."""
    reaching = set()
    for path in SOURCES.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                names = [node.module or ""]
            if any(name in NETWORK or name.partition(".")[0] in NETWORK for name in names):
                reaching.add(path.relative_to(SOURCES).as_posix())

    assert reaching == REACH_THE_NETWORK


@pytest.mark.requirement("security:data:own-answers")
def test_interleaved_clients_each_hear_their_own_answers(tmp_path: Path) -> None:
    """Cross-client leak: the same request ids from two clients at once, told apart throughout."""
    with HttpProcess(tmp_path, "--toolsets", "vault") as server:
        talks = {"alice": server.talk(), "bob": server.talk(modern=True)}
        for who, talk in talks.items():
            talk.call("note", "vault_create", {"path": f"{who}.md", "content": f"of {who}\n"})
        heard: dict[str, list[str]] = {who: [] for who in talks}
        for _ in range(10):
            for number in range(AT_ONCE):
                for who, talk in talks.items():
                    talk.begin_call(number, "vault_read", {"path": f"{who}.md", "full": True})
            for who, talk in talks.items():
                heard[who] += [_text(talk.answer_to(number)) for number in range(AT_ONCE)]

    assert heard == {who: [f"of {who}\n"] * 10 * AT_ONCE for who in talks}


def _text(answer: dict[str, Any]) -> str:
    return str(answer["result"]["structuredContent"].get("text", answer))


@pytest.mark.requirement("security:supply:pinned")
def test_the_sdk_cannot_be_one_with_known_flaws() -> None:
    """SDK flaws: neither the lower bound nor the locked release is older than the mended one."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    bounds = [
        re.match(r"mcp>=([\d.]+)", wanted) for wanted in extras["optional-dependencies"]["http"]
    ]
    locks = (ROOT / "requirements").glob("*.lock")
    pins = [re.search(r"^mcp==([\d.]+)", lock.read_text(), re.MULTILINE) for lock in locks]

    for found in (*bounds, *pins):
        if found is not None:
            assert tuple(map(int, found[1].split("."))) >= TAKEOVER_MENDED
    assert any(bounds)
    assert any(pins)


@pytest.mark.requirement("security:supply:pinned")
def test_whatever_is_built_with_is_pinned_by_its_content() -> None:
    """Supply chain: actions by commit, releases by hash, and no code of ours runs on install."""
    for workflow in (ROOT / ".github" / "workflows").glob("*.yml"):
        used = re.findall(r"uses: (\S+)", workflow.read_text())
        assert [action for action in used if not re.search(r"@[0-9a-f]{40}$", action)] == []
    for lock in (ROOT / "requirements").glob("*.lock"):
        text = lock.read_text()
        pins = re.findall(r"^\S+==.*$", text, re.MULTILINE)
        assert pins
        assert [pin for pin in pins if not pin.endswith("\\")] == []
        assert text.count("--hash=sha256:") >= len(pins)
    assert not list(ROOT.glob("setup.py"))
    assert "hooks" not in (ROOT / "pyproject.toml").read_text()
