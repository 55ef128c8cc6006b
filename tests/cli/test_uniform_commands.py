"""What every command does alike: help, wrong usage, JSON, pipes that close, odd outputs."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tebiki.cli.commands import COMMANDS, parser_of
from tebiki.cli.parsers import options, subparsers
from tests.support.command import run_command
from tests.support.launching import clean_environment
from tests.support.overheard import PATIENCE_SECONDS
from tests.support.server_process import CANARY
from tests.support.terminal import run_at_terminal

if TYPE_CHECKING:
    import argparse

HELP_PAGE = Path(__file__).parents[2] / "docs" / "cli.md"
LAUNCH = f"{sys.executable} -c 'from tebiki.__main__ import tebiki; tebiki()'"


def places() -> dict[str, argparse.ArgumentParser]:
    """Every command and every action of one, as typed."""
    found: dict[str, argparse.ArgumentParser] = {}
    for command in COMMANDS:
        parser = parser_of(command)
        found[command.name] = parser
        found |= {f"{command.name} {name}": inner for name, inner in subparsers(parser).items()}
    return found


PLACES = places()
LEAVES = [words for words, parser in PLACES.items() if not subparsers(parser)]


@pytest.mark.requirement("people:commands:help")
@pytest.mark.parametrize("words", PLACES)
def test_help_is_what_the_documents_show(tmp_path: Path, words: str) -> None:
    """The page is the snapshot: made by one Python, printed the same by every other."""
    page = HELP_PAGE.read_text(encoding="utf-8")
    block = re.search(
        rf"^###? `tebiki {words}`\n\n```text\n(.*?)```$", page, re.MULTILINE | re.DOTALL
    )
    assert block is not None

    done = run_command(tmp_path, *words.split(), "--help", face="tebiki", env={"COLUMNS": "50"})

    assert done == (0, block[1], "")
    assert max(map(len, done.stdout.splitlines())) <= 80


@pytest.mark.requirement("people:commands:wrong-usage")
@pytest.mark.parametrize("words", PLACES)
def test_wrong_usage_is_one_line_that_says_where_to_look(tmp_path: Path, words: str) -> None:
    """Exit 2, nothing on stdout."""
    done = run_command(tmp_path, *words.split(), "--no-such-flag", face="tebiki")

    assert (done.code, done.stdout) == (2, "")
    assert re.fullmatch(r"tebiki: error: .* \(see tebiki [a-z -]+ --help\)\n", done.stderr)


@pytest.mark.requirement("people:commands:wrong-usage")
@pytest.mark.parametrize(
    "words",
    [
        "eval --dataset none.jsonl --k",
        "manuals find m query --require query --limit",
        "usage --days",
        "vault read a.md --start",
    ],
)
def test_a_number_that_is_none_is_told_what_it_must_be(tmp_path: Path, words: str) -> None:
    """In the user's terms, not in those of the parser."""
    done = run_command(tmp_path, *words.split(), "many", face="tebiki")

    assert (done.code, done.stdout) == (2, "")
    assert re.search(r": must be an integer .*1.*, got \"many\" \(see tebiki ", done.stderr)


@pytest.mark.requirement("people:commands:json")
@pytest.mark.parametrize("words", [words for words in LEAVES if words != "completion"])
def test_every_command_has_json_and_config(words: str) -> None:
    """A completion is for a shell, which reads neither."""
    names = {name for option in options(PLACES[words]) for name in option.names}

    assert {"--json", "--config", "--help"} <= names


@pytest.mark.requirement("people:commands:wrong-usage")
def test_a_command_typed_wrongly_is_guessed(tmp_path: Path) -> None:
    """As a flag is."""
    done = run_command(tmp_path, "serach", face="tebiki")

    assert done == (
        2,
        "",
        "tebiki: error: unknown argument serach; did you mean search? (see --help)\n",
    )


@pytest.mark.requirement("people:commands:wrong-usage")
@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("--config none.yaml show-config", "the command comes first: tebiki show-config …"),
        ("vault undo x", "must be an integer of at least 1, got "),
        ("search x --limit many", "must be an integer from 1 to 50, got "),
    ],
)
def test_what_is_wrong_is_said_in_words(tmp_path: Path, words: str, told: str) -> None:
    """Of ours, and with what would do."""
    done = run_command(tmp_path, *words.split(), face="tebiki")

    assert done.code == 2
    assert told in done.stderr


