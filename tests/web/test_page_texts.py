"""What is read on the page: hits in words, files of every kind, and notes longer than a screen."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.browser_like import BrowserLike
from tests.support.http_process import HttpProcess
from tests.web.test_page_login import TOKEN, make_token
from tests.web.test_page_screens import elements, text_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.web.conftest import StartHttp

KINDS = "manuals:\n  file_types: [md, json, txt, rst, html]\n"
IMPORTED = """---
title: "Pump"
source: pump.pdf
converter: tebiki import 1
pages: 2
---
<!-- page 1 -->
# Pump

Oil it once a year.

<!-- page 2 -->

## Valve

Close it before the pump is opened.
"""


@pytest.mark.requirement("page:find:words")
def test_an_excerpt_says_what_the_text_says(start_http: StartHttp, tmp_path: Path) -> None:
    """Without the signs that dress it; of what is no Markdown nothing is taken out."""
    manual = tmp_path / "manuals" / "lamp"
    (manual / "b.md").write_text(
        "# The `fuse` box\n\nSee [the **fuse** table](a.md#switch-on) or set `fuse_count` to 2.\n"
    )
    (manual / "c.json").write_text('{"fuse": {"note": "a *starred* `fuse`"}}')
    browser = BrowserLike(start_http()).open(tmp_path)

    hits = browser.post("find", {"question": "fuse table", "manual": "lamp"})["hits"]

    by_path = {hit["path"]: hit for hit in hits}
    assert by_path["b.md"]["title"] == "The fuse box"
    assert by_path["b.md"]["excerpt"] == "See the fuse table or set fuse_count to 2."
    assert "*starred* `fuse`" in by_path["c.json"]["excerpt"]


@pytest.mark.requirement("page:find:manuals")
def test_a_manual_that_has_all_words_comes_before_one_that_has_half(
    start_http: StartHttp, tmp_path: Path
) -> None:
    """However large the other one is; each manual's own order stays."""
    large, small = tmp_path / "manuals" / "large", tmp_path / "manuals" / "small"
    for folder in (large, small):
        folder.mkdir()
    text = "".join(
        f"## Pressure {n}\n\nThe pressure of part {n} is {n} bar.\n\n" for n in range(60)
    )
    for name in "abcdefgh":
        filler = "".join(f"## Other {n}\n\nNothing of that, {name}{n}.\n\n" for n in range(60))
        (large / f"{name}.md").write_text(filler)
    (large / "pressure.md").write_text(f"# Pressure\n\n{text}")
    (small / "a.md").write_text("# Valve\n\nThe valve pressure is 3 bar.\n")
    browser = BrowserLike(start_http()).open(tmp_path)

    found = browser.post("find", {"question": "valve pressure", "limit": 20})

    scores = [hit["score"] for hit in found["hits"] if hit["manual"] == "large"]
    assert found["hits"][0]["manual"] == "small"
    assert scores[0] > found["hits"][0]["score"]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.requirement("page:read:kinds")
def test_files_of_every_kind_are_read(start_http: StartHttp, tmp_path: Path) -> None:
    """A web page by what it says, plain text as it stands; neither as Markdown."""
    manual = tmp_path / "manuals" / "lamp"
    (manual / "w.html").write_text(
        "<html><head><title>Web</title><script>alert(1)</script></head>"
        "<body><h1>Bulbs</h1><p>Use <b>red</b> ones.</p>\n<h2>Old *ones*</h2><p>None.</p></body>"
    )
    (manual / "t.txt").write_text("a *b* c\n    columns   stay\n")
    (manual / "r.rst").write_text("Wiring\n======\n\nUse ``red`` wires.\n")
    browser = BrowserLike(start_http(config=KINDS)).open(tmp_path)

    def shown(path: str) -> tuple[dict[str, Any], list[tuple[str, str]]]:
        section = browser.get("section", manual="lamp", path=path)
        return section, [(node["tag"], text_of([node])) for node in section["nodes"]]

    web, said = shown("w.html")
    assert said == [("h1", "Bulbs"), ("p", "Use red ones."), ("h2", "Old *ones*"), ("p", "None.")]
    assert [one["title"] for one in web["headings"]] == ["Bulbs", "Old *ones*"]
    assert shown("t.txt")[1] == [("pre", "a *b* c\n    columns   stay\n")]
    assert shown("r.rst")[1] == [("pre", "Wiring\n======\n\nUse ``red`` wires.\n")]


@pytest.mark.requirement("page:read:imports")
def test_what_is_for_machines_is_not_read(start_http: StartHttp, tmp_path: Path) -> None:
    """Marks of pages and front matter; the page of the original is told."""
    manual = tmp_path / "manuals" / "lamp"
    (manual / "pump.md").write_text(IMPORTED)
    (manual / "front.md").write_text("---\ntitle: T\n---\nHello.\n\n## More\n\nMore.\n")
    browser = BrowserLike(start_http()).open(tmp_path)

    whole = browser.get("section", manual="lamp", path="pump.md")
    below = browser.get("section", manual="lamp", path="pump.md", line=14)
    front = browser.get("section", manual="lamp", path="front.md")

    assert "<!--" not in text_of(whole["nodes"])
    assert "Close it" in text_of(whole["nodes"])
    assert (whole["page"], below["page"]) == ("page 1", "page 2")
    assert text_of(front["nodes"]).strip() == "Hello."


