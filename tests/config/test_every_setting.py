"""Settings on the real commands, seen by what is served or printed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.command import run_command
from tests.support.server_process import CANARY, ServerProcess

if TYPE_CHECKING:
    from pathlib import Path

    from simulator import Simulator

PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
FACES = {
    "tebiki": "tebiki",
    "openai_responses_mcp": "openai-responses-mcp",
    "mcp_o3_search": "mcp-o3-search",
}


@pytest.mark.requirement("config:file:place")
@pytest.mark.parametrize("face", FACES)
def test_each_face_has_its_own_file(tmp_path: Path, face: str) -> None:
    """Below `~/.config`, and no face reads another's."""
    for number, name in enumerate(FACES.values(), start=1):
        folder = tmp_path / ".config" / name
        folder.mkdir(parents=True)
        (folder / "config.yaml").write_text(f"policy: {{max_citations: {number}}}\n")

    shown = json.loads(run_command(tmp_path, "--show-config", face=face).stderr)

    place = tmp_path / ".config" / FACES[face] / "config.yaml"
    assert shown["sources"]["yaml"] == str(place)
    assert shown["effective"]["policy"]["max_citations"] == 1 + list(FACES).index(face)


def file_in(folder: Path, citations: int, name: str = "tebiki") -> Path:
    """A file of settings below a folder for settings."""
    place = folder / name / "config.yaml"
    place.parent.mkdir(parents=True)
    place.write_text(f"policy: {{max_citations: {citations}}}\n")
    return place


@pytest.mark.requirement("config:file:named-home")
@pytest.mark.parametrize("face", FACES)
def test_the_file_is_where_the_variable_has_it(tmp_path: Path, face: str) -> None:
    """On the face of the same name; the others read what they have always read."""
    moved = file_in(tmp_path / "xdg", 7, FACES[face])
    usual = file_in(tmp_path / ".config", 5, FACES[face])
    env = {"XDG_CONFIG_HOME": str(tmp_path / "xdg")}

    shown = json.loads(run_command(tmp_path, "--show-config", face=face, env=env).stderr)

    assert shown["sources"]["yaml"] == str(moved if face == "tebiki" else usual)
    token_file = shown["effective"]["http"]["token_file"]
    assert token_file.startswith(str(tmp_path / "xdg") if face == "tebiki" else "~/.config")


@pytest.mark.requirement("config:file:named-home")
@pytest.mark.parametrize("named", ["{home}/xdg", "xdg", ""])
def test_a_file_under_the_usual_folder_stays_in_force(tmp_path: Path, named: str) -> None:
    """Until there is one where the variable points; a relative folder is ignored."""
    usual = file_in(tmp_path / ".config", 5)
    if named == "xdg":
        file_in(tmp_path / "xdg", 7)
    env = {"XDG_CONFIG_HOME": named.format(home=tmp_path)}

    shown = json.loads(run_command(tmp_path, "--show-config", face="tebiki", env=env).stderr)

    assert shown["sources"]["yaml"] == str(usual)
    assert shown["effective"]["policy"]["max_citations"] == 5


@pytest.mark.requirement("config:file:named-home")
def test_tokens_under_the_usual_folder_stay_in_force(tmp_path: Path) -> None:
    """A new one is added to them; a fresh home has them where the variable points."""
    env = {"XDG_CONFIG_HOME": str(tmp_path / "xdg")}
    run_command(tmp_path, "token", "new", "alice", face="tebiki")

    run_command(tmp_path, "token", "new", "bob", face="tebiki", env=env)
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    run_command(fresh, "token", "new", "carol", face="tebiki", env=env)

    listed = run_command(tmp_path, "token", "ls", face="tebiki")
    assert listed.stdout.split() == ["alice", "bob"]
    assert (tmp_path / "xdg" / "tebiki" / "tokens").read_text().startswith("carol:")
    assert not (fresh / ".config").exists()


@pytest.mark.requirement("config:environment:address")
@pytest.mark.parametrize("face", FACES)
def test_an_address_without_a_scheme_stops_every_face(tmp_path: Path, face: str) -> None:
    """One line, exit 2, nothing served."""
    env = {"OPENAI_BASE_URL": "gateway.example/v1", "OPENAI_API_KEY": CANARY}

    done = run_command(tmp_path, "--stdio", face=face, env=env, stdin=PING)

    assert (done.code, done.stdout) == (2, "")
    assert "OPENAI_BASE_URL must be an http:// or https:// address" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.requirement("config:server:show-on-start")
