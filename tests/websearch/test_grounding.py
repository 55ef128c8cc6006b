"""Grounding: no result that the search did not see, whatever the model or the web writes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tebiki.responses.replies import Reply, reply_from_json
from tebiki.tools.search import result_form
from tebiki.websearch.addresses import normalise
from tebiki.websearch.grounding import Findings, SearchResult, findings, rows_in, seen_pages
from tests.support.strategies import json_values

if TYPE_CHECKING:
    from collections.abc import Iterator

Json = dict[str, Any]


def reply(*, sources: list[Any], annotations: list[Any], opened: list[Any]) -> Reply:
    """A reply with these sources, annotations and opened pages."""
    searched = {"type": "web_search_call", "action": {"type": "search", "sources": sources}}
    pages = [{"type": "web_search_call", "action": {"type": "open_page", "url": u}} for u in opened]
    part = {"type": "output_text", "text": "words", "annotations": annotations}
    return reply_from_json({"output": [searched, *pages, {"type": "message", "content": [part]}]})


def found(rows: list[Any], *sources: Any, annotations: Any = (), opened: Any = ()) -> Findings:
    """What is made of these rows when this was seen."""
    seen = reply(sources=list(sources), annotations=list(annotations), opened=list(opened))
    return findings(rows, seen_pages(seen))


def row(url: Any, **more: Any) -> Json:
    """A row as the schema has it."""
    return {"title": "T", "url": url, "snippet": "S", **more}


def urls(rows: list[Any], *sources: Any, **evidence: Any) -> list[str]:
    """The addresses that are given out."""
    return [result.url for result in found(rows, *sources, **evidence).results]


@pytest.mark.requirement("websearch:grounding:spelling")
@pytest.mark.parametrize(
    "source",
    [
        "https://A.jp/x/",
        {"type": "url", "url": "https://A.jp/x/"},
        {"link": "https://A.jp/x/", "title": "A"},
        {"url": 5, "link": "https://A.jp/x/"},
    ],
)
def test_a_source_in_any_shape_grounds_a_row(source: Any) -> None:
    """And its own spelling is given out."""
    assert urls([row("https://a.jp/x?utm_source=openai#top")], source) == ["https://A.jp/x/"]


@pytest.mark.requirement("websearch:grounding:opened-pages")
@pytest.mark.parametrize(
    "evidence",
    [
        {"annotations": [{"type": "url_citation", "url": "https://a.jp/x"}]},
        {"annotations": [{"type": "url_citation", "url_citation": {"url": "https://a.jp/x"}}]},
        {"opened": ["https://a.jp/x"]},
    ],
    ids=["flat", "nested", "opened"],
)
def test_citations_and_opened_pages_count_as_seen(evidence: Json) -> None:
    """Beside the sources."""
    assert urls([row("https://A.jp/x/")], **evidence) == ["https://a.jp/x"]


def test_a_source_spells_before_a_citation() -> None:
    """The API decorates what it cites; the citation's title is still of use."""
    cited = {"type": "url_citation", "url": "https://a.jp/?utm_source=openai", "title": "Cited"}

    result = found([row("https://a.jp/", title="")], "https://a.jp", annotations=[cited]).results[0]

    assert (result.url, result.title) == ("https://a.jp", "Cited")


@pytest.mark.parametrize(
    "url", ["https://invented.jp", "javascript:alert(1)", "", None, 5, "https://a.jp/other"]
)
def test_what_was_not_seen_is_dropped(url: Any) -> None:
    """And counted."""
    outcome = found([row(url), row("https://a.jp")], "https://a.jp")

    assert [result.url for result in outcome.results] == ["https://a.jp"]
    assert outcome.dropped == 1


@pytest.mark.parametrize("entry", [None, 5, "https://a.jp", [], {}])
def test_a_row_that_is_none_is_dropped(entry: Any) -> None:
    """Never an error."""
    assert found([entry], "https://a.jp").dropped == 1


@pytest.mark.parametrize("url", ["javascript:alert(1)", "ftp://a.jp/x", "data:text/html,x"])
def test_a_source_that_is_no_web_page_grounds_nothing(url: str) -> None:
    """Only http and https are given out, even when the search itself named something else."""
    assert found([row(url)], url) == Findings((), 1)


@pytest.mark.requirement("websearch:grounding:sources-instead")
def test_when_no_row_is_left_the_sources_are_listed() -> None:
    """By title or host, without a snippet, each once, in order."""
    outcome = found(
        [row("https://invented.jp")],
        {"url": "https://a.jp/1", "title": "<b>A</b>"},
        "https://WWW.b.jp/2",
        "https://www.b.jp/2/",
        "oai-weather",
        opened=["https://c.jp/3"],
    )

    assert outcome == Findings(
        (
            SearchResult("A", "https://a.jp/1", ""),
            SearchResult("www.b.jp", "https://WWW.b.jp/2", ""),
            SearchResult("c.jp", "https://c.jp/3", ""),
        ),
        1,
    )


def test_nothing_comes_of_nothing() -> None:
    """No rows and no sources."""
    assert found([]) == Findings((), 0)


