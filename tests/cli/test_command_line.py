"""The real command line: flags, exit codes, what goes to which stream."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tebiki import __version__
from tebiki.config.schema import SETTINGS
from tests.support.command import run_command
from tests.support.launching import clean_environment
from tests.support.server_process import CANARY, PLAIN_CANARY

if TYPE_CHECKING:
    from pathlib import Path

FACES = ["openai_responses_mcp", "mcp_o3_search", "tebiki"]


@pytest.mark.requirement("config:table:single-source", "config:flags:help")
@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize("flags", [[], ["--help"], ["-h"], ["--stdio", "--help"]])
def test_help_names_every_flag(tmp_path: Path, face: str, flags: list[str]) -> None:
    """On stdout, exit 0; no argument prints it too."""
    done = run_command(tmp_path, *flags, face=face)

    assert (done.code, done.stderr) == (0, "")
    for flag in ("--stdio", "--config PATH", "--debug [PATH]", "--show-config", "--version, -v"):
        assert flag in done.stdout
    assert ("--toolsets" in done.stdout) is (face == "tebiki")


@pytest.mark.requirement("config:table:single-source", "config:flags:help")
@pytest.mark.parametrize(
    ("face", "own", "others"),
    [
        (
            "openai_responses_mcp",
            ["MODEL_ANSWER", "MAX_CITATIONS"],
            ["MANUALS_ROOT", "SERVER_TIMEOUT"],
        ),
        ("mcp_o3_search", ["OPENAI_MODEL", "SERVER_TIMEOUT"], ["MANUALS_ROOT", "MAX_CITATIONS"]),
    ],
)
def test_a_drop_in_lists_only_the_variables_it_reads(
    tmp_path: Path, face: str, own: list[str], others: list[str]
) -> None:
    """Those of manuals and notes are the product's."""
    text = run_command(tmp_path, "--help", face=face).stdout

    assert [name for name in own if name not in text] == []
    assert [name for name in others if name in text] == []


@pytest.mark.requirement("config:table:single-source", "people:commands:help-topics")
def test_the_product_shows_its_commands_first_and_settings_on_demand(tmp_path: Path) -> None:
    """The help fits a screen or two; no setting is left out of the list."""
    text = run_command(tmp_path, "--help", face="tebiki").stdout
    settings = run_command(tmp_path, "help", "settings", face="tebiki")
    rows = json.loads(run_command(tmp_path, "help", "settings", "--json", face="tebiki").stdout)

    assert text.count("\n") <= 50
    assert text.index("Commands:") < text.index("Options:") < text.index("help settings")
    assert (settings.code, settings.stderr) == (0, "")
    for setting in SETTINGS:
        assert setting.key in settings.stdout
        assert setting.env is None or setting.env in settings.stdout
    assert [row["key"] for row in rows] == [setting.key for setting in SETTINGS]


@pytest.mark.requirement("people:commands:help-topics")
def test_help_on_a_command_is_that_of_the_command(tmp_path: Path) -> None:
    """And of its actions; what is not known is guessed."""
    for words in (["vault"], ["manuals", "find"]):
        own = run_command(tmp_path, *words, "--help", face="tebiki")
        assert run_command(tmp_path, "help", *words, face="tebiki") == own
    wrong = run_command(tmp_path, "help", "manuals", "fnd", face="tebiki")
    assert (wrong.code, wrong.stdout) == (2, "")
    assert "did you mean find?" in wrong.stderr


@pytest.mark.requirement("config:flags:version")
@pytest.mark.parametrize("flag", ["--version", "-v"])
def test_version_alone_on_stdout(tmp_path: Path, flag: str) -> None:
    """Nothing else, anywhere."""
    assert run_command(tmp_path, flag) == (0, f"{__version__}\n", "")


