"""Messages between servers: believed when signed just now with the secret, and once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tebiki.vault.sealing import LONGEST_SKEW_SECONDS, NotSealed, Sealer

SECRET = "s" * 64
NONCE = "0123456789abcdef" * 2
NOW = 1_800_000_000.0


def is_believed(seal: str, body: bytes, now: float = NOW, sealer: Sealer | None = None) -> bool:
    """Whether an owner would read a message that comes for the first time."""
    try:
        (sealer or Sealer(SECRET)).check(seal, body, now, lambda _nonce: True)
    except NotSealed:
        return False
    return True


@given(st.binary(max_size=200))
def test_what_was_signed_with_the_secret_is_believed(body: bytes) -> None:
    """Whatever it says; not by another secret, nor with another byte in it."""
    seal = Sealer(SECRET).seal(NOW, NONCE, body)

    assert is_believed(seal, body)
    assert not is_believed(seal, body + b" ")
    assert not is_believed(seal, body, sealer=Sealer("t" * 64))


@given(st.data())
def test_a_seal_with_another_sign_in_it_is_refused(data: st.DataObject) -> None:
    """Time, number and signature alike."""
    seal = Sealer(SECRET).seal(NOW, NONCE, b"{}")
    at = data.draw(st.integers(0, len(seal) - 1))
    sign = data.draw(st.characters(max_codepoint=0x2FF).filter(lambda sign: sign != seal[at]))

    assert not is_believed(seal[:at] + sign + seal[at + 1 :], b"{}")


@given(st.text(max_size=200))
def test_any_text_as_a_seal_is_refused_and_breaks_nothing(seal: str) -> None:
    """A header is whatever somebody sends."""
    assert not is_believed(seal, b"{}")


@pytest.mark.parametrize(
    ("seconds", "believed"),
    [(0, True), (LONGEST_SKEW_SECONDS, True), (LONGEST_SKEW_SECONDS + 1, False), (86_400, False)],
)
@pytest.mark.parametrize("sign", [1, -1])
def test_clocks_may_be_a_minute_apart(seconds: int, believed: bool, sign: int) -> None:
    """Ahead or behind; an old message is worth nothing."""
    seal = Sealer(SECRET).seal(NOW, NONCE, b"{}")

    assert is_believed(seal, b"{}", NOW + sign * seconds) is believed


def test_a_message_that_came_before_is_refused() -> None:
    """Word for word the same; a question is no answer, and an answer is one to its question."""
    sealer = Sealer(SECRET)
    seal = sealer.seal(NOW, NONCE, b"{}")
    seen: set[str] = set()

    def is_new(nonce: str) -> bool:
        if nonce in seen:
            return False
        seen.add(nonce)
        return True

    sealer.check(seal, b"{}", NOW, is_new)
    with pytest.raises(NotSealed, match="came before"):
        sealer.check(seal, b"{}", NOW, is_new)
    answer = sealer.seal_answer(NONCE, b"{}")
    sealer.check_answer(answer, NONCE, b"{}")
    for forged in (seal.split(" ")[-1], sealer.seal_answer(NONCE[::-1], b"{}"), ""):
        with pytest.raises(NotSealed):
            sealer.check_answer(forged, NONCE, b"{}")
