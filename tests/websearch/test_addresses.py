"""Web addresses: what is one, and which spellings mean the same page."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tebiki.websearch.addresses import host_of, normalise, web_address

PAGE = "https://example.com/articles/1"

addresses = st.builds(
    "{}://{}{}{}{}{}".format,
    st.sampled_from(["http", "https", "HTTPS", "ftp"]),
    st.sampled_from(
        ["a.jp", "A.JP", "日本.jp", "[::1]", "user:pw@a.jp", "a\u3000b", "xn--wgv71a.jp"]
    ),
    st.sampled_from(["", ":", ":80", ":443", ":0443", ":8080", ":x"]),
    st.text(alphabet="/ab%4Ee3?&日\u3000 ", max_size=8).map(lambda path: f"/{path}"),
    st.text(alphabet="utm_=&gclid%5f;+?日/", max_size=12).map(lambda query: f"?{query}"),
    st.sampled_from(["", "#", "#top", "#a/b?c"]),
)
"""Text that is an address, or nearly one."""


@pytest.mark.requirement("websearch:grounding:normalised")
@pytest.mark.parametrize(
    "spelling",
    [
        "https://example.com/articles/1",
        " https://example.com/articles/1\n",
        "HTTPS://EXAMPLE.com/articles/1",
        "http://example.com/articles/1",
        "http://example.com:80/articles/1",
        "https://example.com:443/articles/1",
        "https://example.com:/articles/1",
        "https://example.com/articles/1/",
        "https://example.com/articles/1//",
        "https://example.com/articles/1#section-2",
        "https://example.com/articles/1?",
        "https://example.com/articles/1/?utm_source=openai&utm_medium=x#y",
        "https://example.com/articles/1?gclid=a&fbclid=b",
        "https://example.com/articles/1?GCLID=a&utm%5Fsource=b",
        "https://example.com/articles/1?dclid=1&msclkid=2&mc_cid=3&mc_eid=4&igshid=5&yclid=6",
        "https://example.com/articles/1?ref_src=twsrc&srsltid=x&_gl=1",
    ],
)
def test_these_mean_the_same_page(spelling: str) -> None:
    """Scheme, host, port, slash, fragment and tracking are only spelling."""
    assert normalise(spelling) == PAGE


@pytest.mark.requirement("websearch:grounding:normalised")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://a.jp", "https://www.a.jp"),
        ("https://a.jp/x", "https://a.jp/X"),
        ("https://a.jp:8443/", "https://a.jp/"),
        ("https://a.jp/?id=1", "https://a.jp/?id=2"),
        ("https://a.jp/?a=1&b=2", "https://a.jp/?b=2&a=1"),
        ("https://a.jp/?ref=1", "https://a.jp/"),
        ("https://a.jp/?utm=1", "https://a.jp/"),
        ("https://user@a.jp/", "https://a.jp/"),
    ],
)
def test_these_are_two_pages(one: str, other: str) -> None:
    """Everything else tells pages apart."""
    assert normalise(one) != normalise(other)


@pytest.mark.parametrize(
    ("spelling", "expected"),
    [
        ("https://a.jp/?utm_source=x&id=1&gclid=y&b=", "https://a.jp?id=1&b="),
        ("https://日本.jp/", "https://xn--wgv71a.jp"),
        ("https://a.jp/日本?q=語", "https://a.jp/%E6%97%A5%E6%9C%AC?q=%E8%AA%9E"),
        ("https://a.jp/%e6%97%a5", "https://a.jp/%E6%97%A5"),
        ("http://[2001:DB8::1]:80/x", "https://[2001:db8::1]/x"),
        ("http://user:Pw@A.jp/", "https://user:Pw@a.jp"),
    ],
)
def test_the_one_spelling(spelling: str, expected: str) -> None:
    """Other parameters stay in order; a letter and its escape are one."""
    assert normalise(spelling) == expected


@pytest.mark.parametrize("address", ["https://a.jp", "HTTP://A.JP:8080/x?y#z", " https://日本.jp "])
def test_an_address_keeps_its_spelling(address: str) -> None:
    """Only blanks around it are not part of it."""
    assert web_address(address) == address.strip()


@pytest.mark.parametrize(
    "value",
    [
        None,
        5,
        ["https://a.jp"],
        "",
        "oai-weather",
        "javascript:alert(1)",
        "data:text/html,x",
        "ftp://a.jp/x",
        "//a.jp/x",
        "https:a.jp",
        "https://",
        "https:///x",
        "https://:443/",
        "https://a.jp:99999/",
        "https://a.jp:x/",
        "https://[::1/",
        "https://a.jp/two words",
        "https://a.jp/\u202egnp.exe",
        "https://a.jp/\x00",
        "https://a.jp/\ud800",
        "http\u017f://a.jp/",
        "see https://a.jp",
    ],
)
def test_this_is_no_address(value: object) -> None:
    """Other schemes, no host, no port, blanks and hidden signs."""
    assert web_address(value) is None


def test_a_page_is_named_by_its_host() -> None:
    """And other text by nothing."""
    assert host_of("HTTPS://user@WWW.A.jp:8443/x") == "www.a.jp"
    assert host_of("oai-weather") == ""


@given(st.text() | addresses)
@example("https://a\uff3b/")
@example("https://a.jp/x /")
@example("https://\u2100.jp/")
@example("https://a.jp/%%34%31")
def test_normalising_is_total_and_settles_at_once(text: str) -> None:
    """Any text has one spelling, and that spelling is its own."""
    once = normalise(text)

    assert normalise(once) == once


@given(addresses)
def test_what_was_an_address_stays_one(text: str) -> None:
    """Normalising neither makes an address nor breaks one."""
    assert (web_address(text) is None) == (web_address(normalise(text)) is None)
