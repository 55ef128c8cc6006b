"""The scrubber: keys in every guise, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tebiki.observability.redact import MASK, Redactor
from tests.support.server_process import CANARY


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        (f"key {CANARY}.", f"key {MASK}."),
        (f'{{"k":"{CANARY}"}}', f'{{"k":"{MASK}"}}'),
        ("sk-proj-abcdefgh_1234-XYZ", MASK),
        ("Authorization: Bearer abc.def-ghi", f"Authorization: Bearer {MASK}"),
        ("BEARER token123", f"BEARER {MASK}"),
        ("https://user:pass@host/x", f"https://{MASK}@host/x"),
        ("the risk-free task-force", "the risk-free task-force"),
        ("a@b.jp", "a@b.jp"),
        ("sk-short", "sk-short"),
    ],
)
def test_secrets_are_masked_and_words_are_not(text: str, clean: str) -> None:
    """Whatever surrounds them."""
    assert Redactor(CANARY).clean(text) == clean


def test_a_very_short_key_does_not_eat_words() -> None:
    """It is a typing error, not a key."""
    assert Redactor("a").clean("a banana") == "a banana"


@given(st.text(min_size=6).filter(lambda secret: secret not in MASK), st.text(), st.text())
def test_the_configured_key_never_survives(secret: str, before: str, after: str) -> None:
    """Whatever it looks like."""
    assert secret not in Redactor(secret).clean(f"{before} {secret} {after}").replace(MASK, "")
