"""`framing`: how fast the decoder takes messages apart, beside `bytes.split` over the same data."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from bench.report import Point, Row, Table, spread_of
from tebiki.transport.framing import Decoder, Dialect, frame

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS, QUICK_ROUNDS = 15, 5
CHUNK = 65_536
SIZES = {"200 B": 200, "2 kB": 2_000, "20 kB": 20_000, "1 MB": 1_000_000}
BYTES_IN_ALL = 16_000_000
MEGABYTE = 1_000_000


class MessagesLost(Exception):
    """The decoder gave another number of messages than went in."""


def measure(*, quick: bool) -> Table:
    """Decode short and long messages of both dialects."""
    rounds = QUICK_ROUNDS if quick else ROUNDS
    rows: list[Row] = []
    for dialect in Dialect:
        for words, size in SIZES.items():
            rows += _rows(f"{dialect.value}, {words}", dialect, size, rounds)
    return Table(
        "framing", "Decoder in 64 KiB chunks, against bytes.split in one piece", tuple(rows)
    )


def _rows(words: str, dialect: Dialect, size: int, rounds: int) -> list[Row]:
    count = BYTES_IN_ALL // size
    data = frame(b'{"text":"%b"}' % (b"x" * (size - 11)), dialect) * count
    chunks = [data[start : start + CHUNK] for start in range(0, len(data), CHUNK)]
    splitting: list[float] = []
    decoding: list[float] = []
    for _ in range(rounds):
        splitting.append(_speed(lambda: len(data.split(b"\n")), data))
        decoding.append(_speed(lambda: _decode(chunks, count), data))
    yardstick, spread = spread_of(splitting), spread_of(decoding)
    return [
        Row(f"{words}: split", "MB/s", yardstick, point=_point(dialect, "split", size)),
        Row(
            f"{words}: Decoder",
            "MB/s",
            spread,
            spread.median / yardstick.median,
            point=_point(dialect, "Decoder", size),
        ),
    ]


def _point(dialect: Dialect, who: str, size: int) -> Point | None:
    # The yardstick is the same for both dialects; one curve of it is enough.
    if who == "split" and dialect is not Dialect.LINE:
        return None
    return Point("framing", who if who == "split" else f"{who}, {dialect.value}", size)


def _speed(work: Callable[[], object], data: bytes) -> float:
    started = time.perf_counter()
    work()
    return len(data) / MEGABYTE / (time.perf_counter() - started)


def _decode(chunks: list[bytes], count: int) -> None:
    decoder = Decoder()
    got = sum(1 for chunk in chunks for _ in decoder.feed(chunk))
    if got != count:
        raise MessagesLost(f"{got} of {count}")
