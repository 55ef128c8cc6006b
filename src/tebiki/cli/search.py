"""`tebiki search`: one search, as a list for people or as JSON for programs."""

from __future__ import annotations

import argparse
import asyncio
from typing import TYPE_CHECKING, Any

from tebiki.app import App
from tebiki.cli import render
from tebiki.config.sources import Given, load
from tebiki.tools.search import LANGUAGES, TIMEFRAMES
from tebiki.websearch.searcher import SearchQuery

if TYPE_CHECKING:
    from tebiki.faces import Face
    from tebiki.websearch.searcher import SearchOutcome

FOUND = 0
NOTHING_FOUND = 1


def run(face: Face, words: list[str]) -> int:
    """Search and print; 0 when something was found, 1 when nothing was."""
    typed = _parser().parse_args(words)
    loaded = load(Given(typed.config, typed.debug), face.config_path)
    app = App(face, loaded, ("search",))
    for warning in loaded.warnings:
        app.log.warning(warning)
    (tool,) = app.tools()
    given = {name: getattr(typed, name) for name in ("query", "limit", "language", "timeframe")}
    # The tool's own checks: a person gets the same bounds and the same words as a model.
    outcome = asyncio.run(_search(app, tool.read_arguments(given)))
    if typed.json:
        render.out_json(outcome.as_json())
    else:
        render.out(_as_list(outcome))
    return FOUND if outcome.results else NOTHING_FOUND


async def _search(app: App, arguments: dict[str, Any]) -> SearchOutcome:
    try:
        return await app.searcher().search(SearchQuery(**arguments))
    finally:
        await app.responder().close()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tebiki search", description="Search the web once.")
    parser.add_argument("query", help="what to search for")
    parser.add_argument("--limit", type=int, metavar="N", help="most results (1 to 50)")
    parser.add_argument("--language", choices=LANGUAGES, help="language of the results")
    parser.add_argument("--timeframe", choices=TIMEFRAMES, help="how recent they must be")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--config", metavar="PATH", help="read settings from this YAML file")
    parser.add_argument("--debug", action="store_true", help="write the debug log to stderr")
    return parser


def _as_list(outcome: SearchOutcome) -> str:
    if not outcome.results:
        return "Nothing found."
    lines = []
    for number, row in enumerate(outcome.as_json()["results"], start=1):
        facts = [row["publishedDate"]] if "publishedDate" in row else []
        facts += [f"{row['relevanceScore']:.2f}"] if "relevanceScore" in row else []
        lines.append(f"{number:>2}. {row['title']}" + (f"  ({', '.join(facts)})" if facts else ""))
        lines.append(f"    {row['url']}")
        if row["snippet"]:
            lines.append(f"    {row['snippet']}")
    lines.append(f"{len(outcome.results)} of {outcome.total_count} results")
    return "\n".join(lines)
