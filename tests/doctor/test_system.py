"""The clock, as the doctor judges it."""

from __future__ import annotations

import pytest

from tebiki.doctor.findings import FindingLevel
from tebiki.doctor.system import clock

NOW = 1_800_000_000.0


@pytest.mark.parametrize(
    ("now", "server_time", "verdict"),
    [
        (NOW, None, FindingLevel.OK),
        (NOW, NOW - 20, FindingLevel.OK),
        (NOW, NOW - 3600, FindingLevel.WARNING),
        (NOW, NOW + 3600, FindingLevel.WARNING),
        (0.0, None, FindingLevel.FAULT),
    ],
)
def test_a_clock_that_is_wrong_is_told(
    now: float, server_time: float | None, verdict: FindingLevel
) -> None:
    """By the API's time where that is known, else only when it cannot be right."""
    found = clock(now, server_time)

    assert found.verdict is verdict
    assert bool(found.advice) is (verdict is not FindingLevel.OK)


def test_the_way_is_told() -> None:
    """Ahead or behind."""
    assert clock(NOW, NOW - 3600).words.endswith(": 3600 s ahead of the API's")
    assert clock(NOW, NOW + 3600).words.endswith(": 3600 s behind the API's")
