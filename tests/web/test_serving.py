"""Streamable HTTP on the real process: both eras, errors, progress, cancellation, the end."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
from typing import TYPE_CHECKING, Any

import pytest

from tebiki.web.addresses import ListenAddress
from tebiki.web.serving import listen
from tests.support.broken_clock import broken_clock
from tests.support.command import run_command
from tests.support.http_process import HELLO
from tests.support.overheard import PATIENCE_SECONDS
from tests.support.server_process import CANARY
from tests.support.talk import MODERN

if TYPE_CHECKING:
    from pathlib import Path

    from simulator import Simulator
    from tests.web.conftest import StartHttp

ERAS = pytest.mark.parametrize("modern", [False, True], ids=["handshake", "modern"])


@pytest.mark.requirement("http:serving:same-layer")
@ERAS
def test_it_lists_and_calls(start_http: StartHttp, modern: bool) -> None:
    """The same object twice, as on stdio."""
    talk = start_http().talk(modern=modern)

    names = [tool["name"] for tool in talk.ask(1, "tools/list")["result"]["tools"]]
    result = talk.call(2, "answer", {"query": "本日の東京の天気"})["result"]

    assert names[0] == "answer"
    assert "vault_replace" in names
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
    assert ("resultType" in result) is modern


@pytest.mark.requirement("wire:methods:initialize")
@pytest.mark.parametrize("asked", ["2025-11-25", "2025-06-18", "2024-11-05", "1999-01-01", None])
def test_initialize_is_always_answered_alike(start_http: StartHttp, asked: str | None) -> None:
    """As on stdio: one revision, whatever was asked for."""
    params = HELLO if asked == "2025-06-18" else {**HELLO, "protocolVersion": asked}

    reply = start_http().post(
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params if asked else None}
    )

    assert reply.json["result"]["protocolVersion"] == "2025-06-18"
    assert reply.json["result"]["serverInfo"]["name"] == "tebiki"


@pytest.mark.requirement("wire:methods:initialize-odd-params")
def test_initialize_is_answered_whatever_the_sdk_thinks_of_it(start_http: StartHttp) -> None:
    """As on stdio, where nobody looks into the parts."""
    server = start_http()
    odd: list[dict[str, Any]] = [
        {"clientInfo": {"name": 5, "version": None}},
        {"clientInfo": {"icons": "none"}},
        {"capabilities": {"roots": 5, "experimental": []}},
        {"_meta": 5},
    ]

    for parts in odd:
        hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {**HELLO, **parts}}
        assert server.post(hello).json["result"]["protocolVersion"] == "2025-06-18", parts


@pytest.mark.requirement("wire:modern:discover")
def test_discover_names_the_modern_revision(start_http: StartHttp) -> None:
    """A modern client needs no handshake."""
    result = start_http().talk(modern=True).ask(1, "server/discover")["result"]

    assert result["supportedVersions"] == [MODERN]


@pytest.mark.requirement("http:serving:unknown-tool")
@ERAS
def test_an_unknown_tool_is_bad_params(start_http: StartHttp, modern: bool) -> None:
    """Not -32601: clients take the 404 that goes with it for a broken connection."""
    error = start_http().talk(modern=modern).call(1, "nope", {})["error"]

    assert error == {"code": -32602, "message": "Unknown tool"}


@pytest.mark.requirement("http:serving:errors")
@ERAS
def test_errors_keep_their_code_and_data(start_http: StartHttp, modern: bool) -> None:
    """As the families word them."""
    talk = start_http().talk(modern=modern)

    answer = talk.call(1, "answer", {"query": " "})["error"]
    vault = talk.call(2, "vault_read", {"path": "../x", "full": True})["result"]

    assert answer["code"] == -32001
    assert answer["data"] == {"reason": "query is required"}
    assert vault["isError"] is True
    assert vault["structuredContent"]["code"] == "invalid_path"


@pytest.mark.requirement("wire:progress:before-the-answer", "http:serving:progress")
@ERAS
def test_progress_comes_before_the_answer(start_http: StartHttp, modern: bool) -> None:
    """With the client's token and rising numbers."""
    talk = start_http().talk(modern=modern)

    query = {"query": "simulate: slow ms=600 steps=2"}
    talk.begin_call(1, "answer", query, _meta={"progressToken": "t"})
    seen = []
    while (message := talk.next_message()).get("id") != 1:
        seen.append(message["params"])

    assert len(seen) >= 2
    assert {params["progressToken"] for params in seen} == {"t"}
    counts = [params["progress"] for params in seen]
    assert counts == sorted(set(counts))
    assert all(params["message"] for params in seen)


