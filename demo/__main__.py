"""Starts the real server, speaks to it in both dialects and shows what comes back.

Without OPENAI_API_KEY the loopback stand-in for the API answers; with a key the real one does.
"""

from __future__ import annotations

import os
import sys
import tempfile
import textwrap
import time
from contextlib import ExitStack
from typing import Any

from demo.client import Client
from tebiki.responses.simulator import Simulator

QUESTIONS = (
    ("answer", {"query": "本日の東京の天気は？"}),
    ("answer_detailed", {"query": "Which news on Python packaging matter today?"}),
    ("answer_quick", {"query": "HTTP 404 の意味"}),
)
SEARCH = {
    "query": "latest news on the Model Context Protocol",
    "limit": 3,
    "timeframe": "past_week",
}


LABEL = 18
"""Columns of the labels: the longest is a tool's name."""


def title(text: str) -> None:
    """Print a heading."""
    print(f"\n\033[1m{text}\033[0m" if sys.stdout.isatty() else f"\n== {text}")


def show(label: str, text: str, width: int = 88) -> None:
    """Print a labelled value, wrapped under its label."""
    lines = [
        line
        for paragraph in text.splitlines()
        for line in (textwrap.wrap(paragraph, width) or [""])
    ]
    for number, line in enumerate(lines):
        print(f"  {label if number == 0 else '':<{LABEL}}{line}")


def handshake(client: Client) -> None:
    """Show who the server says it is and what it offers."""
    started = time.perf_counter()
    result = client.ask("initialize", {"protocolVersion": "2025-06-18"})[0]["result"]
    elapsed = (time.perf_counter() - started) * 1000
    info = result["serverInfo"]
    show("initialize", f"{info['name']} {info['version']}, protocol {result['protocolVersion']}")
    show("", f"answered {elapsed:.0f} ms after the process was started")
    tools = client.ask("tools/list")[0]["result"]["tools"]
    show("tools/list", ", ".join(tool["name"] for tool in tools))


def call(client: Client, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Call a tool with progress and show the conversation; return the structured result."""
    params = {"name": tool, "arguments": arguments, "_meta": {"progressToken": tool}}
    answer, progress = client.ask("tools/call", params)
    print()
    show(tool, str(arguments["query"]))
    for note in progress:
        show("  …", note["params"]["message"])
    if "error" in answer:
        sys.exit(f"demo: {tool} failed: {answer['error']}")
    receipt = answer["result"]["_meta"]["tebiki/receipt"]
    show(
        "  receipt",
        f"{receipt['model']}, {receipt['searches']} searches, "
        f"{receipt['tokens']['input']} + {receipt['tokens']['output']} tokens, "
        f"{receipt['elapsed_ms']} ms",
    )
    content: dict[str, Any] = answer["result"]["structuredContent"]
    return content


def show_answer(answer: dict[str, Any]) -> None:
    """Print an answer and whom it cites."""
    show("  answer", answer["answer"])
    show("  searched", f"{answer['used_search']}, {len(answer['citations'])} citations")


def show_results(found: dict[str, Any]) -> None:
    """Print search results as a list."""
    show("  found", f"{len(found['results'])} of {found['totalCount']}")
    for row in found["results"]:
        show("  -", f"{row['title']}  {row['url']}")


def main() -> None:
    """Run the whole demonstration."""
    with ExitStack() as stack:
        home = stack.enter_context(tempfile.TemporaryDirectory())
        env = {**os.environ, "HOME": home}
        if env.get("OPENAI_API_KEY"):
            print("OPENAI_API_KEY is set: the real API answers (and charges).")
        else:
            simulator = stack.enter_context(Simulator())
            env |= {
                "OPENAI_API_KEY": "sk-demo-of-the-loopback-api",
                "OPENAI_BASE_URL": simulator.base_url,
            }
            print("No OPENAI_API_KEY: a stand-in for the API answers, on this machine.")
        title("A client that speaks lines (Claude Code, Codex, Gemini CLI, Cursor)")
        with Client("line", env) as client:
            handshake(client)
            for tool, arguments in QUESTIONS:
                show_answer(call(client, tool, arguments))
            show_results(call(client, "chatgpt_o3_search", SEARCH))
        title("A client that speaks Content-Length frames")
        with Client("framed", env) as client:
            handshake(client)
            show_answer(call(client, *QUESTIONS[0]))
    print("\nDone. To use it: see README.md, “Connect a client”.")


if __name__ == "__main__":
    main()
