"""Which file a link names: pure functions over names. No name is ever looked for on disk.

What a link says of its target is written down when its file is indexed, and compared with the names
of the manual when a question is asked: a file that appears later is found by then.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from tebiki.files.names import nfc
from tebiki.manuals.text.folding import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

WIKI = "[["
"""How a target begins that is named as wikis do: by its page, wherever that is."""

OR = "\v"
"""Between two readings of one target, the likelier first; no name has such a character."""

SCHEME = lazy_pattern(r"[a-zA-Z][a-zA-Z0-9+.-]*+:|//")
AS_FOLDER = lazy_pattern(r"(?!/|~/|\[\[|[#?])(?:[^#?/]*+/)*+[^#?/.]*+(?:[#?]|\Z)")
"""A relative target without an ending, `../setup/`: many sites show a page as a folder."""
UNNAMEABLE = lazy_pattern(r"[\x00-\x1f\x7f\\]")
RENDERED = (".html", ".htm")
ENDINGS = ("", ".md", ".markdown", ".mdx", ".html")
FOLDERS_PAGES = (
    *("index.md", "_index.md", "README.md", "readme.md", "Readme.md"),
    *("index.mdx", "index.html"),
)
LONGEST_TARGET = 1_000
MOST_ABOVE = 4
"""So many folders at the beginning of a target may be those of a site, not of the manual."""

FEWEST_STEPS = 2
"""A target that is looked for from the top has so many; a single name may be that of any page."""

MOST_KNOWN = 65_536
MOST_FOLDED = 20_000
"""Names in so many files at most are compared without regard to case: it takes a list of all."""

NOWHERE = ("", "")


def target_from(path: str, url: str) -> tuple[str, str]:
    """A link's target and fragment, as `written_target` gives them, read from a file.

    What is relative and has no ending may also be meant from the page, where that is a folder.
    """
    folder, _, name = path.rpartition("/")
    target, fragment = written_target(folder, url)
    if name in FOLDERS_PAGES or AS_FOLDER().match(url) is None:
        return target, fragment
    other, fragment = written_target(path.rpartition(".")[0], url)
    return OR.join(filter(None, (target, other))), fragment


@lru_cache(maxsize=8192)
def written_target(folder: str, url: str) -> tuple[str, str]:
    """A link's target as a path of the manual, and its fragment; nothing when it leads elsewhere.

    From the folder of its file. A target that begins with `/` may have a site's folders before
    those of the manual; one that begins with `~/` is written from the top as well.
    """
    if "&" in url:
        from html import unescape  # no find reads targets, and few have such signs

        url = unescape(url)
    path, _, fragment = url.partition("#")
    is_wiki = path.startswith(WIKI)
    path = path if is_wiki else path.partition("?")[0].removeprefix("~" * path.startswith("~/"))
    if not path or path == WIKI or len(path) > LONGEST_TARGET or SCHEME().match(path):
        return NOWHERE
    if "%" in url:
        from urllib.parse import unquote  # no find reads targets, and few have such signs

        path, fragment = unquote(path), unquote(fragment)
    path, fragment = nfc(path), nfc(fragment)[:LONGEST_TARGET]
    if UNNAMEABLE().search(path) or UNNAMEABLE().search(fragment):
        return NOWHERE
    if is_wiki:
        return path, fragment
    is_rooted = path.startswith("/")
    parts = _walk([] if is_rooted or not folder else folder.split("/"), path.split("/"))
    if parts is None:
        return NOWHERE
    named = "/".join(parts)
    return f"/{named}" if is_rooted else named or ".", fragment


def _walk(start: list[str], steps: list[str]) -> list[str] | None:
    """Go from a folder to another by name; None when that is outside the manual."""
    here = list(start)
    for step in steps:
        if step == "..":
            if not here:
                return None
            here.pop()
        elif step not in {"", "."}:
            here.append(step)
    return here


class NamedFiles:
    """The names of a manual's files, and what targets stand for among them."""

    __slots__ = ("_by_case", "_by_page", "_known", "_names")

    def __init__(self, names: Collection[str]) -> None:
        self._names = names
        self._known: dict[str, str | None] = {}
        self._by_page: Mapping[str, str] | None = None
        self._by_case: dict[str, str] | None = None

    def file_of(self, target: str) -> str | None:
        """The file that a target names, if there is one."""
        try:
            return self._known[target]
        except KeyError:
            found = self._look_up(target)
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            self._known[target] = found
            return found

    def _look_up(self, target: str) -> str | None:
        if target.startswith(WIKI):
            page = target.removeprefix(WIKI).strip("/ ")
            return _named(page, self._names) or self._pages().get(_page_of(_without_ending(page)))
        readings = target.split(OR)
        for reading in readings:
            if found := _led_to(reading, self._names):
                return found
        # Written where case makes no difference, as on Windows: then the whole path must agree.
        folded = self._folded()
        for reading in readings if folded else ():
            if found := _named(reading.removeprefix("/").casefold(), folded):
                return folded[found]
        return None

    def _folded(self) -> Mapping[str, str]:
        """Files by their names without regard to case; none of those that are one file then."""
        if self._by_case is None:
            names = self._names if len(self._names) <= MOST_FOLDED else ()
            self._by_case = {name.casefold(): name for name in names}
            if len(self._by_case) < len(names):
                known: set[str] = set()
                for name in names:
                    if (folded := name.casefold()) in known:
                        self._by_case.pop(folded, None)
                    known.add(folded)
        return self._by_case

    def _pages(self) -> Mapping[str, str]:
        """Files by their page's name, as wikis call them; of equals the one nearest to the top."""
        if self._by_page is None:
            ordered = sorted(self._names, key=lambda path: (path.count("/"), path), reverse=True)
            self._by_page = {_page_of(path.rpartition(".")[0]): path for path in ordered}
        return self._by_page


def _led_to(target: str, names: Collection[str]) -> str | None:
    is_rooted = target.startswith("/")
    parts = target.removeprefix("/").split("/")
    # Some sites write all their links from the top, without a sign that tells.
    fewest = 1 if is_rooted else FEWEST_STEPS
    last = min(max(1, len(parts) - fewest + 1), MOST_ABOVE + 1)
    for above in range(last):
        if found := _named("/".join(parts[above:]), names):
            return found
    return None


def _named(path: str, names: Collection[str]) -> str | None:
    """The file of a path, with or without its ending; of a folder its own page."""
    stem = next((path.removesuffix(end) for end in RENDERED if path.endswith(end)), path)
    for ending in ENDINGS:
        if stem + ending in names:
            return stem + ending
    folder = "" if stem in {"", "."} else f"{stem}/"
    for page in FOLDERS_PAGES:
        if folder + page in names:
            return folder + page
    return None


def _without_ending(page: str) -> str:
    return next((page.removesuffix(end) for end in ENDINGS if end and page.endswith(end)), page)


def _page_of(path: str) -> str:
    return path.rpartition("/")[2].strip().casefold().replace(" ", "-").replace("_", "-")


def fragment_key(text: str) -> str:
    """By what a fragment and a heading are compared: letters and digits, which every form keeps."""
    folded = text.casefold()
    words = folded.replace(" ", "")
    return words if words.isalnum() else "".join(filter(str.isalnum, folded))
