"""Who is let in to the page, how, and until when."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from tebiki.state.memory import MemoryStateStore
from tebiki.web.page.own_key import SECRET_SECONDS, new_key
from tebiki.web.page.visits import IDLE_SECONDS, LOGINS_A_MINUTE, Visits
from tebiki.web.tokens import TokenFile
from tests.support.browser_like import BrowserLike, own_key
from tests.support.talk import request_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.web.conftest import StartHttp

TOKEN = "tbk_for-the-page"


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        """The time."""
        return self.now


def make_token(home: Path, name: str, token: str) -> TokenFile:
    """Write a token where servers of this home look for them."""
    file = TokenFile(str(home / ".config" / "tebiki" / "tokens"))
    file.add(name, token)
    return file


@pytest.mark.requirement("page:login:secret")
def test_a_secret_logs_in_once(start_http: StartHttp, tmp_path: Path) -> None:
    """The second who comes with it is refused, whoever it is."""
    server = start_http()
    secret = own_key(server, tmp_path).new_login(time.time())

    first = BrowserLike(server).sign_in(secret=secret)
    second = BrowserLike(server).sign_in(secret=secret)

    assert (first.status, second.status) == (200, 401)
    attributes = first.headers["set-cookie"].split("; ")[1:]
    assert attributes == ["Path=/", "HttpOnly", "SameSite=Strict"]
    assert second.json["error"]["code"] == "used_link"
    assert "set-cookie" not in second.headers


@pytest.mark.requirement("page:login:secret")
def test_a_secret_is_good_for_a_minute_and_made_by_the_key_alone() -> None:
    """Late, early, changed and somebody else's secrets are none."""
    key, now = new_key(), 1_000_000.0
    secret = key.new_login(now)
    said, _, signature = secret.rpartition(".")

    assert key.login_id(secret, now + SECRET_SECONDS) is not None
    assert key.login_id(secret, now + SECRET_SECONDS + 1) is None
    assert key.login_id(secret, now - 2) is None
    assert new_key().login_id(secret, now) is None
    for wrong in (said, f"{said}0.{signature}", f"{secret}0", "", ".", "..", "é.é.é", "9" * 300):
        assert key.login_id(wrong, now) is None, wrong


@pytest.mark.requirement("page:login:secret")
def test_behind_https_the_cookie_is_secure(start_http: StartHttp, tmp_path: Path) -> None:
    """A browser says in its Origin how it came."""
    server = start_http(env={"TEBIKI_HTTP_ALLOWED_HOSTS": "tebiki.example.org"})
    secret = own_key(server, tmp_path).new_login(time.time())
    proxied = {"Host": "tebiki.example.org", "Origin": "https://tebiki.example.org"}
    proxied |= {"Sec-Fetch-Site": "same-origin"}
    server_allows = BrowserLike(server).send("POST", "/ui/session", {"secret": secret}, proxied)

    # The screening of MCP knows no such page; the owner names it.
    assert server_allows.status == 403

    named = start_http(
        env={
            "TEBIKI_HTTP_ALLOWED_HOSTS": "tebiki.example.org",
            "TEBIKI_HTTP_ALLOWED_ORIGINS": "https://tebiki.example.org",
        }
    )
    secret = own_key(named, tmp_path).new_login(time.time())
    reply = BrowserLike(named).send("POST", "/ui/session", {"secret": secret}, proxied)

    assert reply.status == 200
    assert "Secure" in reply.headers["set-cookie"].split("; ")


@pytest.mark.requirement("page:login:token", "page:login:ends")
def test_a_token_logs_in_and_ends_its_sessions(start_http: StartHttp, tmp_path: Path) -> None:
    """One posts it once; taken away, the session is over with it."""
    file = make_token(tmp_path, "al", TOKEN)
    server = start_http()
    browser = BrowserLike(server)

    by_secret = browser.sign_in(secret=own_key(server, tmp_path).new_login(time.time()))
    by_wrong = browser.sign_in(token="tbk_wrong")
    by_token = browser.sign_in(token=TOKEN)
    let_in = browser.send("GET", "/ui/session")
    file.remove("al")

    assert [by_secret.status, by_wrong.status, by_token.status] == [401, 401, 200]
    assert let_in.json["signed_in"] is True
    assert browser.refusal("GET", "/ui/api/manuals") == (401, "session_ended")


@pytest.mark.requirement("page:login:ends")
def test_a_session_without_a_token_ends_when_tokens_come(
    start_http: StartHttp, tmp_path: Path
) -> None:
    """Whoever makes a token wants it to be needed, at once."""
    server = start_http()
    browser = BrowserLike(server).open(tmp_path)
    assert browser.send("GET", "/ui/session").status == 200

    make_token(tmp_path, "al", TOKEN)

    assert browser.refusal("GET", "/ui/session") == (401, "session_ended")


