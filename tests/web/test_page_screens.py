"""What the screens show: finds, sections, pictures, notes, answers, and what the owner sees."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest

from tests.support.browser_like import BrowserLike
from tests.support.overheard import PATIENCE_SECONDS
from tests.support.page_home import fill_home
from tests.support.server_process import CANARY

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from simulator import Simulator
    from tests.web.conftest import PageServer, StartHttp

TAGS = frozenset(
    [
        "a",
        "blockquote",
        "br",
        "code",
        "em",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
        "img",
        "li",
        "mark",
        "ol",
        "p",
        "pre",
        "s",
        "span",
        "strong",
        "table",
        "tbody",
        "td",
        "th",
        "thead",
        "tr",
        "ul",
    ]
)
ATTRIBUTES = frozenset(["line", "href", "src", "alt", "start", "align"])


def elements(nodes: list[Any]) -> Iterator[dict[str, Any]]:
    """Every element of a tree."""
    for node in nodes:
        if isinstance(node, dict):
            yield node
            yield from elements(node["children"])


def text_of(nodes: list[Any]) -> str:
    """The text of a tree."""
    return "".join(node if isinstance(node, str) else text_of(node["children"]) for node in nodes)


@pytest.mark.requirement("page:find:results")
def test_a_find_tells_what_it_required_and_how_complete_it_was(page_server: PageServer) -> None:
    """Without required words they are derived; each manual says for itself."""
    browser = page_server.browser

    found = browser.post("find", {"question": "Which button switches the lamp on?"})
    one = browser.post("find", {"question": "plug", "manual": "lamp", "required": ["plug"]})

    assert found["required_derived"] is True
    assert len(found["required"]) == 1
    assert {row["manual"] for row in found["manual_rows"]} == {"lamp", "hostile"}
    assert found["manual_rows"][0]["found"] is True
    # A link to a file outside is not followed, and said; pictures are of no kind that is searched.
    assert one["listed"] >= 1
    assert (one["required"], one["required_derived"]) == (["plug"], False)
    hit = one["hits"][0]
    assert (hit["manual"], hit["path"], hit["title"]) == ("lamp", "a.md", "Switch off")
    assert hit["words"] == ["plug"]
    by_title = browser.post("find", {"question": "switch", "manual": "lamp"})["hits"]
    [titled] = [one for one in by_title if one["title"] == "Switch on"]
    assert "Switch" in titled["words"]
    # In another form than the question has it, as the reader marks it too.
    [plugged] = browser.post("find", {"question": "plugs", "manual": "lamp"})["hits"][:1]
    assert plugged["words"] == ["plug"]
    assert "plug" in hit["excerpt"]
    assert hit["trail"] == ["Lamp"]
    assert hit["uri"] == f"manual://lamp/a.md#L{hit['line']}"
    assert {part["name"] for part in hit["parts"]} >= {"base"}


@pytest.mark.requirement("page:find:results")
def test_a_word_that_is_nowhere_is_told(page_server: PageServer) -> None:
    """The nearest without it are shown, under what is to be known first."""
    found = page_server.browser.post("find", {"question": "lamp", "required": ["zebra"]})

    assert {(one["reason"], *one["terms"]) for one in found["failures"]} == {
        ("required_terms_not_found_in_manual_scope", "zebra")
    }
    assert [row["found"] for row in found["manual_rows"]] == [False, False]


@pytest.mark.requirement("page:find:rows")
def test_rows_come_page_by_page_and_to_their_owner_alone(page_server: PageServer) -> None:
    """Nothing twice, nothing left out; another browser has no such find."""
    browser = page_server.browser
    found = browser.post("find", {"question": "needle", "limit": 50})

    pages = [
        browser.get("hits", trace=found["trace"], offset=offset, limit=50)
        for offset in range(0, found["total"], 50)
    ]
    rows = [(row["manual"], row["path"], row["line"]) for page in pages for row in page["items"]]

    assert len(rows) == len(set(rows)) == found["total"]
    assert rows[:50] == [(hit["manual"], hit["path"], hit["line"]) for hit in found["hits"]]
    beyond = browser.get("hits", trace=found["trace"], offset=10**6)
    assert (beyond["items"], beyond["total"]) == ([], found["total"])
    left = browser.get("hits", trace=found["trace"], kind="unscanned", limit=50)
    assert {"manual", "path", "reason"} <= left["items"][0].keys()
    assert left["total"] == found["listed"]
    other = BrowserLike(page_server.server).open(page_server.home)
    query = urlencode({"trace": found["trace"]})
    assert other.refusal("GET", f"/ui/api/hits?{query}") == (404, "not_found")


@pytest.mark.requirement("page:api:why-not")
def test_why_a_file_was_not_found(page_server: PageServer) -> None:
    """The stage by name, and a sentence."""
    asked = {"question": "plug", "manual": "lamp", "path": "more/other.md"}

    fate = page_server.browser.post("why-not", asked)

    assert (fate["path"], fate["stage"]) == ("more/other.md", "no_shared_word")
    assert fate["words"]


@pytest.mark.requirement("page:read:nodes")
def test_a_hostile_manual_stays_text(page_server: PageServer) -> None:
    """Nothing but listed elements and attributes; every address is of the web or of the page."""
    shown = page_server.browser.get("section", manual="hostile", path="h.md", q="alert")

    found = list(elements(shown["nodes"]))
    assert {node["tag"] for node in found} <= TAGS
    assert {name for node in found for name in node["attrs"]} <= ATTRIBUTES
    for node in found:
        address = node["attrs"].get("href") or node["attrs"].get("src") or "https://"
        assert address.startswith(("https://", "#read?", "/ui/api/picture?")), address
        assert not set(address) & set("\"'<> \\")
    words = text_of(shown["nodes"])
    assert "<script>alert(1)</script>" in words
    assert "<img src=x onerror=alert(2)>" in words
    assert "javascript:alert(4)" in words
    assert "\u202e" not in words


@pytest.mark.requirement("page:read:place")
def test_a_section_knows_its_place(page_server: PageServer) -> None:
    """Lines, headings, neighbours, marks, and links that lead on."""
    browser = page_server.browser

    first = browser.get("section", manual="lamp", path="a.md")
    shown = browser.get("section", manual="lamp", path="a.md", line=8, q="Which BUTTON is red?")
    by_link = browser.get("section", manual="lamp", path="more/other.md", anchor="second-part")

    assert (shown["title"], shown["line"], shown["trail"]) == ("Switch on", 6, ["Lamp"])
    assert (shown["previous"]["title"], shown["next"]["title"]) == ("Lamp", "Switch off")
    assert [one["title"] for one in shown["headings"]] == ["Lamp", "Switch on", "Switch off"]
    marked = [text_of([node]) for node in elements(shown["nodes"]) if node["tag"] == "mark"]
    assert set(marked) == {"red", "button"}
    lines = [node["attrs"]["line"] for node in shown["nodes"]]
    assert lines == ["6", "8"]
    links = [node["attrs"]["href"] for node in elements(first["nodes"]) if node["tag"] == "a"]
    assert links[:4] == [
        "#read?manual=lamp&path=more%2Fother.md&anchor=second-part",
        "#read?manual=lamp&path=more%2Fother.md&line=3",
        "#read?manual=lamp&path=a.md&anchor=switch-off",
        "https://example.org/a?b=c",
    ]
    assert by_link["title"] == "Second part"
    assert shown["editor"] == f"vscode://file{page_server.home}/manuals/lamp/a.md:6"
    alignments = [
        one["attrs"].get("align") for one in elements(first["nodes"]) if one["tag"] == "td"
    ]
    assert alignments == ["left", "right"]


@pytest.mark.requirement("page:read:pictures")
def test_pictures_are_shown_by_what_they_are(page_server: PageServer) -> None:
    """At an address made for one session, which leads to nothing else."""
    browser = page_server.browser
    shown = browser.get("section", manual="lamp", path="a.md", line=8)
    pictures = [node for node in elements(shown["nodes"]) if node["tag"] == "img"]
    links = [node["attrs"]["href"] for node in elements(shown["nodes"]) if node["tag"] == "a"]
    [picture] = pictures
    source = picture["attrs"]["src"]

    without_key = {"x-tebiki-key": None}
    reply = browser.send("GET", source, headers=without_key)
    drawing = browser.send("GET", links[0], headers=without_key)

    assert picture["attrs"]["alt"] == "The button"
    assert (reply.status, reply.headers["content-type"]) == (200, "image/png")
    assert "sandbox" in reply.headers["content-security-policy"]
    assert drawing.headers["content-type"] == "image/svg+xml"
    assert drawing.headers["content-disposition"] == "attachment"
    assert "sandbox" in drawing.headers["content-security-policy"]
    assert links[1] == "https://example.org/x.png"
    other = BrowserLike(page_server.server).open(page_server.home)
    assert other.refusal("GET", source) == (403, "forbidden")
    assert browser.refusal("GET", source.replace("button", "drawing")) == (403, "forbidden")
    assert browser.refusal("GET", source, Cookie=None) == (401, "no_session")


@pytest.mark.requirement("page:read:pictures")
@pytest.mark.parametrize(
    ("name", "refused"),
    [
        ("page.png", (404, "not_found")),
        ("large.png", (400, "invalid_parameter")),
        ("link.png", (403, "forbidden")),
        ("missing.png", (404, "not_found")),
        ("../.git/config.png", (404, "not_found")),
    ],
)
def test_what_is_no_picture_is_not_shown(
    page_server: PageServer, name: str, refused: tuple[int, str]
) -> None:
    """Whatever it is called: a page, one too large, a link, one that tools keep for themselves."""
    manual = page_server.home / "manuals" / "lamp"
    (manual / "more" / "linking.md").write_text(f"# P\n\n![x](../pictures/{name})\n")
    shown = page_server.browser.get("section", manual="lamp", path="more/linking.md")
    [picture] = [node for node in elements(shown["nodes"]) if node["tag"] == "img"]

    assert page_server.browser.refusal("GET", picture["attrs"]["src"]) == refused


@pytest.mark.requirement("page:read:long")
def test_long_texts_are_shown_in_part(page_server: PageServer) -> None:
    """A line of 2 MB is cut and said to be; of thousands of sections some are shown."""
    browser = page_server.browser

    line = browser.get("section", manual="hostile", path="long.md", q="word")
    many = browser.get("section", manual="hostile", path="many.md", line=4000)

    assert line["cut"] is True
    assert len(text_of(line["nodes"])) <= 60_000
    assert many["title"] == "Part 999"
    assert len(many["headings"]) == 500
    assert "Part 999" in [one["title"] for one in many["headings"]]
    assert many["next"]["title"] == "Part 1000"


@pytest.mark.requirement("page:notes:shown", "mcp:system:page")
def test_notes_are_a_tree_with_a_history(start_http: StartHttp, tmp_path: Path) -> None:
    """Rendered, with what each write changed; the vault's own folder is not there."""
    fill_home_of_notes(tmp_path)
    browser = BrowserLike(start_http()).open(tmp_path)
    saved = browser.post("notes", {"question": "Why red?", "text": "So that it is **seen**."})

    tree = browser.get("notes")["items"]
    note = browser.get("note", path="ideas/a.md")
    log = browser.get("journal")
    change = browser.get("journal", entry=log["entries"][0]["entry"])

    assert [item["name"] for item in tree] == ["answers", "ideas"]
    assert tree[1]["items"][0] == {"name": "a.md", "path": "ideas/a.md"}
    assert "<b>raw</b>" in text_of(note["nodes"])
    links = [node["attrs"]["href"] for node in elements(note["nodes"]) if node["tag"] == "a"]
    assert links == ["#notes?path=ideas%2Fb.md"]
    assert (log["total"], log["entries"][0]["path"]) == (1, saved["path"])
    assert "+# Why red?" in change["diff"]
    for path in (".system/journal", ".SYSTEM/locks", "ideas/../.system/x.md"):
        assert browser.send("GET", f"/ui/api/note?{urlencode({'path': path})}").status in {
            400,
            403,
            404,
        }


