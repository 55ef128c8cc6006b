"""The real SDK as a client of the simulator."""

from collections.abc import Iterator

import pytest
from openai import OpenAI

from simulator import Simulator
from tests.simulator.asking import KEY


@pytest.fixture
def client(simulator: Simulator) -> Iterator[OpenAI]:
    """Make an SDK client that does not retry."""
    with OpenAI(base_url=simulator.base_url, api_key=KEY, max_retries=0, timeout=10) as made:
        yield made
