"""The life of a connection on the real process: both eras, every method, ids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tebiki import __version__
from tests.interaction.differences import WITHOUT_HTTP, expected, name_of
from tests.support.talk import MODERN_META

if TYPE_CHECKING:
    from tests.interaction.conftest import Connect
    from tests.support.talk import Talk

TOOL_NAMES = ["answer", "answer_detailed", "answer_quick"]


def info_of(server: Talk) -> dict[str, str]:
    """How a server names itself."""
    return {"name": name_of(server, "openai_responses_mcp"), "version": __version__}


@pytest.mark.requirement(
    "wire:methods:initialize",
    "wire:methods:initialize-odd-params",
    "wire:modern:official-types",
    "config:faces:names",
)
@pytest.mark.parametrize(
    "params",
    [
        None,
        {},
        {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {}},
        {"protocolVersion": "2024-11-05"},
        {"protocolVersion": "2099-01-01"},
        {"protocolVersion": 5},
        {"_meta": {"io.modelcontextprotocol/protocolVersion": "2099-01-01"}},
        [],
        "odd",
    ],
)
def test_initialize_is_always_answered_2025_06_18(connect: Connect, params: Any) -> None:
    """No negotiation, and odd params are answered all the same."""
    server = connect()

    answer = server.ask(0, "initialize", params)

    # Only the product has them, and only the product serves HTTP.
    answer["result"].pop("instructions", None)
    assert answer == {
        "jsonrpc": "2.0",
        "id": 0,
        "result": {
            "protocolVersion": "2025-06-18",
            "capabilities": expected(server, "capabilities", {"tools": {}}),
            "serverInfo": info_of(server),
        },
    }


@pytest.mark.requirement("wire:methods:instructions", "config:faces:names")
def test_the_product_gives_instructions(connect: Connect) -> None:
    """The `tebiki` face names itself and tells a model how to use it."""
    server = connect(face="tebiki")

    result = server.ask(1, "initialize")["result"]

    assert result["serverInfo"] == {"name": "tebiki", "version": __version__}
    assert "answer" in result["instructions"]


@pytest.mark.requirement(
    "wire:methods:ping",
    "wire:methods:tools-list",
    "wire:methods:before-initialize",
    "answers:tools:three",
)
def test_everything_is_served_before_initialize(connect: Connect) -> None:
    """Smoke clients call right away."""
    server = connect()

    listed = server.ask(1, "tools/list", {})["result"]

    assert server.ask(2, "ping")["result"] == {}
    assert [tool["name"] for tool in listed["tools"]] == TOOL_NAMES
    assert "nextCursor" not in listed


@pytest.mark.requirement("wire:framing:line-answer", "wire:ids:unchanged")
def test_ids_come_back_unchanged(connect: Connect, subtests: pytest.Subtests) -> None:
    """Strings and integers, zero and empty included."""
    server = connect()

    ids: list[object] = [0, "", "0", -1, 2**60, "id\n\u2028日本", 1]
    for request_id in ids:
        with subtests.test(request_id=request_id):
            answer = server.ask(request_id, "ping")

            assert answer["id"] == request_id
            assert type(answer["id"]) is type(request_id)


@pytest.mark.requirement("wire:methods:unknown")
def test_an_unknown_method_is_refused(connect: Connect, subtests: pytest.Subtests) -> None:
    """-32601, without data."""
    server = connect()
    keys = expected(server, "keys of an unknown method's error", {"code", "message"})

    known_elsewhere = ("resources/list", "resources/templates/list", "prompts/list")
    for method in (*known_elsewhere, "x", "", "notifications/x"):
        with subtests.test(method):
            error = server.ask(1, method, {})["error"]

            assert error["code"] == -32601
            assert set(error) == keys


@pytest.mark.requirement("wire:modern:discover", "wire:modern:official-types")
def test_a_modern_client_discovers_the_server(connect: Connect) -> None:
    """`server/discover` is answered per 2026-07-28, with result type, stamp and cache hints."""
    server = connect()

    result = server.ask("d", "server/discover", {"_meta": MODERN_META})["result"]

    assert result["supportedVersions"] == ["2026-07-28"]
    assert result["capabilities"] == expected(server, "capabilities", {"tools": {}})
    assert result["resultType"] == "complete"
    assert result["_meta"]["io.modelcontextprotocol/serverInfo"] == info_of(server)
    assert result["ttlMs"] > 0
    assert result["cacheScope"] in {"public", "private"}


@pytest.mark.requirement("wire:modern:discover")
# The SDK asks for one.
@pytest.mark.transports(*WITHOUT_HTTP)
def test_discovery_needs_no_envelope(connect: Connect) -> None:
    """A bare probe is told the same."""
    server = connect()

    result = server.ask("d", "server/discover")["result"]

    assert result["supportedVersions"] == ["2026-07-28"]


@pytest.mark.requirement("wire:modern:cache-hints")
def test_a_modern_list_carries_cache_hints(connect: Connect) -> None:
    """The same tools, in the modern envelope."""
    server = connect()

    modern = server.ask(1, "tools/list", {"_meta": MODERN_META})["result"]
    handshake = server.ask(2, "tools/list")["result"]

    assert modern["tools"] == handshake["tools"]
    assert modern["resultType"] == "complete"
    assert modern["ttlMs"] > 0
    assert set(handshake) == {"tools"}


@pytest.mark.requirement("wire:modern:no-handshake", "wire:modern:official-types")
def test_a_modern_call_is_stamped(start: Connect) -> None:
    """A result carries its type, the server's stamp and our receipt."""
    server = start()

    result = server.call(1, "answer", {"query": "HTTP 404 の意味"}, _meta=MODERN_META)["result"]

    assert result["resultType"] == "complete"
    assert result["_meta"]["io.modelcontextprotocol/serverInfo"] == info_of(server)
    assert result["_meta"]["tebiki/receipt"]["attempts"] == 1