@pytest.mark.requirement("page:api:undo", "page:notes:save")
def test_two_tabs_undo_the_same_write(start_http: StartHttp, tmp_path: Path) -> None:
    """One does, the other is told; what was saved twice are two notes."""
    browser = BrowserLike(start_http()).open(tmp_path)
    answer = {"question": "Same?", "text": "Yes.", "sources": [{"url": "https://example.org/s"}]}
    first = browser.post("notes", answer)
    second = browser.post("notes", answer)
    entry = browser.get("journal", path=second["path"])["entries"][0]

    with ThreadPoolExecutor(8) as tabs:
        path = f"/ui/api/journal/{entry['entry']}/undo"
        replies = list(tabs.map(lambda _: browser.send("POST", path, {}), range(8)))

    assert entry["undoable"] is True
    assert sorted(reply.status for reply in replies) == [200] + [409] * 7
    assert first["path"] != second["path"]
    text = browser.get("note", path=first["path"])["text"]
    assert text.startswith("# Same?\n\nYes.\n")
    assert "https://example.org/s" in text
    assert not (tmp_path / "vault" / second["path"]).exists()


@pytest.mark.requirement("page:api:read-only")
def test_a_read_only_server_changes_nothing(start_http: StartHttp, tmp_path: Path) -> None:
    """Nor does its page offer to."""
    browser = BrowserLike(start_http("--read-only")).open(tmp_path)

    told = browser.send("GET", "/ui/session").json

    assert (told["read_only"], told["can_save"], told["can_undo"]) == (True, False, False)
    saved = browser.refusal("POST", "/ui/api/notes", {"question": "q", "text": "t"})
    undone = browser.refusal("POST", "/ui/api/journal/1/undo", {})
    assert (saved, undone) == ((403, "forbidden"), (403, "forbidden"))


