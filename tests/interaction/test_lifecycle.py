"""wire.md §2 and §3 on the real process: both eras, every method, ids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tebiki import __version__
from tests.server_process import MODERN_META

if TYPE_CHECKING:
    from tests.conftest import StartServer

SERVER_INFO = {"name": "openai-responses-mcp", "version": __version__}
TOOL_NAMES = ["answer", "answer_detailed", "answer_quick"]


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
def test_initialize_is_always_answered_2025_06_18(
    start_offline: StartServer, dialect: str, params: Any
) -> None:
    """No negotiation, and odd params are answered all the same."""
    server = start_offline(dialect=dialect)

    answer = server.ask(0, "initialize", params)

    assert answer == {
        "jsonrpc": "2.0",
        "id": 0,
        "result": {
            "protocolVersion": "2025-06-18",
            "capabilities": {"tools": {}},
            "serverInfo": SERVER_INFO,
        },
    }


def test_the_product_gives_instructions(start_offline: StartServer) -> None:
    """The `tebiki` face names itself and tells a model how to use it."""
    server = start_offline(face="tebiki")

    result = server.ask(1, "initialize")["result"]

    assert result["serverInfo"] == {"name": "tebiki", "version": __version__}
    assert "answer" in result["instructions"]


def test_everything_is_served_before_initialize(start_offline: StartServer, dialect: str) -> None:
    """Smoke clients call right away."""
    server = start_offline(dialect=dialect)

    listed = server.ask(1, "tools/list", {})["result"]

    assert server.ask(2, "ping")["result"] == {}
    assert [tool["name"] for tool in listed["tools"]] == TOOL_NAMES
    assert "nextCursor" not in listed


@pytest.mark.parametrize("request_id", [0, "", "0", -1, 2**60, "id\n\u2028日本", 1])
def test_ids_come_back_unchanged(start_offline: StartServer, request_id: object) -> None:
    """Strings and integers, zero and empty included."""
    server = start_offline()

    answer = server.ask(request_id, "ping")

    assert answer["id"] == request_id
    assert type(answer["id"]) is type(request_id)


@pytest.mark.parametrize(
    "method",
    ["resources/list", "resources/templates/list", "prompts/list", "x", "", "notifications/x"],
)
def test_an_unknown_method_is_refused(
    start_offline: StartServer, dialect: str, method: str
) -> None:
    """-32601, without data."""
    server = start_offline(dialect=dialect)

    error = server.ask(1, method, {})["error"]

    assert error["code"] == -32601
    assert "data" not in error


def test_a_modern_client_discovers_the_server(start_offline: StartServer, dialect: str) -> None:
    """`server/discover` is answered per 2026-07-28, with result type, stamp and cache hints."""
    server = start_offline(dialect=dialect)

    result = server.ask("d", "server/discover", {"_meta": MODERN_META})["result"]

    assert result["supportedVersions"] == ["2026-07-28"]
    assert result["capabilities"] == {"tools": {}}
    assert result["resultType"] == "complete"
    assert result["_meta"]["io.modelcontextprotocol/serverInfo"] == SERVER_INFO
    assert result["ttlMs"] > 0
    assert result["cacheScope"] in {"public", "private"}


def test_discovery_needs_no_envelope(start_offline: StartServer) -> None:
    """A bare probe is told the same."""
    server = start_offline()

    result = server.ask("d", "server/discover")["result"]

    assert result["supportedVersions"] == ["2026-07-28"]


def test_a_modern_list_carries_cache_hints(start_offline: StartServer) -> None:
    """The same tools, in the modern envelope."""
    server = start_offline()

    modern = server.ask(1, "tools/list", {"_meta": MODERN_META})["result"]
    handshake = server.ask(2, "tools/list")["result"]

    assert modern["tools"] == handshake["tools"]
    assert modern["resultType"] == "complete"
    assert modern["ttlMs"] > 0
    assert set(handshake) == {"tools"}


def test_a_modern_call_is_stamped(start: StartServer, dialect: str) -> None:
    """A result carries its type, the server's stamp and our receipt."""
    server = start(dialect=dialect)

    result = server.call(1, "answer", {"query": "HTTP 404 の意味"}, _meta=MODERN_META)["result"]

    assert result["resultType"] == "complete"
    assert result["_meta"]["io.modelcontextprotocol/serverInfo"] == SERVER_INFO
    assert result["_meta"]["tebiki/receipt"]["attempts"] == 1


def test_an_unknown_revision_names_those_we_speak(start_offline: StartServer) -> None:
    """-32022 with what is supported and what was asked for."""
    server = start_offline()
    meta = MODERN_META | {"io.modelcontextprotocol/protocolVersion": "2099-01-01"}

    error = server.ask(1, "server/discover", {"_meta": meta})["error"]

    assert error["code"] == -32022
    assert error["data"] == {"supported": ["2026-07-28"], "requested": "2099-01-01"}


@pytest.mark.parametrize("missing", ["io.modelcontextprotocol/clientCapabilities"])
def test_an_incomplete_envelope_is_refused(start_offline: StartServer, missing: str) -> None:
    """-32602 that names what is missing."""
    server = start_offline()
    meta = {key: value for key, value in MODERN_META.items() if key != missing}

    error = server.ask(1, "tools/list", {"_meta": meta})["error"]

    assert error["code"] == -32602
    assert missing in error["message"]


def test_ping_is_not_part_of_the_modern_era(start_offline: StartServer) -> None:
    """That revision removed it."""
    server = start_offline()

    assert server.ask(1, "ping", {"_meta": MODERN_META})["error"]["code"] == -32601


def test_one_connection_serves_both_eras(start_offline: StartServer) -> None:
    """The era belongs to the request, not to the connection."""
    server = start_offline()

    modern = server.ask(1, "server/discover", {"_meta": MODERN_META})
    handshake = server.ask(2, "initialize", {"protocolVersion": "2025-06-18"})
    again = server.ask(3, "tools/list", {"_meta": MODERN_META})

    assert "result" in modern
    assert handshake["result"]["protocolVersion"] == "2025-06-18"
    assert again["result"]["resultType"] == "complete"
