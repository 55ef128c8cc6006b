"""`tebiki show-config`: the settings in force, for people or as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tebiki import __version__
from tebiki.cli import render
from tebiki.cli.commands import DONE
from tebiki.cli.parsers import CommandParser
from tebiki.cli.settings_document import document
from tebiki.config.sources import Given, load
from tebiki.observability.redact import Redactor

if TYPE_CHECKING:
    from tebiki.app.faces import Face
    from tebiki.config.layers import Resolved
    from tebiki.config.sources import Loaded


def run(face: Face, words: list[str]) -> int:
    """Print what is in force."""
    typed = parser().parse_args(words)
    loaded = load(Given(typed.config), face.config_path)
    clean = Redactor(loaded.api_key).clean
    if typed.json:
        render.out_json(document(loaded, clean, origins=typed.origins))
    else:
        render.out(clean("\n".join(_lines(loaded, origins=typed.origins))))
    return DONE


def parser() -> CommandParser:
    """What can be typed."""
    made = CommandParser(
        prog="tebiki show-config", description="Print the settings in force; secrets never."
    )
    made.add_argument("--origins", action="store_true", help="where each value came from")
    made.add_shared()
    return made


def _lines(loaded: Loaded, *, origins: bool) -> list[str]:
    lines = [f"# tebiki {__version__}", f"# file: {loaded.sources.get('yaml', 'none')}"]
    lines += [f"# warning: {warning}" for warning in loaded.warnings]
    for key, found in loaded.settings.items():
        value = json.dumps(found.value, ensure_ascii=False)
        lines.append(f"{key} = {value}" + (f"  # {_origin(found)}" if origins else ""))
    return lines


def _origin(found: Resolved) -> str:
    covered = [
        f"{json.dumps(written.value, ensure_ascii=False)} ({written.origin})"
        for written in found.shadowed
    ]
    return str(found.origin) + (f", covers {', '.join(covered)}" if covered else "")
