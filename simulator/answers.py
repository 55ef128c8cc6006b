"""The scenarios that answer a question in prose, searched for or not."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from simulator.asked import Asked
from simulator.drafts import (
    CitedText,
    Draft,
    Page,
    message,
    open_page,
    pages,
    search_call,
    text_part,
    url_sources,
)

Options = Mapping[str, str]
Drafter = Callable[[Asked, Options], Draft]

_WEATHER = {"type": "api", "name": "oai-weather"}
_MEGABYTE = 1024 * 1024


def _sentence(asked: Asked) -> str:
    line = asked.first_line
    if "404" in line and "HTTP" in line.upper():
        if asked.japanese:
            return "HTTP 404 (Not Found) は、要求されたリソースがサーバーに見つからないことを示す。"
        return "HTTP 404 (Not Found) means that the server has no resource at the requested URL."
    if asked.japanese:
        return f"「{line}」への回答: これは模擬サーバーが作った短い説明です。"
    return f'About "{line}": this is a short explanation made by the simulated API.'


def _plain(asked: Asked, _: Options) -> Draft:
    return Draft([message(text_part(_sentence(asked)))])


def _cited(asked: Asked, found: list[Page]) -> CitedText:
    text = CitedText()
    for page in found:
        text.cite(_sentence(asked), page)
    return text


def _after_search(asked: Asked, found: list[Page], annotations: list[Any], text: str) -> Draft:
    return Draft(
        [
            search_call(asked, url_sources(found)),
            open_page(found[0].url),
            message(text_part(text, annotations)),
        ]
    )


def _searched(asked: Asked, options: Options) -> Draft:
    found = pages(asked, 3)
    text = _cited(asked, found[:2])
    draft = _after_search(asked, found, text.annotations, text.text)
    # One call of the tool may ask several things, and each is billed.
    return replace(draft, billed_searches=int(options["billed"])) if "billed" in options else draft


def _leaky(asked: Asked, _: Options) -> Draft:
    """A search that also brings back a page from outside the domains it was to keep to."""
    stray = Page("https://stray.invalid/1", "Stray", "2026-01-01")
    found = [stray, *pages(asked, 1)]
    text = _cited(asked, found)
    return _after_search(asked, found, text.annotations, text.text)


def _nested(asked: Asked, _: Options) -> Draft:
    found = pages(asked, 2)
    annotations = [
        {"type": "url_citation", "url_citation": {"url": page.url, "title": page.title}}
        for page in found
    ]
    return _after_search(asked, found, annotations, _sentence(asked))


def _named(asked: Asked, _: Options) -> Draft:
    return Draft([search_call(asked, [_WEATHER]), message(text_part(_sentence(asked)))])


def _named_and_cited(asked: Asked, _: Options) -> Draft:
    found = pages(asked, 2)
    text = _cited(asked, found[:1])
    search = search_call(asked, [*url_sources(found), _WEATHER])
    return Draft([search, message(text_part(text.text, text.annotations))])


def _sources_only(asked: Asked, _: Options) -> Draft:
    found = pages(asked, 6)
    shapes = [
        found[0].url,
        {"url": found[1].url},
        {"link": found[2].url, "title": found[2].title, "published_at": found[2].date},
        {"url": found[3].url, "name": found[3].title, "published_date": found[3].date},
        {"type": "url", "url": found[4].url, "title": found[4].title, "date": found[4].date},
        {"type": "url", "url": found[5].url, "published_at": f"{found[5].date}T09:30:00+09:00"},
    ]
    return Draft([search_call(asked, shapes), message(text_part(_sentence(asked)))])


def _many(asked: Asked, _: Options) -> Draft:
    found = pages(asked, 12)
    text = _cited(asked, found)
    return _after_search(asked, found, text.annotations, text.text)


def _duplicates(asked: Asked, _: Options) -> Draft:
    first, second = pages(asked, 2)
    text = _cited(asked, [first, Page(first.url, f"{first.title} (again)", first.date), second])
    return _after_search(asked, [first, second], text.annotations, text.text)


def _bare_search(asked: Asked, _: Options) -> Draft:
    return Draft([search_call(asked, None), message(text_part(_sentence(asked)))])


def _opened(asked: Asked, _: Options) -> Draft:
    return Draft([open_page(pages(asked, 1)[0].url), message(text_part(_sentence(asked)))])


def _odd(asked: Asked, _: Options) -> Draft:
    good, sourced = pages(asked, 2)
    text = _cited(asked, [good])
    no_url = {"type": "url_citation", "start_index": 0, "end_index": 1, "title": "No URL"}
    annotations: list[Any] = [
        *(7, None, [], "text", {}, {"type": "mystery"}, no_url),
        no_url | {"url": None},
        no_url | {"url": 7, "title": []},
        {"type": "url_citation", "url_citation": None},
        {"type": "url_citation", "url_citation": [good.url]},
        *text.annotations,
    ]
    sources: list[Any] = [
        *(7, None, [], "", {}, {"type": "api"}, {"url": None}, {"url": 7}, {"name": ["x"]}),
        {"type": "url", "url": sourced.url, "title": 7, "date": [2026]},
    ]
    mystery = {"type": "mystery_call", "status": "completed", "payload": [None]}
    actionless = {"type": "web_search_call", "status": "completed", "action": None}
    search = search_call(asked, sources)
    return Draft([mystery, actionless, search, message(text_part(text.text, annotations))])


def _with_sources_section(asked: Asked, heading: str, *, dated: bool) -> Draft:
    found = pages(asked, 2)
    text = _cited(asked, found)
    lines = [f"- {page.url} ({page.date})" if dated else f"- {page.url}" for page in found]
    body = "\n".join([text.text, heading, *lines])
    return _after_search(asked, found, text.annotations, body)


def _dated_sources(asked: Asked, _: Options) -> Draft:
    return _with_sources_section(asked, "Sources:", dated=True)


def _undated_sources(asked: Asked, _: Options) -> Draft:
    return _with_sources_section(asked, "Sources:", dated=False)


def _markdown_sources(asked: Asked, options: Options) -> Draft:
    heading = "**Sources:**" if options.get("style") == "bold" else "## Sources"
    return _with_sources_section(asked, heading, dated=options.get("dates") != "no")


def _refusal(asked: Asked, _: Options) -> Draft:
    words = (
        "申し訳ありませんが、お手伝いできません。" if asked.japanese else "I can't help with that."
    )
    return Draft([message({"type": "refusal", "refusal": words})])


def _incomplete(asked: Asked, _: Options) -> Draft:
    cut = message(text_part(_sentence(asked)[:-8]), status="incomplete")
    return Draft([cut], status="incomplete", incomplete_reason="max_output_tokens")


def _incomplete_empty(asked: Asked, _: Options) -> Draft:  # noqa: ARG001  a drafter's signature
    return Draft([], status="incomplete", incomplete_reason="max_output_tokens")


def _failed(asked: Asked, _: Options) -> Draft:  # noqa: ARG001  a drafter's signature
    problem = {"code": "server_error", "message": "The model failed to generate a response."}
    return Draft([], status="failed", error=problem)


def _empty(asked: Asked, _: Options) -> Draft:  # noqa: ARG001  a drafter's signature
    return Draft([])


def _parts(asked: Asked, _: Options) -> Draft:
    text = _cited(asked, pages(asked, 1))
    return Draft(
        [
            message(text_part("First part. "), text_part("Second part. ")),
            message(text_part(text.text, text.annotations)),
        ]
    )


def _surrogate(asked: Asked, _: Options) -> Draft:
    return Draft([message(text_part(f"{_sentence(asked)} half an emoji: \ud83d, and on."))])


def _large(asked: Asked, options: Options) -> Draft:
    line = _sentence(asked) + "\n"
    size = int(float(options.get("mb", "5")) * _MEGABYTE)
    return Draft([message(text_part(line * (size // len(line.encode()) + 1)))])


ANSWERS: Mapping[str, Drafter] = {
    "plain": _plain,
    "searched": _searched,
    "leaky": _leaky,
    "nested": _nested,
    "named": _named,
    "named_and_cited": _named_and_cited,
    "sources_only": _sources_only,
    "many": _many,
    "duplicates": _duplicates,
    "bare_search": _bare_search,
    "opened": _opened,
    "odd": _odd,
    "dated_sources": _dated_sources,
    "undated_sources": _undated_sources,
    "markdown_sources": _markdown_sources,
    "refusal": _refusal,
    "incomplete": _incomplete,
    "incomplete_empty": _incomplete_empty,
    "failed": _failed,
    "empty": _empty,
    "parts": _parts,
    "surrogate": _surrogate,
    "large": _large,
}
