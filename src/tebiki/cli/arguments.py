"""The flags as one table, and reading them; nothing is done here.

Its own small parser and not `argparse`, which costs as much start-up time as everything else here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tebiki.app.toolsets import tool_names, toolsets_named
from tebiki.cli.commands import commands_of
from tebiki.errors import UnknownTool, UsageError
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tebiki.app.faces import Face


class FlagRow(NamedTuple):
    """One flag as a person reads it."""

    names: tuple[str, ...]
    value: str
    doc: str
    only_when_choosing: bool = False


FLAGS: tuple[FlagRow, ...] = (
    FlagRow(("--stdio",), "", "Serve an MCP client on standard input and output."),
    FlagRow(
        ("--http",),
        "[HOST:PORT]",
        "Serve MCP clients over streamable HTTP (needs tebiki[http]).",
        only_when_choosing=True,
    ),
    FlagRow(("--workers",), "N", "With --http: processes that serve.", only_when_choosing=True),
    FlagRow(("--config",), "PATH", "Read settings from this YAML file."),
    FlagRow(("--debug",), "[PATH]", "Write the debug log to stderr, and to PATH too."),
    FlagRow(("--show-config",), "", "Print the effective settings as JSON on stderr."),
    FlagRow(("--origins",), "", "With --show-config: where each value came from."),
    FlagRow(("--toolsets",), "A,B", "Serve only these toolsets.", only_when_choosing=True),
    FlagRow(("--tools",), "A,B", "Serve only these tools.", only_when_choosing=True),
    FlagRow(("--without",), "A,B", "Serve all tools but these.", only_when_choosing=True),
    FlagRow(("--read-only",), "", "Serve no tool that writes.", only_when_choosing=True),
    FlagRow(("--version", "-v"), "", "Print the version."),
    FlagRow(("--help", "-h"), "", "Print this help."),
)


class Arguments(NamedTuple):
    """What was typed, checked for form only."""

    stdio: bool = False
    http: bool = False
    http_bind: str | None = None
    workers: str | None = None
    config: str | None = None
    debug: bool = False
    debug_path: str | None = None
    show_config: bool = False
    origins: bool = False
    toolsets: str | None = None
    tools: str | None = None
    without: str | None = None
    read_only: bool = False
    version: bool = False
    help: bool = False


def flags_of(face: Face) -> tuple[FlagRow, ...]:
    """The flags a face knows."""
    return tuple(row for row in FLAGS if face.chooses_toolsets or not row.only_when_choosing)


def read_arguments(face: Face, argv: Sequence[str]) -> Arguments:
    """Read a command line.

    Raises:
        UsageError: something on it is not known, or a value is missing.
    """
    known = {name: row for row in flags_of(face) for name in row.names}
    arguments = Arguments()
    waiting = list(argv)
    while waiting:
        word = waiting.pop(0)
        name, has_value, value = word.partition("=")
        row = known.get(name)
        if row is None or (has_value and not row.value):
            commands = [command.name for command in commands_of(face)]
            if word in commands:
                raise UsageError(f"the command comes first: {face.name} {word} … (see --help)")
            guess = _nearest(name, [*known, *commands])
            raise UsageError(f"unknown argument {word}{guess} (see --help)")
        if row.value and not has_value:
            value = _take_next(row, waiting)
        arguments = _with(arguments, row.names[0], value)
    return arguments


def chosen_toolsets(face: Face, chosen: str | None) -> tuple[str, ...]:
    """The toolsets named in a list with commas; without one, those that nobody has to name.

    Raises:
        UsageError: one of them is not known, or none is named.
    """
    if chosen is None:
        return tuple(one.name for one in toolsets_named(face.toolsets) if not one.opt_in)
    names = _split_list(chosen)
    unknown = [name for name in names if name not in face.toolsets]
    if unknown or not names:
        known = ", ".join(face.toolsets)
        raise UsageError(f"--toolsets {','.join(unknown) or chosen}: choose from {known}")
    return names


class Choice(NamedTuple):
    """The toolsets that are served, and which of their tools; None for all of them."""

    toolsets: tuple[str, ...]
    tools: tuple[str, ...] | None


def chosen_tools(face: Face, arguments: Arguments) -> Choice:
    """What `--toolsets`, `--tools` and `--without` leave; a tool that is named is asked for.

    Raises:
        UnknownTool: one of them names nothing that could be served, or nothing is left.
        UsageError: there is no such toolset.
    """
    toolsets = chosen_toolsets(face, arguments.toolsets)
    if arguments.tools is None and arguments.without is None:
        return Choice(toolsets, None)
    if arguments.toolsets is None and arguments.tools is not None:
        toolsets = face.toolsets
    known = tool_names(toolsets, read_only=arguments.read_only)
    wanted = _known_tools("--tools", arguments.tools, known) or known
    unwanted = _known_tools("--without", arguments.without, known)
    tools = tuple(name for name in wanted if name not in unwanted)
    if not tools:
        raise UnknownTool(f"--without {arguments.without}: no tool is left to serve")
    served = [one.name for one in toolsets_named(toolsets) if not set(tools).isdisjoint(one.names)]
    return Choice(tuple(served), tools)


def _known_tools(flag: str, chosen: str | None, known: tuple[str, ...]) -> tuple[str, ...]:
    """The tools named in a list with commas; none without one."""
    if chosen is None:
        return ()
    names = _split_list(chosen)
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        guess = _nearest(unknown[0], list(known)) if unknown else ""
        named = ",".join(unknown) or chosen
        raise UnknownTool(f"{flag} {named}{guess or ': choose from ' + ', '.join(known)}")
    return names


def _split_list(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _take_next(row: FlagRow, waiting: list[str]) -> str:
    """Take the next word as the flag's value, if it is one."""
    if waiting and not waiting[0].startswith("-"):
        return waiting.pop(0)
    if row.value.startswith("["):
        return ""
    raise UsageError(f"{row.names[0]} needs a value: {row.names[0]} {row.value} (see --help)")


def _with(arguments: Arguments, flag: str, value: str) -> Arguments:
    changes: dict[str, Any]
    match flag:
        case "--config":
            if not value:
                raise UsageError("--config needs a value: --config PATH (see --help)")
            changes = {"config": value}
        case "--debug":
            changes = {"debug": True, "debug_path": value or None}
        case "--http":
            changes = {"http": True, "http_bind": value or None}
        case "--workers":
            changes = {"workers": value}
        case "--toolsets" | "--tools" | "--without":
            changes = {flag.lstrip("-"): value}
        case _:
            changes = {flag.lstrip("-").replace("-", "_"): True}
    return arguments._replace(**changes)


def _nearest(word: str, known: list[str]) -> str:
    import difflib  # only when something is wrong

    found = difflib.get_close_matches(word, known, n=1)
    return f"; did you mean {found[0]}?" if found else ""
