"""The yardstick of `http_load`: a server of the SDK with one trivial tool and nothing else."""

from __future__ import annotations

import socket
import sys
from typing import Any

import uvicorn
from mcp.server.lowlevel import Server

TOOL = {"name": "trivial", "inputSchema": {"type": "object"}}
RESULT = {"content": [{"type": "text", "text": "{}"}], "resultType": "complete"}


async def list_tools(_context: Any, _params: Any) -> Any:
    """Name the tool."""
    return {"tools": [TOOL], "resultType": "complete"}


async def call_tool(_context: Any, _params: Any) -> Any:
    """Do nothing."""
    return RESULT


def main() -> None:
    """Serve on a free port, told on stderr."""
    server: Server[Any] = Server("bare", on_list_tools=list_tools, on_call_tool=call_tool)
    # Named, so that it answers at once as ours does.
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.bind(("127.0.0.1", 0))
    listening.listen(512)
    sys.stderr.write(f"serving on http://127.0.0.1:{listening.getsockname()[1]}/mcp\n")
    sys.stderr.flush()
    config = uvicorn.Config(server.streamable_http_app(), log_level="error", http="h11", ws="none")
    uvicorn.Server(config).run(sockets=[listening])


if __name__ == "__main__":
    main()
