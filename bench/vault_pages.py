"""`vault_pages`: a page at the start, in the middle and at the end of a large file, and the memory.

`python -m bench.vault_pages FOLDER ROUNDS` is the reader; it prints its figures as JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.processes import can_see_memory
from bench.report import Row, Table, at_most, spread_of
from bench.timing import ms_of
from tebiki.files.limits import MOST_CHARS
from tebiki.files.reading import Cursor
from tebiki.vault.vault import Vault

ROUNDS, QUICK_ROUNDS = 200, 20
FIRST_READS = 3
MEGABYTE = 1_000_000
FILE_MB, QUICK_FILE_MB = 100, 20
MOST_TIMES = 3
LINE = "手引き: a line of a long manual, neither short nor very long.\n"
WHERE = {"start": 0.0, "middle": 0.5, "end": 1.0}


def measure(*, quick: bool) -> Table:
    """Read pages in a process of its own, whose memory is then that of reading."""
    size = (QUICK_FILE_MB if quick else FILE_MB) * MEGABYTE
    with tempfile.TemporaryDirectory() as folder:
        _write(Path(folder, "large.md"), size)
        rounds = QUICK_ROUNDS if quick else ROUNDS
        command = [sys.executable, "-m", "bench.vault_pages", folder, str(rounds)]
        done = subprocess.run(command, check=True, capture_output=True)
    figures: dict[str, Any] = json.loads(done.stdout)
    rows = _rows("first page", figures["first"]) + _rows("page, indexed", figures["later"])
    before, after = figures["peak_mb"]
    if after is not None:
        goal = at_most(after - before, size / MEGABYTE / 4, " MB")
        rows.append(Row("memory, growth", "MB", spread_of([after - before]), goal=goal))
        rows.append(Row("memory, whole process", "MB", spread_of([after])))
    return Table("vault_pages", f"vault_scan of a file of {size // MEGABYTE} MB", tuple(rows))


def _rows(what: str, taken: dict[str, list[float]]) -> list[Row]:
    yardstick = spread_of(taken["start"]).median
    rows = []
    for where, samples in taken.items():
        spread = spread_of(samples)
        ratio = spread.median / yardstick
        goal = None if where == "start" else at_most(ratio, MOST_TIMES, "x")
        rows.append(Row(f"{what}, {where}", "ms", spread, ratio, goal))
    return rows


def _write(path: Path, size: int) -> None:
    block = LINE.encode() * 10_000
    with path.open("wb") as file:
        while file.tell() < size:
            file.write(block)
    # Long settled: what was written just now is not trusted to stay as it is.
    os.utime(path, (0, 0))


def read_pages(folder: str, rounds: int) -> dict[str, Any]:
    """Time first pages in new vaults and later pages in one; the memory before and after."""
    before = _peak_mb()
    chars = os.path.getsize(os.path.join(folder, "large.md")) * len(LINE) // len(LINE.encode())
    offsets = {where: int((chars - MOST_CHARS) * share) for where, share in WHERE.items()}
    first: dict[str, list[float]] = {where: [] for where in WHERE}
    later: dict[str, list[float]] = {where: [] for where in WHERE}
    for _ in range(FIRST_READS):
        for where, offset in offsets.items():
            first[where].append(_page_ms(Vault(Path(folder), time.time), offset))
    vault = Vault(Path(folder), time.time)
    _page_ms(vault, 0)
    for _ in range(rounds):
        for where, offset in offsets.items():
            later[where].append(_page_ms(vault, offset))
    return {"first": first, "later": later, "peak_mb": [before, _peak_mb()]}


def _page_ms(vault: Vault, offset: int) -> float:
    return ms_of(lambda: vault.scan("large.md", cursor=Cursor(char_offset=offset)))


def _peak_mb() -> float | None:
    """The most this process ever held; unlike `ru_maxrss` not what its parent did."""
    if not can_see_memory():
        return None
    with open("/proc/self/status", encoding="ascii", errors="replace") as status:
        (peak,) = (line for line in status if line.startswith("VmHWM:"))
    return int(peak.split()[1]) * 1024 / MEGABYTE


if __name__ == "__main__":
    print(json.dumps(read_pages(sys.argv[1], int(sys.argv[2]))))
