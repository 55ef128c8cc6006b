"""Results of measurements, one JSON file each: the newest of a measurement replaces the last.

Nothing here measures or draws.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.report import table_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from bench.report import Table

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "build" / "bench"
"""Not kept by git."""

COMMITTED = ROOT / "docs" / "benchmarks.json"
"""The results that `docs/benchmarks.md` is made of."""


@dataclass(frozen=True, slots=True)
class Result:
    """One measurement: what it found or why it failed, and under which conditions."""

    name: str
    measured: str
    seconds: float
    quick: bool
    machine: dict[str, Any]
    versions: dict[str, str]
    table: Table | None = None
    failure: str | None = None

    def text(self) -> str:
        """The result for a person."""
        if self.table is None:
            return f"== {self.name}: FAILED\n{self.failure}\n"
        return self.table.text()


def result_of(content: Mapping[str, Any]) -> Result:
    """Read back one result."""
    table = content["table"]
    return Result(**{**content, "table": None if table is None else table_of(table)})


def save(result: Result) -> None:
    """Keep a result in the folder."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    write([result], FOLDER / f"{result.name}.json")


def saved(names: Iterable[str]) -> list[Result]:
    """The results in the folder, in the order of these names."""
    files = [FOLDER / f"{name}.json" for name in names]
    return [result for file in files if file.exists() for result in read(file)]


def write(results: Iterable[Result], path: Path) -> None:
    """Write results into one file."""
    content = [asdict(result) for result in results]
    path.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def read(path: Path) -> list[Result]:
    """Read the results of one file."""
    return [result_of(content) for content in json.loads(path.read_text(encoding="utf-8"))]
