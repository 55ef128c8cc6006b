"""Retry decisions: pure values in, a delay or the end out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tebiki.errors import (
    AuthRejected,
    BadReply,
    ConnectionFailed,
    ModelNotFound,
    RateLimited,
    ServerFault,
    UpstreamError,
    UpstreamTimeout,
)
from tebiki.responses.retry import RetryRule

RULE = RetryRule(max_attempts=4, base_delay_seconds=0.5, most_delay_seconds=8.0)


@pytest.mark.requirement("answers:retry:back-off")
def test_the_delay_doubles_up_to_a_bound() -> None:
    """Half a second, one, two, and so on."""
    rule = RULE._replace(max_attempts=9)
    delays = [rule.delay_before_next(ServerFault("x"), n, 300, jitter=0) for n in range(1, 8)]

    assert delays == [0.5, 1, 2, 4, 8, 8, 8]


@pytest.mark.requirement("answers:retry:back-off")
def test_jitter_shortens_by_up_to_a_quarter() -> None:
    """So that many clients do not come back together."""
    assert RULE.delay_before_next(ServerFault("x"), 1, 300, jitter=1) == 0.375


@pytest.mark.parametrize(
    "failure",
    [
        UpstreamTimeout("x"),
        ConnectionFailed("x"),
        AuthRejected("x"),
        ModelNotFound("x"),
        BadReply("x"),
        UpstreamError("x", status=400),
        RateLimited("x", code="insufficient_quota"),
    ],
    ids=lambda failure: type(failure).__name__,
)
def test_what_does_not_pass_by_itself_is_not_retried(failure: UpstreamError) -> None:
    """A time-out least of all."""
    assert RULE.delay_before_next(failure, 1, 300, jitter=0) is None


@pytest.mark.parametrize("failure", [UpstreamTimeout("x"), ConnectionFailed("x")])
def test_a_rule_may_include_lost_connections(failure: UpstreamError) -> None:
    """Web search is more patient than an answer."""
    rule = RULE._replace(retries_lost_connections=True)

    assert rule.delay_before_next(failure, 1, 300, jitter=0) == 0.5


def test_a_wait_beyond_the_rules_limit_ends_the_call() -> None:
    """Better to tell the caller than to hold it."""
    rule = RULE._replace(longest_retry_after_seconds=20)

    assert rule.delay_before_next(RateLimited("x", retry_after_seconds=21), 1, 300, 0) is None
    assert rule.delay_before_next(RateLimited("x", retry_after_seconds=20), 1, 300, 0) == 20


@given(
    st.integers(1, 10),
    st.floats(0, 1e6),
    st.floats(-1e3, 1e3),
    st.floats(0, 1),
)
def test_a_wish_of_the_api_is_capped_by_the_time_left(
    attempt: int, asked: float, left: float, jitter: float
) -> None:
    """Never longer than asked, never past the time left unless the back-off itself is."""
    failure = RateLimited("x", retry_after_seconds=asked)

    delay = RULE.delay_before_next(failure, attempt, left, jitter)

    if attempt >= RULE.max_attempts:
        assert delay is None
    else:
        assert delay is not None
        assert 0 <= delay <= asked
        assert delay <= max(left, RULE.most_delay_seconds)