def test_title_and_snippet_become_plain() -> None:
    """A row without a title takes the page's, or its host."""
    dirty = row("https://a.jp", title="<b>A</b>\n&amp; B", snippet="one<br>\u202etwo" + "x" * 600)
    blank = row("https://b.jp", title=" \n", snippet=None)

    first, second = found([dirty, blank], "https://a.jp", "https://b.jp").results

    assert first.title == "A & B"
    assert first.snippet.startswith("one two")
    assert len(first.snippet) == 500
    assert (second.title, second.snippet) == ("b.jp", "")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-05-05", "2026-05-05"),
        ("2026-05-05T09:30:00+09:00", "2026-05-05"),
        (" 2026-05-05 ", "2026-05-05"),
        ("2026-02-30", None),
        ("2026-05", None),
        ("2026-05-051", None),
        ("\uff12026-05-05", None),
        ("last Tuesday", None),
        ("", None),
        (None, None),
        (20260505, None),
    ],
)
def test_a_date_is_an_iso_day_or_nothing(value: Any, expected: str | None) -> None:
    """A moment gives its day."""
    result = found([row("https://a.jp", publishedDate=value)], "https://a.jp").results[0]

    assert result.published_date == expected
    assert result_form(result).get("publishedDate") == expected


@pytest.mark.requirement("websearch:result:odd-scores")
@pytest.mark.parametrize(
    ("value", "expected"),
    [(0, 0), (1, 1), (0.5, 0.5), (1.01, None), (-0.01, None), (100, None), (10**400, None),
     (float("nan"), None), (float("inf"), None), (True, None), ("0.5", None), (None, None)],
)  # fmt: skip
def test_a_score_outside_its_bounds_is_left_out(value: Any, expected: float | None) -> None:
    """And so is what is no number."""
    result = found([row("https://a.jp", relevanceScore=value)], "https://a.jp").results[0]

    assert result.relevance_score == expected
    assert result_form(result).get("relevanceScore") == expected


def test_the_first_of_duplicates_stays() -> None:
    """By normalised address; a duplicate is not counted as dropped."""
    rows = [row("https://a.jp", title="first"), row("https://A.jp/?gclid=x", title="again")]

    outcome = found(rows, "https://a.jp")

    assert [result.title for result in outcome.results] == ["first"]
    assert outcome.dropped == 0


@pytest.mark.requirement("websearch:result:sorted")
def test_the_best_comes_first() -> None:
    """Without a score last; otherwise in the model's order."""
    scores = [None, 0.2, 0.9, 2, 0, 0.9]
    pages = [f"https://a.jp/{place}" for place in range(len(scores))]
    rows = [row(url, relevanceScore=score) for url, score in zip(pages, scores, strict=True)]

    assert [url[-1] for url in urls(rows, *pages)] == ["2", "5", "1", "4", "0", "3"]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ('{"results": [1]}', [1]),
        (' {"results": []} ', []),
        ('```json\n{"results": [1]}\n```', [1]),
        ('{"results": [1]}{"results": [2]}', [1]),
        ("", None),
        ("prose", None),
        ("prose with { in it", None),
        ('{"results": [{"title": "cut', None),
        ('{"results": null}', None),
        ('{"rows": []}', None),
        ("[1]", None),
        ('{"results": [' + "9" * 5000 + "]}", None),
        ('{"results": ' + "[" * 200_000, None),
    ],
)
def test_rows_are_read_from_usable_json_alone(text: str, rows: list[Any] | None) -> None:
    """Prose, refusals and cut JSON are told apart from an empty list."""
    assert rows_in(text) == rows


pages = st.sampled_from(
    ["https://a.jp/1", "HTTPS://A.jp/1/", "https://a.jp/1?utm_source=x", "http://b.jp",
     "https://日本.jp/", "https://xn--wgv71a.jp", "javascript:alert(1)", "https://a.jp/\u202ex",
     " https://c.jp ", "oai-weather"]
)  # fmt: skip
entries = (
    pages
    | json_values
    | st.dictionaries(
        st.sampled_from(["url", "link", "title", "name", "snippet", "relevanceScore"]),
        pages | json_values,
    )
)


def strings_in(value: Any) -> Iterator[str]:
    """Every text anywhere in a JSON value, without the blanks around it."""
    if isinstance(value, str):
        yield value.strip()
    elif isinstance(value, list | dict):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from strings_in(inner)


@pytest.mark.requirement("websearch:grounding:dropped")
@given(*[st.lists(entries, max_size=6) for _ in range(4)])
def test_no_address_is_given_out_that_was_not_seen(
    rows: list[Any], sources: list[Any], cited: list[Any], opened: list[Any]
) -> None:
    """Whatever stands in the rows: results come from the evidence, spelled as there, each once."""
    annotations = [{"type": "url_citation", **entry} for entry in cited if isinstance(entry, dict)]
    evidence = reply(sources=sources, annotations=annotations, opened=opened)
    outcome = findings(rows, seen_pages(evidence))

    allowed = set(strings_in([sources, annotations, opened]))
    given_out = [result.url for result in outcome.results]
    assert set(given_out) <= allowed
    assert all(url.lower().startswith(("http://", "https://")) for url in given_out)
    assert len({normalise(url) for url in given_out}) == len(given_out)
    assert 0 <= outcome.dropped <= len(rows)
    json.dumps([result_form(result) for result in outcome.results], allow_nan=False).encode()
