"""`tebiki doctor` as a person runs it: what it finds, what it advises, what it leaves alone."""

from __future__ import annotations

import json
import shutil
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from simulator import Simulator
from tests.support.command import Finished, run_command
from tests.support.server_process import CANARY
from tests.support.terminal import run_at_terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

SAMPLES = Path(__file__).parents[2] / "samples" / "manuals"

Rows = list[dict[str, Any]]


def doctor(home: Path, base_url: str, *flags: str, **env: str) -> Finished:
    """Run it against an API."""
    access = {"OPENAI_API_KEY": CANARY, "OPENAI_BASE_URL": base_url}
    return run_command(home, "doctor", *flags, face="tebiki", env=access | env)


def findings(home: Path, base_url: str, *flags: str, **env: str) -> tuple[int, Rows]:
    """The same, as a program reads it."""
    done = doctor(home, base_url, "--json", *flags, **env)
    assert done.stderr == ""
    assert CANARY not in done.stdout
    found: Rows = json.loads(done.stdout)["findings"]
    return done.code, found


def of(rows: Rows, area: str) -> Rows:
    """The findings about one thing."""
    return [row for row in rows if row["area"] == area]


@pytest.fixture(name="workspace")
def _workspace(tmp_path: Path) -> Path:
    """A home with manuals and a vault."""
    shutil.copytree(SAMPLES, tmp_path / "manuals")
    (tmp_path / "vault" / ".system" / "locks").mkdir(parents=True)
    return tmp_path


@pytest.mark.requirement("people:doctor:areas")
def test_all_is_well(workspace: Path, simulator: Simulator) -> None:
    """Every area is looked at; what is there is told."""
    code, rows = findings(workspace, simulator.base_url)

    assert code == 0
    assert {row["verdict"] for row in rows if row["area"] != "command"} == {"ok"}
    areas = list(dict.fromkeys(row["area"] for row in rows))
    assert areas == [
        "python",
        "command",
        "config",
        "key",
        "endpoint",
        "model",
        "manuals",
        "indexes",
        "vault",
        "ledger",
        "clock",
        "stdio",
    ]
    assert set(of(rows, "python")[0]["facts"]["packages"]) >= {"openai", "tantivy"}
    assert of(rows, "config")[0]["facts"]["layers"]["env"] == 1
    assert [row["facts"]["model"] for row in of(rows, "model")] == ["gpt-5.2", "o3"]
    manuals = of(rows, "manuals")
    assert manuals[0]["facts"]["manuals"] == ["kaede-fukugouki", "lantern-backup"]
    assert all(row["facts"]["sections"] > 10 for row in manuals[1:])
    assert [row["words"].partition(":")[0] for row in of(rows, "stdio")] == ["lines", "frames"]
    assert {row["facts"]["tools"] for row in of(rows, "stdio")} == {15}


@pytest.mark.requirement("people:doctor:endpoint")
def test_one_free_request_is_sent(workspace: Path, simulator: Simulator) -> None:
    """The list of models, and nothing when offline."""
    findings(workspace, simulator.base_url)
    assert [(one.method, one.path) for one in simulator.requests] == [("GET", "/v1/models")]
    simulator.reset()

    code, rows = findings(workspace, simulator.base_url, "--offline")

    assert simulator.requests == []
    assert code == 0
    assert of(rows, "key")
    assert not of(rows, "endpoint")


@pytest.mark.requirement("config:file:named-home")
def test_which_file_is_in_force_is_told(tmp_path: Path) -> None:
    """And where one of higher authority could be; the tokens' file too."""
    words = ("doctor", "--json", "--offline", "--toolsets", "vault")
    env = {"XDG_CONFIG_HOME": str(tmp_path / "xdg")}
    usual, moved = tmp_path / ".config" / "tebiki", tmp_path / "xdg" / "tebiki"

    nothing = run_command(tmp_path, *words, face="tebiki", env=env)
    usual.mkdir(parents=True)
    (usual / "config.yaml").write_text("")
    (usual / "tokens").write_text("")
    below = run_command(tmp_path, *words, face="tebiki", env=env)
    moved.mkdir(parents=True)
    (moved / "config.yaml").write_text("")
    above = run_command(tmp_path, *words, face="tebiki", env=env)

    told = [of(json.loads(done.stdout)["findings"], "config") for done in (nothing, below, above)]
    assert f"no file at {moved / 'config.yaml'} or {usual / 'config.yaml'}" in told[0][0]["words"]
    assert f"{usual / 'config.yaml'} (no file at {moved / 'config.yaml'})" in told[1][0]["words"]
    assert told[1][1]["facts"] == {"tokens": str(usual / "tokens")}
    assert told[2][0]["words"].startswith(f"{moved / 'config.yaml'}; ")


