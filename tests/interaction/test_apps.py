"""The MCP App behind `manual_find`: told of to clients that show apps, read by its URI."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.support.talk import LEGACY, MODERN_META

if TYPE_CHECKING:
    from tests.interaction.conftest import Connect
    from tests.support.talk import Talk

EXTENSION = "io.modelcontextprotocol/ui"
KIND = "text/html;profile=mcp-app"
URI = "ui://tebiki/find.html"
SHOWING = {"extensions": {EXTENSION: {"mimeTypes": [KIND]}}}
OTHERS: list[Any] = [
    {},
    {"extensions": {}},
    {"extensions": {EXTENSION: {"mimeTypes": ["text/plain"]}}},
    {"extensions": {"io.example/other": {}}},
]


def introduce(client: Talk, capabilities: Any) -> dict[str, Any]:
    """Begin as a client that declares this."""
    hello = {"protocolVersion": LEGACY, "capabilities": capabilities}
    client.request("hello", "initialize", hello | {"clientInfo": {"name": "t", "version": "1"}})
    result: dict[str, Any] = client.answer_to("hello")["result"]
    return result


def listed(client: Talk, request_id: int, params: Any = None) -> dict[str, Any]:
    """The definitions of the tools, by name."""
    tools = client.ask(request_id, "tools/list", params)["result"]["tools"]
    return {tool["name"]: tool for tool in tools}


@pytest.mark.requirement("page:app:offered")
def test_a_client_that_shows_apps_is_told_of_ours(connect: Connect) -> None:
    """In the handshake and at the one tool whose results it shows."""
    client = connect("--toolsets", "manuals", face="tebiki")

    declared = introduce(client, SHOWING)["capabilities"]
    tools = listed(client, 1)

    assert declared["extensions"] == {EXTENSION: {}}
    assert tools["manual_find"]["_meta"] == {"ui": {"resourceUri": URI}}
    assert [name for name, tool in tools.items() if "_meta" in tool] == ["manual_find"]


@pytest.mark.requirement("page:app:offered")
@pytest.mark.parametrize("capabilities", OTHERS)
def test_other_clients_hear_nothing_of_it(connect: Connect, capabilities: Any) -> None:
    """Their lists are as they were."""
    client = connect("--toolsets", "manuals", face="tebiki")

    declared = introduce(client, capabilities)["capabilities"]

    assert "extensions" not in declared
    assert "_meta" not in listed(client, 1)["manual_find"]


@pytest.mark.requirement("page:app:offered")
def test_a_modern_client_tells_with_each_request(connect: Connect) -> None:
    """There is no handshake to remember."""
    client = connect("--toolsets", "manuals", face="tebiki")
    meta = MODERN_META | {"io.modelcontextprotocol/clientCapabilities": SHOWING}

    told = client.ask(1, "server/discover", {"_meta": meta})["result"]["capabilities"]
    shown = listed(client, 2, {"_meta": meta})
    plain = listed(client, 3, {"_meta": MODERN_META})

    assert told["extensions"] == {EXTENSION: {}}
    assert "ui" in shown["manual_find"]["_meta"]
    assert "_meta" not in plain["manual_find"]


@pytest.mark.requirement("page:app:resource")
def test_the_app_is_read_by_its_uri_and_not_listed(connect: Connect) -> None:
    """One whole page that asks for nothing, with its type and what it prefers."""
    client = connect("--toolsets", "manuals", face="tebiki")
    introduce(client, SHOWING)

    (app,) = client.ask(1, "resources/read", {"uri": URI})["result"]["contents"]
    resources = client.ask(2, "resources/list")["result"]["resources"]

    assert app["mimeType"] == KIND
    assert app["_meta"] == {"ui": {"prefersBorder": True}}
    assert app["text"].startswith("<!doctype html>")
    assert "http" not in app["text"].replace("http://www.w3.org/", "")
    assert [one["uri"] for one in resources if one["uri"].startswith("ui:")] == []


@pytest.mark.requirement("page:app:offered")
def test_without_the_tools_that_it_reads_on_with_there_is_no_app(connect: Connect) -> None:
    """A host would show a page whose links lead nowhere."""
    client = connect("--toolsets", "manuals", "--without", "manual_read", face="tebiki")

    declared = introduce(client, SHOWING)["capabilities"]

    assert "extensions" not in declared
    assert "_meta" not in listed(client, 1)["manual_find"]
    assert "error" in client.ask(2, "resources/read", {"uri": URI})
