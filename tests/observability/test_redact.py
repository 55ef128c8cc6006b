"""The scrubber: keys in every guise, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tebiki.observability.redact import MASK, Redactor
from tests.support.server_process import CANARY, PLAIN_CANARY


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


@pytest.mark.parametrize("secret", [CANARY, PLAIN_CANARY, "a1b2c3d4-e5f6a7b8-c9d0e1f2"])
def test_a_part_of_the_key_is_masked(secret: str) -> None:
    """Wherever it was cut: at a hyphen, or anywhere else."""
    for start in range(len(secret)):
        for end in range(start + 8, len(secret) + 1):
            cut = secret[start:end]

            cleaned = Redactor(secret).clean(f"Incorrect key: {cut} … (see docs)")

            assert cleaned == f"Incorrect key: {MASK} … (see docs)"


def test_parts_of_the_key_beside_each_other() -> None:
    """Each run is one mask, and what is between them stays."""
    secret = "0123456789abcdefghij"

    cleaned = Redactor(secret).clean("x01234567y456789abcdzz9abcdefg0123456789abcdefghij")

    assert cleaned == f"x{MASK}y{MASK}zz{MASK}{MASK}"


def test_a_very_short_key_does_not_eat_words() -> None:
    """It is a typing error, not a key."""
    assert Redactor("a").clean("a banana") == "a banana"


@given(st.text(min_size=6).filter(lambda secret: secret not in MASK), st.text(), st.text())
def test_the_configured_key_never_survives(secret: str, before: str, after: str) -> None:
    """Whatever it looks like."""
    assert secret not in Redactor(secret).clean(f"{before} {secret} {after}").replace(MASK, "")
