"""The settings: where they came from, and what is odd about them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from tebiki.doctor.findings import doubtful, good, wrong

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tebiki.config.sources import Loaded
    from tebiki.doctor.findings import Finding
    from tebiki.errors import ConfigError

LAYERS = {"yaml": "the file", "env": "the environment", "cli": "the command line"}


def in_force(loaded: Loaded) -> Iterator[Finding]:
    """Tell the layers and the tokens' file, then each warning."""
    counts = Counter(found.origin.layer for _, found in loaded.settings.items())
    parts = [f"{counts[layer]} from {name}" for layer, name in LAYERS.items() if counts[layer]]
    file = loaded.sources.get("yaml")
    summary = ", ".join(parts) or "all by default"
    yield good("config", f"{_place(loaded)}; settings: {summary}", file=file, layers=dict(counts))
    tokens = Path(loaded.settings.text("http.token_file")).expanduser()
    if tokens.exists():
        yield good("config", f"tokens of --http: {tokens}", tokens=str(tokens))
    unread = set(loaded.settings.unread.values())
    for warning in loaded.warnings:
        tell = wrong if warning in unread else doubtful
        yield tell("config", warning, "correct it; tebiki show-config --origins tells more")


def _place(loaded: Loaded) -> str:
    """The file in force, and where one of higher authority could be but is not."""
    file = loaded.sources.get("yaml")
    if file is None:
        return f"no file at {' or '.join(loaded.places)}"
    passed_over = loaded.places[: loaded.places.index(file)] if file in loaded.places else ()
    return f"{file} (no file at {passed_over[0]})" if passed_over else str(file)


def unusable(error: ConfigError) -> Finding:
    """Tell what stops every start."""
    return wrong("config", str(error), "correct it: nothing starts before that")
