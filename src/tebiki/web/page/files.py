"""What a browser loads, read once from the package: a fixed list, so no path is ever looked for."""

from __future__ import annotations

import hashlib
import html
import json
import re
from importlib import resources
from typing import TYPE_CHECKING, Any

from tebiki.named_tuples import NamedTuple
from tebiki.web.page.replies import PageReply

if TYPE_CHECKING:
    from collections.abc import Mapping

LANGUAGES = ("en", "ja")
LANGUAGE_COOKIE = "tebiki_language"
TYPES = {
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "json": "application/json",
    "svg": "image/svg+xml",
    "png": "image/png",
}
STATIC_PATH = "/ui/static/"
PLACE = re.compile(r"\{\{([a-zA-Z0-9_.-]+)\}\}")
HASH_SIGNS = 16
FOR_EVER = b"public, max-age=31536000, immutable"
ASK_AGAIN = b"no-cache"


class PageFile(NamedTuple):
    """One file as it is sent."""

    media_type: str
    data: bytes
    etag: str


class PageFiles:
    """The shell and the files below `/ui/static/`."""

    def __init__(self) -> None:
        here = resources.files("tebiki.web.page")
        self._shell = (here / "shell.html").read_text(encoding="utf-8")
        self._files: dict[str, PageFile] = {}
        for found in (here / "static").iterdir():
            media_type = TYPES.get(found.name.rpartition(".")[2])
            if media_type is not None:
                data = found.read_bytes()
                self._files[found.name] = PageFile(media_type, data, _digest(data))
        self._words = {language: self._words_in(language) for language in LANGUAGES}
        everything = "".join(f"{name}{file.etag}" for name, file in sorted(self._files.items()))
        self.version = _digest(everything.encode())

    def words(self, language: str) -> Mapping[str, Any]:
        """What the page says in a language."""
        return self._words[language]

    def static(self, path: str, known: bytes | None) -> PageReply | None:
        """A file by its path; None where there is none. `known` is the tag a browser has."""
        rest = path.removeprefix(STATIC_PATH)
        version, slash, name = rest.partition("/")
        if not slash:
            version, name = "", rest
        file = self._files.get(name)
        if file is None:
            return None
        # An address with another version is of a page that was opened before an update.
        keep = FOR_EVER if version == self.version else ASK_AGAIN
        tag = f'"{file.etag}"'.encode()
        headers = ((b"cache-control", keep), (b"etag", tag))
        if known is not None and tag in known:
            return PageReply(304, b"", file.media_type, headers)
        return PageReply(200, file.data, file.media_type, headers)

    def shell(self, language: str, state: Mapping[str, Any]) -> PageReply:
        """The page itself, with its words and what it has to know at once."""
        words = self._words[language]
        # In a script element only `<` could end it; as a sign of JSON it is the same text.
        told = json.dumps({**state, "words": words}, ensure_ascii=False).replace("<", "\\u003c")
        known = {"language": language, "static": f"{STATIC_PATH}{self.version}"}

        def fill(place: re.Match[str]) -> str:
            name = place[1]
            if name == "shell":
                return told
            value = known.get(name, words.get(name, ""))
            return html.escape(value) if isinstance(value, str) else ""

        body = PLACE.sub(fill, self._shell).encode("utf-8", "backslashreplace")
        return PageReply(200, body, "text/html; charset=utf-8")

    def _words_in(self, language: str) -> dict[str, Any]:
        file = self._files.get(f"words.{language}.json")
        words: dict[str, Any] = {} if file is None else json.loads(file.data)
        return words


def language_of(asked: str | None, cookie: str | None, accepted: str) -> str:
    """Which language to speak: as chosen, or as a browser would have it, or English."""
    for chosen in (asked, cookie):
        if chosen in LANGUAGES:
            return str(chosen)
    wanted = []
    for place, part in enumerate(accepted[:1000].split(",")):
        name, _, weight = part.partition(";")
        language = name.strip().lower().partition("-")[0]
        if language in LANGUAGES:
            wanted.append((-_weight(weight), place, language))
    return min(wanted)[2] if wanted else LANGUAGES[0]


def _weight(text: str) -> float:
    try:
        return float(text.strip().lower().removeprefix("q=")) if text else 1.0
    except ValueError:
        return 0.0


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:HASH_SIGNS]
