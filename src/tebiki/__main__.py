"""The entry points: one for each face, all into the same `main`."""

from __future__ import annotations

import sys
from typing import NoReturn

from tebiki.app import faces
from tebiki.cli.main import main


def tebiki() -> NoReturn:
    """Run the product itself."""
    sys.exit(main(faces.TEBIKI))


def openai_responses_mcp() -> NoReturn:
    """Run the drop-in for the answers server."""
    sys.exit(main(faces.OPENAI_RESPONSES_MCP))


def mcp_o3_search() -> NoReturn:
    """Run the drop-in for the search server."""
    sys.exit(main(faces.MCP_O3_SEARCH))


if __name__ == "__main__":
    tebiki()
