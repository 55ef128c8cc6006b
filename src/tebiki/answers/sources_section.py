"""The `Sources:` section of a searched answer: found, left alone, dated or added; pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tebiki.answers.citations import Citation

SEARCH_ITSELF = "web_search"
"""Named as the source when a search ran but told nothing about where it looked."""

ISO_DATE = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)")
FENCE = re.compile(r"[ \t]{0,3}(?:```|~~~)")
WORD = re.compile(
    r"""(?:[-*+][ \t]+)?                 # a list item
        (?P<mark>\#{1,6}[ \t]+)?         # ## Sources
        (?:\d+[.)][ \t]+)?               # 3. Sources
        (?P<emphasis>[*_]{0,3})sources   # **Sources**
        (?P<end>[*_:\uff1a \t]*)         # with its colon, wherever that stands
        (?P<rest>.*)""",
    re.IGNORECASE | re.VERBOSE,
)
UNDERLINE = re.compile(r"[ \t]*(?:-{3,}|={3,})[ \t]*")
# Possessive, so that a line of blanks or digits is read once.
LIST_ITEM = re.compile(r"(?:[-*+•]|\d++[.)])[ \t]++\S")

ENDS_AN_ADDRESS = frozenset("()[]<>{}\"'`|*,;:。、，；：）」』】>—–")
"""Signs after an address that are not a part of it."""


def with_sources_section(text: str, cited: list[Citation], access_day: str) -> str:
    """Make sure that a searched answer ends with its sources and their dates.

    A section that the model wrote with dates is left alone when it names every citation; those it
    lacks, and all where it has no date, get dated lines below it, under the same heading.
    """
    days = {citation.url: citation.published_at for citation in cited} or {
        SEARCH_ITSELF: access_day
    }
    dated = [f"- {source} ({day})" for source, day in days.items()]
    lines = text.splitlines()
    section = _last_section(lines)
    if section is None:
        body = text.rstrip()
        return "\n".join(([body, ""] if body else []) + ["Sources:", *dated])
    written = "\n".join(lines[section.start : section.stop])
    if ISO_DATE.search(written):
        missing = [source for source in days if cited and not _names(written, source)]
        dated = [f"- {source} ({days[source]})" for source in missing]
    if not dated:
        return text
    return "\n".join([*lines[: section.stop], *dated, *lines[section.stop :]]).rstrip()


def without_sources_section(text: str, named: Iterable[str]) -> str:
    """Leave the section out for whoever shows its sources in another way.

    Only where it ends the text and each of its entries is one of those: nothing may be lost.
    """
    known = list(named)
    lines = text.rstrip().splitlines()
    section = _last_section(lines)
    if section is None or section.stop < len(lines) or "://" in lines[section.start]:
        return text
    entries = [line for line in lines[section.start + 1 :] if _is_entry(line)]
    others = len(section) - 1 - len(entries)
    if not entries or others or not all(_is_one_of(entry, known) for entry in entries):
        return text
    return "\n".join(lines[: section.start]).rstrip()


def _is_one_of(entry: str, sources: list[str]) -> bool:
    return any(_names(entry, source) for source in sources)


def _names(text: str, source: str) -> bool:
    """Tell whether a text has a source's address or name, and not only the start of another one."""
    plain = source.rstrip("/")
    at = text.find(plain)
    while at >= 0:
        end = at + len(plain)
        after = text[end : end + 2].removeprefix("/")[:1]
        begins = at == 0 or not (text[at - 1].isalnum() or text[at - 1] in "-_.@/")
        if begins and (not after or after.isspace() or after in ENDS_AN_ADDRESS):
            return True
        at = text.find(plain, at + 1)
    return False


def _is_entry(line: str) -> bool:
    return bool(LIST_ITEM.match(line.lstrip(" \t"))) or "http://" in line or "https://" in line


def _last_section(lines: list[str]) -> range | None:
    """The lines of the last section headed Sources, its heading included."""
    found = None
    fenced = False
    for number, line in enumerate(lines):
        if FENCE.match(line):
            fenced = not fenced
        elif not fenced and _is_heading(line, lines[number + 1 : number + 2]):
            found = number
    return None if found is None else range(found, _end_of_section(lines, found + 1))


def _is_heading(line: str, following: list[str]) -> bool:
    found = WORD.fullmatch(line.strip())
    if found is None:
        return False
    has_colon = ":" in found["end"] or "\uff1a" in found["end"]
    if found["rest"]:
        # "Sources: https://…" is a section, "Sources: two kinds exist" is a sentence.
        return has_colon and _names_an_address(found["rest"])
    if found["mark"] or found["emphasis"] or has_colon:
        return True
    return bool(following) and bool(UNDERLINE.fullmatch(following[0]) or _is_entry(following[0]))


def _names_an_address(rest: str) -> bool:
    return rest.lstrip("[(<*_ ").lower().startswith(("http://", "https://")) or "](http" in rest


def _end_of_section(lines: list[str], start: int) -> int:
    """The line after the last entry: lists, addresses and what is indented below them."""
    end = start
    for number in range(start, len(lines)):
        line = lines[number]
        if _is_entry(line) or UNDERLINE.fullmatch(line) or line.startswith(("  ", "\t")):
            end = number + 1
        elif line.strip():
            break
    return end
