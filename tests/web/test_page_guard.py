"""What the page refuses: other pages, other names, odd requests, paths that lead elsewhere."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from tebiki.web.page.replies import POLICY
from tests.support.browser_like import BrowserLike
from tests.support.http_process import HttpProcess
from tests.web.test_page_login import TOKEN, make_token

if TYPE_CHECKING:
    from pathlib import Path

    from tests.web.conftest import PageServer, StartHttp

WRITES: tuple[tuple[str, str, Any], ...] = (
    ("POST", "/ui/session", {"secret": "1.2.3"}),
    ("POST", "/ui/api/find", {"question": "lamp"}),
    ("POST", "/ui/api/notes", {"question": "q", "text": "t"}),
    ("POST", "/ui/api/journal/1/undo", {}),
    ("DELETE", "/ui/session", None),
)
HOSTILE_PATHS = (
    "../../../etc/passwd",
    "..\\..\\etc\\passwd",
    "/etc/passwd",
    "a.md/../../../../etc/passwd",
    "%2e%2e/%2e%2e/etc/passwd",
    "file:///etc/passwd",
    "\0",
    "a\0.md",
    "C:\\Windows\\win.ini",
    "//host/share/a.md",
    ".git/config",
    "link.md",
    "a" * 5000,
    "a/" * 3000,
    "\u202egnp.md",
)


@pytest.mark.requirement("page:guard:origin")
def test_other_pages_change_nothing(page_server: PageServer) -> None:
    """Whoever has the cookie sent along by a browser is stopped by where it asks from."""
    browser = page_server.browser
    port = page_server.server.port
    foreign = (
        "https://evil.example",
        "null",
        f"http://127.0.0.1:{port + 1}",
        f"http://localhost:{port + 1}",
        f"https://127.0.0.1:{port}.evil.example",
        f"http://127.0.0.1:{port}@evil.example",
        f"http://127.0.0.1:{port}/",
    )

    for method, path, body in WRITES:
        for origin in foreign:
            assert browser.send(method, path, body, {"Origin": origin}).status == 403, origin
        assert browser.refusal(method, path, body, Origin=None) == (403, "foreign_origin")
        for site in ("cross-site", "same-site"):
            refused = browser.refusal(method, path, body, Sec_Fetch_Site=site)
            assert refused == (403, "foreign_origin"), site
    for name in ("manuals", "settings", "notes"):
        reply = browser.send("GET", f"/ui/api/{name}", headers={"Sec-Fetch-Site": "same-site"})
        assert reply.status == 403
        assert "access-control-allow-origin" not in reply.headers
    assert browser.send("GET", "/ui/session").status == 200


@pytest.mark.requirement("page:guard:origin")
def test_forms_of_other_pages_are_not_read(page_server: PageServer) -> None:
    """A form cannot send JSON; what it can send is refused by its type."""
    for kind in ("application/x-www-form-urlencoded", "text/plain", "multipart/form-data", None):
        status, code = page_server.browser.refusal(
            "POST", "/ui/api/find", b'{"question": "lamp"}', Content_Type=kind
        )
        assert (status, code) == (415, "wrong_type")


@pytest.mark.requirement("page:guard:origin")
def test_a_rebound_name_sees_nothing(page_server: PageServer) -> None:
    """A name that leads here, but is none of ours, gets neither the page nor its data."""
    for path in ("/", "/ui/static/page.js", "/ui/session", "/ui/api/manuals"):
        reply = page_server.browser.send("GET", path, headers={"Host": "evil.example"})
        assert reply.status == 421
        assert b"tebiki_session" not in reply.body


@pytest.mark.requirement("page:guard:requests")
def test_odd_requests_are_refused_in_words(page_server: PageServer) -> None:
    """Methods, bodies and addresses that no page of ours sends."""
    browser = page_server.browser
    find = "/ui/api/find"
    cases = [
        ("PUT", find, {}, 405),
        ("DELETE", "/ui/api/manuals", None, 405),
        ("GET", find, None, 405),
        ("PATCH", "/ui/session", {}, 405),
        ("POST", "/", {}, 405),
        ("GET", "/ui/proof", None, 405),
        ("GET", "/ui/api/", None, 404),
        ("GET", "/ui/nothing", None, 404),
        ("GET", "/ui/api/../session", None, 404),
        ("POST", find, b"", 400),
        ("POST", find, b"{", 400),
        ("POST", find, b"[]", 400),
        ("POST", find, b"[" * 100_000, 400),
        ("POST", find, b"\xff\xfe", 400),
        ("POST", find, {}, 400),
        ("POST", find, {"question": " "}, 400),
        ("POST", find, {"question": 7}, 400),
        ("POST", find, {"question": "x" * 2001}, 400),
        ("POST", find, {"question": "x", "manual": "../lamp"}, 400),
        ("POST", find, {"question": "x", "manual": "none"}, 404),
        ("POST", find, {"question": "x", "required": ["a", "b", "c"]}, 400),
        ("POST", find, {"question": "x", "limit": 10**9}, 400),
        ("POST", find, {"question": "x", "unknown": 1}, 400),
        ("GET", "/ui/api/section?manual=lamp&manual=lamp&path=a.md", None, 400),
        ("GET", "/ui/api/section?manual=lamp&path=%ff", None, 400),
        ("GET", "/ui/api/section?manual=lamp&path=a.md&line=0", None, 400),
        ("GET", "/ui/api/section?manual=lamp&path=a.md&line=" + "9" * 5000, None, 400),
        ("GET", "/ui/api/hits?trace=x", None, 400),
        ("GET", "/ui/api/hits?trace=1.AAAAAAAAAAAAAAAA", None, 404),
        ("GET", "/ui/api/hits?trace=1." + "A." * 2000, None, 400),
        ("POST", "/ui/api/journal/999999/undo", {}, 404),
        ("POST", "/ui/api/journal/-1/undo", {}, 404),
    ]
    for method, path, body, status in cases:
        reply = browser.send(method, path, body)
        assert reply.status == status, (method, path[:80], reply)
        assert reply.json["error"]["message"]
    assert browser.send("POST", find, b" " * (1024 * 1024 + 1)).status == 413
    assert browser.send("GET", "/ui/session").status == 200


@pytest.mark.requirement("page:guard:paths")
def test_no_path_leads_elsewhere(page_server: PageServer) -> None:
    """Refused or not there; never the file, and never a fault of ours."""
    browser = page_server.browser
    for path in HOSTILE_PATHS:
        escaped = quote(path, safe="")
        for address in (
            f"/ui/api/section?manual=lamp&path={escaped}",
            f"/ui/api/section?manual={escaped}&path=a.md",
            f"/ui/api/note?path={escaped}",
            f"/ui/api/notes?path={escaped}",
            f"/ui/api/picture?manual=lamp&path={escaped}",
        ):
            reply = browser.send("GET", address)
            assert reply.status in {400, 403, 404, 414, 431}, (address[:100], reply)
            assert b"root:" not in reply.body
        history = browser.send("GET", f"/ui/api/journal?path={escaped}")
        assert history.status in {400, 403} or history.json["entries"] == []
        reply = browser.send(
            "POST", "/ui/api/why-not", {"question": "x", "manual": "lamp", "path": path}
        )
        assert reply.status in {400, 403, 404} or reply.json["stage"] == "left_out"


@pytest.mark.requirement("page:shell:careful")
def test_every_answer_is_careful(page_server: PageServer) -> None:
    """Also refusals; and what is data is stored by nobody."""
    browser = page_server.browser
    for method, path in (
        ("GET", "/"),
        ("HEAD", "/"),
        ("GET", "/ui/static/page.js"),
        ("GET", "/ui/static/nothing.js"),
        ("GET", "/ui/session"),
        ("GET", "/ui/api/manuals"),
        ("GET", "/ui/api/section?manual=lamp&path=a.md"),
        ("GET", "/ui/api/section?manual=lamp&path=nothing.md"),
        ("POST", "/ui/api/find"),
    ):
        headers = browser.send(method, path).headers
        assert headers["content-security-policy"] == POLICY
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        if "static/page" not in path:
            assert headers["cache-control"] == "no-store"


@pytest.mark.requirement("page:shell:static")
def test_static_files_are_a_fixed_list(page_server: PageServer) -> None:
    """Kept by version and by tag; nothing beside them can be named."""
    browser = page_server.browser
    reply = browser.send("GET", "/ui/static/page.js")
    tag = reply.headers["etag"]

    again = browser.send("GET", "/ui/static/page.js", headers={"If-None-Match": tag})

    assert reply.headers["content-type"].startswith("text/javascript")
    assert (again.status, again.body) == (304, b"")
    for name in ("../shell.html", "%2e%2e/shell.html", "../own_key.py", "x/../page.js", "", "."):
        assert browser.send("GET", f"/ui/static/{name}").status == 404, name


@pytest.mark.requirement("page:shell:served")
def test_the_page_speaks_the_language_it_is_asked_for(page_server: PageServer) -> None:
    """By what was chosen, then by what the browser would have, then English."""

    def language(path: str = "/", **headers: str) -> str:
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        body = page_server.browser.send("GET", path, headers=names).body.decode()
        found = re.search(r'<html lang="(\w+)"', body)
        assert found is not None
        return found[1]

    assert language() == "en"
    assert language(Accept_Language="fr, ja;q=0.8, en;q=0.5") == "ja"
    assert language(Accept_Language="en-GB, ja;q=0.9") == "en"
    assert language(Accept_Language="ja", Cookie="tebiki_language=en") == "en"
    assert language("/?language=ja", Accept_Language="en") == "ja"
    assert language("/?language=<script>", Accept_Language="x" * 3000) == "en"
    chosen = page_server.browser.send("GET", "/?language=ja").headers["set-cookie"]
    assert chosen.startswith("tebiki_language=ja;")


@pytest.mark.requirement("page:shell:off")
def test_the_page_can_be_off(start_http: StartHttp) -> None:
    """Then a browser sees what it saw before there was one."""
    server = start_http(env={"TEBIKI_HTTP_PAGE": "false"})

    for path in ("/", "/ui/session", "/ui/static/page.js", "/ui/proof"):
        reply = BrowserLike(server).send("GET", path)
        assert (reply.status, reply.json) == (
            404,
            {"error": "Nothing here; MCP is served at /mcp."},
        )


@pytest.mark.requirement("page:shell:off", "page:owner:elsewhere")
def test_on_a_foreign_address_the_page_is_off_unless_set(tmp_path: Path) -> None:
    """Set, it shows a visitor nothing of others."""
    make_token(tmp_path, "al", TOKEN)
    with HttpProcess(tmp_path, bind="0.0.0.0:0") as usual:
        assert BrowserLike(usual).send("GET", "/").status == 404
    with HttpProcess(tmp_path, bind="0.0.0.0:0", env={"TEBIKI_HTTP_PAGE": "true"}) as server:
        browser = BrowserLike(server)
        assert browser.sign_in(token=TOKEN).status == 200

        told = browser.send("GET", "/ui/session").json

        assert (told["settings"], told["clients"], told["usage"], told["loopback"]) == (False,) * 4
        for name in ("clients", "settings", "usage"):
            assert browser.refusal("GET", f"/ui/api/{name}") == (403, "forbidden")
        assert browser.get("health")["findings"] == []


@pytest.mark.requirement("page:shell:off")
def test_with_oauth_alone_the_page_is_off(start_http: StartHttp, tmp_path: Path) -> None:
    """Nobody could log in; a token beside it changes that."""
    oauth = (
        "http:\n  oauth:\n    issuer: http://127.0.0.1:9\n    audience: http://127.0.0.1:1/mcp\n"
    )
    server = start_http(config=oauth)
    browser = BrowserLike(server)
    before = browser.send("GET", "/").status

    make_token(tmp_path, "al", TOKEN)

    assert before == 404
    assert browser.sign_in(token=TOKEN).status == 200
    assert browser.send("GET", "/").status == 200