@pytest.mark.requirement("people:commands:wrong-usage")
@pytest.mark.parametrize(
    ("words", "guess"),
    [("manuals fnd x", "find"), ("vault reed a.md", "read"), ("token nwe x", "new")],
)
def test_an_action_typed_wrongly_is_guessed(tmp_path: Path, words: str, guess: str) -> None:
    """At every level."""
    done = run_command(tmp_path, *words.split(), face="tebiki")

    assert (done.code, done.stdout) == (2, "")
    assert f"did you mean {guess}?" in done.stderr


@pytest.mark.requirement("people:commands:wrong-usage")
@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("manuals find x --requir y", "; did you mean --require? (see tebiki manuals find --help)"),
        ("manuals import --ful x --into m", " (see tebiki manuals import --help)"),
        ("vault replace a.md x y --dryrun", "; did you mean --dry-run? (see tebiki vault replace"),
        ("manuals find x --al", "; did you mean --all? (see tebiki manuals find --help)"),
    ],
)
def test_a_flag_typed_wrongly_is_guessed_among_those_of_its_action(
    tmp_path: Path, words: str, told: str
) -> None:
    """Not among those of the word before it, whose help has none of them."""
    done = run_command(tmp_path, *words.split(), face="tebiki")

    assert (done.code, done.stdout) == (2, "")
    assert told in done.stderr


@pytest.mark.requirement("people:commands:json-errors")
@pytest.mark.parametrize(
    ("words", "code"),
    [
        *((f"{words} --no-such-flag --json", "usage_error") for words in LEAVES),
        ("manuals read none/a.md --json", "not_found"),
        ("vault read ../a.md --json", "invalid_path"),
        ("search --json x", "missing_key"),
        ("show-config --json --config none.yaml", "bad_setting"),
        ("serach x --json", "usage_error"),
    ],
)
def test_a_failure_is_json_for_whoever_asked_for_json(
    tmp_path: Path, words: str, code: str
) -> None:
    """On stdout as every other answer, with the code of the tools where there is one."""
    done = run_command(tmp_path, *words.split(), face="tebiki")

    error = json.loads(done.stdout)["error"]
    assert (done.code, error["code"]) == (2, code)
    assert done.stderr == f"tebiki: error: {error['message']}\n"


@pytest.mark.requirement("people:commands:json-errors")
def test_a_failure_holds_no_key_for_a_program_either(tmp_path: Path) -> None:
    """What was typed may hold it."""
    env = {"OPENAI_API_KEY": CANARY}

    done = run_command(tmp_path, "vault", "read", CANARY, "--json", face="tebiki", env=env)

    assert done.code == 2
    assert CANARY not in done.stdout + done.stderr


@pytest.mark.requirement("people:commands:own-words")
@pytest.mark.parametrize(
    "words",
    [
        "manuals find oven " + "x" * 2001,
        "manuals find oven x --require " + "y" * 501,
        "manuals ls ./oven",
        "manuals ls oven/a.md",
        "manuals ls none",
        "manuals toc oven --headings",
        "manuals toc oven --offset 9",
        "manuals toc manuals",
        "manuals read oven/a.md:99",
        "manuals read oven/a.txt",
        "manuals read oven/a.md --scope file",
        "manuals read oven/a.json --scope section",
        "manuals scan oven/a.md:99",
        "manuals find oven x --require nowhere",
        "manuals why-not oven/a.md:99 x",
        "vault read a.md --start 3 --end 1",
        "vault read a.md --start 99",
        "vault replace a.md '' x",
        "search " + "x" * 501,
        "eval --dataset set.jsonl",
    ],
)
def test_nobody_is_told_the_names_that_only_programs_use(tmp_path: Path, words: str) -> None:
    """Neither a tool, nor a parameter, nor a reason as a machine writes it."""
    (tmp_path / "manuals" / "oven").mkdir(parents=True)
    (tmp_path / "vault").mkdir()
    for file in ("manuals/oven/a.md", "manuals/oven/a.txt", "vault/a.md"):
        (tmp_path / file).write_text("# A\n\nx\n", encoding="utf-8")
    (tmp_path / "manuals" / "oven" / "a.json").write_text("{}", encoding="utf-8")
    case = {"query": "x", "manual_id": "none", "expected_paths": ["a.md"]}
    (tmp_path / "set.jsonl").write_text(json.dumps(case), encoding="utf-8")

    typed = [word.replace("''", "") for word in words.split()]
    done = run_command(tmp_path, *typed, face="tebiki")

    said = done.stdout + done.stderr
    assert done.code in {1, 2}
    named = set(re.findall(r"\b[a-z]+(?:_[a-z]+)+\b", said))
    # A field of the set that was written by the person.
    assert named <= ({"manual_id"} if words.startswith("eval") else set())
    assert "query" not in said


