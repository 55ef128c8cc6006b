"""The help text, made from the flags, the commands and the settings table."""

from __future__ import annotations

import textwrap
from itertools import groupby
from typing import TYPE_CHECKING

from tebiki.cli.arguments import FlagRow, flags_of
from tebiki.cli.commands import commands_of
from tebiki.cli.parsers import WIDTH, two_columns
from tebiki.config.schema import SETTINGS

if TYPE_CHECKING:
    from tebiki.app.faces import Face
    from tebiki.config.setting import Setting

EXIT_CODES = (
    "Exit codes: 0 found or done, 1 nothing found or below the bar, 2 wrong usage, settings or "
    "another error, 130 interrupted."
)
FAILURES = (
    "A failure is one line on standard error; with --json it is on standard output too, as "
    '{"error": {"code": ..., "message": ...}}.'
)
SHARED = ("openai.", "ledger.", "budget.", "server.")
OF_TOOLSETS = {
    "answers": ("request.", "model_profiles.", "policy.", "search."),
    "search": ("websearch.", "model_profiles.answer.model"),
}
"""How the keys begin that a face with these toolsets alone reads."""


def help_text(face: Face) -> str:
    """Everything `--help` prints."""
    flags = two_columns((_usage(row), row.doc) for row in flags_of(face))
    commands = [(command.name, command.doc) for command in commands_of(face)]
    start = textwrap.fill(f"{face.name} - {face.summary}", WIDTH)
    if not commands:
        return (
            f"{start}\n\nUsage: {face.name} --stdio [options]\n\nOptions:\n{flags}\n"
            f"{_layers(face)}\nEnvironment:\n{_variables(settings_of(face))}\n"
            f"{textwrap.fill(EXIT_CODES, WIDTH)}\n"
        )
    return (
        f"{start}\n\nUsage: {face.name} COMMAND ... (COMMAND --help tells more)\n"
        f"       {face.name} --stdio [options]\n\n"
        f"Commands:\n{two_columns(commands)}\nOptions:\n{flags}\n"
        f"{_layers(face)}`{face.name} help settings` lists them all.\n\n"
        f"{textwrap.fill(EXIT_CODES, WIDTH)}\n{textwrap.fill(FAILURES, WIDTH)}\n"
    )


def settings_of(face: Face) -> tuple[Setting, ...]:
    """The settings that a face reads: the product all, a drop-in those of what it serves."""
    if face.chooses_toolsets:
        return SETTINGS
    own = SHARED + tuple(start for name in face.toolsets for start in OF_TOOLSETS[name])
    return tuple(row for row in SETTINGS if row.key.startswith(own))


def settings_text(face: Face) -> str:
    """Every setting that a face reads, with its variable, section by section."""
    parts = [_layers(face)]
    for name, rows in groupby(settings_of(face), key=_section):
        told = [
            (row.key, f"{row.doc} Variable: {row.env}." if row.env is not None else row.doc)
            for row in rows
        ]
        parts.append(f"{name}:\n{two_columns(told)}")
    return "\n".join(parts)


def _layers(face: Face) -> str:
    return (
        f"Settings: defaults < {face.config_path} < environment < command line.\n"
        "The API key is read from the environment only (OPENAI_API_KEY).\n"
    )


def _variables(rows: tuple[Setting, ...]) -> str:
    return two_columns((row.env, row.doc) for row in rows if row.env is not None)


def _section(row: Setting) -> str:
    return row.key.partition(".")[0]


def _usage(row: FlagRow) -> str:
    return ", ".join(row.names) + (f" {row.value}" if row.value else "")