@pytest.mark.requirement("http:serving:hang-up")
def test_a_modern_client_that_hangs_up_stops_its_call(
    start_http: StartHttp, simulator: Simulator
) -> None:
    """The connection to the API is closed too."""
    talk = start_http().talk(modern=True)

    talk.begin_call(1, "answer", {"query": "simulate: hang"})
    simulator.wait_for_requests(1, PATIENCE_SECONDS)
    talk.hang_up(1)

    simulator.wait_for_disconnects(1, PATIENCE_SECONDS)


@pytest.mark.requirement("http:serving:hang-up")
@ERAS
def test_a_client_that_hangs_up_stops_its_call_in_any_worker(
    start_http: StartHttp, simulator: Simulator, modern: bool
) -> None:
    """Several at once, so that both workers have some; those that stay are answered."""
    talk = start_http("--workers", "2").talk(modern=modern)
    for number in range(6):
        talk.begin_call(number, "answer", {"query": "simulate: hang"})
    talk.begin_call("stays", "answer", {"query": "simulate: slow ms=600"})
    simulator.wait_for_requests(7, PATIENCE_SECONDS)

    for number in range(6):
        talk.hang_up(number)

    simulator.wait_for_disconnects(6, PATIENCE_SECONDS)
    assert "result" in talk.answer_to("stays")


@pytest.mark.requirement("http:serving:cancelled")
def test_a_cancelled_call_is_stopped(start_http: StartHttp, simulator: Simulator) -> None:
    """In the handshake era by a notification; the session goes on."""
    talk = start_http().talk()

    talk.begin_call(1, "answer", {"query": "simulate: hang"})
    simulator.wait_for_requests(1, PATIENCE_SECONDS)
    talk.cancel(1)

    simulator.wait_for_disconnects(1, PATIENCE_SECONDS)
    assert "result" in talk.call(2, "answer", {"query": "HTTP 404 の意味"})


@pytest.mark.requirement("wire:errors:incident", "http:serving:incident")
@ERAS
def test_a_bug_is_an_incident_and_nothing_else(
    start_http: StartHttp, tmp_path: Path, modern: bool
) -> None:
    """-32603 with an id that is also in the log; the exception's words stay inside."""
    server = start_http(env=broken_clock(tmp_path, f"secret words {CANARY}"))
    talk = server.talk(modern=modern)

    error = talk.call(1, "answer", {"query": "本日の天気"})["error"]

    incident = error["message"].partition("incident ")[2].partition(";")[0]
    assert error["code"] == -32603
    assert "secret words" not in json.dumps(error)
    server.wait_for_stderr(f"incident {incident}")
    assert CANARY not in server.stderr
    assert "tools" in talk.ask(2, "tools/list")["result"]


@pytest.mark.requirement("http:serving:surrogates")
def test_lone_surrogates_are_answered(start_http: StartHttp, simulator: Simulator) -> None:
    """As on stdio: legal JSON, though the SDK cannot read them as they are."""
    talk = start_http().talk()
    body = (
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":'
        b'{"name":"answer","arguments":{"query":"\\ud800 \\\\ud800 \\ud83c\\udf90"}}}'
    )

    reply = talk.server.request("POST", "/mcp", body, talk.headers({"method": "tools/call"}))

    assert "result" in reply.json
    text = simulator.requests[0].body["input"][0]["content"][0]["text"]
    assert text.startswith("\ufffd \\ud800 🎐\n")
    assert "result" in talk.call(2, "answer", {"query": "HTTP 404 の意味"})


@pytest.mark.requirement("http:serving:shutdown")
def test_running_calls_finish_when_the_server_is_told_to_stop(
    start_http: StartHttp, simulator: Simulator
) -> None:
    """And a stream that only listens does not hold it up."""
    server = start_http()
    talk = server.talk()
    listening = server.connect()
    listening.request("GET", "/mcp", headers=talk.headers({}) | {"Accept": "text/event-stream"})
    assert listening.getresponse().status == 200

    talk.begin_call(1, "answer", {"query": "simulate: slow ms=700"})
    simulator.wait_for_requests(1, PATIENCE_SECONDS)
    code = server.stop()

    assert "result" in talk.answer_to(1)
    assert code == 0
    listening.close()


@pytest.mark.requirement("http:serving:shutdown")
def test_running_calls_finish_when_every_process_is_told(
    start_http: StartHttp, simulator: Simulator
) -> None:
    """As systemd does: the workers hear it too, and once more from the one that started them."""
    server = start_http("--workers", "2")
    talk = server.talk(modern=True)

    talk.begin_call(1, "answer", {"query": "simulate: slow ms=700"})
    simulator.wait_for_requests(1, PATIENCE_SECONDS)
    os.killpg(server.process.pid, signal.SIGTERM)

    assert "result" in talk.answer_to(1)
    assert server.process.wait(PATIENCE_SECONDS) == 0
    server.overheard.wait_for_end()


