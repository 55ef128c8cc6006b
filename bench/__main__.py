"""`python -m bench [NAME ...] [--quick] [--json FILE]`: measure, print tables, judge nothing."""

from __future__ import annotations

import argparse
import json
import os
import platform
from typing import TYPE_CHECKING, Any

from bench import (
    framing,
    http_drops,
    http_load,
    manual_build,
    manual_find,
    manual_sharing,
    manual_start,
    memory,
    overhead,
    ping,
    startup,
    vault_faults,
    vault_pages,
    vault_writes,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.report import Table

MEASUREMENTS: dict[str, Callable[..., Table]] = {
    "startup": startup.measure,
    "overhead": overhead.measure,
    "memory": memory.measure,
    "ping": ping.measure,
    "framing": framing.measure,
    "manual_build": manual_build.measure,
    "manual_sharing": manual_sharing.measure,
    "vault_writes": vault_writes.measure,
    "vault_pages": vault_pages.measure,
    "vault_faults": vault_faults.measure,
    "manual_start": manual_start.measure,
    "manual_find": manual_find.measure,
    "http_load": http_load.measure,
    "http_drops": http_drops.measure,
}


def main() -> None:
    """Run what the command line names."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(MEASUREMENTS))
    parser.add_argument("--quick", action="store_true", help="fewer rounds, rougher figures")
    parser.add_argument("--json", metavar="FILE", help="write every figure here too")
    wanted = parser.parse_args()
    if unknown := [name for name in wanted.names if name not in MEASUREMENTS]:
        parser.error(f"no measurement {', '.join(unknown)}; choose from {', '.join(MEASUREMENTS)}")
    # Before the first measurement adds to the load.
    facts = machine_facts()
    print(", ".join(f"{name} {value}" for name, value in facts.items()), end="\n\n")
    tables = []
    for name in wanted.names or MEASUREMENTS:
        tables.append(MEASUREMENTS[name](quick=wanted.quick))
        print(tables[-1].text(), flush=True)
    if wanted.json is not None:
        figures = [table.as_json() for table in tables]
        content = {"machine": facts, "quick": wanted.quick, "measurements": figures}
        with open(wanted.json, "w", encoding="utf-8") as file:
            json.dump(content, file, indent=2)


def machine_facts() -> dict[str, Any]:
    """What the figures depend on; no names of hosts or folders."""
    facts: dict[str, Any] = {
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "system": platform.system(),
        "machine": platform.machine(),
        "cpus": os.cpu_count(),
    }
    if hasattr(os, "getloadavg"):
        facts["load"] = round(os.getloadavg()[0], 2)
    return facts


if __name__ == "__main__":
    main()
