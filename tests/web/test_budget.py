"""What a client may spend in a day, and run at once: counted by principal, over all workers."""

from __future__ import annotations

import asyncio
import hashlib
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from tebiki.budget.clients import Allowance, ClientLimits, caps_of, ledger_name
from tebiki.budget.paid_calls import CallStart
from tebiki.errors import OverBudget, TooManyCalls
from tebiki.state.leases import LEASE_SECONDS
from tebiki.state.memory import MemoryStateStore
from tebiki.state.shared import SharedStore
from tests.support.ledgers import Clock, entry, process_ledgers
from tests.support.overheard import PATIENCE_SECONDS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from simulator import Simulator
    from tebiki.state.store import StateStore
    from tests.web.conftest import StartHttp

TOKENS = ",".join(f"{name}:{hashlib.sha256(name.encode()).hexdigest()}" for name in ("al", "bo"))
QUESTION = {"query": "HTTP 404 の意味"}
HALF_A_DAY = 12 * 3600


@pytest.fixture(name="clock")
def _clock() -> Clock:
    return Clock()


@pytest.fixture(name="stores", params=["memory", "shared"])
def _stores(
    request: pytest.FixtureRequest, tmp_path: Path, clock: Clock
) -> Iterator[tuple[StateStore, StateStore]]:
    """What two workers keep things in; one worker alone has one."""
    if request.param == "memory":
        one = MemoryStateStore(clock)
        yield one, one
        return
    shared = [SharedStore(str(tmp_path / "state.db"), clock) for _ in range(2)]
    yield shared[0], shared[1]
    for store in shared:
        store.close()


class Worker:
    """What one worker does with the budget of one client."""

    def __init__(self, path: Path, clock: Clock, **budget: Any) -> None:
        self._ledgers = process_ledgers(path, clock=clock)
        self._clock = clock
        caps = caps_of("alice", Allowance(0, 1, **budget))
        assert caps is not None
        self._caps = caps

    def begin(self, call_id: str, held_usd: float) -> None:
        """Begin a paid call."""
        start = CallStart(self._clock.now, call_id, held_usd, self._caps.client)
        self._ledgers.begin(start, [self._caps])

    def end(self, call_id: str, usd: float) -> None:
        """End it."""
        call = entry(time=self._clock.now, cost=usd)
        self._ledgers.end(call._replace(id=call_id, client=self._caps.client))


@pytest.mark.requirement("http:budget:daily")
def test_money_is_counted_over_all_workers(tmp_path: Path, clock: Clock) -> None:
    """What is spent, and what running calls may cost; until the day ends."""
    one, other = (Worker(tmp_path / "ledger.db", clock, daily_usd=1.0) for _ in range(2))
    one.begin("a", 0.3)
    one.end("a", 0.6)
    one.begin("b", 0.5)

    with pytest.raises(OverBudget) as refused:
        other.begin("c", 0.1)
    one.end("b", 0.0)
    other.begin("d", 0.1)
    other.end("d", 0.4)

    assert "0.60 USD of http.daily_usd = 1 is spent, the rest is held" in str(refused.value)
    assert "in 12 h" in str(refused.value)
    assert refused.value.retry_after_seconds == HALF_A_DAY
    with pytest.raises(OverBudget, match=r"1\.00 USD of http.daily_usd = 1 is spent on 2026-11-16"):
        one.begin("e", 0.1)
    clock.now += HALF_A_DAY
    one.begin("e", 0.1)


@pytest.mark.requirement("http:budget:daily")
def test_a_dead_workers_calls_are_held_for_the_day(tmp_path: Path, clock: Clock) -> None:
    """The API bills them, whoever is left to write it down."""
    one, other = (Worker(tmp_path / "ledger.db", clock, daily_usd=1.0) for _ in range(2))
    one.begin("a", 1.5)

    clock.now += HALF_A_DAY - 1
    with pytest.raises(OverBudget):
        other.begin("b", 0.1)

    clock.now += 1
    other.begin("b", 0.1)


@pytest.mark.requirement("http:budget:daily")
def test_paid_calls_are_counted(tmp_path: Path, clock: Clock) -> None:
    """Whatever they cost."""
    one, other = (Worker(tmp_path / "ledger.db", clock, daily_calls=2) for _ in range(2))
    one.begin("a", 0.0)
    other.begin("b", 0.0)

    with pytest.raises(OverBudget, match=r"2 paid calls of http\.daily_calls = 2 were made on"):
        one.begin("c", 0.0)
    clock.now += HALF_A_DAY
    one.begin("d", 0.0)


@pytest.mark.requirement("http:budget:daily")
def test_a_budget_outlives_the_server(tmp_path: Path, clock: Clock) -> None:
    """Who has spent the day's money does not get more by a restart."""
    Worker(tmp_path / "ledger.db", clock, daily_usd=1.0).end("a", 1.0)

    with pytest.raises(OverBudget):
        Worker(tmp_path / "ledger.db", clock, daily_usd=1.0).begin("b", 0.1)


