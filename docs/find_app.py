"""Makes the MCP App `ui://tebiki/find.html` from the modules of the page: all in one file.

A host shows it in a frame that may reach nothing, so scripts, style and words are inside. Modules
become one by leaving out what joins them; comments and indentation stay behind. Two modules may not
use one name at their top, or the browser refuses the whole: the test of the app shows that.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

PAGE = Path(__file__).parents[1] / "src" / "tebiki" / "web" / "page"
STATIC, APP = PAGE / "static", PAGE / "app"
LANGUAGES = ("en", "ja")

IMPORT = re.compile(r'^import [^;]*?"(\.[\w./-]+)";\n', re.MULTILINE)
COMMENT = re.compile(r"^\s*//.*\n|^\s*/\*\*.*?\*/\n", re.MULTILINE)
NAMED_WORDS = re.compile(r'"([a-z.]+)"')
WORD_FAMILY = re.compile(r"`([a-z]+\.)\$\{")
STYLE_COMMENT = re.compile(r"/\*.*?\*/\n?", re.DOTALL)


def find_app() -> str:
    """The whole app."""
    modules: list[Path] = []
    _collect(APP / "find.js", modules)
    sources = [module.read_text("utf-8") for module in modules]
    script = "".join(map(_joined, sources))
    sheets = (STATIC / "results.css", APP / "find.css")
    style = "".join(sheet.read_text("utf-8") for sheet in sheets)
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>tebiki</title>\n'
        f"<style>\n{_flush_left(STYLE_COMMENT.sub('', style))}</style>\n"
        f'<script type="application/json" id="words">{_words(sources)}</script>\n'
        "<body>\n<tebiki-results></tebiki-results>\n"
        f'<script type="module">\n{script}</script>\n'
    )


def _collect(module: Path, modules: list[Path]) -> None:
    """Add a module after those that it needs."""
    for name in IMPORT.findall(module.read_text("utf-8")):
        needed = (module.parent / name).resolve()
        if needed not in modules:
            _collect(needed, modules)
    modules.append(module)


def _joined(source: str) -> str:
    """A module's text without what makes it one, and without what only readers need."""
    text = COMMENT.sub("", IMPORT.sub("", source))
    return _flush_left(re.sub(r"^export ", "", text, flags=re.MULTILINE))


def _flush_left(text: str) -> str:
    return "".join(f"{line.strip()}\n" for line in text.splitlines() if line.strip())


def _words(sources: list[str]) -> str:
    """The words that these modules use, by language."""
    script = "".join(sources)
    named, families = set(NAMED_WORDS.findall(script)), tuple(WORD_FAMILY.findall(script))
    chosen = {}
    for language in LANGUAGES:
        table = json.loads((STATIC / f"words.{language}.json").read_text("utf-8"))
        chosen[language] = {
            key: words for key, words in table.items() if key in named or key.startswith(families)
        }
    # An end tag inside would end the element.
    return json.dumps(chosen, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
