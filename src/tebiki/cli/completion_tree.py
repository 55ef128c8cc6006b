"""What can be typed where, as data: walked out of the flags, the commands and their parsers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.cli.arguments import flags_of
from tebiki.cli.commands import COMMANDS, commands_of, parser_of
from tebiki.cli.parsers import options, positionals, subparsers
from tebiki.clients.table import CLIENTS
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from tebiki.app.faces import Face
    from tebiki.cli.parsers import Option

FILES = frozenset({"PATH", "[PATH]", "FILE", "DIR"})
"""What the help calls a value that is a file's or a folder's name."""

MANUAL, FOLDER, PREFIX, PLACE, NOTE = "manual", "folder", "prefix", "place", "note"
KINDS = {
    "manuals": {
        "MANUAL": MANUAL,
        "[MANUAL] QUESTION": MANUAL,
        "ID": MANUAL,
        "[ID]": FOLDER,
        "[PREFIX]": PREFIX,
        "MANUAL/PATH[:LINE]": PLACE,
    },
    "vault": {"PATH": NOTE, "[PATH]": NOTE},
}
"""What only a look at the disk can offer: by the command, and what its help calls the value."""

SETTINGS_TOPIC = "settings"


class CompletionFlag(NamedTuple):
    """A flag, and what may follow it: nothing, a file, one of some words, or something else."""

    names: tuple[str, ...]
    doc: str
    takes_value: bool = False
    takes_file: bool = False
    choices: tuple[str, ...] = ()
    kind: str | None = None


class CompletionNode(NamedTuple):
    """A place on the command line: the words that led there and those that may come next.

    `kinds` are of the places for other words, one after the other, as far as the disk knows them.
    """

    at: tuple[str, ...]
    words: tuple[tuple[str, str], ...]
    flags: tuple[CompletionFlag, ...]
    kinds: tuple[str | None, ...] = ()

    @property
    def key(self) -> str:
        """The place as scripts write it: `/vault/ls`."""
        return "".join(f"/{word}" for word in self.at)

    @property
    def offers(self) -> list[tuple[str, str]]:
        """Every word and flag that may come here, with what it means."""
        return [*self.words, *((one, flag.doc) for flag in self.flags for one in flag.names)]

    @property
    def asks(self) -> bool:
        """Tell whether the disk knows of words that may come here."""
        return any(self.kinds)


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
        words += [(word, doc) for place in positionals(parser) for word, doc in _fixed_words(place)]
    kinds = {} if inner else KINDS.get(at[0], {})
    yield CompletionNode(
        at,
        tuple(words),
        tuple(_flag(option, kinds) for option in options(parser)),
        tuple(kinds.get(place.value.removesuffix("...")) for place in positionals(parser)),
    )
    for name, found in inner.items():
        yield from _below((*at, name), found)


def _fixed_words(place: Option) -> list[tuple[str, str]]:
    """The words that may stand in a place, as far as they are always the same."""
    if place.value == "[CLIENT]":
        return [(client.name, client.title) for client in CLIENTS]
    if place.value == "TOPIC...":
        topics = [(command.name, command.doc) for command in COMMANDS]
        return [*topics, (SETTINGS_TOPIC, "Every setting.")]
    return [(word, place.doc) for word in place.choices]


def _flag(option: Option, kinds: dict[str, str]) -> CompletionFlag:
    is_file = option.value in FILES
    kind = None if is_file else kinds.get(option.value)
    return CompletionFlag(
        option.names, option.doc, bool(option.value), is_file, option.choices, kind
    )
