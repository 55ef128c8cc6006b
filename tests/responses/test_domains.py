"""Which pages a rule of domains permits: pure, over whatever a reply shows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tebiki.responses.domains import DomainRule, bare_domain, without_blocked
from tebiki.responses.replies import reply_from_json


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example/a",
        "HTTPS://EVIL.EXAMPLE",
        "http://www.evil.example:8080/?q=good.example",
        "https://good.example@evil.example/",
        "https://evil.example\\@good.example/",
        "https://evil.example./",
        "http://a.b.evil.example#good.example",
        "https:///evil.example/",
        "https:evil.example/",
        "http:\\\\evil.example",
        "https://ev\til.example/",
        "https://%65vil.example/",
        "https://evil%2Eexample/",
        "https://ｅｖｉｌ.example/",
        "https://evil。example/",
    ],
)
def test_a_blocked_domain_is_known_in_any_spelling(url: str) -> None:
    """Sub-domains included; a browser would go there."""
    assert not DomainRule(blocked=("Evil.example",)).permits(url)
    assert not DomainRule(allowed=("good.example",)).permits(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://good.example/url?q=https://evil.example/a&sa=D",
        "https://good.example/url?q=https%3A%2F%2Fwww.evil.example",
        "https://good.example/url?q=https%253A%252F%252Fevil.example%252F",
        "https://archive.example/web/2026/http://evil.example:80/a",
        "https://",
    ],
)
def test_an_address_that_leads_on_to_a_blocked_domain_is_blocked(url: str) -> None:
    """A redirect or a copy that names it whole; so is one whose host nobody can tell."""
    assert not DomainRule(blocked=("evil.example",)).permits(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://notevil.example/",
        "https://evil.example.org/",
        "https://good.example/?about=evil.example",
        "https://good.example/url?q=https://notevil.example/&r=evil.example",
        "",
    ],
)
def test_what_only_looks_alike_is_not_blocked(url: str) -> None:
    """Names are compared by their parts."""
    assert DomainRule(blocked=("evil.example",)).permits(url)


@pytest.mark.parametrize("url", ["", "oai-weather", "https://[", "mailto:a@good.example"])
def test_an_address_without_a_host_is_in_no_allowed_domain(url: str) -> None:
    """Rather than in every one."""
    assert not DomainRule(allowed=("good.example",)).permits(url) or "good.example" in url


@pytest.mark.parametrize(
    ("given_", "name"),
    [
        ("example.com", "example.com"),
        (" HTTPS://Example.com:443/path ", "example.com"),
        ("*.example.com", "example.com"),
        (".example.com.", "example.com"),
        ("日本.jp", "xn--wgv71a.jp"),
        ("*", ""),
    ],
)
def test_a_domain_is_read_however_it_is_written(given_: str, name: str) -> None:
    """As people copy them."""
    assert bare_domain(given_) == name


@given(st.text(), st.text(min_size=1))
def test_no_text_breaks_the_check(url: str, domain: str) -> None:
    """Whatever a reply or a settings file holds."""
    rule = DomainRule(allowed=(domain,), blocked=(domain,))

    assert not rule.permits(f"https://{url}") or not bare_domain(domain)
    rule.filters()


def test_each_page_counts_once() -> None:
    """However often and wherever a reply names it; names are no pages."""
    url = "https://evil.example/a"
    action = {"type": "search", "sources": [{"url": url}, url, {"name": "oai-weather"}, 7, None]}
    annotation = {"type": "url_citation", "url": url}
    part = {"type": "output_text", "text": "x", "annotations": [annotation]}
    output = [
        {"type": "web_search_call", "action": action},
        {"type": "message", "content": [part]},
    ]
    reply = reply_from_json({"output": output})

    assert DomainRule(blocked=("evil.example",)).count_violations(reply) == 1
    assert DomainRule().count_violations(reply) == 0


def test_only_blocked_domains_are_taken_out_of_a_request() -> None:
    """The rest of the tool stays."""
    filters = {"allowed_domains": ["a.jp"], "blocked_domains": ["b.jp"]}
    request = {"model": "m", "tools": [{"type": "web_search", "filters": filters}]}

    kept = without_blocked(request)["tools"][0]

    assert kept == {"type": "web_search", "filters": {"allowed_domains": ["a.jp"]}}
    assert without_blocked({"tools": [{"type": "x"}]}) == {"tools": [{"type": "x"}]}
