"""`tebiki usage` as a person types it, on a ledger with known calls."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from tebiki.budget.paid_calls import CallStart, day_of
from tests.support.command import Finished, run_command
from tests.support.launching import clean_environment
from tests.support.ledgers import earlier_line, entry
from tests.support.overheard import PATIENCE_SECONDS

if TYPE_CHECKING:
    from pathlib import Path

    from tebiki.budget.paid_calls import Record

LAUNCH = "from tebiki.__main__ import tebiki; tebiki()"
DAY = 86_400.0


@pytest.fixture(name="home")
def _home(tmp_path: Path) -> Path:
    """A home with an earlier release's ledger: five calls, today, yesterday, forty days ago."""
    now = time.time()
    records: list[Record] = [
        entry(1, now - 40 * DAY, cost=9.0),
        entry(2, now - DAY, cost=0.5, tool="answer_detailed"),
        entry(3, now, cost=1.0),
        entry(4, now, cost=None, held=0.07, outcome="cancelled"),
        entry(5, now, cost=0.25, tool="chatgpt_o3_search", model="o3"),
        CallStart(now, "running", 0.08),
    ]
    path = tmp_path / ".local" / "state" / "tebiki" / "ledger.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"".join(map(earlier_line, records)) + b"\x1b[31mnot ours\n")
    return tmp_path


def usage(home: Path, *words: str, **env: str) -> Finished:
    """Run the command."""
    return run_command(home, "usage", *words, face="tebiki", env=env)


@pytest.mark.requirement("people:usage:table")
def test_nothing_spent_draws_no_bar(tmp_path: Path) -> None:
    """A bar is for cost; a call that was refused has none."""
    refused = entry(1, time.time(), cost=0.0, outcome="refused")
    path = tmp_path / ".local" / "state" / "tebiki" / "ledger.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(earlier_line(refused))

    shown = usage(tmp_path, COLUMNS="80").stdout

    assert "0.000" in shown
    assert not set("█▉▊▋▌▍▎▏") & set(shown)


@pytest.mark.requirement("people:usage:table")
def test_the_whole_page(home: Path) -> None:
    """Totals, three tables with bars, and what the numbers leave out."""
    first, done = (usage(home, COLUMNS="80") for _ in range(2))
    today, yesterday = day_of(time.time()), day_of(time.time() - DAY)

    assert first.stdout == done.stdout
    assert first.stderr.count("\n") == 1
    assert "ledger.jsonl has lines that nobody can read (1)" in first.stderr
    assert (done.code, done.stderr) == (0, "")
    head, *rest = done.stdout.splitlines()
    assert re.fullmatch(r"4 calls in 30 days, since \S+ \(UTC\), about 1\.75 USD", head)
    cells = [line.split() for line in rest if line]
    bars = {row[0]: row[-1] for row in cells if "█" in row[-1]}
    assert ["tool", "calls", "not", "ok", "in", "out", "web", "USD"] in cells
    assert [row[0] for row in cells if row[0] in bars] == [
        *("answer", "answer_detailed", "chatgpt_o3_search"),
        *("gpt-5.2", "o3"),
        *(yesterday, today),
    ]
    assert len(bars["answer_detailed"]) == pytest.approx(len(bars["answer"]) / 2, abs=1)
    assert ["answer", "2", "1", "2.0k", "400", "2", "1.000", bars["answer"]] in cells
    assert "Not in it: 1 call of unknown cost, perhaps 0.07 USD more." in rest
    assert rest[-1].startswith("Passed over: 1 broken line of ")
    assert "\x1b" not in done.stdout


@pytest.mark.requirement("people:usage:table")
@pytest.mark.parametrize("columns", [80, 120])
def test_it_fills_the_width_and_no_more(home: Path, columns: int) -> None:
    """The dearest row's bar ends at the edge, or at sixty signs."""
    done = usage(home, "--by", "tool", COLUMNS=str(columns))

    table = [line for line in done.stdout.splitlines() if "█" in line]
    assert len(table) == 3
    assert max(map(len, table)) == min(columns, table[0].index("█") + 60)


@pytest.mark.requirement("people:usage:table")
def test_long_names_give_way(tmp_path: Path) -> None:
    """To the numbers and to a bar that can be seen."""
    path = tmp_path / "ledger.jsonl"
    path.write_bytes(earlier_line(entry(1, time.time(), model="m" * 150)))

    done = usage(tmp_path, "--by", "model", TEBIKI_LEDGER_PATH=str(path), COLUMNS="80")

    (row,) = [line for line in done.stdout.splitlines() if line.startswith("mmm")]
    assert len(row) == 80
    assert "m…  " in row
    assert row.endswith("██████")


@pytest.mark.requirement("people:usage:json")
def test_the_same_for_programs(home: Path) -> None:
    """Every sum, and the state of today."""
    done = usage(home, "--json", "--days", "60", TEBIKI_BUDGET_DAILY_USD="5")

    found = json.loads(done.stdout)
    assert found["total"]["calls"] == 5
    assert found["total"]["estimated_cost_usd"] == 10.75
    assert found["total"]["cancelled"] == 1
    assert found["total"]["calls_of_unknown_cost"] == 1
    assert found["broken_lines"] == 1
    assert [row["tool"] for row in found["by_tool"]] == [
        "answer",
        "answer_detailed",
        "chatgpt_o3_search",
    ]
    assert [row["model"] for row in found["by_model"]] == ["gpt-5.2", "o3"]
    assert len(found["by_day"]) == 3
    assert found["today"] == {
        "day": day_of(time.time()),
        "spent_usd": 1.32,
        "held_usd": 0.08,
        "daily_usd": 5,
    }


@pytest.mark.requirement("people:usage:table", "people:usage:json")
def test_one_table_and_fewer_days(home: Path) -> None:
    """`--days 1` is today."""
    done = usage(home, "--json", "--days", "1", "--by", "day")

    found = json.loads(done.stdout)
    assert [row["calls"] for row in found["by_day"]] == [3]
    assert "by_tool" not in found


@pytest.mark.requirement("people:usage:table")
def test_a_cap_is_shown(home: Path) -> None:
    """With what counts against it, running calls included."""
    assert "Daily cap: 1.40 of 5 USD on " in usage(home, TEBIKI_BUDGET_DAILY_USD="5").stdout


@pytest.mark.requirement("people:commands:exit-codes")
def test_nothing_is_1(tmp_path: Path) -> None:
    """And says where it looked."""
    done = usage(tmp_path)
    as_json = usage(tmp_path, "--json")

    assert done.code == as_json.code == 1
    assert done.stdout.startswith("No paid calls in 30 days, since ")
    assert "ledger.db" in done.stdout
    assert not (tmp_path / ".local").exists()
    assert json.loads(as_json.stdout)["total"]["calls"] == 0


@pytest.mark.requirement("people:commands:wrong-usage")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--days", "0"), "must be an integer from 1 to"),
        (("--days", "x"), "must be an integer from 1 to"),
        (("--by", "colour"), "invalid choice"),
    ],
)
def test_bad_words_are_2(tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    """Nothing is read."""
    done = usage(tmp_path, *words)

    assert done.code == 2
    assert said in done.stderr


@pytest.mark.requirement("people:usage:unreadable")
def test_a_ledger_that_cannot_be_read_is_2(tmp_path: Path) -> None:
    """One line that says what to do."""
    done = usage(tmp_path, TEBIKI_LEDGER_PATH=str(tmp_path))

    assert done.code == 2
    assert "cannot be read" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.requirement("people:commands:broken-pipe")
def test_a_reader_that_leaves_is_no_error(home: Path) -> None:
    """`tebiki usage | head -0` is silent."""
    usage(home)  # which says once that a line could not be taken over
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as nobody:
        done = subprocess.run(
            [sys.executable, "-c", LAUNCH, "usage"],
            stdout=nobody,
            stderr=subprocess.PIPE,
            check=False,
            timeout=PATIENCE_SECONDS,
            env=clean_environment(home),
        )

    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.requirement("people:commands:broken-pipe")
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no full device")
@pytest.mark.parametrize("words", [["usage"], ["usage", "--json"], ["--help"]])
def test_a_full_disk_is_told_and_is_no_fault_of_ours(home: Path, words: list[str]) -> None:
    """In one line; nothing of Python's own besides."""
    usage(home)
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-c", LAUNCH, *words],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            timeout=PATIENCE_SECONDS,
            env=clean_environment(home),
        )

    told = b"tebiki: error: the output cannot be written: No space left on device\n"
    assert (done.returncode, done.stderr) == (2, told)


