"""The commands for people, as one table, and what they exit with.

Each module is imported when its name is typed.

A command's module has `run(face, words)`, which gives the exit code, and `parser()`, from which the
help, the completion and the documents are made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    from tebiki.app.faces import Face
    from tebiki.cli.parsers import CommandParser


DONE = 0
NEGATIVE = 1
"""Done, but the answer is no: nothing found, nothing to do, a fault, below the bar."""

WRONG = 2
INTERRUPTED = 130


class Command(NamedTuple):
    """One word after the program's name."""

    name: str
    module: str
    doc: str


COMMANDS: tuple[Command, ...] = (
    Command("ask", "tebiki.cli.ask", "Ask a question and see the answer arrive."),
    Command("cluster", "tebiki.cli.cluster", "Look at the index that several servers share."),
    Command("completion", "tebiki.cli.completion", "Print a shell's completion script."),
    Command("doctor", "tebiki.cli.doctor", "Look at the installation and tell what to do."),
    Command("eval", "tebiki.cli.eval", "Measure how well your manuals are searched."),
    Command("help", "tebiki.cli.help_command", "Print help on a command, or every setting."),
    Command("manuals", "tebiki.cli.manuals", "Search and read your manuals."),
    Command("open", "tebiki.cli.open", "Open the page in a browser."),
    Command("search", "tebiki.cli.search", "Search the web once."),
    Command("setup", "tebiki.cli.setup", "Put the server into a client's settings."),
    Command("show-config", "tebiki.cli.show_config", "Print the settings in force."),
    Command("token", "tebiki.cli.token", "Make and end tokens for --http."),
    Command("usage", "tebiki.cli.usage", "Show what paid calls took and are likely to cost."),
    Command("vault", "tebiki.cli.vault", "Work with your notes."),
)


def commands_of(face: Face) -> tuple[Command, ...]:
    """The commands a face knows: the product has them all, a drop-in has none."""
    return COMMANDS if face.chooses_toolsets else ()


def run_command(face: Face, words: Sequence[str]) -> int | None:
    """Run the command that is typed; None when the first word is none."""
    for command in commands_of(face):
        if words and words[0] == command.name:
            code: int = _module(command).run(face, list(words[1:]))
            return code
    return None


def parser_of(command: Command) -> CommandParser:
    """What can be typed after a command."""
    made: CommandParser = _module(command).parser()
    return made


def _module(command: Command) -> ModuleType:
    import importlib  # not on the way to the first answer

    return importlib.import_module(command.module)