@pytest.mark.requirement("page:ask:stream")
def test_an_answer_comes_with_its_progress(page_server: PageServer) -> None:
    """Line by line; at last the answer as a tree, with its sources and what it took."""
    reply = page_server.browser.send("POST", "/ui/api/ask", {"question": "今日の東京の天気"})

    assert reply.headers["content-type"] == "application/x-ndjson"
    lines = [json.loads(line) for line in reply.body.splitlines()]
    answer = lines[-1]["answer"]
    assert all(set(line) == {"progress"} for line in lines[:-1])
    # The sources are shown below, with their dates.
    assert "\nSources:\n" in answer["text"]
    assert answer["text"].startswith("「今日の東京の天気」")
    assert "Sources:" not in text_of(answer["nodes"])
    assert answer["receipt"]["tokens"] if "tokens" in answer["receipt"] else answer["receipt"]
    assert {"url", "title", "date"} == answer["sources"][0].keys()


@pytest.mark.requirement("page:ask:guard", "mcp:guard:page")
def test_a_question_that_repeats_what_the_page_showed_is_noticed(
    start_http: StartHttp, tmp_path: Path
) -> None:
    """The receipt tells; marks in the text that was shown hide nothing."""
    secret = (
        "The merger with the northern branch will be announced on the tenth of April, and until "
        "then nobody outside the board may hear of it."
    )
    server = start_http()
    (tmp_path / "manuals" / "lamp" / "plan.md").write_text(f"# Plan\n\n{secret}\n")
    browser = BrowserLike(server).open(tmp_path)
    place = {"manual": "lamp", "path": "plan.md", "line": 1, "q": "merger branch April board"}
    browser.get("section", **place)

    told = [receipt_of(browser, question) for question in (secret, "What is the weather?")]

    assert [receipt.get("private_spans", 0) > 0 for receipt in told] == [True, False]


