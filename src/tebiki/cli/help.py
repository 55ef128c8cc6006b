"""The help text, made from the flags, the commands and the settings table."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from tebiki.cli.arguments import FlagRow, flags_of
from tebiki.cli.commands import commands_of
from tebiki.cli.parsers import WIDTH, two_columns
from tebiki.config.schema import SETTINGS

if TYPE_CHECKING:
    from tebiki.app.faces import Face

EXIT_CODES = (
    "Exit codes: 0 found or done, 1 nothing found or below the bar, 2 wrong usage, settings or "
    "another error, 130 interrupted."
)


def help_text(face: Face) -> str:
    """Everything `--help` prints."""
    flags = two_columns((_usage(row), row.doc) for row in flags_of(face))
    commands = [(command.name, command.doc) for command in commands_of(face)]
    variables = two_columns((row.env, row.doc) for row in SETTINGS if row.env is not None)
    return (
        textwrap.fill(f"{face.name} - {face.summary}", WIDTH)
        + f"\n\nUsage: {face.name} --stdio [options]\n"
        + (f"       {face.name} COMMAND ... (COMMAND --help tells more)\n\n" if commands else "\n")
        + (f"Commands:\n{two_columns(commands)}\n" if commands else "")
        + f"Options:\n{flags}\n"
        f"Settings: defaults < {face.config_path} < environment < command line.\n"
        f"The API key is read from the environment only (OPENAI_API_KEY).\n\n"
        f"Environment:\n{variables}\n" + textwrap.fill(EXIT_CODES, WIDTH) + "\n"
    )


def _usage(row: FlagRow) -> str:
    return ", ".join(row.names) + (f" {row.value}" if row.value else "")
