"""`tebiki ask` as a person types it, at a terminal, in a pipe, as JSON, against the simulator."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tebiki.answers.answer import Answer
from tebiki.answers.citations import Citation
from tebiki.cli.ask import Live, receipt_line
from tebiki.responses.client import Exchange
from tebiki.responses.replies import reply_from_json
from tests.support.command import Finished, run_command
from tests.support.launching import clean_environment
from tests.support.overheard import PATIENCE_SECONDS
from tests.support.server_process import CANARY, PLAIN_CANARY
from tests.support.terminal import AtTerminal, run_at_terminal

if TYPE_CHECKING:
    from pathlib import Path

    from simulator import Simulator

NEWS = "today's news"


def access(simulator: Simulator) -> dict[str, str]:
    """The variables by which a command reaches the simulator."""
    return {"OPENAI_API_KEY": CANARY, "OPENAI_BASE_URL": simulator.base_url}


def ask(home: Path, simulator: Simulator, *words: str, stdin: bytes = b"", **env: str) -> Finished:
    """Ask in a pipe."""
    given = access(simulator) | env
    return run_command(home, "ask", *words, face="tebiki", env=given, stdin=stdin)


def ask_at_terminal(home: Path, simulator: Simulator, *words: str, **how: Any) -> AtTerminal:
    """Ask at a terminal."""
    env = access(simulator) | how.pop("env", {})
    return run_at_terminal(home, "ask", *words, env=env, **how)


def interruptible(
    home: Path, simulator: Simulator, *words: str, background: bool = True
) -> subprocess.Popen[bytes]:
    """Begin to ask, in a process that hears interrupts."""
    # Tests that run in the background of a shell are told to ignore interrupts, and tell it on.
    heard = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler);"
        "from tebiki.__main__ import tebiki; tebiki()"
    )
    more = {"TEBIKI_ANSWERS_BACKGROUND": "true"} if background else {}
    return subprocess.Popen(
        [sys.executable, "-c", heard, "ask", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=clean_environment(home) | access(simulator) | more,
    )


def last_body(simulator: Simulator) -> dict[str, Any]:
    """The body of the last request."""
    body: dict[str, Any] = simulator.requests[-1].body
    return body


@pytest.mark.requirement("wire:progress:words", "people:ask:live")
def test_a_terminal_shows_what_happens_and_then_the_answer(
    tmp_path: Path, simulator: Simulator
) -> None:
    """The status line is gone in the end; answer, sources and receipt stay."""
    done = ask_at_terminal(tmp_path, simulator, NEWS)

    assert done.code == 0
    for status in ("asking gpt-5.2", f"searching: {NEWS}", "reading www.weather.example"):
        assert f" {status} (" in done.raw
        assert not any(status in line for line in done.screen)
    assert done.screen[0].startswith(f'About "{NEWS}"')
    assert done.screen.index("Sources:") > 0
    receipt = " ".join(done.screen[-3:-1])
    assert receipt.startswith("gpt-5.2-2025-12-11 · 1 search · 1 page read · ")
    assert receipt.endswith(" USD")
    assert len(done.screen[-3]) < 80
    assert last_body(simulator)["stream"] is True


@pytest.mark.requirement("people:ask:pipe")
def test_the_answer_is_the_same_in_a_pipe(tmp_path: Path, simulator: Simulator) -> None:
    """Plain text, nothing of the terminal, the receipt beside it, no streaming."""
    seen = ask_at_terminal(tmp_path, simulator, NEWS, err=False)
    done = ask(tmp_path, simulator, NEWS)

    assert done.code == 0
    assert "\x1b" not in done.stdout + done.stderr
    assert done.stdout == seen.raw.replace("\r\n", "\n")
    assert done.stderr.startswith("gpt-5.2-2025-12-11 · 1 search")
    assert done.stderr.count("\n") == 1
    assert "stream" not in last_body(simulator)


@pytest.mark.requirement("people:ask:live")
def test_a_pipe_out_of_a_terminal_keeps_the_status(tmp_path: Path, simulator: Simulator) -> None:
    """What goes into the pipe is the answer alone."""
    done = ask_at_terminal(tmp_path, simulator, NEWS, out=False)

    assert f"searching: {NEWS}" in done.raw
    assert "\x1b" not in done.stdout
    assert "Sources:" in done.stdout
    assert done.screen[0].startswith("gpt-5.2-2025-12-11")


@pytest.mark.requirement("people:ask:live")
@pytest.mark.parametrize("width", [40, 80, 120])
def test_the_status_line_never_breaks(tmp_path: Path, simulator: Simulator, width: int) -> None:
    """A long search is cut, wide characters counted as two columns."""
    question = "本日の天気を" * 30

    done = ask_at_terminal(tmp_path, simulator, question, width=width)

    drawn = [line.partition("\r\n")[0] for line in done.raw.split("\r\x1b[K")[1:]]
    searching = [line for line in drawn if "searching: " in line]
    assert searching
    wide = sum(2 if ord(sign) > 0x2FFF else 1 for sign in searching[0])
    assert width - 3 <= wide < width
    assert searching[0].endswith("…")


@pytest.mark.requirement("people:commands:colours")
def test_no_colours_when_not_wanted(tmp_path: Path, simulator: Simulator) -> None:
    """NO_COLOR leaves the status line, a dumb terminal gets no sequence at all."""
    coloured = ask_at_terminal(tmp_path, simulator, "hello")
    plain = ask_at_terminal(tmp_path, simulator, "hello", env={"NO_COLOR": "1"})
    dumb = ask_at_terminal(tmp_path, simulator, "hello", env={"TERM": "dumb"})

    assert "\x1b[2mgpt-5.2" in coloured.raw
    assert "\x1b[2m" not in plain.raw
    assert "\x1b[K" in plain.raw
    assert "\x1b" not in dumb.raw
    assert coloured.screen[0] == plain.screen[0] == dumb.screen[0]


@pytest.mark.requirement("people:commands:json")
def test_json_is_the_tools_result_and_the_receipt(tmp_path: Path, simulator: Simulator) -> None:
    """One document on stdout, nothing else."""
    done = ask(tmp_path, simulator, NEWS, "--json")

    answer = json.loads(done.stdout)
    assert (done.code, done.stderr) == (0, "")
    assert list(answer) == ["answer", "used_search", "citations", "model", "receipt"]
    assert answer["used_search"] is True
    assert answer["receipt"]["searches"] == 1
    assert answer["receipt"]["tokens"]["output"] > 0


@pytest.mark.requirement("people:ask:stdin")
def test_the_question_may_come_from_standard_input(tmp_path: Path, simulator: Simulator) -> None:
    """`-` reads it whole; several words are one question."""
    ask(tmp_path, simulator, "-", stdin="HTTP 404\nの意味\n".encode())
    first = last_body(simulator)["input"][0]["content"][0]["text"]
    ask(tmp_path, simulator, "what", "is", "404")
    second = last_body(simulator)["input"][0]["content"][0]["text"]

    assert first.startswith("HTTP 404\nの意味\n[Hints]")
    assert second.startswith("what is 404\n[Hints]")


@pytest.mark.requirement("people:ask:profiles")
def test_quick_and_detailed_choose_the_profile(tmp_path: Path, simulator: Simulator) -> None:
    """Each asks its own model."""
    config = tmp_path / "own.yaml"
    config.write_text(
        "model_profiles: {answer_quick: {model: gpt-5-mini}, answer_detailed: {model: gpt-5.1}}",
        encoding="utf-8",
    )
    models = []
    for flags in ([], ["--quick"], ["--detailed"]):
        ask(tmp_path, simulator, "hello", f"--config={config}", *flags)
        models.append(last_body(simulator)["model"])

    assert models == ["gpt-5.2", "gpt-5-mini", "gpt-5.1"]


@pytest.mark.requirement("people:commands:terminal")
def test_text_of_the_web_cannot_drive_the_terminal(tmp_path: Path, simulator: Simulator) -> None:
    """The simulator repeats the question; neither answer nor status nor pipe repeats sequences."""
    hostile = "today \x1b[31mred\x1b]0;title\x07\x9b2J\u202eback"

    seen = ask_at_terminal(tmp_path, simulator, hostile, env={"NO_COLOR": "1"})
    piped = ask_at_terminal(tmp_path, simulator, hostile, out=False, err=False)

    assert 'About "today redback"' in seen.screen[0]
    assert 'About "today redback"' in piped.stdout
    sent = seen.raw.replace("\r\x1b[K", "") + piped.stdout + piped.stderr
    assert set("\x1b\x07\x9b\u202e") & set(sent) == set()


@pytest.mark.requirement("people:ask:broken-off")
def test_an_answer_that_breaks_off_is_asked_for_again(tmp_path: Path, simulator: Simulator) -> None:
    """What was printed stays, with a word about it; then the whole answer comes."""
    done = ask_at_terminal(tmp_path, simulator, "simulate: stream_error, plain")

    assert done.code == 0
    assert done.screen[0].startswith('About "simulate: ')
    assert done.screen[1] == "The answer broke off; asking again."
    assert done.screen[2].endswith("made by the simulated API.")
    assert " · 2 attempts" in " ".join(done.screen[3:])


@pytest.mark.requirement("people:ask:broken-off")
def test_an_answer_that_breaks_off_for_good_is_an_error(
    tmp_path: Path, simulator: Simulator
) -> None:
    """On a line of its own, and the code is 2."""
    done = ask_at_terminal(tmp_path, simulator, "simulate: dropped_midway")

    assert done.code == 2
    assert done.screen[0].startswith('About "simulate: ')
    assert done.screen[1].startswith("tebiki: error: ")


@pytest.mark.requirement("people:commands:wrong-usage")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((" ",), "the question is required"),
        (("x", "--quick", "--detailed"), "not allowed with"),
        (("x", "--jsn"), "did you mean --json? (see tebiki ask --help)"),
        ((), "the following arguments are required: question"),
    ],
)
def test_bad_words_cost_nothing(
    tmp_path: Path, simulator: Simulator, words: tuple[str, ...], said: str
) -> None:
    """One line, exit 2, nothing sent."""
    done = ask(tmp_path, simulator, *words)

    assert (done.code, done.stdout) == (2, "")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert simulator.requests == []


@pytest.mark.requirement("people:ask:stdin")
def test_input_that_is_no_text_is_refused(tmp_path: Path, simulator: Simulator) -> None:
    """Said in one line."""
    done = ask(tmp_path, simulator, "-", stdin=b"\xff\xfe")

    assert done == (2, "", "tebiki: error: standard input is not UTF-8 text; convert it first\n")


@pytest.mark.requirement("people:ask:stdin")
def test_input_without_an_end_is_refused(tmp_path: Path, simulator: Simulator) -> None:
    """Nobody types so much, and memory has an end."""
    done = ask(tmp_path, simulator, "-", stdin=b"ab" * (8 * 1024 * 1024) + b"c")

    assert done == (2, "", "tebiki: error: standard input has more than 16777216 bytes\n")


@pytest.mark.requirement("people:commands:one-line-errors")
def test_failures_are_one_line_without_the_key(tmp_path: Path, simulator: Simulator) -> None:
    """Without a key, and with a refused one."""
    missing = run_command(tmp_path, "ask", "x", face="tebiki")
    refused = ask(tmp_path, simulator, "x", OPENAI_API_KEY="sk-rejected-1234567890")

    assert missing == (2, "", "tebiki: error: Missing API key: set OPENAI_API_KEY\n")
    assert (refused.code, refused.stdout) == (2, "")
    assert refused.stderr.count("\n") == 1
    assert "sk-rejected" not in refused.stderr


@pytest.mark.requirement("people:commands:one-line-errors", "config:flags:no-secrets")
def test_a_key_of_another_name_is_not_repeated_either(tmp_path: Path, simulator: Simulator) -> None:
    """The API repeats it; the settings say which variable holds it."""
    config = tmp_path / "own.yaml"
    config.write_text("openai: {api_key_env: MY_KEY}\n", encoding="utf-8")

    refused = ask(tmp_path, simulator, "simulate: 401", f"--config={config}", MY_KEY=PLAIN_CANARY)

    assert refused.code == 2
    assert "Incorrect API key provided: [redacted]" in refused.stderr


@pytest.mark.requirement("people:commands:exit-codes")
def test_an_interrupt_ends_it_with_130(tmp_path: Path, simulator: Simulator) -> None:
    """Quietly, and the connection is closed."""
    process = interruptible(tmp_path, simulator, "simulate: hang", background=False)
    simulator.wait_for_requests(1, PATIENCE_SECONDS)
    process.send_signal(signal.SIGINT)

    stdout, stderr = process.communicate(timeout=PATIENCE_SECONDS)
    assert (process.returncode, stdout, stderr) == (130, b"", b"")
    simulator.wait_for_disconnects(1, PATIENCE_SECONDS)


@pytest.mark.requirement("answers:background:cancelled")
def test_an_interrupt_calls_a_background_answer_off(tmp_path: Path, simulator: Simulator) -> None:
    """At the API, before the command ends."""
    with interruptible(tmp_path, simulator, "--detailed", "--debug", "simulate: hang") as process:
        assert process.stderr is not None
        while b"begun" not in process.stderr.readline():
            pass
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE_SECONDS)

    assert process.returncode == 130
    assert [one.path.rpartition("/")[2] for one in simulator.requests] == ["responses", "cancel"]


@pytest.mark.requirement("answers:background:ask")
def test_a_lost_answer_is_taken_up(tmp_path: Path, simulator: Simulator) -> None:
    """After the command was killed; once."""
    with interruptible(tmp_path, simulator, "--detailed", "--debug", f"{NEWS} zebra") as process:
        assert process.stderr is not None
        while b"begun" not in process.stderr.readline():
            pass
        process.kill()
    simulator_knows = len(simulator.requests)

    done = ask(tmp_path, simulator, "--resume", "--json")
    again = ask(tmp_path, simulator, "--resume")
    both = ask(tmp_path, simulator, "--resume", "a question")

    assert done.code == 0, done.stdout + done.stderr
    answer = json.loads(done.stdout)
    assert "zebra" in answer["answer"]
    assert answer["receipt"]["resumed"] is True
    assert simulator_knows == 1
    assert [request.method for request in simulator.requests] == ["POST", "GET"]
    assert (again.code, again.stdout) == (2, "")
    assert "no answer is on its way" in again.stderr
    assert both.code == 2


@pytest.mark.requirement("people:ask:pipe")
def test_dates_put_into_the_models_own_sources_are_printed_after_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is printed cannot be changed any more."""
    monkeypatch.setenv("TERM", "dumb")
    shown = "Yes.\n\nSources:\n- https://a.example\n\nGood luck."
    whole = "Yes.\n\nSources:\n- https://a.example\n- https://a.example (2026-01-02)\n\nGood luck."
    cited = (Citation("https://a.example", None, "2026-01-02"),)
    live = Live(None, streams=True)

    live.begin()
    live.add(shown)
    live.finish(Answer(whole, True, cited, "gpt-5.2", Exchange(reply_from_json({}), 1, 1)))

    printed = capsys.readouterr().out
    assert printed == f"{shown}\n\nSources:\n- https://a.example (2026-01-02)\n"


@pytest.mark.requirement("people:ask:live")
def test_the_receipt_tells_a_cost_where_it_is_known() -> None:
    """And nothing about it where it is not."""
    receipt = Exchange(reply_from_json({"model": "m"}), 1, 1234).receipt()

    assert receipt_line(receipt) == "m · 0 searches · 0 tokens in, 0 out · 1.2 s"
    assert receipt_line(receipt | {"estimated_cost_usd": 0.01234}).endswith(" · about 0.0123 USD")
