"""What there is to say about results as a whole: how they were made, and what they reached."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.results import Result


class Standing(NamedTuple):
    """How many targets were reached, which were not, and what could not be measured."""

    targets: int
    missed: list[str]
    failed: list[str]

    @property
    def words(self) -> str:
        """All of it in one sentence."""
        reached = f"{self.targets - len(self.missed)} of {self.targets} targets are met"
        failures = f"; failed to be measured: {len(self.failed)}" if self.failed else ""
        return f"{reached}{failures}."


def standing(results: Sequence[Result]) -> Standing:
    """Count the targets."""
    tables = [result.table for result in results if result.table is not None]
    return Standing(
        sum(row.goal is not None for table in tables for row in table.rows),
        [f"{table.name}: {what}" for table in tables for what in table.missed()],
        [result.name for result in results if result.table is None],
    )


def conditions(results: Sequence[Result]) -> dict[str, str]:
    """When and on what the results were made; all that were there, where they differ."""
    times = sorted(result.measured for result in results)
    rounds = {"quick, rough" if result.quick else "full" for result in results}
    machines = {_machine(result): None for result in results}
    versions = {_versions(result): None for result in results}
    loads = sorted(result.machine["load"] for result in results if "load" in result.machine)
    facts = {
        "measured": _span(_minute(times[0]), _minute(times[-1])) + " UTC",
        "rounds": " and ".join(sorted(rounds)),
        "machine": "; ".join(machines),
        "versions": "; ".join(versions),
    }
    if loads:
        facts["load before"] = _span(f"{loads[0]:g}", f"{loads[-1]:g}")
    return facts


def _machine(result: Result) -> str:
    facts = result.machine
    memory = f", {facts['memory_gb']} GB" if "memory_gb" in facts else ""
    return f"{facts['cpus']} x {facts['processor']}{memory}, {facts['system']} {facts['machine']}"


def _versions(result: Result) -> str:
    return ", ".join(f"{name} {version}" for name, version in result.versions.items())


def _minute(time: str) -> str:
    return time[:16].replace("T", " ")


def _span(first: str, last: str) -> str:
    return first if first == last else f"{first} to {last}"
