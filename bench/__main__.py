"""`python -m bench [NAME ...] [--quick] [--large] [--json FILE]`: measure, print, keep the results.

Exits 1 when a measurement failed; one that misses its target did not.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench import machine, results
from bench.alone import MeasurementFailed, measured_alone
from bench.names import ALL, USUAL
from bench.results import Result


@dataclass(frozen=True, slots=True)
class Run:
    """What all measurements of one command have in common."""

    quick: bool
    facts: dict[str, Any]
    versions: dict[str, str]

    def result_of(self, name: str) -> Result:
        """Measure one; a failure is a result too."""
        measured, begun = datetime.now(UTC).isoformat(timespec="seconds"), time.perf_counter()
        table = failure = None
        try:
            table = measured_alone(name, quick=self.quick)
        except MeasurementFailed as failed:
            failure = str(failed)
        seconds = round(time.perf_counter() - begun, 1)
        return Result(
            name, measured, seconds, self.quick, self.facts, self.versions, table, failure
        )


def main() -> int:
    """Run what the command line names."""
    wanted = _wanted()
    # Before the first measurement adds to the load.
    run = Run(wanted.quick, machine.facts(), machine.versions())
    print(_line(run.facts), _line(run.versions), sep="\n", end="\n\n")
    found = []
    for name in wanted.names or (ALL if wanted.large else USUAL):
        result = run.result_of(name)
        found.append(result)
        results.save(result)
        print(f"{result.text()}({result.seconds:g} s)\n", flush=True)
    if wanted.json is not None:
        results.write(found, Path(wanted.json))
    print(*_summary(found), sep="\n")
    return 1 if any(result.table is None for result in found) else 0


def _wanted() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(ALL))
    parser.add_argument("--quick", action="store_true", help="fewer rounds, rougher figures")
    parser.add_argument(
        "--large", action="store_true", help="1,000,000 sections and long faults too"
    )
    parser.add_argument("--json", metavar="FILE", help="write every figure here too")
    wanted = parser.parse_args()
    if unknown := [name for name in wanted.names if name not in ALL]:
        parser.error(f"no measurement {', '.join(unknown)}; choose from {', '.join(ALL)}")
    return wanted


def _line(facts: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in facts.items())


def _summary(found: list[Result]) -> list[str]:
    failed = [result.name for result in found if result.table is None]
    missed = [
        f"{result.name}: {what}"
        for result in found
        if result.table
        for what in result.table.missed()
    ]
    done = f"{len(found) - len(failed)} of {len(found)} measured"
    seconds = sum(result.seconds for result in found)
    return [
        f"{done} in {seconds:.0f} s; `make bench-report` draws them",
        *(f"missed its target: {words}" for words in missed),
        *(f"FAILED: {name}" for name in failed),
    ]


if __name__ == "__main__":
    sys.exit(main())
