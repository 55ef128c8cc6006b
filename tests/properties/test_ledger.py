"""The ledger's reader takes any bytes; its lines and its sums survive every way through it."""

from __future__ import annotations

import json
import os
import tempfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tebiki.budget.caps import WINDOW_SECONDS, Standing
from tebiki.budget.database import LedgerDatabase
from tebiki.budget.earlier_ledger import LONGEST_LINE, Carry, read_line
from tebiki.budget.paid_calls import (
    MOST,
    OUTCOMES,
    CallStart,
    PaidCall,
    Record,
    Spent,
    day_of,
)
from tebiki.budget.summary import GROUPS, add_up, group
from tests.support.ledgers import NOON, Warnings, earlier_line, entry

COUNTS = st.integers(0, 10**12)
USD = st.floats(0, 1e6)
NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=40).filter(str.isprintable)
# Around noon and the midnights beside it, in whole milliseconds, as the file holds them.
TIMES = st.integers(-100_000_000, 100_000_000).map(lambda ms: NOON + ms / 1000)
IDS = st.sampled_from([f"id{number}" for number in range(12)])

CALLS = st.builds(
    lambda model, spent, **fields: PaidCall(
        model=model, spent=spent._replace(model=model), **fields
    ),
    time=TIMES,
    id=IDS,
    tool=NAMES,
    model=NAMES,
    spent=st.builds(Spent, st.just(""), COUNTS, COUNTS, COUNTS, COUNTS, COUNTS, COUNTS),
    cost_usd=st.none() | USD,
    held_usd=USD,
    duration_ms=COUNTS,
    outcome=st.sampled_from(OUTCOMES),
    error=st.none() | NAMES,
)
RECORDS: st.SearchStrategy[Record] = CALLS | st.builds(CallStart, TIMES, IDS, USD, st.just(""))

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


def spoiled() -> st.SearchStrategy[bytes]:
    """A line of ours with one field replaced by anything, or left out."""
    fields = json.loads(earlier_line(entry()))

    def spoil(name: str, value: object, *, leave_out: bool) -> bytes:
        changed = {**fields, name: value}
        if leave_out:
            del changed[name]
        return json.dumps(changed).encode()

    return st.builds(spoil, st.sampled_from(list(fields)), JSON, leave_out=st.booleans())


LINES = st.binary() | JSON.map(lambda value: json.dumps(value).encode()) | spoiled()


@given(LINES)
def test_any_line_is_one_of_ours_or_none(line: bytes) -> None:
    """Never an error; what is taken is within bounds and safe to print."""
    record = read_line(line)

    if isinstance(record, PaidCall):
        assert 0 <= (record.cost_usd or record.held_usd) <= MOST
        assert all(0 <= count <= MOST for count in record.spent[1:])
        assert (record.tool + record.model + record.id).isprintable()
        assert read_line(earlier_line(record)) == record


@pytest.mark.parametrize("line", [b"[" * LONGEST_LINE, b'{"time":' + b"9" * 4080, b"\xff", b""])
def test_hostile_lines_are_passed_over(line: bytes) -> None:
    """Deep, long, not text, nothing."""
    assert read_line(line) is None


@given(RECORDS)
def test_a_record_comes_back_as_it_was(record: Record) -> None:
    """Also from an earlier release's line."""
    assert read_line(earlier_line(record)) == record


@given(st.lists(LINES | RECORDS.map(earlier_line), max_size=30))
def test_any_file_is_read_to_its_end(lines: list[bytes]) -> None:
    """Good lines among bad ones are all found, and the next call is noted."""
    content = b"\n".join(lines)
    records = [read_line(line) for line in content.split(b"\n") if line.strip()]
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "ledger.jsonl"), "wb") as file:
            file.write(content)
        ledger = LedgerDatabase(os.path.join(folder, "ledger.db"), Warnings())
        ledger.end(entry("own"), NOON)
        calls, broken = ledger.calls_since("0000")

    ended = {(call.id, call.time, call.outcome) for call in records if isinstance(call, PaidCall)}
    assert {(call.id, call.time, call.outcome) for call in calls} == {
        *ended,
        ("callown", NOON, "ok"),
    }
    assert broken == records.count(None)


def reckon(records: list[Record]) -> Standing:
    """What a day comes to, reckoned without a database."""
    ended = [record for record in records if isinstance(record, PaidCall)]
    ids = {call.id for call in ended}
    starts = {record.id: record for record in records if isinstance(record, CallStart)}
    running = [start for start in starts.values() if start.id not in ids]
    calls = [call for call in ended if call.outcome != "refused"]
    spent = [
        call.held_usd if call.cost_usd is None else call.cost_usd
        for call in calls
        if day_of(call.time) == day_of(NOON)
    ]
    held = [start.held_usd for start in running if day_of(start.time) == day_of(NOON)]
    times = sorted([*(call.time for call in calls), *(start.time for start in running)])
    begun = [time for time in times if NOON - WINDOW_SECONDS < time <= NOON + WINDOW_SECONDS]
    return Standing(sum(spent), sum(held), len(spent) + len(held), tuple(begun))


@given(st.lists(RECORDS, max_size=30, unique_by=lambda record: (type(record), record.id)))
def test_a_ledger_adds_up(records: list[Record]) -> None:
    """As one does by hand, and through any number of ledgers that hand over to each other."""
    ledgers = [LedgerDatabase(":memory:", Warnings()) for _ in range(2)]
    starts = [record for record in records if isinstance(record, CallStart)]
    ends = [record for record in records if isinstance(record, PaidCall)]
    for start in starts:
        ledgers[0].begin(start, [], NOON, {})
    for call in ends:
        ledgers[0].end(call, NOON)
    held = ledgers[0].records()
    for _ in range(2):
        ledgers[1].add(held)

    expected = reckon(records)
    for ledger in ledgers:
        found = ledger.standing("", NOON)
        assert found.spent_usd == pytest.approx(expected.spent_usd)
        assert found.held_usd == pytest.approx(expected.held_usd)
        assert (found.calls, found.begun) == (expected.calls, expected.begun)
    ledgers[0].remove(held)
    assert ledgers[0].records() == []


@given(st.lists(CALLS, max_size=20))
def test_groups_add_up_to_the_whole(calls: list[PaidCall]) -> None:
    """By whatever calls are put together."""
    total = add_up(calls)

    for by in GROUPS:
        sums = group(calls, by).values()
        assert sum(each.calls for each in sums) == total.calls
        assert sum(each.input for each in sums) == total.input
        assert sum(each.unknown for each in sums) == total.unknown
        assert sum(each.cost_usd for each in sums) == pytest.approx(total.cost_usd, abs=1e-4)


def test_a_carry_is_a_line_too() -> None:
    """It opens a new file."""
    assert read_line(earlier_line(Carry(NOON, 1.5))) == Carry(NOON, 1.5)
