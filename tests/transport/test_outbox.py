"""The way out, over real pipes: order, bounds, back-pressure, a peer that goes away."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

import pytest

from tebiki.transport.outbox import Outbox

if TYPE_CHECKING:
    from collections.abc import Iterator

PATIENCE_SECONDS = 60.0


class Pipe:
    """A pipe with an outbox at one end."""

    def __init__(self, most_waiting: int) -> None:
        self.read_end, write_end = os.pipe()
        self._write_end = write_end
        self._left = False
        self.closed = threading.Event()
        self.outbox = Outbox(write_end, self.closed.set, most_waiting)

    def read(self, length: int) -> bytes:
        """Read exactly so many bytes."""
        data = b""
        while len(data) < length:
            data += os.read(self.read_end, length - len(data))
        return data

    def hang_up(self) -> None:
        """Leave, as a peer does."""
        if not self._left:
            self._left = True
            os.close(self.read_end)

    def close(self) -> None:
        """Leave, and give the other end back only when no writer holds it.

        The number of a closed descriptor goes to the next pipe, so a writer still at work would
        write into somebody else's.
        """
        self.hang_up()
        self.outbox.flush()
        os.close(self._write_end)


@pytest.fixture(name="pipe")
def _pipe() -> Iterator[Pipe]:
    pipe = Pipe(most_waiting=100_000)
    yield pipe
    pipe.close()


def test_messages_leave_whole_and_in_order(pipe: Pipe) -> None:
    """Small ones, large ones, mixed."""
    messages = [bytes([48 + number % 10]) * size for number, size in enumerate([1, 5, 300_000, 2])]

    for message in messages:
        pipe.outbox.put(message)

    assert pipe.read(sum(map(len, messages))) == b"".join(messages)
    pipe.outbox.flush()


@pytest.mark.requirement("wire:stdio:one-large-answer")
def test_one_large_message_does_not_crowd(pipe: Pipe) -> None:
    """The largest is not counted, whatever its size."""
    pipe.outbox.put(b"x" * 5_000_000)
    pipe.outbox.put(b"y" * 50_000)

    assert pipe.outbox.is_crowded() is False


@pytest.mark.requirement("wire:stdio:back-pressure")
def test_many_messages_do_crowd_and_hold_the_reader(pipe: Pipe) -> None:
    """The reader waits until the peer has taken enough."""
    for _ in range(40):
        pipe.outbox.put(b"z" * 10_000)
    went_on = threading.Event()

    def wait() -> None:
        pipe.outbox.wait_for_room()
        went_on.set()

    waiting = threading.Thread(target=wait, daemon=True)
    waiting.start()

    assert pipe.outbox.is_crowded() is True
    assert not went_on.is_set()
    pipe.read(400_000)
    assert went_on.wait(PATIENCE_SECONDS)
    assert pipe.outbox.is_crowded() is False


def test_a_peer_that_left_is_noticed_once(pipe: Pipe) -> None:
    """What is put after that is dropped, and nobody waits."""
    pipe.hang_up()

    pipe.outbox.put(b"x")
    pipe.outbox.put(b"x" * 1_000_000)
    pipe.outbox.flush()
    pipe.outbox.wait_for_room()

    assert pipe.closed.is_set()


def test_many_threads_may_put(pipe: Pipe) -> None:
    """No message is torn by another."""

    def put(letter: str) -> None:
        for _ in range(100):
            pipe.outbox.put(letter.encode() * 999 + b"\n")

    threads = [threading.Thread(target=put, args=(letter,)) for letter in "abcdefgh"]
    for thread in threads:
        thread.start()
    lines = pipe.read(8 * 100 * 1000).splitlines()

    assert all(len(set(line)) == 1 and len(line) == 999 for line in lines)
    assert sorted({chr(line[0]) for line in lines}) == list("abcdefgh")
