"""The clock, as the doctor judges it."""

from __future__ import annotations

import pytest

from tebiki.doctor.findings import Verdict
from tebiki.doctor.system import clock

NOW = 1_800_000_000.0


@pytest.mark.parametrize(
    ("now", "server_time", "verdict"),
    [
        (NOW, None, Verdict.OK),
        (NOW, NOW - 20, Verdict.OK),
        (NOW, NOW - 3600, Verdict.WARNING),
        (NOW, NOW + 3600, Verdict.WARNING),
        (0.0, None, Verdict.FAULT),
    ],
)
def test_a_clock_that_is_wrong_is_told(
    now: float, server_time: float | None, verdict: Verdict
) -> None:
    """By the API's time where that is known, else only when it cannot be right."""
    found = clock(now, server_time)

    assert found.verdict is verdict
    assert bool(found.advice) is (verdict is not Verdict.OK)


def test_the_way_is_told() -> None:
    """Ahead or behind."""
    assert clock(NOW, NOW - 3600).words.endswith(": 3600 s ahead of the API's")
    assert clock(NOW, NOW + 3600).words.endswith(": 3600 s behind the API's")
