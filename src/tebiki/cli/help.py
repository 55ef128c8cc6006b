"""The help text, made from the flags and the settings table."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from tebiki.cli.arguments import FlagRow, flags_of
from tebiki.cli.commands import commands_of
from tebiki.config.schema import SETTINGS

if TYPE_CHECKING:
    from tebiki.faces import Face


def help_text(face: Face) -> str:
    """Everything `--help` prints."""
    flags = "\n".join(f"  {_usage(row):<24} {row.doc}" for row in flags_of(face))
    commands = "\n".join(
        f"  {f'{command.name} {command.usage}':<44} {command.doc}" for command in commands_of(face)
    )
    variables = "\n".join(
        f"  {setting.env:<24} {setting.doc}" for setting in SETTINGS if setting.env is not None
    )
    return (
        f"{face.name} - {face.summary}\n\n"
        f"Usage: {face.name} --stdio [options]\n\n"
        + (f"Commands:\n{commands}\n\n" if commands else "")
        + f"Options:\n{flags}\n\n"
        f"Settings: defaults < {face.config_path} < environment < command line.\n"
        f"The API key is read from the environment only (OPENAI_API_KEY).\n\n"
        f"Environment:\n{variables}\n\n"
        + textwrap.fill(
            "Exit codes: 0 done, 2 wrong usage or settings, 130 interrupted.", width=100
        )
        + "\n"
    )


def _usage(row: FlagRow) -> str:
    return ", ".join(row.names) + (f" {row.value}" if row.value else "")
