"""What the page is made of: small, in both languages, and without anything that parses markup."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "src" / "tebiki" / "web" / "page"
STATIC = PAGE / "static"
MODULES = sorted([*STATIC.glob("*.js"), *(PAGE / "app").glob("*.js")])
LANGUAGES = ("en", "ja")
SINKS = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser"
    r"|createContextualFragment|srcdoc|\.setHTML"
)
PLACE = re.compile(r"\{(\w+)\}")


def words_in(language: str) -> dict[str, str]:
    """The words of the page in one language."""
    table: dict[str, str] = json.loads((STATIC / f"words.{language}.json").read_text("utf-8"))
    return table


@pytest.mark.parametrize(
    ("most", "patterns"),
    [
        (40_000, ["static/*.js"]),
        (12_000, ["static/*.css"]),
        (30_000, ["find.html"]),
    ],
)
def test_the_page_is_small(most: int, patterns: list[str]) -> None:
    """As it is sent, with its comments: scripts 40 kB, styles 12 kB, the app 30 kB."""
    files = [path for pattern in patterns for path in PAGE.glob(pattern)]

    assert files
    assert sum(path.stat().st_size for path in files) <= most


def test_both_languages_say_the_same_things() -> None:
    """The same keys, with the same places to be filled in."""
    english, japanese = map(words_in, LANGUAGES)

    assert list(english) == list(japanese)
    for key, words in english.items():
        assert set(PLACE.findall(words)) == set(PLACE.findall(japanese[key])), key


def test_every_word_that_is_used_is_there_and_every_one_there_is_used() -> None:
    """Whether it is named whole, or by the family that it belongs to."""
    table = words_in("en")
    text = "".join(path.read_text("utf-8") for path in MODULES)
    shell = (PAGE / "shell.html").read_text("utf-8")
    asked = set(re.findall(r'\bt\("([a-z.]+)"', text))
    placed = set(re.findall(r"\{\{([\w.]+)\}\}", shell)) - {"language", "shell", "static"}
    named = {*re.findall(r'"([a-z.]+)"', text), *placed}
    families = tuple(re.findall(r"`([a-z.]+\.)\$\{", text))

    assert {*asked, *placed} <= set(table)
    assert {key for key in table if key not in named and not key.startswith(families)} == set()


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_no_module_parses_markup_or_asks_elsewhere(path: Path) -> None:
    """Text of manuals and of the web can never become markup, and nothing leaves the server."""
    text = path.read_text("utf-8")

    assert SINKS.findall(text) == []
    assert re.findall(r"https?://(?!www\.w3\.org/)", text) == []
