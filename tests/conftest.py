"""What every test may ask for: the loopback API. What holds for every property is settled here."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from simulator import Simulator
from tests.support.examples import load_profile

if TYPE_CHECKING:
    from collections.abc import Iterator


load_profile()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let `--transports line,http` choose how the interaction tests talk."""
    parser.addoption("--transports", default="memory,line,framed,http")


def pytest_xdist_auto_num_workers() -> int:
    """Twice the processors: most tests wait, for a process, a pipe or the disk."""
    return 2 * (os.cpu_count() or 1)


@pytest.fixture(name="simulator")
def _simulator() -> Iterator[Simulator]:
    """The loopback Responses API; one for each test, so that no test hears another's requests."""
    with Simulator() as simulator:
        yield simulator
