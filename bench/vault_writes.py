"""`vault_writes`: creating and editing a note, beside the fewest steps that make a write safe."""

from __future__ import annotations

import os
import tempfile
import time
from functools import partial
from pathlib import Path

from bench.report import Row, Table, at_most, spread_of
from bench.timing import ms_of
from tebiki.vault.vault import Vault

ROUNDS, QUICK_ROUNDS = 500, 100
WARM_UP = 10
BYTES = 1000
MOST_TIMES = 2


def measure(*, quick: bool) -> Table:
    """Write in turns, so that whatever the disk is doing meets both alike."""
    rounds = (QUICK_ROUNDS if quick else ROUNDS) + WARM_UP
    taken: dict[str, list[float]] = {"create": [], "replace": []}
    bare: dict[str, list[float]] = {"create": [], "replace": []}
    old, new = "x" * BYTES, "x" * (BYTES - 4) + "done"
    with tempfile.TemporaryDirectory() as folder:
        top = Path(folder)
        (top / "bare").mkdir()
        vault = Vault(top / "vault", time.time)
        for number in range(rounds):
            plain, note = top / "bare" / f"{number}.md", f"notes/{number}.md"
            bare["create"].append(ms_of(partial(_bare_write, plain, old)))
            taken["create"].append(ms_of(partial(vault.create, note, old)))
            bare["replace"].append(ms_of(partial(_bare_write, plain, new)))
            taken["replace"].append(ms_of(partial(vault.replace, note, "xxxx", "done")))
    rows = [row for kind in taken for row in _rows(kind, bare[kind], taken[kind])]
    title = f"{BYTES} bytes; bare: temporary file, fsync, rename, fsync of the folder"
    return Table("vault_writes", title, tuple(rows))


def _rows(kind: str, bare: list[float], taken: list[float]) -> list[Row]:
    yardstick, spread = spread_of(bare[WARM_UP:]), spread_of(taken[WARM_UP:])
    ratio = spread.median / yardstick.median
    return [
        Row(f"{kind}: bare", "ms", yardstick),
        Row(f"{kind}: vault", "ms", spread, ratio, at_most(ratio, MOST_TIMES, "x")),
    ]


def _bare_write(path: Path, content: str) -> None:
    temporary = path.with_suffix(".tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    os.write(descriptor, content.encode())
    os.fsync(descriptor)
    os.close(descriptor)
    temporary.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)
