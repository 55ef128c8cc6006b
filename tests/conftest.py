"""What every test may ask for: the loopback API. What holds for every property is settled here."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from simulator import Simulator
from tests.support.examples import load_profile

if TYPE_CHECKING:
    from collections.abc import Iterator


load_profile()


@pytest.fixture(name="simulator")
def _simulator() -> Iterator[Simulator]:
    """The loopback Responses API; one for each test, so that no test hears another's requests."""
    with Simulator() as simulator:
        yield simulator
