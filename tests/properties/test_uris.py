"""URIs of manuals and notes: what is given out comes back, and nothing else gets through."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tebiki.errors import TebikiError
from tebiki.files.names import is_nameable
from tebiki.tools.uris import manual_uri, parse_uri, rest_of, vault_uri
from tests.support.examples import examples

NAMES = st.text(
    st.one_of(st.characters(exclude_categories=["Cs"]), st.sampled_from("%#?/\\. &+:@")),
    min_size=1,
    max_size=20,
).filter(is_nameable)


@pytest.mark.requirement("mcp:resources:encoding")
@examples(300)
@given(NAMES, st.lists(NAMES, max_size=4))
@example("100%", ["a#L10.md"])
@example("%2F", ["%2e%2e", "?x=y"])
def test_what_is_given_out_comes_back(manual_id: str, parts: list[str]) -> None:
    """Whatever a name is made of, and with a fragment behind it."""
    uri = manual_uri(manual_id, parts)

    assert uri.isascii()
    for given_out in (uri, f"{uri}#L3", f"{uri}#L3-L9", rest_of(uri, 5, None)):
        address = parse_uri(given_out, "manual")
        assert (address.authority, address.path) == (manual_id, "/".join(parts))
    note = parse_uri(vault_uri(parts), "vault")
    assert (note.authority, note.path) == ("", "/".join(parts))


@pytest.mark.requirement("mcp:resources:hostile")
@examples(300)
@given(st.text(st.one_of(st.characters(), st.sampled_from("%2fF5cCeE./\\#L0-9")), max_size=60))
@example("..%2f..%2fa")
@example("a/%c0%af")
@example("\ud800")
@example("#L" + "9" * 5000)
def test_any_string_is_taken_apart_or_refused(text: str) -> None:
    """No separator comes in that was not there to be seen."""
    try:
        address = parse_uri(f"manual://{text}", "manual")
    except TebikiError:
        return
    seen = text.partition("#")[0]
    assert "/" not in address.authority
    assert address.path.count("/") == max(0, seen.count("/") - 1)
    assert (address.authority + address.path).count("\\") <= seen.count("\\")
