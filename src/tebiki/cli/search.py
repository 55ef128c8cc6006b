"""`tebiki search`: one search, as a list for people or as JSON for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.cli import render, shared
from tebiki.cli.parsers import CommandParser, whole_number
from tebiki.cli.plain import one_line
from tebiki.cli.wrapping import wrap
from tebiki.tools.search import LANGUAGES, TIMEFRAMES, search_form
from tebiki.values.numerals import counted
from tebiki.websearch.searcher import SearchQuery

if TYPE_CHECKING:
    from tebiki.app.faces import Face
    from tebiki.websearch.searcher import SearchOutcome

INDENT = 4


def run(face: Face, words: list[str]) -> int:
    """Search and print; 0 when something was found, 1 when nothing was."""
    typed = parser().parse_args(words)
    app = shared.open_app(face, typed.config, ("search",), debug=typed.debug)
    (tool,) = app.tools()
    given = {name: getattr(typed, name) for name in ("limit", "language", "timeframe")}
    given["query"] = " ".join(typed.query)
    # The tool's own checks: a person gets the same bounds and the same words as a model.
    query = SearchQuery(**tool.read_arguments(given))
    outcome = shared.run_call(app, app.engines.searcher().search(query))
    return shared.show(typed, search_form(outcome), _as_list(outcome), found=bool(outcome.results))


def parser() -> CommandParser:
    """What can be typed."""
    made = CommandParser(prog="tebiki search", description="Search the web once.")
    made.add_argument("query", nargs="+", help="what to search for")
    made.add_argument(
        "--limit", type=whole_number(1, 50), metavar="N", help="most results (1 to 50)"
    )
    made.add_argument("--language", choices=LANGUAGES, help="language of the results")
    made.add_argument("--timeframe", choices=TIMEFRAMES, help="how recent they must be")
    made.add_shared(debug=True)
    return made


def _as_list(outcome: SearchOutcome) -> str:
    if not outcome.results:
        return "Nothing found."
    lines = []
    for number, row in enumerate(search_form(outcome)["results"], start=1):
        facts = [row["publishedDate"]] if "publishedDate" in row else []
        facts += [f"{row['relevanceScore']:.2f}"] if "relevanceScore" in row else []
        lines.append(f"{number:>2}. {row['title']}" + (f"  ({', '.join(facts)})" if facts else ""))
        lines.append(f"    {row['url']}")
        if row["snippet"]:
            lines += [f"    {line}" for line in _fit_width(row["snippet"])]
    lines.append(f"{len(outcome.results)} of {counted(outcome.total_count, 'result')}")
    return "\n".join(lines)


def _fit_width(snippet: str) -> list[str]:
    """Lines that fit the terminal; what goes elsewhere is one line."""
    screen = render.screen()
    return wrap(snippet, screen.width - INDENT) if screen.out else [one_line(snippet)]