@pytest.mark.requirement("page:login:ends", "page:workers:shared")
def test_signing_out_ends_a_session_for_all_workers(start_http: StartHttp, tmp_path: Path) -> None:
    """Whichever worker is asked, before and after; what one found another pages through."""
    server = start_http("--workers", "2")
    browser = BrowserLike(server).open(tmp_path)

    found = browser.post("find", {"question": "red button"})
    pages = [browser.get("hits", trace=found["trace"])["total"] for _ in range(8)]
    let_in = [browser.send("GET", "/ui/session").status for _ in range(8)]
    ended = browser.send("DELETE", "/ui/session")
    after = [browser.send("GET", "/ui/session").status for _ in range(8)]

    assert found["total"] >= 1
    assert set(pages) == {found["total"]}
    assert set(let_in) == {200}
    assert ended.status == 204
    assert "Max-Age=0" in ended.headers["set-cookie"]
    assert set(after) == {401}


@pytest.mark.requirement("page:login:ends")
def test_a_session_ends_after_half_a_day_idle() -> None:
    """Use makes it longer; half a day without any is its end."""
    clock, key = Clock(), new_key()
    visits = Visits(MemoryStateStore(clock), None, key, clock)
    opened = visits.open(key.new_login(clock.now), None)
    assert opened is not None

    clock.now += IDLE_SECONDS - 1
    assert visits.holds_key(opened.cookie, opened.key) is not None
    clock.now += IDLE_SECONDS - 1
    assert visits.holds_key(opened.cookie, opened.key) is not None
    clock.now += IDLE_SECONDS
    assert visits.holds_key(opened.cookie, opened.key) is None


@pytest.mark.requirement("page:login:key")
def test_a_stolen_cookie_opens_nothing(start_http: StartHttp, tmp_path: Path) -> None:
    """Programs at other ports are sent the cookie; they have no key, and MCP takes neither."""
    make_token(tmp_path, "al", TOKEN)
    server = start_http()
    browser = BrowserLike(server)
    browser.sign_in(token=TOKEN)
    name, _, value = (browser.cookie or "").partition("=")

    for path in ("/ui/session", "/ui/api/manuals", "/ui/api/settings"):
        assert browser.refusal("GET", path, x_tebiki_key=None) == (401, "no_session")
        assert browser.refusal("GET", path, x_tebiki_key="0" * 64) == (401, "session_ended")
        assert browser.refusal("GET", path, Cookie=f"{name}=") == (401, "session_ended")
        for cookie in (f"{name}={value[:-1]}", f"{name}={'0' * 64}~token:al", f"{name}={value}~x"):
            assert browser.refusal("GET", path, Cookie=cookie) == (401, "session_ended")
        twice = f"{name}={value}; {name}={value}"
        assert browser.refusal("GET", path, Cookie=twice) == (401, "no_session")
    call = request_of(1, "tools/list")
    headers = {"Cookie": browser.cookie or "", "x_tebiki_key": browser.key or ""}
    assert server.post(call, **headers).status == 401
    bearer = {"Authorization": f"Bearer {browser.key}"}
    assert server.post(call, **headers, **bearer).status == 401


@pytest.mark.requirement("page:login:flood")
def test_logins_are_limited(start_http: StartHttp, tmp_path: Path) -> None:
    """A flood is told to wait; whoever is logged in notices nothing of it."""
    server = start_http()
    browser = BrowserLike(server).open(tmp_path)

    replies = [BrowserLike(server).sign_in(secret="1.2.3") for _ in range(2 * LOGINS_A_MINUTE + 2)]

    refused = [reply for reply in replies if reply.status == 429]
    assert {reply.status for reply in replies} == {401, 429}
    assert 0 < int(refused[-1].headers["retry-after"]) <= 60
    assert browser.send("GET", "/ui/session").status == 200


@pytest.mark.requirement("page:login:never-in-an-address")
def test_no_address_logs_in_and_no_log_tells(start_http: StartHttp, tmp_path: Path) -> None:
    """A token behind a question mark is not looked at; neither log holds any secret."""
    make_token(tmp_path, "al", TOKEN)
    server = start_http("--debug")
    browser = BrowserLike(server)

    for path in (
        f"/?token={TOKEN}",
        f"/ui/session?token={TOKEN}",
        f"/ui/api/manuals?token={TOKEN}",
    ):
        assert browser.send("GET", path).status in {200, 401}
    posted = browser.send("POST", f"/ui/session?token={TOKEN}", {})
    browser.sign_in(token=TOKEN)
    browser.get("manuals")

    assert posted.status == 401
    assert server.stop() == 0
    heard = server.stderr
    for secret in (TOKEN, browser.key, (browser.cookie or "").partition("=")[2][:64]):
        assert secret is not None
        assert secret not in heard


@pytest.mark.requirement("page:login:key")
def test_strangers_learn_nothing_from_the_shell(start_http: StartHttp) -> None:
    """Neither which screens there are nor whether a key is set."""
    server = start_http()

    body = BrowserLike(server).send("GET", "/").body.decode()

    assert '"signed_in": false' in body
    assert '"ask":' not in body
    assert '"loopback":' not in body
