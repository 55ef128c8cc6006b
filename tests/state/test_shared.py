"""The file that several workers share, and how they do without it."""

from __future__ import annotations

import sqlite3
import threading
from typing import TYPE_CHECKING, Any

import pytest

from tebiki.state.shared import SharedStore
from tebiki.state.spilling import SpillingStore
from tebiki.state.store import Lease, Shelf
from tests.state.clocks import Clock

if TYPE_CHECKING:
    from pathlib import Path

SHELF: Shelf[Any] = Shelf("things", most=2, seconds=10)


def test_what_fails_halfway_leaves_nothing_behind(tmp_path: Path) -> None:
    """And the next write is not kept out by it."""
    store = SharedStore(str(tmp_path / "state.db"), Clock())
    store.put(SHELF, "alice", "a", 1)

    with pytest.raises(OverflowError):
        # The first statement of it is good.
        store.put(SHELF._replace(most=2**70), "alice", "b", 2)

    assert store.get(SHELF, "alice", "b") is None
    store.put(SHELF, "alice", "c", 3)
    assert store.get(SHELF, "alice", "a") == 1
    store.close()


def test_a_thing_crosses_processes_as_the_shelf_writes_it(tmp_path: Path) -> None:
    """Two stores on one file are two workers."""
    path = str(tmp_path / "state.db")
    shelf: Shelf[frozenset[int]] = Shelf("s", 1, 10, pack=sorted, unpack=frozenset)
    one, other = SharedStore(path, Clock()), SharedStore(path, Clock())

    one.put(shelf, "alice", "k", frozenset({3, 1}))

    assert other.get(shelf, "alice", "k") == frozenset({1, 3})
    assert [one.count("c", "a", 60), other.count("c", "a", 60)] == [1, 2]
    taken = [store.lease(Lease("l", "a", key), 2, 9) for store, key in ((one, "1"), (other, "2"))]
    assert taken == [0, 1]
    assert one.lease(Lease("l", "a", "3"), 2, 9) is None
    other.release(Lease("l", "a", "1"))
    assert one.lease(Lease("l", "a", "3"), 2, 9) == 1
    one.close()
    other.close()


def test_workers_that_begin_at_once_all_get_in(tmp_path: Path) -> None:
    """Whoever makes the file: the others wait for it."""
    failed = []

    def begin(path: str, together: threading.Barrier) -> None:
        together.wait()
        try:
            store = SharedStore(path, Clock())
            store.count("c", "a", 60)
            store.close()
        except sqlite3.Error as failure:
            failed.append(failure)

    for number in range(30):
        together = threading.Barrier(8)
        path = str(tmp_path / f"{number}.db")
        threads = [threading.Thread(target=begin, args=(path, together)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert failed == []


def test_a_full_disk_lets_every_worker_go_on_by_itself(tmp_path: Path, clock: Clock) -> None:
    """What the file cannot take is kept all the same, counted all the same, and said once."""
    said: list[str] = []
    store = SpillingStore(str(tmp_path / "state.db"), clock, said.append)
    store.put(SHELF, "alice", "before", 1)
    database = store._file()._database
    pages = database.execute("PRAGMA page_count").fetchone()[0]
    database.execute(f"PRAGMA max_page_count = {pages}")

    store.put(SHELF, "alice", "after", "x" * 100_000)
    assert store.add(SHELF, "bob", "unique", "y" * 100_000)

    assert not store.add(SHELF, "alice", "unique", "y" * 100_000)
    assert store.get(SHELF, "alice", "before") == 1
    assert store.get(SHELF, "alice", "after") == "x" * 100_000
    assert store.get(SHELF, "bob", "unique") == "y" * 100_000
    assert len(said) == 1
    assert "full" in said[0]
    database.execute(f"PRAGMA max_page_count = {pages * 1000}")
    store.put(SHELF, "alice", "after", "newer")
    assert store.get(SHELF, "alice", "after") == "newer"
    store.close()


def test_a_file_that_cannot_be_opened_is_done_without(tmp_path: Path, clock: Clock) -> None:
    """As when its folder is gone, or there was no room for it from the start."""
    said: list[str] = []
    store = SpillingStore(str(tmp_path / "no" / "state.db"), clock, said.append)

    store.put(SHELF, "alice", "k", [1])
    counts = [store.count("calls", "alice", 60) for _ in range(3)]

    assert store.get(SHELF, "alice", "k") == [1]
    assert counts == [1, 2, 3]
    assert len(said) == 1
    store.close()


def test_a_file_that_is_no_database_is_done_without(tmp_path: Path, clock: Clock) -> None:
    """And let go of each time: from Python 3.13 on a connection left open is a warning."""
    (tmp_path / "state.db").write_bytes(b"not a database at all " * 500)
    said: list[str] = []
    store = SpillingStore(str(tmp_path / "state.db"), clock, said.append)

    counts = [store.count("calls", "alice", 60) for _ in range(3)]

    assert counts == [1, 2, 3]
    assert len(said) == 1
    store.close()


def test_what_is_cleared_is_in_no_file_any_more(tmp_path: Path, clock: Clock) -> None:
    """Neither in the database nor in its log."""
    store = SharedStore(str(tmp_path / "state.db"), clock)
    store.put(SHELF, "a", "key", "zucchini" * 2000)
    assert any(b"zucchini" in path.read_bytes() for path in tmp_path.iterdir())

    store.clear(SHELF.name)

    assert not any(b"zucchini" in path.read_bytes() for path in tmp_path.iterdir())
    store.close()
