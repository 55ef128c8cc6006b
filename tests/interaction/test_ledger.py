"""The ledger and the caps on real server processes: what is noted, and who is refused."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from tests.interaction.settings_file import write_settings
from tests.support.command import run_command
from tests.support.overheard import PATIENCE_SECONDS
from tests.support.server_process import CANARY

if TYPE_CHECKING:
    from pathlib import Path

    from simulator import Simulator
    from tests.interaction.conftest import Connect

Json = dict[str, Any]

SECRET_WORDS = "天気 zebra-of-the-question"
FIELDS = [
    "number",
    "time",
    "id",
    "client",
    "tool",
    "model",
    "input_tokens",
    "output_tokens",
    "reasoning_tokens",
    "cached_tokens",
    "searches",
    "attempts",
    "cost_usd",
    "held_usd",
    "duration_ms",
    "outcome",
    "error",
]


def ledger_of(home: Path) -> Path:
    """Where a server with that home writes."""
    return home / ".local" / "state" / "tebiki" / "ledger.db"


def calls_in(path: Path) -> list[Json]:
    """The calls that have ended, in the order of the ledger."""
    with closing(sqlite3.connect(path)) as database:
        database.row_factory = sqlite3.Row
        rows = database.execute("SELECT * FROM calls WHERE outcome IS NOT NULL ORDER BY number")
        return [dict(row) for row in rows]


@pytest.mark.requirement("people:ledger:never-left")
@pytest.mark.parametrize("trouble", ["no key", "odd proxy", "nobody listens"])
@pytest.mark.parametrize("cap", [{}, {"TEBIKI_BUDGET_CALLS_PER_MINUTE": "1"}])
def test_a_call_that_never_left_is_not_counted(
    start: Connect, tmp_path: Path, trouble: str, cap: dict[str, str]
) -> None:
    """Without a key, or where no connection can be set up, nothing was paid for."""
    env = {
        "no key": {"OPENAI_API_KEY": ""},
        "odd proxy": {"HTTPS_PROXY": "nonsense://x"},
        "nobody listens": {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"},
    }[trouble]
    server = start(face="tebiki", env=env | cap)

    for number, tool in enumerate(("answer", "chatgpt_o3_search")):
        refusal = server.call(number, tool, {"query": "x"})
        assert "calls_per_minute" not in str(refusal["error"])
    server.finish()

    path = ledger_of(tmp_path)
    assert not path.exists() or calls_in(path) == []


@pytest.mark.requirement("people:ledger:one-row")
def test_each_call_is_one_row(start: Connect, tmp_path: Path) -> None:
    """From both families, with what the receipt says, and not a word of what was said."""
    server = start(face="tebiki")
    receipts = [
        server.call(number, tool, {"query": SECRET_WORDS})["result"]["_meta"]["tebiki/receipt"]
        for number, tool in enumerate(("answer", "answer_quick", "chatgpt_o3_search"))
    ]
    server.finish()

    text = ledger_of(tmp_path).read_bytes()
    lines = calls_in(ledger_of(tmp_path))
    assert [list(line) for line in lines] == [FIELDS] * 3
    assert [(line["tool"], line["model"], line["outcome"]) for line in lines] == [
        ("answer", "gpt-5.2", "ok"),
        ("answer_quick", "gpt-5.2", "ok"),
        ("chatgpt_o3_search", "o3", "ok"),
    ]
    for line, receipt in zip(lines, receipts, strict=True):
        assert line["input_tokens"] == receipt["tokens"]["input"] > 0
        assert line["reasoning_tokens"] == receipt["tokens"]["reasoning"]
        assert line["searches"] == receipt["searches"] == 1
        assert line["cost_usd"] == receipt["estimated_cost_usd"] > 0.01
    for secret in ("zebra", "天気", CANARY):
        assert secret.encode() not in text


@pytest.mark.requirement("people:ledger:one-row")
@pytest.mark.parametrize(
    ("query", "error", "cost"),
    [
        ("simulate: 401", "AuthRejected", 0.0),
        ("simulate: dropped", "ConnectionFailed", None),
        ("simulate: malformed", "BadReply", None),
        ("simulate: failed", "BadReply", pytest.approx(0.0, abs=1.0)),
    ],
)
def test_failures_are_noted_too(
    start: Connect, tmp_path: Path, query: str, error: str, cost: float | None
) -> None:
    """With what they cost, as far as anybody knows."""
    server = start()
    assert "error" in server.call(1, "answer", {"query": query})
    server.finish()

    (line,) = calls_in(ledger_of(tmp_path))
    assert (line["outcome"], line["error"], line["cost_usd"]) == ("failed", error, cost)


@pytest.mark.requirement("people:ledger:one-row")
def test_a_model_that_is_missing_makes_one_line(start: Connect, tmp_path: Path) -> None:
    """For the call, with the model that answered in the end."""
    server = start(face="mcp_o3_search", env={"OPENAI_MODEL": "missing-model"})
    server.call(1, "chatgpt_o3_search", {"query": "news"})
    server.finish()

    lines = calls_in(ledger_of(tmp_path))
    assert [(line["model"], line["outcome"]) for line in lines] == [("gpt-5.2", "ok")]


@pytest.mark.requirement("people:ledger:one-row")
def test_a_cancelled_call_is_noted(start: Connect, simulator: Simulator, tmp_path: Path) -> None:
    """Even when the client leaves at once; what it cost is not known."""
    server = start()
    server.begin_call(1, "answer", {"query": "simulate: hang"})
    simulator.wait_for_requests(1, PATIENCE_SECONDS)
    server.cancel(1)
    assert server.finish() == []

    (line,) = calls_in(ledger_of(tmp_path))
    assert (line["outcome"], line["cost_usd"]) == ("cancelled", None)
    assert line["held_usd"] > 0


@pytest.mark.requirement("people:ledger:one-row")
def test_what_is_refused_for_its_form_is_no_call(start: Connect, tmp_path: Path) -> None:
    """Nothing was asked, nothing is noted."""
    server = start()
    assert "error" in server.call(1, "answer", {"query": " "})
    server.finish()

    assert not ledger_of(tmp_path).exists()


@pytest.mark.requirement("people:ledger:one-row")
def test_the_command_line_writes_the_same_ledger(simulator: Simulator, tmp_path: Path) -> None:
    """`tebiki search` is a call like any other."""
    env = {"OPENAI_API_KEY": CANARY, "OPENAI_BASE_URL": simulator.base_url}
    assert run_command(tmp_path, "search", "news", face="tebiki", env=env).code == 0

    (line,) = calls_in(ledger_of(tmp_path))
    assert (line["tool"], line["outcome"]) == ("chatgpt_o3_search", "ok")


@pytest.mark.requirement("people:ledger:place")
@pytest.mark.parametrize(
    ("env", "written"),
    [
        ({"TEBIKI_LEDGER_PATH": "{home}/mine/calls.jsonl"}, "mine/calls.db"),
        ({"TEBIKI_LEDGER_PATH": "{home}/mine/calls"}, "mine/calls"),
        ({"XDG_STATE_HOME": "{home}/xdg"}, "xdg/tebiki/ledger.db"),
        ({"TEBIKI_LEDGER_ENABLED": "0"}, None),
    ],
)
def test_where_it_is_and_whether(
    start: Connect, tmp_path: Path, env: dict[str, str], written: str | None
) -> None:
    """By setting, by the system's convention, or not at all."""
    server = start(env={name: value.format(home=tmp_path) for name, value in env.items()})
    assert "result" in server.call(1, "answer", {"query": "HTTP 404"})
    server.finish()

    assert written is None or calls_in(tmp_path / written)
    found = [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.db")]
    assert found == [name for name in (written or "",) if name.endswith(".db")]


@pytest.mark.requirement("people:ledger:never-fails")
def test_a_ledger_that_cannot_be_written_fails_no_call(start: Connect, tmp_path: Path) -> None:
    """A warning, once."""
    ledger_of(tmp_path).mkdir(parents=True)
    server = start()
    for number in range(2):
        assert "result" in server.call(number, "answer", {"query": "HTTP 404"})
    server.finish()

    assert server.stderr.count("cannot be written") == 1


@pytest.mark.requirement("answers:receipt:meta", "people:ledger:prices", "mcp:models:prices")
def test_an_unknown_model_has_no_estimate(start: Connect, tmp_path: Path) -> None:
    """Null in the ledger, absent from the receipt; a price of one's own helps."""
    prices = tmp_path / "prices.json"
    prices.write_text('{"models": {"house-model": {"input": 1e6, "output": 0}}}')
    query = {"query": "HTTP 404"}
    stranger = start(env={"MODEL_ANSWER": "house-model"})
    receipt = stranger.call(1, "answer", query)["result"]["_meta"]["tebiki/receipt"]
    assert "estimated_cost_usd" not in receipt
    stranger.finish()

    priced = start(env={"MODEL_ANSWER": "house-model", "TEBIKI_PRICES_FILE": str(prices)})
    receipt = priced.call(1, "answer", query)["result"]["_meta"]["tebiki/receipt"]
    assert receipt["estimated_cost_usd"] == receipt["tokens"]["input"]
    priced.finish()

    assert calls_in(ledger_of(tmp_path))[0]["cost_usd"] is None


@pytest.mark.requirement("people:budget:daily")
def test_the_daily_cap_refuses_in_each_familys_words(
    start: Connect, simulator: Simulator, tmp_path: Path
) -> None:
    """Nothing is sent; the error names the cap, what was spent and when it opens."""
    server = start(face="tebiki", env={"TEBIKI_BUDGET_DAILY_USD": "0.01"})
    assert "result" in server.call(1, "answer", {"query": "天気"})

    answer = server.call(2, "answer", {"query": "天気"})["error"]
    search = server.call(3, "chatgpt_o3_search", {"query": "天気"})["error"]
    server.finish()

    assert (answer["code"], answer["message"]) == (-32001, "answer failed")
    assert (search["code"], search["message"]) == (-32003, "Rate Limit Exceeded")
    for words in (answer["data"]["message"], search["data"]["details"]):
        assert words.startswith("The daily cap is reached: an estimated 0.0")
        assert "budget.daily_usd = 0.01" in words
        assert "Paid calls open again at 00:00 UTC, in " in words
    assert 0 < search["data"]["retryAfter"] <= 86_400
    assert len(simulator.requests) == 1
    outcomes = [line["outcome"] for line in calls_in(ledger_of(tmp_path))]
    assert outcomes == ["ok", "refused", "refused"]


@pytest.mark.requirement("people:budget:rate")
def test_the_rate_cap_refuses_in_each_familys_words(start: Connect, simulator: Simulator) -> None:
    """Both families are one budget."""
    server = start(face="tebiki", env={"TEBIKI_BUDGET_CALLS_PER_MINUTE": "2"})
    assert "result" in server.call(1, "answer", {"query": "HTTP 404"})
    assert "result" in server.call(2, "chatgpt_o3_search", {"query": "news"})

    answer = server.call(3, "answer_quick", {"query": "HTTP 404"})["error"]
    search = server.call(4, "chatgpt_o3_search", {"query": "news"})["error"]

    assert answer["code"] == -32001
    assert "budget.calls_per_minute = 2" in answer["data"]["message"]
    assert search["code"] == -32003
    assert 0 < search["data"]["retryAfter"] <= 60
    assert len(simulator.requests) == 2


@pytest.mark.requirement("people:budget:shared")
def test_processes_share_a_cap(start: Connect, simulator: Simulator) -> None:
    """What one has spent, and what it is still waiting for, counts for the other."""
    env = {"TEBIKI_BUDGET_DAILY_USD": "0.05"}
    first, second = start(env=env), start(face="mcp_o3_search", env=env)
    first.begin_call(1, "answer", {"query": "simulate: hang"})
    simulator.wait_for_requests(1, PATIENCE_SECONDS)

    refused = second.call(1, "chatgpt_o3_search", {"query": "news"})["error"]

    assert "is held for running calls" in refused["data"]["details"]
    assert len(simulator.requests) == 1


@pytest.mark.requirement("people:budget:rate")
def test_many_at_once_reserve_before_they_are_sent(start: Connect, simulator: Simulator) -> None:
    """Of twenty started together two are sent."""
    server = start(env={"TEBIKI_BUDGET_CALLS_PER_MINUTE": "2"})
    for number in range(20):
        server.begin_call(number, "answer", {"query": "HTTP 404"})
    answers = [server.answer_to(number) for number in range(20)]

    assert len([answer for answer in answers if "result" in answer]) == 2
    assert len(simulator.requests) == 2


@pytest.mark.requirement("people:budget:daily", "mcp:models:prices")
def test_a_daily_cap_does_not_let_an_unknown_price_pass(
    start: Connect, simulator: Simulator
) -> None:
    """It could not count it; the error says what to do."""
    server = start(env={"MODEL_ANSWER": "house-model", "TEBIKI_BUDGET_DAILY_USD": "1"})

    refused = server.call(1, "answer", {"query": "HTTP 404"})["error"]

    assert "what house-model costs is not known" in refused["data"]["message"]
    assert "budget.prices_file" in refused["data"]["message"]
    assert simulator.requests == []


@pytest.mark.requirement("people:budget:unread")
@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("TEBIKI_BUDGET_DAILY_USD", "abc"),
        ("TEBIKI_BUDGET_DAILY_USD", "1,50"),
        ("TEBIKI_BUDGET_DAILY_USD", "-1"),
        ("TEBIKI_BUDGET_DAILY_USD", "nan"),
        ("TEBIKI_BUDGET_CALLS_PER_MINUTE", "ten"),
    ],
)
def test_a_cap_that_cannot_be_read_refuses_what_it_would_count(
    start: Connect, simulator: Simulator, tmp_path: Path, variable: str, value: str
) -> None:
    """A limit that somebody set is never without effect, also not beside one in the file."""
    write_settings(tmp_path, "tebiki", "budget: {daily_usd: 100, calls_per_minute: 100}\n")
    server = start(face="tebiki", env={variable: value})

    answer = server.call(1, "answer", {"query": "天気"})["error"]
    search = server.call(2, "chatgpt_o3_search", {"query": "天気"})["error"]
    free = server.call(3, "vault_ls", {})["result"]
    server.finish()

    assert answer["code"] == -32001
    for words in (answer["data"]["message"], search["data"]["details"]):
        assert f'{variable}="{value}" is ignored' in words
        assert "paid calls are refused until it is corrected or unset" in words
    assert not free.get("isError")
    assert simulator.requests == []
    assert f'{variable}="{value}"' in server.stderr


@pytest.mark.requirement("people:budget:unread")
def test_a_cap_for_clients_of_http_is_none_of_stdio(start: Connect) -> None:
    """Each counts its own."""
    server = start(face="tebiki", env={"TEBIKI_HTTP_DAILY_USD": "abc"})

    answer = server.call(1, "answer", {"query": "HTTP 404"})

    assert ("error" in answer) is (server.transport == "http")


@pytest.mark.requirement("people:budget:shared")
def test_a_cap_holds_without_a_ledger(start: Connect, simulator: Simulator) -> None:
    """For the process that it is set for."""
    env = {"TEBIKI_LEDGER_ENABLED": "0", "TEBIKI_BUDGET_CALLS_PER_MINUTE": "1"}
    server = start(env=env)
    assert "result" in server.call(1, "answer", {"query": "HTTP 404"})

    assert "error" in server.call(2, "answer", {"query": "HTTP 404"})
    assert len(simulator.requests) == 1
