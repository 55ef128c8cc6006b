"""The tool tables of the READMEs, with the translations in `tools.ja.toml`."""

from __future__ import annotations

import tomllib
from pathlib import Path

TRANSLATIONS = Path(__file__).with_name("tools.ja.toml")
HEAD = ["ツール", "できること"]


def rows(sentences: dict[str, str]) -> list[list[str]]:
    """The rows in Japanese, for the tools and their sentences as they are now.

    Raises:
        ValueError: a sentence is new, has changed, or is gone.
    """
    return [[f"`{name}`", known["japanese"]] for name, known in _known(sentences).items()]


def rows_in_english(sentences: dict[str, str]) -> list[list[str]]:
    """The rows in English.

    Raises:
        ValueError: as `rows`.
    """
    known = _known(sentences)
    return [
        [f"`{name}`", known[name].get("readme", sentence)] for name, sentence in sentences.items()
    ]


def _known(sentences: dict[str, str]) -> dict[str, dict[str, str]]:
    known = tomllib.loads(TRANSLATIONS.read_text(encoding="utf-8"))
    english = {name: entry["english"] for name, entry in known.items()}
    changed = [name for name in english | sentences if english.get(name) != sentences.get(name)]
    if changed:
        raise ValueError(f"{TRANSLATIONS.name} needs a new translation of {', '.join(changed)}")
    return {name: known[name] for name in sentences}
