"""What the server itself says on the page, in the visitor's language.

The program speaks English; `said.ja.json` has the same in Japanese, by the English sentence. What a
user, another program or an error says stays as it is.
"""

from __future__ import annotations

import json
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING

from tebiki.server.registry import Parameter
from tebiki.values.phrases import translate
from tebiki.values.shapes import Text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

LANGUAGES = ("en", "ja")
LANGUAGE = Parameter("language", Text(choices=LANGUAGES), "Of the visitor.", default=LANGUAGES[0])


def translator(language: str) -> Callable[[str], str]:
    """Say sentences in a language."""
    table = {} if language == LANGUAGES[0] else sentences(language)
    return lambda words: translate(words, table)


@lru_cache(maxsize=len(LANGUAGES))
def sentences(language: str) -> Mapping[str, str]:
    """How a language says what the program says in English."""
    file = resources.files("tebiki.screens") / f"said.{language}.json"
    found: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    return found
