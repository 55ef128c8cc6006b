"""Answers of several workers: one of them asks, all of them are given the answer."""

from __future__ import annotations

import asyncio
import json
import os
import stat
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tebiki.answers.answer import Answer
from tebiki.answers.citations import Citation
from tebiki.answers.workers import LEASE_SECONDS, LONGEST_KEPT, AnswersOfWorkers, pack, unpack
from tebiki.responses.client import Exchange
from tebiki.responses.replies import reply_from_json
from tebiki.state.shared import SharedStore
from tebiki.state.spilling import SpillingStore
from tebiki.tools.answers import content
from tests.support.ledgers import Clock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SECONDS = 600.0
PATIENCE_SECONDS = 300.0


def answer_of(text: str, status: str = "completed", **exchange: Any) -> Answer:
    """What an API has answered."""
    body = {
        "id": "resp_1",
        "model": "gpt-5.2-2025-12-11",
        "status": status,
        "usage": {"input_tokens": 3, "output_tokens": 4},
        "output": [
            {"type": "web_search_call", "action": {"type": "search"}},
            {
                "type": "web_search_call",
                "action": {"type": "open_page", "url": "https://a.example"},
            },
            {"type": "message", "content": [{"type": "output_text", "text": text}]},
        ],
    }
    given_by = Exchange(reply_from_json(body), 1, 7, **exchange)
    cited = (Citation("https://a.example", None, "2026-01-01"),)
    return Answer(text, True, cited, "gpt-5.2", given_by)


class Pair:
    """Two workers over one file, and what each has asked of the API."""

    def __init__(self, folder: Path) -> None:
        self.clock = Clock()
        self.waits = asyncio.Event()
        self.stores = [SharedStore(str(folder / "state.db"), self.clock) for _ in range(2)]
        ids = count()
        self.one, self.other = (
            AnswersOfWorkers(
                store,
                SECONDS,
                patience_seconds=PATIENCE_SECONDS,
                monotonic=self.clock,
                new_id=lambda: str(next(ids)),
                debug=lambda _words: self.waits.set(),
            )
            for store in self.stores
        )
        self.asked: list[str] = []
        self.begun = asyncio.Event()
        self.may_end = asyncio.Event()

    async def quickly(self, text: str = "a", status: str = "completed") -> Answer:
        """Ask the API, which answers at once."""
        self.asked.append(text)
        return answer_of(text, status)

    async def slowly(self) -> Answer:
        """Ask the API, which answers when the test says so."""
        self.begun.set()
        await self.may_end.wait()
        return await self.quickly()


@pytest.fixture(name="pair")
def _pair(tmp_path: Path) -> Iterator[Pair]:
    pair = Pair(tmp_path)
    yield pair
    for store in pair.stores:
        store.close()


def is_cached(answer: Answer) -> bool:
    """Tell whether it cost nothing this time."""
    return answer.exchange.receipt().get("cached") is True


@pytest.mark.requirement("answers:cache:workers")
def test_a_question_that_waits_in_one_worker_is_not_asked_by_the_other(pair: Pair) -> None:
    """It waits there, and is given the same answer."""

    async def run() -> tuple[Answer, Answer]:
        first = asyncio.create_task(pair.one.answer("ann", "k", pair.slowly))
        await pair.begun.wait()
        second = asyncio.create_task(pair.other.answer("ann", "k", pair.quickly))
        await pair.waits.wait()
        pair.may_end.set()
        return await first, await second

    first, second = asyncio.run(run())

    assert pair.asked == ["a"]
    assert (is_cached(first), is_cached(second)) == (False, True)
    assert content(second) == content(first)


@pytest.mark.requirement("answers:cache:workers")
def test_what_one_worker_keeps_the_other_gives_until_its_time_is_up(pair: Pair) -> None:
    """To the same client alone."""

    async def run() -> list[bool]:
        said = [await pair.one.answer("ann", "k", pair.quickly)]
        said.append(await pair.other.answer("ann", "k", pair.quickly))
        said.append(await pair.other.answer("bob", "k", pair.quickly))
        pair.clock.now += SECONDS
        said.append(await pair.other.answer("ann", "k", pair.quickly))
        return [is_cached(one) for one in said]

    assert asyncio.run(run()) == [False, True, False, False]
    assert len(pair.asked) == 3


