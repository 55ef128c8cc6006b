"""What the parts of the soak run against: a home with manuals, and what tells a leak.

Linux tells a process's memory, descriptors and threads; elsewhere those are not judged.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from tests.support.server_process import CANARY

LAMP = "# Lamp\n\n## Switch on\n\nPress the red button.\n\n## Switch off\n\nPull the plug.\n"
CAN_SEE_PROCESSES = Path("/proc/self/fd").exists()


def furnished(home: Path) -> Path:
    """A home with a manual in it."""
    manual = home / "manuals" / "lamp"
    manual.mkdir(parents=True, exist_ok=True)
    (manual / "a.md").write_text(LAMP, encoding="utf-8")
    return home


def environment(home: Path, base_url: str, **more: str) -> dict[str, str]:
    """The settings of a server that lives in a home and calls the simulated API."""
    access = {"OPENAI_API_KEY": CANARY, "OPENAI_BASE_URL": base_url, "OPENAI_MAX_RETRIES": "0"}
    return {**access, "WORKSPACE_ROOT": str(home), **more}


class Held(NamedTuple):
    """What a process holds at a moment."""

    resident_kb: int
    descriptors: int
    threads: int


def held(pid: int) -> Held:
    """Ask the system what a process holds."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
    facts = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
    descriptors = len(os.listdir(f"/proc/{pid}/fd"))
    return Held(int(facts["VmRSS"].split()[0]), descriptors, int(facts["Threads"]))
