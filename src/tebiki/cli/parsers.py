"""The parser of every command, what it knows as plain values, and its help.

`argparse` reads the words; the help is our own, because `argparse` words and colours it differently
with each Python. Whoever wants the flags as data (help, completion, docs) walks a parser here.
"""

from __future__ import annotations

import argparse
import difflib
import textwrap
from typing import TYPE_CHECKING, Any, NoReturn

from tebiki.cli import render
from tebiki.errors import UsageError
from tebiki.named_tuples import NamedTuple
from tebiki.values.shapes import Integer, NotOfShape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

UNRECOGNIZED = "unrecognized arguments: "
NO_ACTION = "the following arguments are required: ACTION"
WIDTH = 80
INDENT = 2
WIDEST_LEFT = 26
LAST = ("--json", "--config", "--debug", "--help")
"""Flags that every command has are told after its own."""


class Option(NamedTuple):
    """A flag or a place for a word: how it is written, what it takes and what it means."""

    names: tuple[str, ...]
    value: str
    choices: tuple[str, ...]
    doc: str

    @property
    def usage(self) -> str:
        """As the help writes it."""
        return " ".join(part for part in (", ".join(self.names), self.value) if part)


class CommandParser(argparse.ArgumentParser):
    """Reads the words after a command; whatever is wrong with them is one line."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        # A shortened flag that works today means something else once a longer one is added.
        super().__init__(*args, **{"allow_abbrev": False, **settings, "add_help": False})
        self.add_argument("-h", "--help", action="help", help="print this help")
        self._inner: argparse._SubParsersAction[CommandParser] | None = None
        self._is_mixing = False

    def add_shared(self, *, debug: bool = False) -> None:
        """Add the flags that every command has."""
        self.add_argument("--json", action="store_true", help="print JSON")
        self.add_argument("--config", metavar="PATH", help="read settings from this YAML file")
        if debug:
            self.add_argument("--debug", action="store_true", help="write the debug log to stderr")

    def add_action(self, name: str, run: Callable[..., int], doc: str) -> CommandParser:
        """Add a word that may follow this command, with a parser and the shared flags of its own.

        The parsed words have `run` as their `action`.
        """
        if self._inner is None:
            self._inner = self.add_subparsers(required=True, metavar="ACTION")
        added: CommandParser = self._inner.add_parser(name, description=doc)
        added.add_shared()
        added.set_defaults(action=run)
        return added

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Read the words; what is not known is refused by the action that was asked for it."""
        typed, unknown = self._read(args, namespace)
        if unknown and not self._is_mixing:
            self.error(f"{UNRECOGNIZED}{' '.join(unknown)}")
        return typed, unknown

    def _read(self, args: Any, namespace: Any) -> Any:
        """Read the words; flags may stand among those of a question, and anywhere else."""
        is_open = any(action.nargs in {"?", "+", "*"} for action in self._get_positional_actions())
        self._check_action(args)
        # A help is about the places, which are put away while flags are read.
        is_help = not {"-h", "--help"}.isdisjoint(args or ())
        if self._is_mixing or is_help or not is_open:
            return super().parse_known_args(args, namespace)
        self._is_mixing = True
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self._is_mixing = False

    def error(self, message: str) -> NoReturn:
        """Refuse what was typed.

        Raises:
            UsageError: always.
        """
        if message == NO_ACTION:
            message = f"say what to do: {', '.join(subparsers(self))}"
        raise UsageError(f"{message}{self._nearest(message)} (see {self.prog} --help)")

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        """Take `--flag=--` at its word, which Python 3.11 makes a list of nothing."""
        if action.option_strings and action.nargs is None and arg_strings == ["--"]:
            value = self._get_value(action, arg_strings[0])
            self._check_value(action, value)
            return value
        return super()._get_values(action, arg_strings)

    def _check_action(self, args: Sequence[str] | None) -> None:
        """Guess at an action that is not known; a flag that stands before it is `argparse`'s."""
        known = list(subparsers(self))
        word = args[0] if args else ""
        if known and word and not word.startswith("-") and word not in known:
            guess = nearest(word, known) or f"; choose from {', '.join(known)}"
            self.error(f"{word} is nothing that {self.prog} can do{guess}")

    def print_help(self, _file: Any = None) -> None:
        """Print the help where everything is printed."""
        render.out(self.format_help())

    def format_help(self) -> str:
        """The help, the same with every Python and on every terminal."""
        parts = [f"Usage: {self._usage()}\n"]
        if self.description:
            parts.append(textwrap.fill(self.description, WIDTH) + "\n")
        inner = [(name, found.description or "") for name, found in subparsers(self).items()]
        places = [] if inner else [(place.usage, place.doc) for place in positionals(self)]
        flags = [(flag.usage, flag.doc) for flag in options(self)]
        for title, rows in (("Arguments", places), ("Actions", inner), ("Options", flags)):
            if rows:
                parts.append(f"{title}:\n{two_columns(rows)}")
        if self.epilog:
            parts.append(textwrap.fill(self.epilog, WIDTH) + "\n")
        return "\n".join(parts)

    def _usage(self) -> str:
        return " ".join([self.prog, "[options]", *(place.value for place in positionals(self))])

    def _nearest(self, message: str) -> str:
        """A guess at what was meant by a flag that is not known."""
        unknown = message.removeprefix(UNRECOGNIZED).split()[:1]
        is_flag = message.startswith(f"{UNRECOGNIZED}-")
        return nearest(unknown[0], _flag_names(self)) if is_flag else ""


