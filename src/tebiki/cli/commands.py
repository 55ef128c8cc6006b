"""The commands for people, as one table; each module is imported when its name is typed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tebiki.faces import Face


class Command(NamedTuple):
    """One word after the program's name."""

    name: str
    module: str
    usage: str
    doc: str


COMMANDS: tuple[Command, ...] = (
    Command(
        "search",
        "tebiki.cli.search",
        "QUERY [--limit N] [--json]",
        "Search the web once, and print.",
    ),
    Command(
        "manuals",
        "tebiki.cli.manuals",
        "ls|toc|find|read|scan|index",
        "Search and read your manuals.",
    ),
    Command(
        "vault",
        "tebiki.cli.vault",
        "ls|read|create|replace|log|diff|undo",
        "Work with your notes.",
    ),
)


def commands_of(face: Face) -> tuple[Command, ...]:
    """The commands a face knows: the product has them all, a drop-in has none."""
    return COMMANDS if face.chooses_toolsets else ()


def run_command(face: Face, words: Sequence[str]) -> int | None:
    """Run the command that is typed; None when the first word is none."""
    for command in commands_of(face):
        if words and words[0] == command.name:
            import importlib  # not on the way to the first answer

            module = importlib.import_module(command.module)
            code: int = module.run(face, list(words[1:]))
            return code
    return None
