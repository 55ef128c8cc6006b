"""The tool table of README.ja.md, from the translations in `tools.ja.toml`."""

from __future__ import annotations

import tomllib
from pathlib import Path

TRANSLATIONS = Path(__file__).with_name("tools.ja.toml")
HEAD = ["ツール", "できること"]


def rows(sentences: dict[str, str]) -> list[list[str]]:
    """The table's rows, for the tools and their English sentences as they are now.

    Raises:
        ValueError: a sentence is new, has changed, or is gone.
    """
    known = tomllib.loads(TRANSLATIONS.read_text(encoding="utf-8"))
    english = {name: entry["english"] for name, entry in known.items()}
    changed = [name for name in english | sentences if english.get(name) != sentences.get(name)]
    if changed:
        raise ValueError(f"{TRANSLATIONS.name} needs a new translation of {', '.join(changed)}")
    return [[f"`{name}`", known[name]["japanese"]] for name in sentences]