@pytest.mark.requirement("people:commands:colours")
@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
@pytest.mark.parametrize("columns", [80, 120])
def test_colours_on_a_terminal_alone(home: Path, columns: int) -> None:
    """The same table as in a pipe, once the colours are taken out."""
    coloured = on_a_terminal(home, TERM="xterm-256color", COLUMNS=str(columns))
    plain = usage(home, COLUMNS=str(columns)).stdout

    assert "\x1b[36m" in coloured
    stripped = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    assert [line.rstrip() for line in stripped.splitlines()] == plain.splitlines()


@pytest.mark.requirement("people:commands:colours")
@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
def test_a_terminal_may_refuse_colours(home: Path) -> None:
    """As people ask for it."""
    shown = on_a_terminal(home, TERM="xterm-256color", COLUMNS="80", NO_COLOR="1")

    assert "\x1b[36m" not in shown


def on_a_terminal(home: Path, **env: str) -> str:
    """Run the command with a pseudo-terminal as its output."""
    import pty  # absent from Windows

    ours, its = pty.openpty()
    with os.fdopen(ours, "rb", buffering=0) as screen:
        process = subprocess.Popen(
            [sys.executable, "-c", LAUNCH, "usage"], stdout=its, env=clean_environment(home) | env
        )
        os.close(its)
        shown = bytearray()
        while chunk := _read(screen.fileno()):
            shown += chunk
        assert process.wait(PATIENCE_SECONDS) == 0
    return shown.decode().replace("\r\n", "\n")


def _read(descriptor: int) -> bytes:
    """What a terminal shows; a Linux one ends with an error."""
    try:
        return os.read(descriptor, 65_536)
    except OSError:
        return b""
