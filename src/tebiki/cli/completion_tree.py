"""What can be typed where, as data: walked out of the flags, the commands and their parsers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.cli.arguments import flags_of
from tebiki.cli.commands import commands_of, parser_of
from tebiki.cli.parsers import options, positionals, subparsers
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from tebiki.app.faces import Face
    from tebiki.cli.parsers import Option

FILES = frozenset({"PATH", "[PATH]", "FILE", "DIR"})
"""What the help calls a value that is a file's or a folder's name."""


class CompletionFlag(NamedTuple):
    """A flag, and what may follow it: nothing, a file, one of some words, or something else."""

    names: tuple[str, ...]
    doc: str
    takes_value: bool = False
    takes_file: bool = False
    choices: tuple[str, ...] = ()


class CompletionNode(NamedTuple):
    """A place on the command line: the words that led there and those that may come next."""

    at: tuple[str, ...]
    words: tuple[tuple[str, str], ...]
    flags: tuple[CompletionFlag, ...]

    @property
    def key(self) -> str:
        """The place as scripts write it: `/vault/ls`."""
        return "".join(f"/{word}" for word in self.at)


def tree(face: Face) -> list[CompletionNode]:
    """Every place where something can be completed."""
    commands = commands_of(face)
    flags = tuple(
        CompletionFlag(row.names, row.doc, bool(row.value), row.value in FILES)
        for row in flags_of(face)
    )
    nodes = [CompletionNode((), tuple((command.name, command.doc) for command in commands), flags)]
    for command in commands:
        nodes += _below((command.name,), parser_of(command))
    return nodes


def _below(at: tuple[str, ...], parser: argparse.ArgumentParser) -> Iterator[CompletionNode]:
    inner = subparsers(parser)
    words = [(name, found.description or "") for name, found in inner.items()]
    if not inner:
        words += [(word, place.doc) for place in positionals(parser) for word in place.choices]
    yield CompletionNode(at, tuple(words), tuple(_flag(option) for option in options(parser)))
    for name, found in inner.items():
        yield from _below((*at, name), found)


def _flag(option: Option) -> CompletionFlag:
    takes_value = bool(option.value)
    return CompletionFlag(
        option.names, option.doc, takes_value, option.value in FILES, option.choices
    )
