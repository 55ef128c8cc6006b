"""The settings in force as one value without secrets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tebiki import __version__
from tebiki.values.keys import clean_value

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.config.sources import Loaded


def document(loaded: Loaded, clean: Callable[[str], str], *, origins: bool) -> dict[str, Any]:
    """The settings in force as one value; `origins` adds what each of them covers."""
    shown: dict[str, Any] = {
        "version": __version__,
        "sources": loaded.sources,
        "effective": loaded.settings.effective(),
    }
    if loaded.warnings:
        shown["warnings"] = loaded.warnings
    if origins:
        shown["origins"] = {
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
    without_secrets: dict[str, Any] = clean_value(shown, clean)
    return without_secrets
