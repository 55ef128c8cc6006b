"""Starts the real server, speaks to it in both dialects and shows what comes back.

Without OPENAI_API_KEY the loopback stand-in for the API answers; with a key the real one does.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from demo.client import Client
from simulator import Simulator
from tebiki.cli.wrapping import wrap
from tebiki.importer.children import missing_libraries
from tebiki.values.numerals import counted

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

NOTES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("vault_create", {"path": "ideas/tebiki.md", "content": "# 手引き\n\nA guide.\n"}),
    ("vault_replace", {"path": "ideas/tebiki.md", "find": "A guide.", "replace": "A handbook."}),
    ("vault_read", {"path": "ideas/tebiki.md", "full": True}),
    ("vault_read", {"path": "../outside.md", "full": True}),
)

SAMPLES = Path(__file__).parents[1] / "samples" / "manuals"
PAPERS = SAMPLES.parent / "papers"
MANUAL_QUESTION = {
    "query": "原稿が重なったと表示されたときの直し方",
    "manual_id": "kaede-fukugouki",
    "required_terms": ["E-2210"],
}

WIDTH = 80
INDENT = 2
LABEL = 18
"""Columns of the labels: the longest is a tool's name."""


def title(text: str) -> None:
    """Print a heading."""
    print(f"\n\033[1m{text}\033[0m" if sys.stdout.isatty() else f"\n== {text}")


def show(label: str, text: str) -> None:
    """Print a labelled value, wrapped under its label."""
    lines = [
        line for paragraph in text.splitlines() for line in wrap(paragraph, WIDTH - LABEL - INDENT)
    ]
    for number, line in enumerate(lines):
        print(f"{'':<{INDENT}}{label if number == 0 else '':<{LABEL}}{line}".rstrip())


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
        f"{receipt['model']}, {counted(receipt['searches'], 'search', 'searches')}, "
        f"{receipt['tokens']['input']} + {receipt['tokens']['output']} tokens, "
        f"{receipt['elapsed_ms']} ms",
    )
    content: dict[str, Any] = answer["result"]["structuredContent"]
    return content


def show_answer(answer: dict[str, Any]) -> None:
    """Print an answer and whom it cites."""
    show("  answer", answer["answer"])
    show("  searched", f"{answer['used_search']}, {counted(len(answer['citations']), 'citation')}")


def show_results(found: dict[str, Any]) -> None:
    """Print search results as a list."""
    show("  found", f"{len(found['results'])} of {found['totalCount']}")
    for row in found["results"]:
        show("  -", f"{row['title']}  {row['url']}")


