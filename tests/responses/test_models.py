"""Families of models and their ends: pure functions over dated tables."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tebiki.responses.models import (
    AS_OF,
    ENDINGS,
    FAMILIES,
    NOTICE_DAYS,
    UNKNOWN,
    ModelEnd,
    ending_notice,
    ending_of,
    ends_soon,
    family_of,
)

NAMES = st.text(st.characters(codec="ascii", categories=("L", "N", "P")), max_size=12)


@given(rest=NAMES)
@pytest.mark.requirement("answers:request:models", "mcp:models:families")
def test_what_was_sent_before_the_table_is_sent_still(rest: str) -> None:
    """Effort to gpt-5*, o3* and o4*, verbosity to gpt-5*, whatever follows."""
    for start in ("gpt-5", "o3", "o4"):
        family = family_of(start + rest)

        assert family.takes_effort
        assert family.takes_verbosity is (start == "gpt-5")


@pytest.mark.parametrize(
    "model", ["gpt-6", "gpt-6.1-sol", "gpt-7", "gpt-7.2-mini", "gpt-61", "gpt-12"]
)
@pytest.mark.requirement("answers:request:newer-models", "mcp:models:families")
def test_a_newer_generation_is_taken_for_the_newest_known(model: str) -> None:
    """As it was with every generation so far."""
    assert family_of(model) == family_of("gpt-6")


@pytest.mark.parametrize(
    "model",
    [
        "",
        "gpt-4o",
        "gpt-4.1-mini",
        "gpt-3.5-turbo",
        "gpt-oss-120b",
        "o1",
        "o2",
        "ft:gpt-5.2",
        "omni",
    ],
)
def test_others_are_sent_nothing(model: str) -> None:
    """They would refuse it."""
    assert not family_of(model).takes_effort
    assert not family_of(model).takes_verbosity


@given(NAMES)
def test_any_name_has_a_family(name: str) -> None:
    """Whatever somebody configured."""
    assert family_of(name) in (*FAMILIES, UNKNOWN)


def test_the_tables_are_dated() -> None:
    """By a day that a reader can compare with."""
    assert date.fromisoformat(AS_OF) > date(2026, 1, 1)
    assert all(ending_of(one.successor or "") is None for one in ENDINGS.values())


def test_a_snapshot_ends_with_its_model() -> None:
    """And no model with another that begins alike."""
    assert (
        ending_of("o3-2025-04-16") == ending_of("o3") == ModelEnd(date(2026, 12, 11), "gpt-5.6-sol")
    )
    for other in ("gpt-5.2", "gpt-5-custom", "o3-2025-04-16-x", "gpt-6-sol", ""):
        assert ending_of(other) is None


@pytest.mark.requirement("answers:models:ending-told")
def test_an_end_is_told_sixty_days_before_and_ever_after() -> None:
    """With the successor and the command; not a day earlier."""
    end = ENDINGS["gpt-5"].day

    before = ending_notice("gpt-5", "MODEL_ANSWER", end - timedelta(days=NOTICE_DAYS + 1))
    first = ending_notice("gpt-5", "MODEL_ANSWER", end - timedelta(days=NOTICE_DAYS))
    after = ending_notice("gpt-5", "MODEL_ANSWER", end + timedelta(days=300))

    assert before is None
    assert first is not None
    assert first.startswith(
        "gpt-5 shuts down on 2026-12-11, in 60 days; its successor is gpt-5.6-sol"
    )
    assert "export MODEL_ANSWER=gpt-5.6-sol" in first
    assert after is not None
    assert after.startswith("gpt-5 was to shut down on 2026-12-11")
    assert not ends_soon(ModelEnd(date(2030, 1, 1)), date(2026, 1, 1))