@pytest.mark.requirement("page:notes:long")
def test_a_long_note_is_read_to_its_end(start_http: StartHttp, tmp_path: Path) -> None:
    """In parts that leave nothing out."""
    notes = tmp_path / "vault"
    notes.mkdir()
    text = "".join(f"Line {n} of the note.\n\n" for n in range(9_000))
    (notes / "long.md").write_text(text)
    browser = BrowserLike(start_http()).open(tmp_path)

    parts, offset = [], 0
    while offset is not None:
        parts.append(browser.get("note", path="long.md", offset=offset))
        offset = parts[-1]["next"]

    assert len(parts) > 1
    assert "".join(part["text"] for part in parts) == text
    lines = [int(node["attrs"]["line"]) for part in parts for node in elements(part["nodes"])]
    assert lines == sorted(set(lines))


@pytest.mark.requirement("page:ask:key")
def test_without_a_key_nothing_is_asked(start_http: StartHttp, tmp_path: Path) -> None:
    """The page is told that there is no such screen, and its address leads nowhere."""
    browser = BrowserLike(start_http(env={"OPENAI_API_KEY": ""})).open(tmp_path)

    told = browser.send("GET", "/ui/session").json

    assert told["ask"] is False
    assert browser.refusal("POST", "/ui/api/ask", {"question": "x"}) == (404, "not_found")


@pytest.mark.requirement("page:read:place")
def test_elsewhere_no_editor_is_offered(tmp_path: Path) -> None:
    """On a foreign address a link to a file of the server would be nobody's."""
    (tmp_path / "manuals" / "lamp").mkdir(parents=True)
    (tmp_path / "manuals" / "lamp" / "a.md").write_text("# Lamp\n\nRed.\n")
    make_token(tmp_path, "al", TOKEN)
    with HttpProcess(tmp_path, bind="0.0.0.0:0", env={"TEBIKI_HTTP_PAGE": "true"}) as server:
        browser = BrowserLike(server)
        browser.sign_in(token=TOKEN)

        section = browser.get("section", manual="lamp", path="a.md")

    assert section["editor"] is None


@pytest.mark.requirement("page:screens:languages")
def test_what_the_server_says_is_in_the_visitors_language(
    start_http: StartHttp, tmp_path: Path
) -> None:
    """Findings and what to do about them, what settings are for, and what an answer waits for."""
    browser = BrowserLike(start_http()).open(tmp_path)
    said: dict[str, list[str]] = {}
    for language in ("en", "ja"):
        headers = {"Accept-Language": language}

        health = browser.send("GET", "/ui/api/health", None, headers).json
        settings = browser.send("GET", "/ui/api/settings", None, headers).json
        asked = browser.send("POST", "/ui/api/ask", {"question": "weather"}, headers)

        clock, stdio = (
            next(one["words"] for one in health["findings"] if one["area"] == area)
            for area in ("clock", "stdio")
        )
        docs = {row["key"]: row["doc"] for row in settings["settings"]}
        progress = json.loads(asked.body.splitlines()[0])["progress"]
        said[language] = [clock[-30:], stdio, docs["policy.max_citations"], progress]

    assert "answers date by" in said["en"][0]
    assert "回答の日付は" in said["ja"][0]
    assert said["en"][1].startswith("lines: 2025-06-18 and 2026-07-28 answered, ")
    assert said["ja"][1].startswith("行単位の通信: 2025-06-18 と 2026-07-28 に応答、ツール ")
    assert said["en"][2:] == ["Maximum number of citations in one answer.", "asking gpt-5.2"]
    assert said["ja"][2:] == ["1 つの回答に付ける出典の上限。", "gpt-5.2 に問い合わせています"]


@pytest.mark.requirement("page:screens:languages")
def test_a_chosen_language_stands_above_the_browsers(start_http: StartHttp, tmp_path: Path) -> None:
    """The cookie that the page keeps; another value is none."""
    browser = BrowserLike(start_http()).open(tmp_path)

    def doc(cookie: str) -> str:
        both = f"{browser.cookie}; tebiki_language={cookie}"
        headers = {"Accept-Language": "en", "Cookie": both}
        rows = browser.send("GET", "/ui/api/settings", None, headers).json["settings"]
        return next(str(row["doc"]) for row in rows if row["key"] == "policy.max_citations")

    assert doc("ja") == "1 つの回答に付ける出典の上限。"
    assert doc("xx") == "Maximum number of citations in one answer."