@pytest.mark.requirement("answers:cache:only-whole")
@pytest.mark.parametrize(
    ("text", "status"), [("a", "incomplete"), ("a" * (LONGEST_KEPT + 1), "completed")]
)
def test_a_partial_answer_or_one_without_end_is_not_kept(
    pair: Pair, text: str, status: str
) -> None:
    """Whoever asks next, or waited, asks for itself."""

    async def run() -> None:
        for worker in (pair.one, pair.other):
            await worker.answer("ann", "k", lambda: pair.quickly(text, status))

    asyncio.run(run())

    assert len(pair.asked) == 2


@pytest.mark.requirement("answers:cache:only-whole")
def test_a_failure_is_nobody_elses(pair: Pair) -> None:
    """The other worker asks at once."""

    async def fail() -> Answer:
        raise ConnectionError

    async def run() -> Answer:
        with pytest.raises(ConnectionError):
            await pair.one.answer("ann", "k", fail)
        return await pair.other.answer("ann", "k", pair.quickly)

    assert not is_cached(asyncio.run(run()))


@pytest.mark.requirement("answers:cache:workers")
def test_a_worker_that_called_off_lets_the_other_ask(pair: Pair) -> None:
    """At its next look."""

    async def run() -> Answer:
        first = asyncio.create_task(pair.one.answer("ann", "k", pair.slowly))
        await pair.begun.wait()
        second = asyncio.create_task(pair.other.answer("ann", "k", pair.quickly))
        await pair.waits.wait()
        first.cancel()
        await asyncio.wait({first})
        return await second

    assert not is_cached(asyncio.run(run()))
    assert pair.asked == ["a"]


@pytest.mark.requirement("answers:cache:workers")
@pytest.mark.parametrize("seconds", [LEASE_SECONDS, PATIENCE_SECONDS])
def test_nobody_waits_for_ever_for_another_worker(pair: Pair, seconds: float) -> None:
    """One that has died is waited for until its lease ends, one that hangs as long as a call."""

    async def run() -> Answer:
        first = asyncio.create_task(pair.one.answer("ann", "k", pair.slowly))
        await pair.begun.wait()
        second = asyncio.create_task(pair.other.answer("ann", "k", pair.quickly))
        await pair.waits.wait()
        pair.clock.now += seconds
        try:
            return await second
        finally:
            first.cancel()

    assert not is_cached(asyncio.run(run()))


@pytest.mark.requirement("answers:cache:workers")
def test_what_is_kept_is_for_the_owner_of_the_server_alone(pair: Pair, tmp_path: Path) -> None:
    """Whatever the umask is, with all that the database puts beside it."""
    before = os.umask(0)
    try:
        store = SpillingStore(str(tmp_path / "own.db"), pair.clock, pytest.fail)
        ids = count()
        worker = AnswersOfWorkers(
            store,
            SECONDS,
            patience_seconds=PATIENCE_SECONDS,
            monotonic=pair.clock,
            new_id=lambda: str(next(ids)),
            debug=pytest.fail,
        )
        asyncio.run(worker.answer("ann", "k", pair.quickly))
    finally:
        os.umask(before)

    modes = [stat.S_IMODE(path.stat().st_mode) for path in tmp_path.glob("own.db*")]
    store.close()
    assert set(modes) == {0o600}
    assert len(modes) > 1


COUNTS = st.integers(0, 10**6)


@given(
    text=st.text(min_size=1),
    cost=st.none() | st.floats(0, 100),
    remarks=st.dictionaries(st.sampled_from(["resumed", "domain_violations"]), COUNTS),
)
def test_an_answer_comes_back_as_it_was(
    text: str, cost: float | None, remarks: dict[str, Any]
) -> None:
    """As far as a client hears of it."""
    answer = answer_of(text, cost_usd=cost, remarks=remarks)

    again = unpack(json.loads(json.dumps(pack(answer))))

    assert again is not None
    assert content(again) == content(answer)
    assert again.exchange.receipt() == answer.exchange.receipt()
    assert again.is_whole


@pytest.mark.parametrize("kept", [None, [], "x", {}, {"opened": 1}, {"text": "a", "opened": []}])
def test_what_another_release_has_written_is_no_answer(kept: Any) -> None:
    """It is asked for anew."""
    assert unpack(kept) is None