@pytest.mark.requirement("people:doctor:areas")
def test_a_name_that_looks_like_a_secret_harms_nothing(tmp_path: Path) -> None:
    """Whatever is cut out of a fact, the rest can be read."""
    words = ("doctor", "--json", "--offline", "--toolsets", "vault")

    done = run_command(tmp_path, *words, face="tebiki", env={"VAULT_ROOT": 'bearer a"b'})

    facts = of(json.loads(done.stdout)["findings"], "vault")[0]["facts"]
    assert facts == {"root": f'{tmp_path}/bearer [redacted]"b'}


@pytest.mark.requirement("people:doctor:leaves-nothing")
def test_nothing_is_left_behind(workspace: Path, simulator: Simulator) -> None:
    """Neither in the vault nor in the manuals."""
    before = sorted(workspace.joinpath("vault").rglob("*"))
    manuals = sorted(workspace.joinpath("manuals").rglob("*"))

    findings(workspace, simulator.base_url)

    assert sorted(workspace.joinpath("vault").rglob("*")) == before
    assert sorted(workspace.joinpath("manuals").rglob("*")) == manuals


@pytest.mark.requirement("people:doctor:verdicts")
def test_a_missing_key_is_a_fault_unless_nothing_needs_it(workspace: Path) -> None:
    """Manuals and vault do not."""
    done = run_command(workspace, "doctor", face="tebiki")
    other = run_command(workspace, "doctor", "--toolsets", "manuals,vault", face="tebiki")

    assert done.code == 1
    assert "fault    key       Missing API key: set OPENAI_API_KEY\n" in done.stdout
    assert "endpoint" not in done.stdout
    assert other.code == 0
    assert "key" not in other.stdout.split()


@pytest.mark.requirement("people:doctor:verdicts")
def test_a_refused_key_is_a_fault(workspace: Path, simulator: Simulator) -> None:
    """The simulator repeats the key; the doctor does not."""
    key = "sk-rejected-canary-987654"

    code, rows = findings(workspace, simulator.base_url, OPENAI_API_KEY=key)

    (endpoint,) = of(rows, "endpoint")
    assert code == 1
    assert endpoint["verdict"] == "fault"
    assert "refuses the key" in endpoint["words"]
    assert endpoint["advice"] == "set another key"
    assert key not in json.dumps(rows)


@pytest.mark.requirement("people:doctor:verdicts")
def test_a_key_of_an_odd_form_is_told(workspace: Path) -> None:
    """Blanks cannot be in one; the official API's begin alike."""
    official = "https://api.openai.com/v1"
    _, blank = findings(workspace, official, "--offline", OPENAI_API_KEY="two words")
    _, odd = findings(workspace, official, "--offline", OPENAI_API_KEY="abcdefgh-12345678")

    assert of(blank, "key")[0]["verdict"] == "fault"
    assert of(odd, "key")[0]["verdict"] == "warning"
    assert "abcdefgh" not in json.dumps(odd)


@pytest.fixture(name="silent")
def _silent() -> Iterator[str]:
    """An address where somebody listens and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"


@pytest.mark.requirement("people:doctor:endpoint")
def test_an_api_that_does_not_answer_is_a_fault(workspace: Path, silent: str) -> None:
    """The wait is bounded by the request's own time-out."""
    code, rows = findings(workspace, silent, OPENAI_API_TIMEOUT="200")

    assert code == 1
    assert "did not answer within 0.2 s" in of(rows, "endpoint")[0]["words"]
    assert not of(rows, "model")
    assert of(rows, "stdio"), "the rest is still looked at"


@pytest.mark.requirement("people:doctor:endpoint")
def test_an_api_that_is_not_there_is_a_fault(workspace: Path) -> None:
    """Said with the address."""
    with socket.create_server(("127.0.0.1", 0)) as gone:
        address = f"http://127.0.0.1:{gone.getsockname()[1]}/v1"

    code, rows = findings(workspace, address)

    assert code == 1
    assert address in of(rows, "endpoint")[0]["words"]


@pytest.mark.requirement("people:budget:unread")
def test_a_cap_that_cannot_be_read_is_a_fault(workspace: Path, simulator: Simulator) -> None:
    """With the variable, and what follows from it; another bad value is a warning."""
    env = {"TEBIKI_BUDGET_DAILY_USD": "abc", "MAX_CITATIONS": "99"}

    code, rows = findings(workspace, simulator.base_url, **env)

    verdicts = {row["words"].partition("=")[0]: row["verdict"] for row in of(rows, "config")}
    assert code == 1
    assert verdicts["TEBIKI_BUDGET_DAILY_USD"] == "fault"
    assert verdicts["MAX_CITATIONS"] == "warning"


