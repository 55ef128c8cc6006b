"""Answers of a server with several workers: one of them asks, whichever are asked."""

from __future__ import annotations

import os
import signal
import stat
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from tests.interaction.test_background import KEPT, receipt
from tests.support.command import run_command
from tests.support.overheard import PATIENCE_SECONDS
from tests.web.test_state import workers_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from simulator import Simulator
    from tests.support.http_process import HttpProcess, HttpTalk
    from tests.web.conftest import StartHttp

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="finds the workers where Linux tells them"
)
SLOW = "simulate: slow ms=1500"
SECOND_TIME = "simulate: hang, searched"
"""Answered when it is asked again."""


@contextmanager
def asleep(worker: int) -> Iterator[None]:
    """Stop a worker meanwhile, so that the other is asked."""
    os.kill(worker, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(worker, signal.SIGCONT)


def both_of(server: HttpProcess) -> list[int]:
    """The two workers, once both have been started."""
    while len(found := workers_of(server)) < 2:
        assert server.process.poll() is None
    return found


def ask_both(
    server: HttpProcess, simulator: Simulator, talk: HttpTalk, query: str
) -> tuple[int, int]:
    """Ask one worker, which asks the API, and then the other the same; gives both."""
    one, other = both_of(server)
    with asleep(other):
        talk.begin_call("a", "answer", {"query": query})
        simulator.wait_for_requests(1, PATIENCE_SECONDS)
    with asleep(one):
        talk.begin_call("b", "answer", {"query": query})
        server.wait_for_stderr("on its way in another worker")
    return one, other


@pytest.mark.requirement("answers:cache:workers")
def test_two_workers_that_are_asked_the_same_ask_once(
    start_http: StartHttp, simulator: Simulator, tmp_path: Path
) -> None:
    """While it is on its way, and afterwards; what is kept is readable by nobody else."""
    (tmp_path / "temporary").mkdir()
    env = KEPT | {"TMPDIR": str(tmp_path / "temporary")}
    server = start_http("--debug", "--workers", "2", env=env)
    talk = server.talk(modern=True)

    one, other = ask_both(server, simulator, talk, SLOW)
    first, second = talk.answer_to("a"), talk.answer_to("b")
    later = []
    for number, worker in enumerate((one, other)):
        with asleep(worker):
            later.append(talk.call(number, "answer", {"query": SLOW}))

    assert len(simulator.requests) == 1
    assert "cached" not in receipt(first)
    assert [receipt(one)["cached"] for one in (second, *later)] == [True] * 3
    assert second["result"]["structuredContent"] == first["result"]["structuredContent"]
    (folder,) = (tmp_path / "temporary").glob("tebiki-*")
    kept = [folder, *folder.glob("state.db*")]
    assert len(kept) > 1
    assert {stat.S_IMODE(path.stat().st_mode) & 0o077 for path in kept} == {0}


@pytest.mark.requirement("answers:cache:workers")
def test_a_worker_that_is_killed_leaves_nobody_waiting(
    start_http: StartHttp, simulator: Simulator
) -> None:
    """Whoever waits elsewhere for what it asked is answered all the same."""
    server = start_http("--debug", "--workers", "2", env=KEPT)
    talk = server.talk(modern=True)

    one, _other = ask_both(server, simulator, talk, SECOND_TIME)
    os.kill(one, signal.SIGKILL)

    assert "cached" not in receipt(talk.answer_to("b"))
    assert len(simulator.requests) == 2


@pytest.mark.requirement("answers:cache:workers")
def test_a_call_that_is_called_off_in_one_worker_goes_on_in_the_other(
    start_http: StartHttp, simulator: Simulator
) -> None:
    """It is called off at the API, and asked anew for the one who waits."""
    server = start_http("--debug", "--workers", "2", env=KEPT)
    talk = server.talk(modern=True)

    ask_both(server, simulator, talk, SECOND_TIME)
    talk.hang_up("a")

    assert "result" in talk.answer_to("b")
    simulator.wait_for_disconnects(1, PATIENCE_SECONDS)
    assert len(simulator.requests) == 2


@pytest.mark.requirement("answers:cache:workers", "answers:cache:only-whole")
def test_what_is_not_whole_or_anothers_is_asked_by_each_worker(
    start_http: StartHttp, simulator: Simulator, tmp_path: Path
) -> None:
    """Nothing goes from one principal to another."""
    ann, bob = (
        run_command(tmp_path, "token", "new", name, face="tebiki").stdout.strip()
        for name in ("ann", "bob")
    )
    server = start_http("--workers", "2", env=KEPT)
    asked = []
    for token, query in ((ann, "weather"), (bob, "weather"), (ann, "simulate: incomplete")):
        talk = server.talk(modern=True, token=token)
        for number, worker in enumerate(both_of(server)):
            with asleep(worker):
                talk.call(f"{query} {number}", "answer", {"query": query})
        asked.append(len(simulator.requests))

    assert asked == [1, 2, 4]