def test_settings_are_shown_on_start_when_asked(tmp_path: Path) -> None:
    """By the file; the server serves all the same."""
    (tmp_path / "c.yaml").write_text("server: {show_config_on_start: true}\n")

    done = run_command(tmp_path, "--stdio", "--config", "c.yaml", stdin=PING)
    silent = run_command(tmp_path, "--stdio", stdin=PING)

    assert set(json.loads(done.stderr)) == {"version", "sources", "effective"}
    assert json.loads(done.stdout)["result"] == {}
    assert silent.stderr == ""


@pytest.mark.requirement("config:server:debug")
def test_the_file_turns_the_debug_log_on(tmp_path: Path) -> None:
    """On stderr, and in the file it names."""
    (tmp_path / "c.yaml").write_text("server: {debug: true, debug_file: d.log}\n")

    done = run_command(tmp_path, "--stdio", "--config", "c.yaml", stdin=PING)

    assert "recv method=ping id=1" in done.stderr
    assert (tmp_path / "d.log").read_text(encoding="utf-8") == done.stderr


@pytest.mark.requirement("config:debug:file-made")
def test_the_debug_file_is_made_with_its_folders(tmp_path: Path) -> None:
    """`~` is the home folder."""
    done = run_command(tmp_path, "--stdio", "--debug=~/deep/er/debug.log", stdin=PING)

    log = tmp_path / "deep" / "er" / "debug.log"
    assert "recv method=ping id=1" in log.read_text(encoding="utf-8")
    assert log.read_text(encoding="utf-8") == done.stderr


def sent_with(home: Path, simulator: Simulator, **env: str) -> dict[str, Any]:
    """The request that a server with these variables sends for a question."""
    access = {"OPENAI_API_KEY": CANARY, "OPENAI_BASE_URL": simulator.base_url}
    with ServerProcess(home, env=access | env) as server:
        server.call(1, "answer", {"query": "HTTP 404"})
    body: dict[str, Any] = simulator.requests[0].body
    return body


@pytest.mark.requirement("config:profiles:answer")
def test_the_answer_profile_follows_its_variables(tmp_path: Path, simulator: Simulator) -> None:
    """Model, effort and verbosity, as they are sent."""
    env = {"MODEL_ANSWER": "gpt-5-mini", "ANSWER_EFFORT": "xhigh", "ANSWER_VERBOSITY": "low"}

    body = sent_with(tmp_path, simulator, **env)

    assert body["model"] == "gpt-5-mini"
    assert (body["reasoning"], body["text"]) == ({"effort": "xhigh"}, {"verbosity": "low"})


@pytest.mark.requirement("config:search:defaults")
def test_the_hints_follow_their_variables(tmp_path: Path, simulator: Simulator) -> None:
    """Recency and number of results, where the call names none."""
    env = {"SEARCH_RECENCY_DAYS": "7", "SEARCH_MAX_RESULTS": "2"}

    body = sent_with(tmp_path, simulator, **env)

    text = body["input"][0]["content"][0]["text"]
    assert text == "HTTP 404\n[Hints] recency_days=7, max_results=2."


@pytest.mark.requirement("config:roots:workspace", "config:roots:vault")
def test_the_vault_is_where_it_is_said_to_be(tmp_path: Path) -> None:
    """`VAULT_ROOT` stands above the workspace."""
    for name, folder in (("inside", "workspace/vault"), ("outside", "elsewhere")):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / f"{name}.md").write_text("x")
    workspace = {"WORKSPACE_ROOT": str(tmp_path / "workspace")}

    said = [
        run_command(tmp_path, "vault", "ls", face="tebiki", env=env).stdout
        for env in (workspace, workspace | {"VAULT_ROOT": str(tmp_path / "elsewhere")})
    ]

    assert said == ["inside.md\n", "outside.md\n"]


@pytest.mark.requirement("websearch:time:bounds")
@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [
        ("SERVER_TIMEOUT", "0", "websearch.timeout_ms"),
        ("SERVER_MAX_RETRIES", "0", "websearch.max_attempts must be an integer from 1 to 10"),
        ("SERVER_MAX_RETRIES", "11", "websearch.max_attempts must be an integer from 1 to 10"),
    ],
)
def test_bounds_of_the_search_are_held(
    tmp_path: Path, variable: str, value: str, words: str
) -> None:
    """A warning, and the value below stays in force."""
    done = run_command(tmp_path, "--stdio", face="mcp_o3_search", env={variable: value})

    assert done.code == 0
    assert f'{variable}="{value}" is ignored' in done.stderr
    assert words in done.stderr