@pytest.mark.requirement("http:serving:shutdown")
def test_a_call_that_does_not_finish_is_cut_off(
    start_http: StartHttp, simulator: Simulator
) -> None:
    """The bound is a bound."""
    server = start_http(config="http: {shutdown_ms: 500}\n")

    server.talk(modern=True).begin_call(1, "answer", {"query": "simulate: hang"})
    simulator.wait_for_requests(1, PATIENCE_SECONDS)

    assert server.stop() == 0


@pytest.mark.requirement("http:serving:health")
def test_health_and_readiness(start_http: StartHttp) -> None:
    """Both are plain questions; the second is no before everything is loaded."""
    server = start_http()

    assert server.request("GET", "/healthz").json == {"status": "ok"}
    while (ready := server.request("GET", "/readyz")).status != 200:
        assert ready.json == {"status": "not ready"}
    assert ready.json == {"status": "ready"}


@pytest.mark.requirement("http:serving:unknown-paths")
def test_unknown_paths_are_told_where_to_go(start_http: StartHttp) -> None:
    """And nothing else."""
    reply = start_http().request("GET", "/other")

    assert reply.status == 404
    assert "/mcp" in reply.json["error"]


@pytest.mark.requirement("http:doors:loopback")
@pytest.mark.parametrize("bind", ["0.0.0.0:0", "[::]:0", "192.0.2.1:8000", "example.org:80"])
def test_other_machines_need_a_token(tmp_path: Path, bind: str) -> None:
    """Without one the server does not even listen."""
    done = run_command(tmp_path, "--http", bind, face="tebiki")

    assert done.code == 2
    assert "tebiki token new" in done.stderr


@pytest.mark.requirement("http:serving:start-errors")
@pytest.mark.parametrize("bind", ["x:y", "127.0.0.1:70000", "http://localhost", "a b", "::1"])
def test_a_strange_address_is_refused(tmp_path: Path, bind: str) -> None:
    """One line that says what is wanted."""
    done = run_command(tmp_path, "--http", bind, face="tebiki")

    assert done.code == 2
    assert "HOST:PORT" in done.stderr


@pytest.mark.requirement("http:serving:start-errors")
def test_a_taken_port_is_told(tmp_path: Path, start_http: StartHttp) -> None:
    """Not a traceback."""
    port = start_http().port

    done = run_command(tmp_path, "--http", f"127.0.0.1:{port}", face="tebiki")

    assert done.code == 2
    assert done.stderr.startswith("tebiki: error: cannot listen on 127.0.0.1")


@pytest.mark.requirement("http:serving:start-errors")
def test_without_the_extra_it_says_what_to_install(tmp_path: Path) -> None:
    """A missing package is no traceback."""
    for name in ("mcp", "uvicorn"):
        blocked = tmp_path / name
        blocked.mkdir()
        (blocked / "__init__.py").write_text("raise ImportError('not installed')\n")

    done = run_command(tmp_path, "--http", face="tebiki", env={"PYTHONPATH": str(tmp_path)})

    assert done.code == 2
    assert "pip install 'tebiki[http]'" in done.stderr


@pytest.mark.requirement("http:serving:start-errors")
def test_one_way_of_serving_at_a_time(tmp_path: Path) -> None:
    """Two would share one standard error and nothing else."""
    done = run_command(tmp_path, "--http", "--stdio", face="tebiki")

    assert done.code == 2
    assert "--stdio or --http" in done.stderr


@pytest.mark.requirement("http:serving:at-once")
@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_small_answers_leave_at_once(host: str) -> None:
    """Otherwise each would wait until its client has confirmed the packet before it."""

    async def is_set() -> bool:
        accepted: asyncio.Queue[asyncio.StreamWriter] = asyncio.Queue()
        server = await asyncio.start_server(
            lambda _, writer: accepted.put_nowait(writer), sock=listen(ListenAddress(host, 0))
        )
        async with server:
            port = server.sockets[0].getsockname()[1]
            _, mine = await asyncio.open_connection(host, port)
            theirs = await accepted.get()
            option = theirs.get_extra_info("socket").getsockopt(
                socket.IPPROTO_TCP, socket.TCP_NODELAY
            )
            for writer in (mine, theirs):
                writer.close()
            return bool(option)

    assert asyncio.run(is_set())
