"""Host and Origin: compared whole, on every route."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tebiki.errors import BadSetting
from tebiki.web.addresses import Guests, ListenAddress, guests_of, place_of
from tests.support.http_process import HttpProcess

if TYPE_CHECKING:
    from pathlib import Path

USUAL = ListenAddress("127.0.0.1", 8765)
NOWHERE = ListenAddress("127.0.0.1", 0)
GUESTS = guests_of(USUAL, ["tebiki.example.org", "proxy.example.org:8443"], ["https://app.example"])
ROUTES = ("/mcp", "/healthz", "/readyz", "/other", "/.well-known/oauth-protected-resource")

GOOD_HOSTS = (
    "127.0.0.1",
    "127.0.0.1:8765",
    "localhost:1",
    "LOCALHOST",
    "[::1]:8765",
    "tebiki.example.org",
    "tebiki.example.org:444",
    "proxy.example.org:8443",
)
BAD_HOSTS = (
    "",
    "evil.example",
    "localhost.evil.example",
    "evil-localhost",
    "127.0.0.1.evil.example",
    "localhost@evil.example",
    "evil.example#localhost",
    "evil.example/localhost",
    "localhost:80:80",
    "localhost:",
    "localhost:abc",
    "localhost.",
    "127.0.0.2",
    "2130706433",
    "0.0.0.0",  # noqa: S104  (a name, not a binding)
    "::1",
    "[::1",
    "[::ffff:127.0.0.1]",
    "proxy.example.org",
    "proxy.example.org:443",
    "xtebiki.example.org",
    "ⓛocalhost",
)
GOOD_ORIGINS = (
    "http://localhost",
    "http://localhost:6274",
    "https://127.0.0.1:1",
    "http://[::1]:3000",
    "https://app.example",
    "HTTPS://APP.EXAMPLE",
)
BAD_ORIGINS = (
    "null",
    "",
    "http://evil.example",
    "http://localhost.evil.example",
    "http://127.0.0.1.evil.example",
    "http://localhost@evil.example",
    "http://evil.example#http://localhost",
    "http://evil.example?http://localhost",
    "http://evil.example/localhost",
    "http://localhost:80@evil.example",
    "file://localhost",
    "chrome-extension://localhost",
    "localhost",
    "http://app.example",
    "https://app.example:444",
    "https://app.example.evil.example",
    "https://xapp.example",
    "http://localhost http://evil.example",
    "http://localhost,http://evil.example",
)


@pytest.mark.requirement("http:doors:known")
@pytest.mark.parametrize("host", GOOD_HOSTS)
def test_our_names_are_known(host: str) -> None:
    """Loopback's with any port, and the configured ones as configured."""
    assert GUESTS.knows_host([host.encode()])


@pytest.mark.requirement("http:doors:host-and-origin")
@pytest.mark.parametrize("host", BAD_HOSTS)
def test_other_names_are_not(host: str) -> None:
    """However alike they look."""
    assert not GUESTS.knows_host([host.encode("utf-8")])


@pytest.mark.requirement("http:doors:known")
@pytest.mark.parametrize("origin", GOOD_ORIGINS)
def test_pages_of_this_machine_may_call(origin: str) -> None:
    """And those that are configured."""
    assert GUESTS.knows_origin([origin.encode()])


@pytest.mark.requirement("http:doors:host-and-origin")
@pytest.mark.parametrize("origin", BAD_ORIGINS)
def test_other_pages_may_not(origin: str) -> None:
    """However alike they look."""
    assert not GUESTS.knows_origin([origin.encode()])


@pytest.mark.requirement("http:doors:host-and-origin")
def test_no_origin_is_no_page_and_two_are_a_trick() -> None:
    """And a request has exactly one Host."""
    assert GUESTS.knows_origin([])
    assert not GUESTS.knows_origin([b"http://localhost", b"http://localhost"])
    assert not GUESTS.knows_host([])
    assert not GUESTS.knows_host([b"localhost", b"localhost"])


@pytest.mark.requirement("http:doors:host-and-origin")
@given(st.text(max_size=20), st.text(max_size=20))
def test_nothing_put_around_a_good_name_is_good(before: str, after: str) -> None:
    """Only the name alone, or the name and a port."""
    host = f"{before}localhost{after}"
    is_port = after[:1] == ":" and after[1:].isascii() and after[1:].isdigit()
    is_good = not before and (not after or (is_port and len(after) <= len(":65535")))

    assert GUESTS.knows_host([host.encode("utf-8", "replace")]) is is_good