def nearest(word: str, known: Iterable[str]) -> str:
    """A guess at what was meant by a word that is not known, to be put behind an error."""
    found = difflib.get_close_matches(word, list(known), n=1)
    return f"; did you mean {found[0]}?" if found else ""


def _flag_names(parser: argparse.ArgumentParser) -> list[str]:
    return [name for flag in options(parser) for name in flag.names]


def whole_number(least: int, most: int | None = None) -> Callable[[str], int]:
    """The `type` of a flag that takes a number within bounds, and says so of anything else."""
    shape = Integer(least, most)

    def read(text: str) -> int:
        try:
            return shape.from_text(text)
        except NotOfShape as refused:
            raise argparse.ArgumentTypeError(str(refused)) from refused

    return read


def options(parser: argparse.ArgumentParser) -> list[Option]:
    """The flags of a parser, its own first."""
    found = [
        Option(tuple(action.option_strings), _value(action), _choices(action), _doc(parser, action))
        for action in _visible_actions(parser)
        if action.option_strings
    ]
    return sorted(
        found, key=lambda flag: LAST.index(flag.names[-1]) if flag.names[-1] in LAST else -1
    )


def positionals(parser: argparse.ArgumentParser) -> list[Option]:
    """The places of a parser for words that are no flags."""
    return [
        Option((), _value(action), _choices(action), _doc(parser, action))
        for action in _visible_actions(parser)
        if not action.option_strings
    ]


def subparsers(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The parsers of the actions below a command, by name."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def two_columns(rows: Iterable[tuple[str, str]]) -> str:
    """Lay out names and what they mean."""
    rows = list(rows)
    widest = max(len(left) for left, _ in rows)
    edge = INDENT + min(widest, WIDEST_LEFT) + 2
    return "".join(f"{line}\n" for left, right in rows for line in _lay_out(left, right, edge))


def _lay_out(left: str, right: str, edge: int) -> Iterator[str]:
    first, *rest = textwrap.wrap(right, WIDTH - edge) or [""]
    start = " " * INDENT + left
    if len(start) + 2 > edge:
        yield start
        start = ""
    yield f"{start:<{edge}}{first}".rstrip()
    yield from (" " * edge + line for line in rest)


def _visible_actions(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    return [action for action in parser._actions if action.help is not argparse.SUPPRESS]


def _value(action: argparse.Action) -> str:
    """What stands for the value; nothing for a switch."""
    if action.nargs == 0:
        return ""
    name = action.metavar if isinstance(action.metavar, str) else None
    if name is None:
        choices = _choices(action)
        name = "|".join(choices) if choices else action.dest.upper()
    elif not action.option_strings:
        name = name.upper()
    if action.nargs == "?":
        return f"[{name}]"
    return f"{name}..." if action.nargs in {"+", "*"} else name


def _choices(action: argparse.Action) -> tuple[str, ...]:
    return tuple(map(str, action.choices)) if action.choices is not None else ()


def _doc(parser: argparse.ArgumentParser, action: argparse.Action) -> str:
    return (action.help or "") % {**vars(action), "prog": parser.prog}
