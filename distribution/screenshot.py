"""Draws docs/images/find.svg: what `tebiki manuals find` really prints, at a pseudo-terminal.

Run by `make pictures`; nothing in the picture is written by hand.
"""

from __future__ import annotations

import itertools
import re
import shlex
import shutil
import sys
import tempfile
import unicodedata
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tests.support.terminal import run_at_terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "images" / "find.svg"
COMMANDS = (
    'tebiki manuals find lantern-backup "how long are snapshots kept"',
    "tebiki manuals find kaede-fukugouki 原稿が重なったときの直し方",
)
COLUMNS = 96
CELL, LINE, MARGIN, FONT = 8.4, 20, 16, 14
"""Pixels: a letter's width (0.6 of the font's size, as in most such fonts), a line's height."""

INKS = {"": "#d4d4d4", "1": "#ffffff", "2": "#8a8a8a"} | {
    "31": "#f48771",
    "32": "#89d185",
    "33": "#e2c08d",
    "36": "#6fc3df",
}
PROMPT = "\x1b[32m$\x1b[0m "
STYLE = re.compile(r"\x1b\[([0-9;]*)m")


class Run(NamedTuple):
    """Signs of one style and one width, from a column on."""

    column: int
    text: str
    style: str
    width: int


def main() -> int:
    """Run the commands and draw them."""
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(drawn(session()), encoding="utf-8")
    print(f"written: {PICTURE.relative_to(ROOT)}")
    return 0


def session() -> list[str]:
    """The lines of a terminal after the commands, with their colours."""
    lines: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        shutil.copytree(ROOT / "samples" / "manuals", home / "manuals")
        # Before the first picture: an index that is being built shows its progress.
        run_at_terminal(home, "manuals", "index")
        for search in COMMANDS:
            command = f"{search} --limit 3"
            done = run_at_terminal(home, *shlex.split(command)[1:], width=COLUMNS)
            if done.code != 0:
                raise SystemExit(f"{command}: exit {done.code}\n{done.raw}")
            shown = done.raw.replace("\r\n", "\n").rstrip("\n").split("\n")
            lines += [f"{PROMPT}{command}", *(line.rpartition("\r\x1b[K")[2] for line in shown), ""]
    return lines[:-1]


def drawn(lines: list[str]) -> str:
    """The picture of a terminal with these lines."""
    rows = [part for line in lines for part in wrapped(list(runs(line)))]
    width, height = round(COLUMNS * CELL + 2 * MARGIN), len(rows) * LINE + 2 * MARGIN
    texts = [
        text_element(piece, MARGIN + number * LINE + FONT)
        for number, row in enumerate(rows)
        for run in row
        for piece in pieces(run)
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" '
        'aria-label="Two searches with tebiki manuals find at a terminal">\n'
        f"<style>text {{ font: {FONT}px ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', "
        "'Noto Sans Mono CJK JP', monospace }</style>\n"
        f'<rect width="{width}" height="{height}" rx="8" fill="#1e1e1e"/>\n'
        + "\n".join(texts)
        + "\n</svg>\n"
    )


def text_element(run: Run, baseline: int) -> str:
    """A word or a wide sign at its place, stretched to its cells whatever font there is."""
    last = run.style.rpartition(";")[2]
    bold = ' font-weight="bold"' if "1" in run.style.split(";") else ""
    length = "" if run.width > 1 else f' textLength="{len(run.text) * CELL:.1f}"'
    return (
        f'<text x="{MARGIN + run.column * CELL:.1f}" y="{baseline}"{length}'
        f' fill="{INKS.get(last, INKS[""])}"{bold}>{escape(run.text, quote=False)}</text>'
    )


def pieces(run: Run) -> Iterator[Run]:
    """The words of a run; of wide signs, each."""
    for found in re.finditer(r"\S+" if run.width == 1 else r"\S", run.text):
        yield run._replace(column=run.column + found.start() * run.width, text=found.group())


def runs(line: str) -> Iterator[Run]:
    """Cut a line where its colour or the width of its signs changes."""
    column, style = 0, ""
    for number, piece in enumerate(STYLE.split(line)):
        if number % 2:
            style = "" if piece in ("", "0") else piece
            continue
        for width, signs in itertools.groupby(piece, cells):
            text = "".join(signs)
            yield Run(column, text, style, width)
            column += len(text) * width


def cells(sign: str) -> int:
    """How many cells of a terminal a sign takes."""
    return 2 if unicodedata.east_asian_width(sign) in ("W", "F") else 1


def wrapped(line: list[Run]) -> Iterator[list[Run]]:
    """Go on in the next row where a terminal would."""
    row: list[Run] = []
    start = 0
    for run in line:
        for place, sign in enumerate(run.text):
            column = run.column + place * run.width
            if column + run.width - start > COLUMNS:
                yield row
                row, start = [], column
            if row and row[-1].style == run.style and row[-1].width == run.width:
                row[-1] = row[-1]._replace(text=row[-1].text + sign)
            else:
                row.append(run._replace(column=column - start, text=sign))
    yield row


if __name__ == "__main__":
    sys.exit(main())
