"""The rows of finds as the page shows them: hits of several manuals as one list, and the rest."""

from __future__ import annotations

import math
from itertools import islice
from typing import TYPE_CHECKING, Any

from tebiki.errors import TebikiError
from tebiki.files.reading import Cursor
from tebiki.manuals.report.excerpts import Excerpt, excerpt_of
from tebiki.manuals.report.rows import Rows
from tebiki.screens.differences import pieces_only_in
from tebiki.screens.marks import needles_for, spans_of
from tebiki.screens.markup import words_of
from tebiki.tools.uris import manual_uri
from tebiki.values.unseen import in_one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tebiki.manuals.library import Library

    Row = Mapping[str, Any]

LONGEST_EXCERPT = 600
LONGEST_TITLE = 300
BEST = 3
STEEPNESS = 3
"""Half of the question is worth an eighth of all of it; its neighbours did as well."""

MARKDOWN = (".md", ".markdown", ".mdx")
PAGES = ("page", "slide")
"""Where the original of an imported text has a passage."""


class Merged:
    """The candidates of several manuals as one list; rows are written out when they are shown.

    What a score is worth differs from manual to manual: a large one gives more for the one word of
    the question that it has than a small one for all of them. So the scores of a manual are brought
    nearer to those of the others, and count for as much as its best rows hold of the question.
    """

    def __init__(self, lists: Iterable[Sequence[Row]]) -> None:
        self._lists = list(lists)

    def rows(self, offset: int, limit: int) -> list[Row]:
        """Some rows, the best first."""
        if len(self._lists) == 1:
            return list(self._lists[0][offset : offset + limit])
        worth = _worth([_heads(rows, BEST) for rows in self._lists])
        order = [
            (-row["score"] * worth[place], place, at)
            for place, rows in enumerate(self._lists)
            # Nothing beyond what is shown can come before it within one manual.
            for at, row in enumerate(_heads(rows, offset + limit))
        ]
        shown = islice(sorted(order), offset, offset + limit)
        return [self._lists[place][at] for _, place, at in shown]


def _worth(best: list[Sequence[Row]]) -> list[float]:
    """What a point of the score counts in each manual, by its best rows."""
    held = [max((len(row["matched_tokens"]) for row in rows), default=0) for rows in best]
    most = max(held, default=0) or 1
    tops = [max((row["score"] for row in rows), default=0.0) for rows in best]
    return [
        (words / most) ** STEEPNESS / math.sqrt(top) if top > 0 else 0.0
        for words, top in zip(held, tops, strict=True)
    ]


def _heads(rows: Sequence[Row], most: int) -> Sequence[Row]:
    return rows.heads(slice(0, most)) if isinstance(rows, Rows) else rows[:most]


def hit_form(library: Library, row: Row) -> dict[str, Any]:
    """One section that was found, with a passage to show and how its score came about."""
    ref = row["ref"]
    path, line = ref["path"], ref["start_line"]
    excerpt = _excerpt(library, row)
    text = "" if excerpt is None else _said(excerpt.text, LONGEST_EXCERPT, path)
    header = None if excerpt is None else excerpt.header
    title = _said(row["title"], LONGEST_TITLE, path)
    return {
        "manual": ref["manual_id"],
        "path": path,
        "line": line,
        "end_line": row["end_line"],
        "title": title,
        "trail": [_said(above, LONGEST_TITLE, path) for above in row.get("trail", [])],
        "excerpt": text or None,
        "header": None if header is None else _said(header, LONGEST_EXCERPT, path),
        "words": _words_in(f"{title}\n{text}", row["matched_tokens"]),
        "score": row["score"],
        "parts": [_part(explained) for explained in row["rank_explain"]],
        "copies": [{"path": one["path"], "line": one["start_line"]} for one in row["copies"]],
        "uri": f"{manual_uri(ref['manual_id'], path.split('/'))}#L{line}",
        **{name: row[name] for name in PAGES if name in row},
    }


def _part(explained: str) -> dict[str, Any]:
    name, _, value = explained.partition("=")
    return {"name": name, "value": float(value)}


def _words_in(text: str, tokens: Iterable[str]) -> list[str]:
    """The words that were matched, as they are written in a text."""
    spans = spans_of(text, needles_for(tokens))
    return list(dict.fromkeys(text[start:stop] for start, stop in spans))


def _excerpt(library: Library, row: Row) -> Excerpt | None:
    """The passage to show of a section; of what is no prose, and of what is gone, the snippet."""
    snippet = in_one_line(row["snippet"] or "")
    usual = Excerpt(snippet) if snippet else None
    ref = row["ref"]
    if not ref["path"].lower().endswith(".md"):
        return usual
    try:
        cursor = Cursor(start_line=ref["start_line"])
        part = library.scan(ref["manual_id"], ref["path"], cursor=cursor)
    except TebikiError:
        return usual
    lines = part.page.text.splitlines()[: row["end_line"] - ref["start_line"] + 1]
    return excerpt_of("\n".join(lines), row["matched_tokens"]) or usual


def row_form(kind: str, row: Row, manual: str | None) -> dict[str, Any]:
    """A row of another kind: a file not searched, what is missing, what disagrees."""
    if kind != "conflicts":
        return {**row, "manual": manual}
    sides = [_side(side) for side in (row, *row["conflict_with"])]
    texts = [side["text"] for side in sides]
    for place, side in enumerate(sides):
        others = texts[:place] + texts[place + 1 :]
        side["words"] = pieces_only_in(side["text"], others) or list(row.get("terms", []))
    return {"reason": row.get("reason"), "sides": sides}


def _side(side: Row) -> dict[str, Any]:
    ref = side["ref"]
    return {
        "manual": ref["manual_id"],
        "path": ref["path"],
        "line": ref["start_line"],
        "title": _short(ref.get("title") or "", LONGEST_TITLE),
        "text": _said(side["text"], LONGEST_EXCERPT, ref["path"]),
        **{name: side[name] for name in PAGES if name in side},
    }


def _said(text: str, longest: int, path: str) -> str:
    """A text of a file in one line, as it reads: of Markdown without its signs."""
    line = in_one_line(text[: 2 * longest])
    return _short(words_of(line) if path.lower().endswith(MARKDOWN) else line, longest)


def _short(text: str, longest: int) -> str:
    line = in_one_line(text)
    return line if len(line) <= longest else f"{line[: longest - 1]}…"
