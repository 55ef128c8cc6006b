"""The ledger's reader takes any bytes; its lines and its sums survive every way through it."""

from __future__ import annotations

import json
import os
import tempfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tebiki.observability.ledger.entries import (
    LONGEST_LINE,
    MOST,
    OUTCOMES,
    CallEntry,
    Carry,
    Record,
    Spent,
    Start,
    day_of,
    read_line,
)
from tebiki.observability.ledger.file import LedgerFile, LedgerPosition, is_before
from tebiki.observability.ledger.summary import GROUPS, add_up, group
from tebiki.observability.ledger.tally import Tally
from tests.support.ledgers import NOON, entry

COUNTS = st.integers(0, 10**12)
USD = st.floats(0, 1e6)
NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=40).filter(str.isprintable)
# Around noon and the midnights beside it, in whole milliseconds, as the file holds them.
TIMES = st.integers(-100_000_000, 100_000_000).map(lambda ms: NOON + ms / 1000)
IDS = st.sampled_from([f"id{number}" for number in range(12)])

CALLS = st.builds(
    lambda model, spent, **fields: CallEntry(
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
RECORDS: st.SearchStrategy[Record] = CALLS | st.builds(Start, TIMES, IDS, USD)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


def spoiled() -> st.SearchStrategy[bytes]:
    """A line of ours with one field replaced by anything, or left out."""
    fields = json.loads(entry().line())

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

    if isinstance(record, CallEntry):
        assert 0 <= record.counted_usd <= MOST
        assert all(0 <= count <= MOST for count in record.spent[1:])
        assert (record.tool + record.model + record.id).isprintable()
        assert read_line(record.line()) == record


@pytest.mark.parametrize("line", [b"[" * LONGEST_LINE, b'{"time":' + b"9" * 4080, b"\xff", b""])
def test_hostile_lines_are_passed_over(line: bytes) -> None:
    """Deep, long, not text, nothing."""
    assert read_line(line) is None


@given(RECORDS)
def test_a_record_comes_back_as_it_was(record: Record) -> None:
    """One line of ASCII, within the bound."""
    line = record.line()

    assert line.isascii()
    assert line.count(b"\n") == 1
    assert read_line(line) == record
    assert is_before(line, day_of(NOON)) == (day_of(record.time) < day_of(NOON))


@given(st.lists(LINES | RECORDS.map(lambda record: record.line()), max_size=30))
def test_any_file_is_read_to_its_end(lines: list[bytes]) -> None:
    """Good lines among bad ones are all found, and writing goes on."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "ledger.jsonl")
        with open(path, "wb") as file:
            file.write(b"\n".join(lines))
        ledger = LedgerFile(path)
        ledger.append(entry(7), NOON)
        seen: list[bytes] = []
        ledger.every_line(seen.append)

        whole = b"\n".join(lines).split(b"\n")
        assert [line for line in seen if line] == [
            line for line in [*whole, entry(7).line().rstrip(b"\n")] if line
        ]


@given(st.lists(RECORDS, max_size=30), st.data())
def test_a_new_file_gives_the_same_sums(records: list[Record], data: st.DataObject) -> None:
    """Wherever the old one ended."""
    cut = data.draw(st.integers(0, len(records)))
    whole, old = Tally(), Tally()
    for record in records:
        whole.take(record)
    for record in records[:cut]:
        old.take(record)
    new = Tally()
    for record in [*old.carried(NOON), *records[cut:]]:
        new.take(record)

    day = day_of(NOON)
    assert new.spent_on(day) == pytest.approx(whole.spent_on(day))
    assert new.held_on(day) == pytest.approx(whole.held_on(day))
    assert new.begun_since(NOON - 60) == whole.begun_since(NOON - 60)


@given(st.lists(st.binary(max_size=20), max_size=10), st.integers(0, 200))
def test_following_in_steps_sees_what_reading_at_once_sees(lines: list[bytes], cut: int) -> None:
    """Wherever a writer was interrupted."""
    content = b"".join(line.replace(b"\n", b"") + b"\n" for line in lines)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "ledger.jsonl")
        ledger = LedgerFile(path)
        seen: list[bytes] = []
        place = LedgerPosition()
        for part in (content[:cut], content[cut:]):
            with open(path, "ab") as file:
                file.write(part)
            followed = ledger.follow(place, seen.append)
            assert followed is not None
            place = followed

    assert seen == content.split(b"\n")[:-1]


@given(st.lists(CALLS, max_size=20))
def test_groups_add_up_to_the_whole(calls: list[CallEntry]) -> None:
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
    assert read_line(Carry(NOON, 1.5).line()) == Carry(NOON, 1.5)
