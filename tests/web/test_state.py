"""Whose state it is: one client's listing, traces and place in a text are nobody else's."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.overheard import PATIENCE_SECONDS

if TYPE_CHECKING:
    from simulator import Simulator
    from tests.support.http_process import HttpProcess, HttpTalk
    from tests.web.conftest import StartHttp

FIND = {"query": "switch on", "manual_id": "lamp", "required_terms": ["button"]}
SECTIONS = 2
PRIVATE = "来年度の新製品「あかつき」は四月十日に発表し、価格は一台あたり九万八千円とする。"
REF = {"manual_id": "lamp", "path": "a.md", "start_line": 3}


def found(talk: HttpTalk) -> str:
    """A trace of a find that this client made."""
    result = talk.call("find", "manual_find", FIND)["result"]["structuredContent"]
    trace: str = result["trace_id"]
    return trace


def hits(talk: HttpTalk, trace: str) -> Any:
    """What a client gets for a trace."""
    return talk.call("hits", "manual_hits", {"trace_id": trace})["result"]["structuredContent"]


@pytest.mark.requirement("manuals:discovery:by-connection", "http:state:by-client")
def test_two_sessions_do_not_see_each_other(start_http: StartHttp) -> None:
    """Interleaved: neither the listing nor a trace of one is the other's."""
    server = start_http()
    one, other = server.talk(), server.talk()

    one.call(1, "manual_ls", {})
    refused = other.call(1, "manual_find", FIND)["result"]
    trace = found(one)
    other.call(2, "manual_ls", {})
    own = found(other)

    assert refused["structuredContent"]["details"] == {"required_first_call": "manual_ls"}
    assert hits(one, trace)["total"] == SECTIONS
    assert hits(other, own)["total"] == SECTIONS
    assert hits(other, trace)["code"] == "not_found"
    assert hits(one, own)["code"] == "not_found"
    assert one.session != other.session


@pytest.mark.requirement("http:state:by-client")
def test_a_modern_client_has_nothing_of_a_session(start_http: StartHttp) -> None:
    """Whatever session id it sends along."""
    server = start_http()
    one = server.talk()
    one.call(1, "manual_ls", {})
    trace = found(one)
    modern = server.talk(modern=True)
    modern.session = one.session

    assert hits(modern, trace)["code"] == "not_found"


@pytest.mark.requirement("manuals:read:by-connection", "http:state:by-client")
def test_reading_on_is_each_sessions_own(start_http: StartHttp) -> None:
    """Asking for the same section twice goes on; asking once after somebody else does not."""
    server = start_http()
    one, other = server.talk(), server.talk()
    modes = []
    for talk in (one, other):
        talk.call(1, "manual_ls", {})
    for talk in (one, other, one):
        result = talk.call(2, "manual_read", {"ref": REF})["result"]["structuredContent"]
        modes.append(result["applied"]["mode"])

    assert modes == ["read", "read", "scan_fallback"]


@pytest.mark.requirement("http:state:workers", "security:guard:by-client")
def test_workers_share_what_they_remember(
    start_http: StartHttp, simulator: Simulator, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    """Whichever worker answers: a listing, a trace and its rows, and what is private, are known."""
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "plan.md").write_text(f"# Plan\n\n{PRIVATE}\n", encoding="utf-8")
    env = {"VAULT_ROOT": str(tmp_path / "notes"), "TEBIKI_GUARD_WEB_QUERIES": "refuse"}
    server = start_http("--workers", "2", env=env)
    for modern in (False, True):
        with subtests.test("modern" if modern else "handshake"):
            talk = server.talk(modern=modern)
            assert talk.session is None
            talk.call(0, "manual_ls", {})
            trace = found(talk)
            totals = [hits(talk, trace)["total"] for _ in range(12)]
            assert totals == [SECTIONS] * 12
    with subtests.test("a session id is nothing: it gives no client more room"):
        talk = server.talk()
        talk.session = "of-my-own-making"
        talk.call(0, "manual_ls", {})
        trace = found(talk)
        talk.session = "another"
        assert hits(talk, trace)["total"] == SECTIONS
    with subtests.test("what one worker told is private in the other"):
        talk = server.talk()
        talk.call(1, "vault_read", {"path": "plan.md", "full": True})
        answers = [talk.call(2, "answer", {"query": PRIVATE}) for _ in range(12)]
        told = [answer["error"]["data"]["message"] for answer in answers]
        assert all("guard.web_queries" in words for words in told)
        assert simulator.requests == []
    assert server.stop() == 0


@pytest.mark.requirement("http:state:broken-store")
def test_a_broken_store_costs_no_client_anything(start_http: StartHttp, tmp_path: Path) -> None:
    """Each worker goes on by itself; what the database says is for the log alone."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    server = start_http("--workers", "2", env={"TMPDIR": str(folder)})
    talks = [server.talk(modern=modern) for modern in (False, True)]
    assert "result" in talks[0].call(0, "vault_ls", {})

    for path in folder.glob("tebiki-*/state.db*"):
        path.write_bytes(b"not a database at all " * 500)

    for talk in talks:
        answer = talk.call(1, "vault_ls", {})
        assert "result" in answer
        assert "database" not in json.dumps(answer)
    server.wait_for_stderr("workers cannot share what they keep")


@pytest.mark.requirement("http:state:workers")
@pytest.mark.skipif(sys.platform != "linux", reason="finds the workers where Linux tells them")
def test_a_worker_that_dies_takes_nothing_with_it(start_http: StartHttp) -> None:
    """Another is started in its place, and what was found is still known."""
    server = start_http("--workers", "2")
    talk = server.talk(modern=True)
    talk.call(0, "manual_ls", {})
    trace = found(talk)
    workers = workers_of(server)

    for worker in workers:
        os.kill(worker, signal.SIGKILL)
    while len(set(workers_of(server)) - set(workers)) < len(workers):
        assert server.process.poll() is None

    totals = [hits(server.talk(modern=True), trace)["total"] for _ in range(6)]
    assert totals == [SECTIONS] * 6
    assert server.stop() == 0


def workers_of(server: HttpProcess) -> list[int]:
    """The processes that serve, among the children of the one that was started."""
    pid = server.process.pid
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    commands = {int(child): Path(f"/proc/{child}/cmdline") for child in children}
    return [child for child, path in commands.items() if b"spawn_main" in _read(path)]


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


@pytest.mark.requirement("http:state:workers")
def test_workers_end_with_their_parent(start_http: StartHttp) -> None:
    """Even when it had no time to tell them."""
    server = start_http("--workers", "2")
    server.talk(modern=True).call(0, "manual_ls", {})

    server.process.kill()
    server.process.wait(PATIENCE_SECONDS)

    server.overheard.wait_for_end()