@pytest.mark.requirement("wire:modern:unknown-revision")
def test_an_unknown_revision_names_those_we_speak(connect: Connect) -> None:
    """-32022 with what is supported and what was asked for."""
    server = connect()
    meta = MODERN_META | {"io.modelcontextprotocol/protocolVersion": "2099-01-01"}

    error = server.ask(1, "server/discover", {"_meta": meta})["error"]

    assert error["code"] == -32022
    assert error["data"] == {"supported": ["2026-07-28"], "requested": "2099-01-01"}


@pytest.mark.requirement("wire:modern:incomplete-envelope")
@pytest.mark.parametrize("missing", ["io.modelcontextprotocol/clientCapabilities"])
def test_an_incomplete_envelope_is_refused(connect: Connect, missing: str) -> None:
    """-32602 that names what is missing."""
    server = connect()
    meta = {key: value for key, value in MODERN_META.items() if key != missing}

    error = server.ask(1, "tools/list", {"_meta": meta})["error"]

    assert error["code"] == -32602
    assert missing in error["message"]


@pytest.mark.requirement("wire:modern:no-ping")
def test_ping_is_not_part_of_the_modern_era(connect: Connect) -> None:
    """That revision removed it."""
    server = connect()

    assert server.ask(1, "ping", {"_meta": MODERN_META})["error"]["code"] == -32601


@pytest.mark.requirement("wire:modern:both-eras")
def test_one_connection_serves_both_eras(connect: Connect) -> None:
    """The era belongs to the request, not to the connection."""
    server = connect()

    modern = server.ask(1, "server/discover", {"_meta": MODERN_META})
    handshake = server.ask(2, "initialize", {"protocolVersion": "2025-06-18"})
    again = server.ask(3, "tools/list", {"_meta": MODERN_META})

    assert "result" in modern
    assert handshake["result"]["protocolVersion"] == "2025-06-18"
    assert again["result"]["resultType"] == "complete"
