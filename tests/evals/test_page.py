"""The report as a page: whole, asking for nothing, and proof against what stands in it."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tebiki.evals.cases import Case, Dataset
from tebiki.evals.markup import tag
from tebiki.evals.page import page
from tebiki.evals.plots import latency_bins
from tebiki.evals.run import Outcome, SearchReply
from tebiki.evals.sides import Report, Side
from tebiki.evals.thresholds import verdicts
from tebiki.evals.troubles import Trouble

HOSTILE = [
    "<script>alert(1)</script>",
    "\"' onmouseover=alert(1) x='",
    "</style></title></svg><img src=x onerror=alert(1)>",
    "javascript:alert(1) http://example.com/a.png",
    "a\x00b\x1b[31mc\ud800d\u202ee",
    "<!--",
    "]]>",
    "&lt;b&gt;",
]
NAMES = {
    *("html", "head", "meta", "title", "style", "body", "header", "h1", "h2", "h3", "p", "b"),
    *("code", "div", "table", "thead", "tbody", "tr", "th", "td", "span", "figure", "svg"),
    *("rect", "text", "line", "article", "ul", "li", "details", "summary"),
}
OPEN_ENDED = {"meta"}


class Reader(HTMLParser):
    """Reads a page as a browser would, and keeps what it is made of."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        self.names.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag not in OPEN_ENDED:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Check that it is the one that was open."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Note what can be read."""
        self.text += data


def reading(text: str) -> Reader:
    """A page, read."""
    reader = Reader()
    reader.feed(text)
    reader.close()
    return reader


def made(words: str, *, sides: int = 1, troubled: bool = True) -> str:
    """A page with these words wherever words can stand."""
    case = Case(
        words, words, words, (words,), frozenset([words]), frozenset(), frozenset([words]), words
    )
    outcomes = [
        Outcome(case, SearchReply(((words, 1),), tokens=3), 0.002),
        Outcome(case, SearchReply((("other", 1),) * (sides - 1)), 0.1, words),
    ]
    troubles = [Trouble(outcomes[1], "error", (words,), ((words, words),))] if troubled else []
    shown = [
        Side(words, {"manuals.find.x": words}, outcomes[:: 1 - 2 * at], troubles, 5)
        for at in range(sides)
    ]
    dataset = Dataset(words, "0" * 64, (case, case))
    return page(
        Report(
            dataset,
            5,
            "0",
            "now",
            shown,
            verdicts(shown[0].values(), {"hit": 0.9, "gap": 0.5}),
            "compare" if sides > 1 else None,
        )
    )


def test_nothing_breaks_out_of_its_place() -> None:
    """Every name and every attribute is one of ours, whatever the words are."""
    for sides in (1, 2):
        plain = reading(made("harmless", sides=sides))
        for words in HOSTILE:
            text = made(words, sides=sides)
            read = reading(text)
            assert read.names <= NAMES
            assert read.names == plain.names
            assert read.attributes == plain.attributes
            assert read.open == []
            text.encode("utf-8")


@given(st.text())
def test_any_words_are_shown_as_they_are(words: str) -> None:
    """But for what no page can hold."""
    read = reading(made(words))
    kept = re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", "\ufffd", words)

    assert kept in read.text
    assert read.names <= NAMES


@pytest.mark.requirement("eval:report:page")
def test_a_page_asks_for_nothing() -> None:
    """No address but the name of SVG, no script, and a policy that forbids the rest."""
    text = made("question")

    assert set(re.findall(r"https?://[^\"' ]+", text)) == {"http://www.w3.org/2000/svg"}
    assert "url(" not in text
    assert "@import" not in text
    assert 'content="default-src &#x27;none&#x27;; style-src' in text
    assert "prefers-color-scheme: dark" in text
    assert "width=device-width" in text


def test_a_page_without_troubles_is_whole() -> None:
    """Nothing went wrong."""
    assert "What went wrong: 0 of 2" in reading(made("question", troubled=False)).text


@pytest.mark.requirement("eval:report:page")
def test_cases_that_changed_are_not_left_off_in_silence() -> None:
    """A table that is cut looks whole."""
    cases = tuple(
        Case(str(number), "question", "m", ("t",), frozenset(["a.md"])) for number in range(1001)
    )
    sides = [
        Side(name, {}, [Outcome(case, SearchReply(refs), 0.001) for case in cases], [], 5)
        for name, refs in (("before", ()), ("after", (("a.md", 1),)))
    ]
    report = Report(Dataset("set", "0" * 64, cases), 5, "0", "now", sides, [], "compare")

    changes = reading(page(report)).text.partition("Cases that changed: 1001 of 1001")[2]

    assert "1 more are left off here" in changes.partition("How it went")[0]


def test_elements_of_svg_are_closed() -> None:
    """A browser would put all that follows into one that is not."""
    assert tag("rect", x=1.5, class_="bar") == '<rect x="1.5" class="bar"></rect>'
    assert tag("meta", charset="utf-8") == '<meta charset="utf-8">'


@given(st.lists(st.floats(0, 1e6), max_size=60))
def test_every_find_is_in_a_bin(milliseconds: list[float]) -> None:
    """Of not more bins than a phone can show."""
    found = latency_bins(milliseconds)

    assert sum(column.height for column in found) == len(milliseconds)
    assert len(found) <= 14
    assert [float(column.label) for column in found] == sorted(float(one.label) for one in found)
