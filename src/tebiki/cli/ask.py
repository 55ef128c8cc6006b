"""`tebiki ask`: one question; the answer as it arrives, its sources and what it took."""

from __future__ import annotations

import asyncio
import textwrap
import time
from typing import TYPE_CHECKING, Any

from tebiki.cli import render, shared
from tebiki.cli.commands import DONE
from tebiki.cli.parsers import CommandParser
from tebiki.cli.plain import visible
from tebiki.cli.status_line import StatusLine
from tebiki.errors import UsageError
from tebiki.responses.watching import SEARCHING
from tebiki.tools.answers import content
from tebiki.values.numerals import counted
from tebiki.values.unseen import without_unseen

if TYPE_CHECKING:
    import argparse

    from tebiki.answers.answer import Answer
    from tebiki.app.app import App
    from tebiki.app.faces import Face

SECONDS_PER_TURN = 0.2
INPUT = "-"


class Live:
    """What a person sees while waiting: a status line, and the text where it is a terminal's."""

    def __init__(self, status: StatusLine | None, *, streams: bool) -> None:
        self._status = status
        self._streams = streams
        self._heard = ""
        self._told = ""

    @property
    def is_watched(self) -> bool:
        """Tell whether there is anybody to see it."""
        return self._streams or self._status is not None

    def watch(self, words: str) -> None:
        """Tell what the model is doing, unless the cursor stands within a line of the answer."""
        if words == SEARCHING and self._told.startswith(("searching: ", "reading ")):
            return  # what is searched for, or read, tells more
        self._told = words
        if self._status is not None and self._at_line_start():
            self._status.show(words)

    def begin(self) -> None:
        """Begin anew; what was printed of an attempt that broke off cannot be taken back."""
        if self._heard:
            self._end_line()
            render.err_line(render.Styled("The answer broke off; asking again.", "yellow"))
            self._heard = ""

    def add(self, piece: str) -> None:
        """Print a piece of the answer."""
        if self._streams:
            self.quiet()
            self._heard += piece
            render.out_text(visible(piece))

    def finish(self, answer: Answer) -> None:
        """Print what was not printed yet."""
        self.quiet()
        heard = without_unseen(self._heard)
        known = _alike(heard, answer.text)
        if known >= len(heard.rstrip()):
            rest = answer.text[known:]
        else:
            # Dates were put into the model's own list of sources; the printed one has none.
            rest = "\n\nSources:\n" + "\n".join(
                f"- {cited.url} ({cited.published_at})" for cited in answer.citations
            )
        self._heard += rest
        # In a pipe too: what reads it may well show it on a terminal.
        render.out_text(visible(rest))
        self._end_line()

    def stop(self) -> None:
        """Leave the terminal in order, whatever happened."""
        self.quiet()
        if self._heard:
            self._end_line()

    def quiet(self) -> None:
        """Take the status line away."""
        if self._status is not None:
            self._status.clear()

    async def keep_turning(self) -> None:
        """Show that time passes."""
        while self._status is not None:
            await asyncio.sleep(SECONDS_PER_TURN)
            self._status.tick()

    def _at_line_start(self) -> bool:
        return not self._heard or self._heard.endswith("\n")

    def _end_line(self) -> None:
        if not self._at_line_start():
            self._heard += "\n"
            render.out_text("\n")


def run(face: Face, words: list[str]) -> int:
    """Ask and print."""
    typed = parser().parse_args(words)
    if typed.resume and typed.question:
        raise UsageError("--resume takes up the answer to a question asked before; leave this out")
    question = None if typed.resume else _question(typed)
    app = shared.open_app(face, typed.config, ("answers",), debug=typed.debug)
    if question is not None:
        # The tool's own checks: a person gets the same words as a model.
        tool = next(tool for tool in app.tools() if tool.name == typed.profile)
        question = tool.read_arguments({"query": question.strip()})["query"]
    live = _live(typed)
    try:
        answer = shared.run_call(app, _answer(app, typed.profile, question, live))
        if not typed.json:
            live.finish(answer)
    finally:
        live.stop()
    receipt = answer.exchange.receipt()
    if typed.json:
        render.out_json({**content(answer), "receipt": receipt})
    else:
        _print_receipt(receipt)
    return DONE


def parser() -> CommandParser:
    """What can be typed."""
    made = CommandParser(
        prog="tebiki ask",
        description="Ask a question; the web is searched where that is needed. The answer goes to "
        "standard output, what it took to standard error.",
    )
    made.add_argument("question", nargs="*", help="the question; - reads it from standard input")
    how = made.add_mutually_exclusive_group()
    made.set_defaults(profile="answer")
    for name, doc in (("quick", "fast and short"), ("detailed", "thorough and long")):
        how.add_argument(
            f"--{name}", dest="profile", action="store_const", const=f"answer_{name}", help=doc
        )
    made.add_argument(
        "--resume",
        action="store_true",
        help="take up the newest answer that was lost on its way (answers.background)",
    )
    made.add_shared(debug=True)
    return made


def _question(typed: argparse.Namespace) -> str:
    """The question as it was typed, or as standard input has it."""
    if not typed.question:
        raise UsageError("the following arguments are required: question (or --resume)")
    return shared.read_input() if typed.question == [INPUT] else " ".join(typed.question)


def receipt_line(receipt: dict[str, Any]) -> str:
    """What a call took, for a person."""
    tokens = receipt["tokens"]
    facts = [
        receipt["model"],
        counted(receipt["searches"], "search", "searches"),
        f"{tokens['input']:,} tokens in, {tokens['output']:,} out",
        f"{receipt['elapsed_ms'] / 1000:.1f} s",
    ]
    if receipt["pages_opened"]:
        facts.insert(2, f"{counted(receipt['pages_opened'], 'page')} read")
    if receipt["attempts"] > 1:
        facts.append(f"{receipt['attempts']} attempts")
    if "estimated_cost_usd" in receipt:
        facts.append(f"about {receipt['estimated_cost_usd']:.4f} USD")
    return " · ".join(facts)


def _print_receipt(receipt: dict[str, Any]) -> None:
    screen, line = render.screen(), receipt_line(receipt)
    width = screen.width - 1 if screen.err else len(line)
    for part in textwrap.wrap(line, width):
        render.err_line(render.Styled(part, "dim"))


async def _answer(app: App, profile: str, question: str | None, live: Live) -> Answer:
    """Ask a question, or take up the answer to the last one where there is none."""
    engine = app.engines.answerer()
    hints = engine.default_hints()
    heard = (live.watch, live) if live.is_watched else ()
    turning = asyncio.create_task(live.keep_turning()) if live.is_watched else None
    try:
        if question is None:
            return await engine.resume(*heard)
        return await engine.answer(profile, question, hints, *heard)
    finally:
        if turning is not None:
            turning.cancel()


def _live(typed: argparse.Namespace) -> Live:
    screen = render.screen()
    status = StatusLine(render.err_moves, screen.width, time.monotonic) if screen.err else None
    # A debug log on the same terminal would be drawn over.
    return Live(None if typed.debug else status, streams=screen.out and not typed.json)


def _alike(one: str, other: str) -> int:
    """How many signs two texts have in common from the start."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))
