"""How many examples a property is tried with, and that none of them is judged by a clock."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

USUAL_EXAMPLES = 100
TIMES = int(os.environ.get("TEBIKI_EXAMPLES") or "1")
"""So many times the usual number: `make properties EXAMPLES=50` looks for what passes by luck."""


def load_profile() -> None:
    """Settle what holds for every property.

    No deadline, and no look at how long examples take to make: on a loaded machine both fail.
    """
    settings.register_profile(
        "tebiki",
        deadline=None,
        max_examples=USUAL_EXAMPLES * TIMES,
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.load_profile("tebiki")


def examples(count: int) -> settings:
    """Try a property with another number of examples than the usual one."""
    return settings(max_examples=count * TIMES)