@pytest.mark.requirement("people:commands:broken-pipe")
@pytest.mark.parametrize(
    "words",
    ["--help", "show-config", "show-config --json", "completion bash", "vault read long.md"],
)
@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_a_pipe_that_closes_is_silent(tmp_path: Path, words: str) -> None:
    """`| head -1` shows one line and no complaint."""
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "long.md").write_text("a line\n" * 100_000, encoding="utf-8")

    done = subprocess.run(
        ["/bin/bash", "-c", f"{LAUNCH} {words} | head -1; exit ${{PIPESTATUS[0]}}"],
        capture_output=True,
        check=False,
        timeout=PATIENCE_SECONDS,
        env=clean_environment(tmp_path),
        cwd=tmp_path,
    )

    assert done.stdout.count(b"\n") == 1
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.requirement("people:commands:broken-pipe")
def test_nobody_reads_at_all(tmp_path: Path) -> None:
    """The first word already finds the pipe closed."""
    done = subprocess.run(
        ["/bin/sh", "-c", f"{{ {LAUNCH} show-config; echo $? >&2; }} | true"],
        capture_output=True,
        check=False,
        timeout=PATIENCE_SECONDS,
        env=clean_environment(tmp_path),
    )

    assert done.stderr == b"0\n"


@pytest.mark.requirement("people:commands:other-encodings")
def test_an_output_that_cannot_hold_it_all_gets_most(tmp_path: Path) -> None:
    """A terminal of another encoding is no reason to fail."""
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "手引き.md").write_text("x", encoding="utf-8")

    done = run_command(tmp_path, "vault", "ls", face="tebiki", env={"PYTHONIOENCODING": "ascii"})

    assert (done.code, done.stderr) == (0, "")
    assert done.stdout == "\\u624b\\u5f15\\u304d.md\n"


@pytest.mark.requirement("people:commands:terminal")
def test_files_cannot_drive_the_terminal(tmp_path: Path) -> None:
    """A terminal gets what is safe, a pipe every byte."""
    text = "plain \x1b[31mred\x1b[0m \x9b2J\n"
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "a.md").write_text(text, encoding="utf-8")

    seen = run_at_terminal(tmp_path, "vault", "read", "a.md")
    piped = run_command(tmp_path, "vault", "read", "a.md", face="tebiki")

    assert seen.raw == "plain red \r\n"
    assert piped.stdout == text


@pytest.mark.requirement("people:commands:one-line-errors")
def test_a_complaint_is_one_line_without_sequences(tmp_path: Path) -> None:
    """Whatever was typed."""
    done = run_command(tmp_path, "vault", "read", "a\x1b[31m\nb.md", face="tebiki")

    assert done.code == 2
    assert done.stderr.count("\n") == 1
    assert "\x1b" not in done.stderr


@pytest.mark.requirement("people:commands:show-config")
def test_show_config_on_stdout(tmp_path: Path) -> None:
    """Lines for people, the flag's own document for programs, no secret in either."""
    env = {
        "OPENAI_API_KEY": CANARY,
        "MAX_CITATIONS": "7",
        "OPENAI_BASE_URL": "https://u:pw@x.example/",
        "VAULT_ROOT": 'bearer a"b',
    }
    lines = run_command(tmp_path, "show-config", face="tebiki", env=env)
    origins = run_command(tmp_path, "show-config", "--origins", face="tebiki", env=env)
    document = run_command(tmp_path, "show-config", "--json", "--origins", face="tebiki", env=env)
    flag = run_command(tmp_path, "--show-config", "--origins", face="tebiki", env=env)

    assert "policy.max_citations = 7\n" in lines.stdout
    assert "policy.max_citations = 7  # env MAX_CITATIONS, covers 3 (default)\n" in origins.stdout
    assert json.loads(document.stdout) == json.loads(flag.stderr)
    assert json.loads(document.stdout)["effective"]["vault"]["root"] == 'bearer [redacted]"b'
    for done in (lines, origins, document):
        assert (done.code, done.stderr) == (0, "")
        assert "u:pw" not in done.stdout
        assert CANARY not in done.stdout
