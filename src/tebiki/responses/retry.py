"""When to try again, and after how long: pure decisions over plain values.

No clock, no randomness, no network: the caller brings them.
"""

from __future__ import annotations

from tebiki.errors import ConnectionFailed, RateLimited, ServerFault, UpstreamError, UpstreamTimeout
from tebiki.named_tuples import NamedTuple

QUOTA_USED_UP = "insufficient_quota"
"""The API's code for a 429 that waiting does not cure."""


class RetryRule(NamedTuple):
    """How patient a family of tools is."""

    max_attempts: int
    base_delay_seconds: float
    most_delay_seconds: float
    retries_lost_connections: bool = False
    longest_retry_after_seconds: float | None = None

    def may_retry(self, failure: UpstreamError) -> bool:
        """Tell whether this failure can pass by itself."""
        if failure.code == QUOTA_USED_UP:
            return False
        if isinstance(failure, (RateLimited, ServerFault)):
            return True
        return self.retries_lost_connections and isinstance(
            failure, (ConnectionFailed, UpstreamTimeout)
        )

    def delay_before_next(
        self, failure: UpstreamError, attempt: int, seconds_left: float, jitter: float
    ) -> float | None:
        """Say how long to wait after the given attempt (1, 2, …) failed; None: give up.

        `jitter` is from 0 to 1 and shortens the back-off by up to a quarter, so that many clients
        do not come back at the same moment. What the API asked for is honoured: up to the rule's
        own limit where it has one, else capped by the time left, but not below the back-off.
        """
        if attempt >= self.max_attempts or not self.may_retry(failure):
            return None
        doubled = self.base_delay_seconds * 2.0 ** (attempt - 1)
        backoff = min(doubled, self.most_delay_seconds) * (1 - 0.25 * jitter)
        asked = failure.retry_after_seconds
        if asked is None:
            return backoff
        longest = self.longest_retry_after_seconds
        if longest is not None:
            return asked if asked <= longest else None
        return min(asked, max(seconds_left, backoff))