@pytest.mark.requirement("http:budget:daily")
def test_without_a_budget_nobody_is_asked() -> None:
    """And nothing is counted."""
    assert caps_of("alice", Allowance(0, 1)) is None


@pytest.mark.requirement("http:budget:daily")
@pytest.mark.parametrize("name", ["", "a" * 201, "a\x1b[31m", "\ud800"])
def test_clients_of_odd_names_have_budgets_of_their_own(name: str) -> None:
    """Whatever an issuer calls a client, the ledger can hold it and a terminal show it."""
    kept = ledger_name(name)

    assert kept.isprintable()
    assert 0 < len(kept) <= 200
    assert kept != ledger_name(f"{name}x")
    assert ledger_name("al") == "al"


@pytest.mark.requirement("http:limits:over-workers")
def test_a_dead_workers_calls_run_no_more(
    stores: tuple[StateStore, StateStore], clock: Clock
) -> None:
    """Their places are free after a while; those of a living one stay taken."""
    ids = count()
    allowance = Allowance(0, 2)
    dead, living = (
        ClientLimits(allowance, store, new_id=lambda: str(next(ids))) for store in stores
    )

    async def run() -> None:
        async with dead.call("alice"), living.call("alice"):
            for limits in (dead, living):
                await refused(limits)
            clock.now += LEASE_SECONDS - 1
            living.running.renew()
            clock.now += 1
            async with living.call("alice"):
                await refused(living)
        async with living.call("alice"), dead.call("alice"):
            pass

    async def refused(limits: ClientLimits) -> None:
        with pytest.raises(TooManyCalls):
            async with limits.call("alice"):
                pass

    asyncio.run(run())


@pytest.mark.requirement("http:budget:daily")
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_client_that_has_spent_its_budget_is_told(start_http: StartHttp, workers: str) -> None:
    """In its tool's words, with when it opens again; others are not, and what is free stays so."""
    server = start_http(
        "--workers",
        workers,
        env={"TEBIKI_HTTP_TOKENS": TOKENS},
        config="http: {daily_usd: 0.000001}\n",
    )
    alice, bob = (server.talk(token=name, modern=True) for name in ("al", "bo"))

    first = alice.call(1, "answer", QUESTION)
    second = alice.call(2, "answer", QUESTION)["error"]
    search = alice.call(3, "chatgpt_o3_search", {"query": "x"})["error"]
    free = alice.call(4, "vault_ls", {})["result"]

    assert "result" in first
    assert "This client's daily budget is reached" in second["data"]["message"]
    assert "open again at 00:00 UTC" in second["data"]["message"]
    assert search["code"] == -32003
    assert 0 < search["data"]["retryAfter"] <= 86_400
    assert not free.get("isError")
    assert "result" in bob.call(5, "answer", QUESTION)


@pytest.mark.requirement("http:limits:over-workers")
def test_calls_at_once_are_counted_over_all_workers(
    start_http: StartHttp, simulator: Simulator
) -> None:
    """Whichever worker runs them, and whichever is asked."""
    server = start_http("--workers", "2", config="http: {concurrent_calls: 3}\n")
    talk = server.talk(modern=True)
    for number in range(3):
        talk.begin_call(number, "answer", {"query": "simulate: hang"})
    simulator.wait_for_requests(3, PATIENCE_SECONDS)

    refused = [talk.call(f"r{n}", "vault_ls", {})["result"] for n in range(8)]
    talk.hang_up(0)
    simulator.wait_for_disconnects(1, PATIENCE_SECONDS)

    assert [result.get("isError") for result in refused] == [True] * 8
    while talk.call("again", "vault_ls", {})["result"].get("isError"):
        continue


@pytest.mark.requirement("http:budget:daily", "people:budget:unread")
@pytest.mark.parametrize("variable", ["TEBIKI_HTTP_DAILY_USD", "TEBIKI_HTTP_DAILY_CALLS"])
def test_a_limit_that_cannot_be_read_refuses_what_it_would_count(
    start_http: StartHttp, simulator: Simulator, variable: str
) -> None:
    """What costs nothing goes on."""
    talk = start_http("--workers", "2", env={variable: "five"}).talk(modern=True)

    error = talk.call(1, "answer", QUESTION)["error"]
    free = talk.call(2, "vault_ls", {})["result"]

    assert f'{variable}="five" is ignored' in error["data"]["message"]
    assert not free.get("isError")
    assert simulator.requests == []


@pytest.mark.requirement("http:budget:prices")
def test_a_budget_needs_prices(start_http: StartHttp) -> None:
    """A model whose price nobody knows could not be counted."""
    server = start_http(env={"MODEL_ANSWER": "no-such-model"}, config="http: {daily_usd: 1}\n")

    error = server.talk().call(1, "answer", QUESTION)["error"]

    assert "http.daily_usd is set, but what no-such-model costs" in error["data"]["message"]
