"""Measurements in processes of their own: one that fails says why, and harms nobody."""

from __future__ import annotations

import pytest

from bench.alone import MeasurementFailed, measured_alone


def test_a_measurement_that_cannot_run_fails_alone() -> None:
    """With the last words of its process, which the others never see."""
    with pytest.raises(MeasurementFailed, match=r"No module named 'bench\.no_such_measurement'"):
        measured_alone("no_such_measurement", quick=True)


def test_a_measurement_gives_its_table() -> None:
    """The shortest one there is, for real."""
    table = measured_alone("vault_pages", quick=True)

    assert table.name == "vault_pages"
    assert all(row.spread.median > 0 for row in table.rows)
