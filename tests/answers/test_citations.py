"""Citations and the Sources section: pure functions over replies in many shapes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tebiki.answers.citations import Citation, citations, rests_on_search
from tebiki.answers.sources_section import with_sources_section
from tebiki.responses.replies import Reply, reply_from_json
from tebiki.tools.answers import citation_form
from tests.support.strategies import json_values

DAY = "2026-11-16"


def reply(
    *, annotations: list[Any] | None = None, sources: list[Any] | None = None, **action: Any
) -> Reply:
    """A reply with these annotations and these sources of one search."""
    output: list[Any] = []
    if sources is not None or action:
        details = {"type": "search", **action}
        if sources is not None:
            details["sources"] = sources
        output.append({"type": "web_search_call", "action": details})
    part = {"type": "output_text", "text": "words", "annotations": annotations or []}
    output.append({"type": "message", "content": [part]})
    return reply_from_json({"output": output})


def cited(found: Reply, most: int = 10) -> list[dict[str, str]]:
    """The citations as a client reads them."""
    return [citation_form(citation) for citation in citations(found, DAY, most)]


def flat(url: str, **more: Any) -> dict[str, Any]:
    """A flat url_citation."""
    return {"type": "url_citation", "url": url, **more}


@pytest.mark.requirement(
    "answers:citations:named-shape", "answers:citations:shapes", "answers:citations:title-optional"
)
@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("https://a.jp/x", {"url": "https://a.jp/x"}),
        ("oai-weather", {"url": "oai-weather"}),
        ({"url": "https://a.jp"}, {"url": "https://a.jp"}),
        ({"link": "https://a.jp", "title": "A"}, {"url": "https://a.jp", "title": "A"}),
        ({"url": "https://a.jp", "name": "N"}, {"url": "https://a.jp", "title": "N"}),
        ({"type": "api", "name": "oai-weather"}, {"url": "oai-weather", "title": "api"}),
        ({"type": "api", "title": "oai-finance"}, {"url": "oai-finance", "title": "api"}),
        ({"name": "bare"}, {"url": "bare"}),
        ({"type": "api", "name": "oai:weather"}, {"url": "oai:weather", "title": "api"}),
        ({"url": "oai-sports", "type": "api"}, {"url": "oai-sports"}),
        (
            {"url": "https://a.jp", "title": "two\nlines\x00"},
            {"url": "https://a.jp", "title": "two lines"},
        ),
    ],
)
def test_a_source_in_each_known_shape(source: Any, expected: dict[str, str]) -> None:
    """Strings, url or link, title or name, named ones with their type."""
    assert cited(reply(sources=[source])) == [expected | {"published_at": DAY}]


@pytest.mark.requirement("answers:citations:unknown-shapes")
@pytest.mark.parametrize(
    "source",
    [
        None,
        5,
        True,
        [],
        [["https://a.jp"]],
        {},
        {"url": None},
        {"url": 5},
        {"type": "api"},
        "",
        " \n",
        "javascript:alert(1)",
        {"url": "data:text/html,x"},
        {"url": "file:///etc/passwd"},
    ],
)
def test_an_unknown_shape_is_ignored(source: Any) -> None:
    """And so is an address that nobody should follow."""
    assert cited(reply(sources=[source])) == []


@pytest.mark.requirement("answers:citations:shapes", "answers:citations:published-at")
@pytest.mark.parametrize(
    ("entry", "day"),
    [
        ({"published_at": "2025-08-01"}, "2025-08-01"),
        ({"published_date": "2025-08-01T23:59:00Z"}, "2025-08-01"),
        ({"date": "on 2025-08-01, revised"}, "2025-08-01"),
        ({"published_at": None, "date": "2025-08-01"}, "2025-08-01"),
        ({"published_at": "August 1"}, DAY),
        ({"published_at": "2025-13-45"}, DAY),
        ({"published_at": 20250801}, DAY),
        ({}, DAY),
    ],
)
def test_a_sources_own_day_is_kept(entry: dict[str, Any], day: str) -> None:
    """Else the day of access."""
    assert cited(reply(sources=[{"url": "https://a.jp", **entry}]))[0]["published_at"] == day


@pytest.mark.requirement("answers:result:used-search")
@pytest.mark.parametrize(
    "annotation",
    [{"title": "No URL"}, {"url": None}, {"url": "javascript:alert(1)"}, {"url_citation": {}}],
)
def test_a_citation_without_an_address_still_means_a_search(annotation: dict[str, Any]) -> None:
    """It counts as a search, but there is nothing to cite."""
    found = reply(annotations=[{"type": "url_citation", **annotation}])

    assert rests_on_search(found)
    assert cited(found) == []


@pytest.mark.requirement("answers:citations:named-after")
def test_citations_come_before_sources() -> None:
    """URL sources are not added to citations; named ones are, after them."""
    found = reply(
        annotations=[flat("https://cited.jp", title="C")],
        sources=["https://listed.jp", {"type": "api", "name": "oai-weather"}],
    )

    assert [entry["url"] for entry in cited(found)] == ["https://cited.jp", "oai-weather"]


@pytest.mark.requirement("answers:citations:sources-instead")
def test_without_citations_all_sources_are_taken() -> None:
    """In their order, addresses and names alike."""
    found = reply(sources=["https://a.jp", {"name": "n"}, "https://b.jp", "https://a.jp"])

    assert [entry["url"] for entry in cited(found)] == ["https://a.jp", "n", "https://b.jp"]


@pytest.mark.requirement("answers:citations:published-at")
def test_a_cited_page_takes_the_day_of_its_source() -> None:
    """The search knows when a page was published; the citation does not."""
    found = reply(
        annotations=[flat("https://a.jp")],
        sources=[{"url": "https://a.jp", "published_at": "2024-01-02"}],
    )

    assert cited(found)[0]["published_at"] == "2024-01-02"


@pytest.mark.requirement("answers:citations:url-citations-first")
def test_duplicates_keep_the_first_title() -> None:
    """A later title only fills a missing one."""
    found = reply(
        annotations=[
            flat("https://a.jp", title="first"),
            {"type": "url_citation", "url_citation": {"url": "https://a.jp", "title": "second"}},
            flat("https://b.jp"),
            flat("https://b.jp", title="late"),
        ]
    )

    assert [entry.get("title") for entry in cited(found)] == ["first", "late"]


def test_opened_pages_stand_in_when_nothing_else_is_known() -> None:
    """A page the model read is where it looked."""
    found = reply(type="open_page", url="https://opened.jp/x")

    assert cited(found) == [{"url": "https://opened.jp/x", "published_at": DAY}]
    assert rests_on_search(found)


@given(st.lists(json_values | st.dictionaries(st.sampled_from(["url", "name", "type"]), st.text())))
def test_no_source_can_break_the_section(sources: list[Any]) -> None:
    """Whatever the web sends: every citation stays on its own line."""
    found = reply(sources=sources)
    chosen = citations(found, DAY, 10)

    text = with_sources_section("words", chosen, DAY)

    lines = text.partition("Sources:\n")[2].split("\n")
    assert len(lines) == max(1, len(chosen))
    assert all(line.startswith("- ") and line.endswith(")") for line in lines)


HEADINGS = [
    "Sources:",
    "sources:",
    "Sources\uff1a",
    "**Sources:**",
    "**Sources**:",
    "*Sources:*",
    "## Sources",
    "### Sources:",
    "### 3. Sources",
    "- **Sources:**",
    "Sources\n-------",
    "Sources",
]


@pytest.mark.requirement("answers:sources:dated-left-alone", "answers:sources:markdown-heading")
@pytest.mark.parametrize("heading", HEADINGS)
def test_a_dated_section_is_left_alone(heading: str) -> None:
    """Whatever way its heading is written, when it names every citation."""
    text = f"words\n\n{heading}\n- https://a.jp (2025-01-02)"

    assert with_sources_section(text, [Citation("https://a.jp", None, DAY)], DAY) == text


@pytest.mark.requirement("answers:sources:missing-appended", "answers:sources:markdown-heading")
@pytest.mark.parametrize("heading", HEADINGS)
def test_a_dated_section_gets_the_citations_that_it_lacks(heading: str) -> None:
    """A page that had the model write a list of its own cannot hide the real one."""
    text = f"words\n\n{heading}\n- https://forged.example (2025-01-02)\n- https://a.jp (2025-01-02)"
    cited = [Citation(url, None, DAY) for url in ("https://a.jp", "https://b.jp/x", "oai-weather")]

    changed = with_sources_section(text, cited, DAY)

    assert changed == f"{text}\n- https://b.jp/x ({DAY})\n- oai-weather ({DAY})"


@pytest.mark.requirement("answers:sources:missing-appended")
@pytest.mark.parametrize(
    ("written", "is_named"),
    [
        ("https://a.jp/x", True),
        ("https://a.jp/x/", True),
        ("[A](https://a.jp/x)", True),
        ("<https://a.jp/x>, seen", True),
        ("出典：https://a.jp/x。", True),
        ("https://a.jp/xyz", False),
        ("https://a.jp/x/y", False),
        ("https://a.jp/x?q=1", False),
        ("https://evil.example/?https://a.jp/x.b", False),
        ("https://a.jp/", False),
    ],
)
def test_an_address_is_named_only_whole(written: str, is_named: bool) -> None:
    """The start of another address is not it."""
    text = f"words\n\nSources:\n- {written} (2025-01-02)"

    changed = with_sources_section(text, [Citation("https://a.jp/x", None, DAY)], DAY)

    assert (changed == text) is is_named


@pytest.mark.requirement("answers:sources:undated-filled")
@pytest.mark.parametrize("heading", HEADINGS)
def test_an_undated_section_gets_the_dated_lines(heading: str) -> None:
    """Under the same heading."""
    text = f"words on 2020-01-01\n\n{heading}\n- https://a.jp\n"

    changed = with_sources_section(text, [Citation("https://a.jp", None, DAY)], DAY)

    assert changed == f"{text.rstrip()}\n- https://a.jp ({DAY})"


@pytest.mark.parametrize(
    "text",
    [
        "It is so. Sources say so.",
        "It is so. See sources: they differ",
        "My sources:",
        "The Sources of the Nile",
        "Sources: two kinds exist.\n\nThe law changed on 2024-05-05.",
        "**Sources** of pollution vary.\nAs of 2024-01-01 they do.",
        "Config:\n```yaml\nsources:\n  - a\n```\nReleased 2024-05-05.",
    ],
)
def test_a_mention_of_sources_is_no_heading(text: str) -> None:
    """Only a line that is one, and not inside code."""
    changed = with_sources_section(text, [], DAY)

    assert changed == f"{text}\n\nSources:\n- web_search ({DAY})"


def test_a_section_ends_where_something_else_begins() -> None:
    """A date further down is not a source's date; the dated lines stay with their heading."""
    text = "words\n\n## Sources\n- https://a.jp\n\n## Notes\nUpdated on 2024-01-01."

    changed = with_sources_section(text, [Citation("https://a.jp", None, DAY)], DAY)

    assert changed == (
        f"words\n\n## Sources\n- https://a.jp\n- https://a.jp ({DAY})\n\n## Notes\n"
        "Updated on 2024-01-01."
    )


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_line_ends_do_not_matter(end: str) -> None:
    """Nor does a section on the heading's own line."""
    listed = f"words{end}{end}## Sources{end}- https://a.jp (2024-01-01)"
    inline = f"words{end}Sources: https://a.jp (2024-01-01)"

    assert with_sources_section(listed, [], DAY) == listed
    assert with_sources_section(inline, [], DAY) == inline


def test_a_page_that_could_not_be_opened_is_no_source() -> None:
    """Nor is an address that only looks like one."""
    failed = {"type": "web_search_call", "status": "failed"}
    action = {"type": "open_page", "url": "https://invented.jp"}
    found = reply_from_json({"output": [{**failed, "action": action}]})

    assert cited(found) == []
    assert cited(reply(sources=["http\u017f://a.jp"])) == []
