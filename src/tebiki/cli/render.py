"""The only printer of the command line: values in, text on the right stream out."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, TextIO

from tebiki import __version__
from tebiki.observability.redact import Redactor

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.config.sources import Loaded


def out(text: str) -> None:
    """Print what was asked for."""
    out_text(text if text.endswith("\n") else f"{text}\n")


def out_text(text: str) -> None:
    """Print text exactly as it is; where there is no output, to nobody."""
    _write(sys.stdout, text)


def out_json(value: Any) -> None:
    """Print a value for a program."""
    out(json.dumps(value, ensure_ascii=False, indent=2))


def complain(name: str, line: str, secret: str | None) -> None:
    """Print one line on stderr; what it repeats of the user's own words may hold the key."""
    _write(sys.stderr, Redactor(secret).clean(f"{name}: {line}\n"))


def show_config(loaded: Loaded, clean: Callable[[str], str], *, origins: bool) -> None:
    """Print the settings in force as one JSON document on stderr."""
    document: dict[str, Any] = {
        "version": __version__,
        "sources": loaded.sources,
        "effective": loaded.settings.effective(),
    }
    if loaded.warnings:
        document["warnings"] = loaded.warnings
    if origins:
        document["origins"] = {
            key: {
                "value": found.value,
                "origin": str(found.origin),
                "shadowed": [
                    {"value": written.value, "origin": str(written.origin)}
                    for written in found.shadowed
                ],
            }
            for key, found in loaded.settings.items()
        }
    _write(sys.stderr, clean(json.dumps(document, ensure_ascii=False, indent=2)) + "\n")


def _write(stream: TextIO | None, text: str) -> None:
    """Python has no stream object for a descriptor that was closed at the start."""
    if stream is not None:
        stream.write(text)
        stream.flush()