@pytest.mark.requirement("people:doctor:endpoint")
def test_a_gateway_without_a_list_is_a_warning(workspace: Path, simulator: Simulator) -> None:
    """It may still answer."""
    code, rows = findings(workspace, f"{simulator.base_url}/elsewhere")

    assert code == 0
    assert of(rows, "endpoint")[0]["verdict"] == "warning"
    assert "no list of models" in of(rows, "endpoint")[0]["words"]


@pytest.mark.requirement("people:doctor:models")
def test_models_that_are_not_there(workspace: Path, simulator: Simulator) -> None:
    """A fault for answers; a search has a substitute."""
    env = {"MODEL_ANSWER": "gpt-5.22", "OPENAI_MODEL": "o33"}

    code, rows = findings(workspace, simulator.base_url, **env)

    answer, search = of(rows, "model")
    assert code == 1
    assert (answer["verdict"], search["verdict"]) == ("fault", "warning")
    assert answer["advice"].startswith("set model_profiles.answer.model to another model, such as ")
    assert "gpt-5.2" in answer["advice"]
    assert "websearch.model" in search["advice"]


@pytest.mark.requirement("people:doctor:models")
def test_shutdown_dates_are_told(workspace: Path) -> None:
    """A warning before, a fault after."""
    dates = {"o3": "2999-12-31", "gpt-5.2": "2020-01-01"}
    with Simulator(shutdown_dates=dates) as simulator:
        code, rows = findings(workspace, simulator.base_url)

    answer, search = of(rows, "model")
    assert code == 1
    assert answer["verdict"] == "fault"
    assert "was to shut down on 2020-01-01" in answer["words"]
    assert search["verdict"] == "warning"
    assert "o3 (search) shuts down on 2999-12-31, in " in search["words"]
    assert "https://developers.openai.com/api/docs/deprecations" in search["advice"]


@pytest.mark.requirement("people:doctor:models", "people:doctor:successors", "mcp:models:doctor")
def test_the_successor_and_the_command_are_told(workspace: Path) -> None:
    """The day is the API's, the successor is known here."""
    with Simulator(shutdown_dates={"gpt-5": "2020-01-01"}) as simulator:
        _, rows = findings(workspace, simulator.base_url, MODEL_ANSWER="gpt-5")

    answer = of(rows, "model")[0]
    assert answer["advice"].startswith("export MODEL_ANSWER=gpt-5.6-sol, or set model_profiles.")
    assert answer["facts"]["successor"] == "gpt-5.6-sol"


@pytest.mark.requirement("people:doctor:successors", "mcp:models:doctor")
def test_what_is_known_is_told_without_the_api(workspace: Path, simulator: Simulator) -> None:
    """Of models that somebody chose; the search's own default has a substitute."""
    _, rows = findings(workspace, simulator.base_url, "--offline", MODEL_ANSWER_QUICK="o4-mini")
    _, usual = findings(workspace, simulator.base_url, "--offline")

    (quick,) = of(rows, "model")
    assert quick["words"] == "o4-mini (answer_quick) was to shut down on 2026-10-23"
    assert quick["verdict"] == "fault"
    assert "export MODEL_ANSWER_QUICK=gpt-5.6-terra" in quick["advice"]
    assert of(usual, "model") == []


@pytest.mark.requirement("people:doctor:models")
def test_a_profile_set_to_null_is_told(workspace: Path, simulator: Simulator) -> None:
    """Its tool refuses every call, which may be meant."""
    config = workspace / "own.yaml"
    config.write_text("model_profiles: {answer_quick: null}\n", encoding="utf-8")

    code, rows = findings(workspace, simulator.base_url, f"--config={config}")

    assert code == 0
    assert of(rows, "model")[0]["words"].startswith("answer_quick refuses every call")
    assert of(rows, "config")[0]["facts"]["file"] == str(config)


@pytest.mark.requirement("people:doctor:verdicts")
def test_settings_that_stop_every_start_are_a_fault(workspace: Path, simulator: Simulator) -> None:
    """The rest that can be looked at is."""
    config = workspace / "own.yaml"
    config.write_text(f"policy: {{max_citations: {CANARY}}}\n", encoding="utf-8")

    code, rows = findings(workspace, simulator.base_url, f"--config={config}")

    assert code == 1
    assert [row["area"] for row in rows] == ["python", "command", "config", "clock"]
    assert of(rows, "config")[0]["verdict"] == "fault"


