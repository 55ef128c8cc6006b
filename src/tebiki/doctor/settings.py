"""The settings: where they came from, and what is odd about them."""

from __future__ import annotations

from collections import Counter
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING

from tebiki.doctor.findings import doubtful, good, wrong
from tebiki.values.phrases import as_is, listed, phrase

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tebiki.config.sources import Loaded
    from tebiki.doctor.findings import Finding
    from tebiki.errors import ConfigError
    from tebiki.values.phrases import Phrase

LAYERS = {
    "yaml": phrase("from the file"),
    "env": phrase("from the environment"),
    "cli": phrase("from the command line"),
}


def in_force(loaded: Loaded) -> Iterator[Finding]:
    """Tell the layers and the tokens' file, then each warning."""
    counts = Counter(found.origin.layer for _, found in loaded.settings.items())
    parts = [
        phrase("{n} {place}", n=counts[layer], place=place)
        for layer, place in LAYERS.items()
        if counts[layer]
    ]
    file = loaded.sources.get("yaml")
    summary = listed(parts) if parts else phrase("all by default")
    words = phrase("{file}; settings: {summary}", file=_place(loaded), summary=summary)
    yield good("config", words, file=file, layers=dict(counts))
    tokens = Path(loaded.settings.text("http.token_file")).expanduser()
    if tokens.exists():
        words = phrase("tokens of --http: {tokens}", tokens=tokens)
        yield good("config", words, tokens=str(tokens))
    unread = set(loaded.settings.unread.values())
    for warning in loaded.warnings:
        tell = wrong if warning in unread else doubtful
        advice = phrase("correct it; tebiki show-config --origins tells more")
        yield tell("config", as_is(warning), advice)


def _place(loaded: Loaded) -> Phrase:
    """The file in force, and where one of higher authority could be but is not."""
    file = loaded.sources.get("yaml")
    if file is None:
        places = reduce(
            lambda first, other: phrase("{first} or {other}", first=first, other=other),
            loaded.places,
        )
        return phrase("no file at {places}", places=places)
    passed_over = loaded.places[: loaded.places.index(file)] if file in loaded.places else ()
    if not passed_over:
        return as_is(file)
    return phrase("{file} (no file at {place})", file=file, place=passed_over[0])


def unusable(error: ConfigError) -> Finding:
    """Tell what stops every start."""
    return wrong("config", as_is(error), phrase("correct it: nothing starts before that"))