@pytest.mark.requirement("config:file:explicit", "config:flags:unknown", "config:flags:config")
@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--nope"], "unknown argument --nope"),
        (["--stdioo"], "did you mean --stdio?"),
        (["serve"], "unknown argument serve"),
        (["--config"], "--config needs a value"),
        (["--config="], "--config needs a value"),
        (["--stdio=1"], "unknown argument --stdio=1"),
        (["--toolsets", "answers"], "unknown argument --toolsets"),
        (["--stdio", "--config", "missing.yaml"], "--config missing.yaml: no such file"),
        (["--stdio", "--config", "."], "--config .: is a folder"),
        (["--config", "missing.yaml"], "say what to do"),
        (["--debug"], "say what to do"),
    ],
)
def test_anything_unknown_is_one_line_and_exit_2(
    tmp_path: Path, flags: list[str], words: str
) -> None:
    """Nothing on stdout."""
    done = run_command(tmp_path, *flags)

    assert (done.code, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert words in done.stderr


@pytest.mark.requirement("config:flags:toolsets")
@pytest.mark.parametrize("chosen", ["nope", "answers,nope", ""])
def test_an_unknown_toolset_is_refused(tmp_path: Path, chosen: str) -> None:
    """With the known ones named."""
    done = run_command(tmp_path, "--stdio", f"--toolsets={chosen}", face="tebiki")

    assert done.code == 2
    assert "choose from answers, search, manuals, vault" in done.stderr


@pytest.mark.requirement(
    "config:flags:show-config", "config:flags:sources", "config:flags:no-secrets"
)
def test_show_config_is_one_json_document_on_stderr(tmp_path: Path) -> None:
    """Exit 0, nothing on stdout, no secret."""
    env = {"OPENAI_API_KEY": CANARY, "MAX_CITATIONS": "7"}

    done = run_command(tmp_path, "--show-config", env=env)

    shown = json.loads(done.stderr)
    assert (done.code, done.stdout) == (0, "")
    assert set(shown) == {"version", "sources", "effective"}
    assert shown["version"] == __version__
    assert shown["sources"]["env"] == ["MAX_CITATIONS", "OPENAI_API_KEY"]
    assert shown["sources"]["cli"] == []
    assert "yaml" not in shown["sources"]
    assert shown["effective"]["policy"]["max_citations"] == 7
    assert shown["effective"]["model_profiles"]["answer"] == {
        "model": "gpt-5.2",
        "reasoning_effort": "medium",
        "verbosity": "medium",
    }
    assert CANARY not in done.stderr


@pytest.mark.requirement("config:flags:show-config-stdio")
def test_show_config_goes_on_when_serving(tmp_path: Path) -> None:
    """With --stdio: print and go on."""
    ping = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'

    done = run_command(tmp_path, "--stdio", "--show-config", stdin=ping)

    assert json.loads(done.stderr)["version"] == __version__
    assert json.loads(done.stdout) == {"jsonrpc": "2.0", "id": 1, "result": {}}


@pytest.mark.requirement(
    "config:layers:precedence",
    "config:flags:sources",
    "config:flags:origins",
    "config:flags:config",
)
def test_origins_tell_what_was_shadowed(tmp_path: Path) -> None:
    """Every value with where it came from and what it covers."""
    config = tmp_path / "own.yaml"
    config.write_text("policy:\n  max_citations: 5\n", encoding="utf-8")

    done = run_command(
        tmp_path,
        "--show-config",
        "--origins",
        f"--config={config}",
        env={"MAX_CITATIONS": "7"},
    )

    origins = json.loads(done.stderr)["origins"]
    assert origins["policy.max_citations"] == {
        "value": 7,
        "origin": "env MAX_CITATIONS",
        "shadowed": [
            {"value": 5, "origin": f"yaml {config}:2"},
            {"value": 3, "origin": "default"},
        ],
    }
    assert len(origins) == len(SETTINGS)
    assert json.loads(done.stderr)["sources"]["yaml"] == str(config)


@pytest.mark.requirement("config:flags:no-secrets")
def test_a_password_in_the_address_is_not_shown(tmp_path: Path) -> None:
    """Secrets are never printed, wherever they were put."""
    env = {"OPENAI_BASE_URL": "https://user:hunter2@proxy.example/v1"}

    done = run_command(tmp_path, "--show-config", env=env)

    assert "hunter2" not in done.stderr
    assert "proxy.example" in done.stderr


@pytest.mark.requirement("config:flags:debug", "config:debug:file")
@pytest.mark.parametrize("form", [["--debug", "{}"], ["--debug={}"]])
def test_the_debug_file_gets_what_stderr_gets(tmp_path: Path, form: list[str]) -> None:
    """Folders are created; the file is appended to."""
    log = tmp_path / "deep" / "debug.log"
    log.parent.mkdir()
    log.write_text("before\n", encoding="utf-8")
    flags = [part.format(log) for part in form]

    done = run_command(
        tmp_path, "--stdio", *flags, stdin=b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
    )

    assert "recv method=ping id=1" in done.stderr
    assert log.read_text(encoding="utf-8") == "before\n" + done.stderr


@pytest.mark.requirement("config:debug:unopenable")
def test_a_debug_file_that_cannot_be_opened_is_a_warning(tmp_path: Path) -> None:
    """The log goes to stderr alone."""
    done = run_command(
        tmp_path,
        "--stdio",
        f"--debug={tmp_path}",
        stdin=b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n',
    )

    assert done.code == 0
    assert "warning: debug file" in done.stderr
    assert "recv method=ping" in done.stderr


@pytest.mark.requirement("config:debug:silent")
def test_without_debug_stderr_is_silent(tmp_path: Path) -> None:
    """Only errors and warnings are ever written."""
    done = run_command(tmp_path, "--stdio", stdin=b'{"jsonrpc":"2.0","id":1,"method":"ping"}\nx\n')

    assert done.stderr == ""


@pytest.mark.requirement("config:environment:bad-value", "config:debug:silent")
def test_warnings_appear_once_at_start(tmp_path: Path) -> None:
    """And the server serves."""
    done = run_command(tmp_path, "--stdio", env={"MAX_CITATIONS": "99"})

    assert done.code == 0
    assert done.stderr == (
        'openai-responses-mcp: warning: MAX_CITATIONS="99" is ignored: '
        "policy.max_citations must be an integer from 1 to 10\n"
    )


@pytest.mark.requirement("config:flags:no-secrets", "config:flags:config")
@pytest.mark.parametrize("key", [CANARY, PLAIN_CANARY])
def test_a_key_is_not_repeated_by_a_complaint(tmp_path: Path, key: str) -> None:
    """Neither from the command line nor from a file."""
    config = tmp_path / "twice.yaml"
    env = {"OPENAI_API_KEY": key}
    complaints = [run_command(tmp_path, key, env=env)]

    for text in (f"a: 1\na: {key}\n", f"openai: {{base_url: {key}}}\n", f"search: {key}\n"):
        config.write_text(text, encoding="utf-8")
        complaints.append(run_command(tmp_path, "--stdio", f"--config={config}", env=env))

    assert [done.code for done in complaints] == [2, 2, 2, 2]
    assert key not in "".join(done.stderr for done in complaints)


@pytest.mark.requirement("config:flags:closed-streams")
@pytest.mark.parametrize("closed", ["0<&-", "1>&-", "2>&-"])
@pytest.mark.parametrize("flags", ["--version", "--stdio", "--show-config", "--nope"])
def test_closed_streams_are_survived(tmp_path: Path, closed: str, flags: str) -> None:
    """No traceback, no internal error, whichever stream is missing."""
    launch = f"{sys.executable} -c 'from tebiki.__main__ import tebiki; tebiki()' {flags} {closed}"

    done = subprocess.run(
        ["/bin/sh", "-c", launch],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        env=clean_environment(tmp_path),
    )

    assert done.returncode == (2 if flags == "--nope" else 0)
    assert b"internal error" not in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.requirement("config:log:level")
def test_the_log_level_acts(tmp_path: Path) -> None:
    """`debug` writes everything, `error` leaves warnings out."""
    ping = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'

    loud = run_command(tmp_path, "--stdio", env={"LOG_LEVEL": "debug"}, stdin=ping)
    quiet = run_command(
        tmp_path, "--stdio", env={"LOG_LEVEL": "error", "MAX_CITATIONS": "99"}, stdin=ping
    )

    assert "recv method=ping" in loud.stderr
    assert quiet.stderr == ""


@pytest.mark.requirement("mcp:selection:unknown")
@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--tools", "vault_reed"], "--tools vault_reed; did you mean vault_read?"),
        (["--without", "nothing_like_it"], "--without nothing_like_it: choose from answer"),
        (["--tools", ","], "--tools ,: choose from"),
        (["--toolsets", "manuals", "--tools", "vault_read"], "--tools vault_read"),
        (["--toolsets", "manuals", "--without", "vault_read"], "--without vault_read"),
        (["--read-only", "--tools", "vault_create"], "--tools vault_create"),
        (["--tools", "vault_ls", "--without", "vault_ls"], "no tool is left"),
        (["--tools"], "--tools needs a value"),
    ],
)
def test_a_tool_that_cannot_be_served_stops_the_start(
    tmp_path: Path, flags: list[str], words: str
) -> None:
    """A typing mistake must not open or close anything unseen."""
    done = run_command(tmp_path, "--stdio", *flags, face="tebiki")

    assert done.code == 2
    assert words in done.stderr
    assert done.stdout == ""
