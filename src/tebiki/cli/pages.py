"""Texts that an engine gives in pages: printed to their end, or with a word about what is missing.

For a program they are what the tools give: one value a page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from tebiki.cli import render
from tebiki.cli.commands import DONE
from tebiki.files.limits import MOST_CHARS
from tebiki.files.reading import Cursor

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from tebiki.files.reading import Page


class EnginePage(Protocol):
    """A page with what its engine tells about it."""

    @property
    def page(self) -> Page:
        """The page itself."""


Given = TypeVar("Given", bound=EnginePage)


def show_all(
    typed: argparse.Namespace,
    scan: Callable[[Cursor], Given],
    form: Callable[[Given], dict[str, Any]],
    line: int | None = None,
) -> int:
    """Print a file from a line on, page after page; `form` is for programs."""
    pages: list[dict[str, Any]] = []
    text = ""
    cursor: Cursor | None = Cursor(start_line=line)
    while cursor is not None:
        part = scan(cursor)
        if typed.json:
            pages.append(form(part))
        else:
            text = part.page.text or text
            render.out_text(part.page.text)
        offset = part.page.next_offset
        cursor = None if offset is None else Cursor(char_offset=offset)
    if typed.json:
        render.out_json(pages)
    else:
        render.end_line(text)
    return DONE


def show_part(
    typed: argparse.Namespace,
    part: Given,
    form: Callable[[Given], dict[str, Any]],
    command_for_rest: Callable[[int], str],
) -> int:
    """Print a part of a file; one that was cut short looks whole, so the command goes with it."""
    if typed.json:
        render.out_json(form(part))
        return DONE
    page = part.page
    render.out_text(page.text)
    render.end_line(page.text)
    if page.is_cut:
        line_after = page.last_line + page.text.endswith(("\n", "\r"))
        rest = command_for_rest(line_after)
        render.err_line(f"… cut after {MOST_CHARS} characters; the rest: {rest}")
    return DONE
