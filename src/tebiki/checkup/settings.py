"""The settings: where they came from, and what is odd about them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tebiki.checkup.findings import doubtful, good, wrong

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tebiki.checkup.findings import Finding
    from tebiki.config.sources import Loaded
    from tebiki.errors import ConfigError

LAYERS = {"yaml": "the file", "env": "the environment", "cli": "the command line"}


def in_force(loaded: Loaded, default_path: str) -> Iterator[Finding]:
    """Tell the layers, then each warning."""
    counts = Counter(found.origin.layer for _, found in loaded.settings.items())
    parts = [f"{counts[layer]} from {name}" for layer, name in LAYERS.items() if counts[layer]]
    file = loaded.sources.get("yaml")
    where = file if file is not None else f"no file at {default_path}"
    told = ", ".join(parts) or "all by default"
    yield good("config", f"{where}; settings: {told}", file=file, layers=dict(counts))
    for warning in loaded.warnings:
        yield doubtful("config", warning, "correct it; tebiki show-config --origins tells more")


def unusable(error: ConfigError) -> Finding:
    """Tell what stops every start."""
    return wrong("config", str(error), "correct it: nothing starts before that")
