"""`tebiki help`: the help of a command, or every setting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.cli import shared
from tebiki.cli.commands import commands_of, parser_of
from tebiki.cli.completion_tree import SETTINGS_TOPIC
from tebiki.cli.help import help_text, settings_of, settings_text
from tebiki.cli.parsers import CommandParser, nearest, subparsers
from tebiki.errors import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from tebiki.app.faces import Face


def run(face: Face, words: list[str]) -> int:
    """Print the help that was asked for."""
    typed = parser().parse_args(words)
    if typed.topic == [SETTINGS_TOPIC]:
        rows = [
            {"key": row.key, "variable": row.env, "default": row.default, "doc": row.doc}
            for row in settings_of(face)
        ]
        return shared.show(typed, rows, settings_text(face))
    text = _help_of(face, typed.topic) if typed.topic else help_text(face)
    return shared.show(typed, {"help": text}, text)


def parser() -> CommandParser:
    """What can be typed."""
    made = CommandParser(
        prog="tebiki help",
        description="Print the help of a command, or with `settings` every setting.",
    )
    made.add_argument("topic", nargs="*", help="a command, a command and its action, or settings")
    made.add_shared()
    return made


def _help_of(face: Face, words: list[str]) -> str:
    known = {command.name: command for command in commands_of(face)}
    first, *rest = words
    if first not in known:
        raise _unknown(first, {**known, SETTINGS_TOPIC: None})
    found: argparse.ArgumentParser = parser_of(known[first])
    for word in rest:
        inner = subparsers(found)
        if word not in inner:
            raise _unknown(word, inner)
        found = inner[word]
    return found.format_help()


def _unknown(word: str, known: Mapping[str, object]) -> UsageError:
    guess = nearest(word, known) or f"; choose from {', '.join(known)}"
    return UsageError(f"there is no help on {word}{guess} (see tebiki help --help)")