def receipt_of(browser: BrowserLike, question: str) -> dict[str, Any]:
    """What asking took."""
    reply = browser.send("POST", "/ui/api/ask", {"question": question})
    receipt: dict[str, Any] = json.loads(reply.body.splitlines()[-1])["answer"]["receipt"]
    return receipt


@pytest.mark.requirement("page:ask:stream")
def test_whoever_goes_away_stops_the_answer(
    start_http: StartHttp, tmp_path: Path, simulator: Simulator
) -> None:
    """The connection to the API is closed."""
    server = start_http()
    browser = BrowserLike(server).open(tmp_path)
    connection = server.connect()
    headers = {
        "Cookie": browser.cookie or "",
        "x-tebiki-key": browser.key or "",
        "Origin": browser.origin,
        "Content-Type": "application/json",
    }
    question = json.dumps({"question": "simulate: hang"})
    connection.request("POST", "/ui/api/ask", question, headers)
    simulator.wait_for_requests(1, PATIENCE_SECONDS)

    connection.close()

    simulator.wait_for_disconnects(1, PATIENCE_SECONDS)


@pytest.mark.requirement("page:owner:screens")
def test_the_owner_sees_everything_but_the_key(page_server: PageServer) -> None:
    """Usage, health, clients and settings, none of them with the API's key in it."""
    browser, server = page_server.browser, page_server.server
    talk = server.talk()
    talk.call(1, "manual_ls", {})

    shown = {name: browser.get(name) for name in ("usage", "health", "clients", "settings")}

    assert CANARY not in json.dumps(shown)
    assert {"by_day", "by_tool", "by_model", "today", "caps"} <= shown["usage"].keys()
    assert {row["id"] for row in shown["health"]["manuals"]} == {"lamp", "hostile"}
    assert shown["health"]["models"]
    assert shown["health"]["findings"]
    [client] = shown["clients"]["clients"]
    assert (client["principal"], client["name"], client["version"]) == ("local", "test", "1")
    by_key = {row["key"]: row for row in shown["settings"]["settings"]}
    assert by_key["openai.base_url"]["origin"] == "env"
    assert by_key["http.page"]["value"] is None


@pytest.mark.requirement("page:limits:same")
def test_requests_of_the_page_are_limited(start_http: StartHttp, tmp_path: Path) -> None:
    """As many in a minute as calls of tools, and apart from those."""
    server = start_http(env={"TEBIKI_HTTP_CALLS_PER_MINUTE": "5"})
    browser = BrowserLike(server).open(tmp_path)

    replies = [browser.send("GET", "/ui/api/manuals") for _ in range(12)]

    assert {reply.status for reply in replies} == {200, 429}
    assert replies[-1].json["error"]["code"] == "rate_limited"
    assert "result" in server.talk(modern=True).call(1, "manual_ls", {})


def fill_home_of_notes(home: Path) -> None:
    """Notes alone: the manual of these servers is there already."""
    other = home / "other"
    fill_home(other)
    (other / "vault").rename(home / "vault")
