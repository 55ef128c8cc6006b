"""Which tools are served: by toolset, by name, and by name left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.interaction.differences import expected
from tests.interaction.enquiries import Asker

if TYPE_CHECKING:
    from tests.interaction.conftest import Connect
    from tests.support.talk import Talk

MANUALS = ["manual_ls", "manual_toc", "manual_find", "manual_hits", "manual_read", "manual_scan"]
NOTES = ["vault_ls", "vault_create", "vault_read", "vault_scan", "vault_replace"]


def names(server: Talk) -> list[str]:
    """The tools that are listed."""
    return [tool["name"] for tool in server.ask("names", "tools/list")["result"]["tools"]]


@pytest.mark.requirement("mcp:selection:eleven")
def test_manuals_and_notes_are_eleven_tools(connect: Connect) -> None:
    """No more, whatever else there is."""
    assert names(connect("--toolsets=manuals,vault", face="tebiki")) == MANUALS + NOTES


@pytest.mark.requirement("mcp:selection:tools")
@pytest.mark.parametrize(
    ("flags", "served"),
    [
        (("--tools=vault_read,answer",), ["answer", "vault_read"]),
        (
            (
                "--tools",
                "vault_read , vault_ls",
            ),
            ["vault_ls", "vault_read"],
        ),
        (
            ("--toolsets=manuals", "--without=manual_hits,manual_toc"),
            ["manual_ls", "manual_find", "manual_read", "manual_scan"],
        ),
        (("--toolsets=vault", "--tools=vault_ls,vault_scan", "--without=vault_scan"), ["vault_ls"]),
        (("--toolsets=vault", "--read-only", "--without=vault_scan"), ["vault_ls", "vault_read"]),
    ],
)
def test_tools_are_chosen_by_name(
    connect: Connect, flags: tuple[str, ...], served: list[str]
) -> None:
    """In the order of the whole list; what is not chosen does not exist."""
    server = connect(*flags, face="tebiki")

    assert names(server) == served
    missing = "manual_hits" if "vault_ls" in served else "vault_ls"
    refused = {"code": -32601, "message": "Unknown tool"}
    assert server.call(1, missing, {})["error"] == expected(server, "unknown tool", refused)


@pytest.mark.requirement("mcp:selection:tools")
def test_resources_and_instructions_follow_the_tools(connect: Connect) -> None:
    """Who may not read by a tool may not read by a URI, and is not told of the tool."""
    server = connect("--without=vault_read,vault_scan,answer_quick", face="tebiki")
    asker = Asker(server)

    told = server.ask("hello", "initialize")["result"]["instructions"]

    assert asker.uris() == []
    assert asker.error("resources/read", uri="vault:///")["code"] == -32002
    assert "`vault_read`" not in told
    assert "`answer_quick`" not in told
    assert "`manual_find`" in told
    assert "manual://id/path#Lline" in told