@pytest.mark.requirement("http:doors:host-and-origin")
@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "localhost.evil.example:8765"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://localhost.evil.example"}, 403),
    ],
)
def test_every_route_is_guarded(
    shared_http: HttpProcess, route: str, headers: dict[str, str], status: int
) -> None:
    """In every method, before anything else is looked at."""
    replies = [shared_http.request(method, route, b"{}", headers) for method in ("GET", "POST")]

    assert [reply.status for reply in replies] == [status, status]
    assert all("access-control-allow-origin" not in reply.headers for reply in replies)


@pytest.mark.requirement("http:doors:hint")
@pytest.mark.parametrize(
    ("host", "named"),
    [("192.0.2.7:8765", ": 192.0.2.7;"), ("[2001:db8::7]", ": [2001:db8::7];"), ("<b>", ";")],
)
def test_a_name_that_is_not_known_is_told_which_setting_knows_it(
    shared_http: HttpProcess, host: str, named: str
) -> None:
    """The address that was used is what has to be added; markup is not repeated."""
    reply = shared_http.request("GET", "/healthz", headers={"Host": host})

    assert reply.status == 421
    assert f"Not a name of this server{named}" in reply.json["error"]
    assert "http.allowed_hosts (TEBIKI_HTTP_ALLOWED_HOSTS)" in reply.json["error"]


@pytest.mark.requirement("http:doors:hint")
@pytest.mark.parametrize("bind", ["0.0.0.0:0", "[::]:0"])
def test_whoever_listens_on_every_address_is_told_to_name_them(tmp_path: Path, bind: str) -> None:
    """At the start, unless they have been named."""
    tokens = {"TEBIKI_HTTP_TOKENS": f"a:{'0' * 64}"}
    named = tokens | {"TEBIKI_HTTP_ALLOWED_HOSTS": "192.0.2.7"}
    hint = "only requests for localhost are answered"

    with HttpProcess(tmp_path, env=tokens, bind=bind) as server:
        server.wait_for_stderr(hint)
        assert server.request("GET", "/healthz", headers={"Host": "192.0.2.7"}).status == 421
    with HttpProcess(tmp_path, env=named, bind=bind) as server:
        assert server.request("GET", "/healthz", headers={"Host": "192.0.2.7"}).status == 200
        assert hint not in server.stderr


@pytest.mark.requirement("http:doors:loopback")
@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("127.0.0.1:9", ListenAddress("127.0.0.1", 9)),
        ("localhost", ListenAddress("localhost", 8765)),
        (":9", ListenAddress("127.0.0.1", 9)),
        ("9000", ListenAddress("127.0.0.1", 9000)),
        ("[::1]:9", ListenAddress("::1", 9)),
        ("Tebiki.Example:9", ListenAddress("tebiki.example", 9)),
    ],
)
def test_an_address_to_listen_on(text: str, place: ListenAddress) -> None:
    """What is left out is the default's."""
    assert place_of(text, USUAL) == place


@pytest.mark.requirement("http:serving:start-errors")
@pytest.mark.parametrize(
    ("usual", "shown"), [(USUAL, "127.0.0.1:8765"), (ListenAddress("::1", 8765), "[::1]:8765")]
)
def test_a_strange_address_is_told_one_that_would_do(usual: ListenAddress, shown: str) -> None:
    """As it would have to be written."""
    with pytest.raises(BadSetting) as refused:
        place_of("x:y", usual)

    assert str(refused.value).endswith(f"such as {shown}")
    assert place_of(shown, NOWHERE) == usual


@pytest.mark.requirement("http:doors:loopback")
@pytest.mark.parametrize(
    ("host", "is_loopback"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),  # noqa: S104  (a name, not a binding)
        ("::", False),
        ("192.168.0.1", False),
        ("localhost.example", False),
    ],
)
def test_what_counts_as_loopback(host: str, is_loopback: bool) -> None:
    """Everything else needs authentication."""
    assert ListenAddress(host, 1).is_loopback is is_loopback


@pytest.mark.requirement("http:doors:known")
@pytest.mark.parametrize("host", ["*", "http://a", "a/b", "a b"])
def test_a_configured_host_must_be_one(host: str) -> None:
    """No wildcards."""
    with pytest.raises(BadSetting, match="allowed_hosts"):
        guests_of(USUAL, [host], [])


@pytest.mark.requirement("http:doors:known")
@pytest.mark.parametrize("origin", ["*", "null", "a.example", "https://a/b"])
def test_a_configured_origin_must_be_one(origin: str) -> None:
    """No wildcards."""
    with pytest.raises(BadSetting, match="allowed_origins"):
        guests_of(USUAL, [], [origin])


@pytest.mark.requirement("http:doors:known")
def test_a_guest_list_is_a_value() -> None:
    """Two servers with the same settings have the same one."""
    assert guests_of(USUAL, ["A.example"], []) == Guests(
        frozenset({"localhost", "127.0.0.1", "[::1]", "a.example"}), frozenset()
    )