@pytest.mark.requirement("people:doctor:verdicts")
def test_odd_settings_are_warnings(workspace: Path, simulator: Simulator) -> None:
    """Each is a line of its own."""
    code, rows = findings(workspace, simulator.base_url, MAX_CITATIONS="99")

    assert code == 0
    assert "MAX_CITATIONS" in of(rows, "config")[1]["words"]
    assert of(rows, "config")[1]["verdict"] == "warning"


@pytest.mark.requirement("people:doctor:files")
def test_what_is_left_out_of_a_manual_is_told(workspace: Path, simulator: Simulator) -> None:
    """With the reasons."""
    manual = workspace / "manuals" / "lantern-backup"
    (manual / "broken.md").write_bytes(b"\xff\x00\xfe")
    (manual / "link.md").symlink_to(manual / "overview.md")

    _, rows = findings(workspace, simulator.base_url, "--offline")

    found = of(rows, "manuals")[-1]
    assert found["verdict"] == "warning"
    assert "left out: 1 encoding, 1 symlink" in found["words"]
    assert {row["path"] for row in found["facts"]["skipped"]} == {"broken.md", "link.md"}


@pytest.mark.requirement("people:doctor:files")
def test_no_manuals_and_no_vault_yet(tmp_path: Path, simulator: Simulator) -> None:
    """The one is a warning, the other comes with the first note."""
    _, rows = findings(tmp_path, simulator.base_url, "--offline")

    assert of(rows, "manuals")[0]["verdict"] == "warning"
    assert "MANUALS_ROOT" in of(rows, "manuals")[0]["advice"]
    assert of(rows, "vault")[0]["verdict"] == "ok"
    assert not (tmp_path / "vault").exists()


@pytest.mark.requirement("people:doctor:files")
@pytest.mark.parametrize("root", ["note.txt", "note.txt/vault"])
def test_a_vault_that_cannot_be_written_is_a_fault(
    tmp_path: Path, simulator: Simulator, root: str
) -> None:
    """With the folder and the setting."""
    (tmp_path / "note.txt").write_text("x", encoding="utf-8")
    path = str(tmp_path / root)

    code, rows = findings(tmp_path, simulator.base_url, "--offline", VAULT_ROOT=path)

    assert code == 1
    assert path in of(rows, "vault")[0]["words"]
    assert "VAULT_ROOT" in of(rows, "vault")[0]["advice"]


@pytest.mark.requirement("people:doctor:areas")
def test_the_ledger_is_looked_at(tmp_path: Path, simulator: Simulator) -> None:
    """Not made, not written; a place where none can be is a fault, and none may be wanted."""
    there = tmp_path / "ledger.jsonl"
    there.write_text("", encoding="utf-8")
    verdicts = []
    for env in (
        {"TEBIKI_LEDGER_PATH": str(there)},
        {"TEBIKI_LEDGER_PATH": str(tmp_path / "new" / "ledger.jsonl")},
        {"TEBIKI_LEDGER_ENABLED": "false"},
        {"TEBIKI_LEDGER_PATH": str(tmp_path)},
        {"TEBIKI_LEDGER_PATH": str(there / "ledger.jsonl")},
    ):
        _, rows = findings(tmp_path, simulator.base_url, "--offline", **env)
        verdicts.append(of(rows, "ledger")[0]["verdict"])

    assert verdicts == ["ok", "ok", "ok", "fault", "fault"]
    assert there.read_bytes() == b""
    assert not (tmp_path / "new").exists()


@pytest.mark.requirement("people:doctor:reads-well")
@pytest.mark.parametrize("width", [80, 120])
def test_it_reads_well_at_a_terminal(workspace: Path, simulator: Simulator, width: int) -> None:
    """Coloured verdicts, no line longer than the terminal is wide."""
    env = {"OPENAI_API_KEY": CANARY, "OPENAI_BASE_URL": simulator.base_url}

    done = run_at_terminal(workspace, "doctor", env=env, width=width)

    assert done.code == 0
    assert "\x1b[32mok       \x1b[0mkey       OPENAI_API_KEY is set" in done.raw
    words = [line for line in done.screen if "/" not in line]
    assert max(map(len, words)) <= width
    assert any(line.startswith("ok       stdio     lines: ") for line in done.screen)


@pytest.mark.requirement("people:commands:wrong-usage")
@pytest.mark.parametrize("flags", [["--nope"], ["--toolsets", "nope"], ["words"]])
def test_wrong_usage_is_2(tmp_path: Path, flags: list[str]) -> None:
    """One line."""
    done = run_command(tmp_path, "doctor", *flags, face="tebiki")

    assert (done.code, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