def show_manuals(client: Client) -> None:
    """List the sample manuals, ask one of them a question, read the best section; with times."""

    def timed(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        started = time.perf_counter()
        answer = client.ask("tools/call", {"name": tool, "arguments": arguments})[0]["result"]
        elapsed = (time.perf_counter() - started) * 1000
        print()
        show(tool, f"{json.dumps(arguments, ensure_ascii=False)}  ({elapsed:.0f} ms)")
        content: dict[str, Any] = answer["structuredContent"]
        return content

    listed = timed("manual_ls", {})
    show("  manuals", ", ".join(item["id"] for item in listed["items"]))
    timed("manual_find", MANUAL_QUESTION)
    show("", "(the first one builds the index)")
    found = timed("manual_find", {**MANUAL_QUESTION, "use_cache": False})
    show("  status", f"{found['status']}, everything searched: {found['complete']}")
    hits = found["inline_hits"]["items"]
    for hit in hits:
        ref = hit["ref"]
        show("  -", f"{hit['title']}  {ref['path']}:{ref['start_line']}  ({hit['score']:.1f})")
    passage = timed(
        "manual_read", {"ref": {"manual_id": MANUAL_QUESTION["manual_id"], **hits[0]["ref"]}}
    )
    show("  text", passage["text"])


def show_cross_check(client: Client) -> None:
    """Get the prompt that compares a manual with the web, and do what it asks a model to do."""
    manual = str(MANUAL_QUESTION["manual_id"])
    asked = {"question": MANUAL_QUESTION["query"], "manual": manual}
    got = client.ask("prompts/get", {"name": "cross_check", "arguments": asked})[0]["result"]
    print()
    show("prompts/get", f"cross_check {json.dumps(asked, ensure_ascii=False)}")
    show("  message", got["messages"][0]["content"]["text"])
    found = client.ask("tools/call", {"name": "manual_find", "arguments": MANUAL_QUESTION})[0]
    ref = found["result"]["structuredContent"]["inline_hits"]["items"][0]["ref"]
    uri = f"manual://{manual}/{ref['path']}#L{ref['start_line']}"
    section = client.ask("resources/read", {"uri": uri})[0]["result"]["contents"][0]
    print()
    show("resources/read", section["uri"])
    show("  the manual", section["text"])
    answer = call(client, "answer", {"query": asked["question"]})
    show("  the web", answer["answer"])
    show("  compare", "a model now tells where the two agree and where not, with both references")


def show_import(root: Path, env: dict[str, str]) -> None:
    """Bring a PDF file into a manual and find something in it, where the extra is installed."""
    if missing_libraries():
        show("skipped", "not installed: pip install '.[import]' brings what reads PDF files")
        return
    env = {**env, "MANUALS_ROOT": str(root / "manuals")}
    question = "KF-200 の質量"
    for words in (["import", str(PAPERS), "--into", "ratings"], ["find", "ratings", question]):
        print()
        show("$ tebiki manuals", " ".join(words).replace(str(PAPERS), "samples/papers"))
        command = [sys.executable, "-m", "tebiki", "manuals", *words]
        done = subprocess.run(command, env=env, cwd=root, capture_output=True, check=True)
        show("", done.stdout.decode().replace(f"{PAPERS}/", ""))


def show_vault(client: Client, root: Path, env: dict[str, str]) -> None:
    """Create a note, edit it, look back and undo: by tool, then by command."""
    for tool, arguments in NOTES:
        result = client.ask("tools/call", {"name": tool, "arguments": arguments})[0]["result"]
        print()
        show(tool, json.dumps(arguments, ensure_ascii=False))
        show("  result", result["content"][0]["text"])
    for words in (["log"], ["diff", "2"], ["undo", "2"], ["read", "ideas/tebiki.md"]):
        print()
        show("$ tebiki vault", " ".join(words))
        command = [sys.executable, "-m", "tebiki", "vault", *words]
        done = subprocess.run(command, env=env, cwd=root, capture_output=True, check=True)
        show("", done.stdout.decode())


def main() -> None:
    """Run the whole demonstration."""
    with ExitStack() as stack:
        home = stack.enter_context(tempfile.TemporaryDirectory())
        env = {
            **os.environ,
            "HOME": home,
            "MANUALS_ROOT": str(SAMPLES),
            "VAULT_ROOT": f"{home}/vault",
            "XDG_CACHE_HOME": f"{home}/cache",
        }
        if env.get("OPENAI_API_KEY"):
            print("OPENAI_API_KEY is set: the real API answers (and charges).")
        else:
            simulator = stack.enter_context(Simulator())
            env |= {
                "OPENAI_API_KEY": "sk-demo-of-the-loopback-api",
                "OPENAI_BASE_URL": simulator.base_url,
                # What costs nothing stays out of the user's own ledger.
                "XDG_STATE_HOME": f"{home}/state",
            }
            print("No OPENAI_API_KEY: a stand-in for the API answers, on this machine.")
        title("A client that speaks lines (Claude Code, Codex, Gemini CLI, Cursor)")
        with Client("line", env) as client:
            handshake(client)
            for tool, arguments in QUESTIONS:
                show_answer(call(client, tool, arguments))
            show_results(call(client, "chatgpt_o3_search", SEARCH))
            title("Two sample manuals")
            show_manuals(client)
            title("The manual and the web in one answer")
            show_cross_check(client)
            title("A PDF file becomes a manual, in a temporary folder")
            show_import(Path(home), env)
            title("The notes vault, in a temporary folder")
            show_vault(client, Path(home), env)
        title("A client that speaks Content-Length frames")
        with Client("framed", env) as client:
            handshake(client)
            show_answer(call(client, *QUESTIONS[0]))
    print("\nDone. To use it: see README.md, “Install and connect”.")


if __name__ == "__main__":
    main()
