"""The scenarios that answer with search results as JSON, for a strict `json_schema` request."""

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from simulator.answers import Drafter, Options
from simulator.asked import Asked
from simulator.drafts import (
    Draft,
    Item,
    Page,
    message,
    open_page,
    pages,
    search_call,
    text_part,
    url_sources,
)

_DEFAULT_ROWS = 5
_OUT_OF_RANGE = (1.5, -0.25, 100)


def _row(place: int, page: Page) -> Item:
    return {
        "title": page.title,
        "url": page.url,
        "snippet": f"What {page.title} says, in one sentence.",
        "publishedDate": page.date,
        "relevanceScore": round(max(0.05, 0.95 - 0.05 * place), 2),
    }


def _rows(found: Sequence[Page]) -> list[Item]:
    return [_row(place, page) for place, page in enumerate(found)]


def _found(asked: Asked) -> list[Page]:
    return pages(asked, asked.row_limit or _DEFAULT_ROWS)


def _answer(asked: Asked, rows: Sequence[Item], sources: Sequence[Any]) -> Draft:
    text = json.dumps({"results": list(rows)}, ensure_ascii=False)
    return _told(asked, text, sources)


def _told(asked: Asked, text: str, sources: Sequence[Any]) -> Draft:
    return Draft([search_call(asked, sources), message(text_part(text))])


def _results(asked: Asked, _: Options) -> Draft:
    found = _found(asked)
    return _answer(asked, _rows(found), url_sources(found))


def _invented(asked: Asked, _: Options) -> Draft:
    found = _found(asked)
    made_up = [
        Page(f"https://invented.example/{place}", f"Invented {place}", "2026-01-01")
        for place in (1, 2)
    ]
    return _answer(asked, _rows([made_up[0], *found, made_up[1]]), url_sources(found))


def _tracking(asked: Asked, _: Options) -> Draft:
    found = pages(asked, max(_DEFAULT_ROWS, asked.row_limit or 0))
    opened = Page("https://opened.example/page", "Opened page", "2026-05-05")
    rows = [_row(place, _respelled(page, place)) for place, page in enumerate([*found, opened])]
    answer = _answer(asked, rows, url_sources(found))
    return Draft([answer.output[0], open_page(opened.url), *answer.output[1:]])


def _respelled(page: Page, place: int) -> Page:
    """Spell a URL as a model might: five ways in turn, all of the same page."""
    parts = urlsplit(page.url)
    host, path = parts.netloc, parts.path
    spellings = (
        f"https://{host}{path}?utm_source=openai&utm_medium=search",
        f"https://{host.upper()}{path}",
        f"https://{host}:443{path}",
        f"https://{host}{path}/",
        f"HTTPS://{host}{path}?gclid=abc&fbclid=def#section-2",
    )
    return Page(spellings[place % len(spellings)], page.title, page.date)


def _dirty(asked: Asked, _: Options) -> Draft:
    found = pages(asked, 4)
    rows = _rows(found)
    rows[0]["title"] = "<b>Bold</b> &amp; <script>alert(1)</script>\u202etitle\u202c"
    rows[0]["snippet"] = "First line\r\nsecond &lt;line&gt;\u2028third\x00\x07 line\u200f."
    rows[1]["snippet"] = "long " * 400
    rows[1]["title"] = "\n\t "
    rows[2]["publishedDate"] = "last Tuesday"
    rows[3]["publishedDate"] = ""
    for row, score in zip(rows[1:], _OUT_OF_RANGE, strict=True):
        row["relevanceScore"] = score
    return _answer(asked, rows, url_sources(found))


def _no_results(asked: Asked, _: Options) -> Draft:
    return _answer(asked, [], [])


def _rows_empty(asked: Asked, _: Options) -> Draft:
    return _answer(asked, [], url_sources(_found(asked)))


def _prose(asked: Asked, _: Options) -> Draft:
    return _told(asked, "I found these pages, but here is prose.", url_sources(_found(asked)))


def _prose_bare(asked: Asked, _: Options) -> Draft:
    return Draft([search_call(asked, None), message(text_part("I found nothing to list."))])


def _javascript_url(asked: Asked, _: Options) -> Draft:
    bad = [
        Page("javascript:alert(1)", "Script", "2026-01-01"),
        Page("ftp://files.example/list", "Files", "2026-01-01"),
    ]
    good = _found(asked)
    everything = [bad[0], *good[:1], bad[1], *good[1:]]
    return _answer(asked, _rows(everything), url_sources(everything))


def _duplicate_rows(asked: Asked, _: Options) -> Draft:
    found = pages(asked, 3)
    again = [
        Page(found[0].url, "The first again", found[0].date),
        Page(f"{found[1].url}/?utm_campaign=x", "The second again", found[1].date),
    ]
    return _answer(asked, _rows([*found, *again]), url_sources(found))


ROWS: Mapping[str, Drafter] = {
    "results": _results,
    "invented": _invented,
    "tracking": _tracking,
    "dirty": _dirty,
    "no_results": _no_results,
    "rows_empty": _rows_empty,
    "prose": _prose,
    "prose_bare": _prose_bare,
    "javascript_url": _javascript_url,
    "duplicate_rows": _duplicate_rows,
}
