"""What figures depend on: the machine and the versions; no names of hosts or folders."""

from __future__ import annotations

import os
import platform
import sqlite3
from importlib.metadata import PackageNotFoundError, version
from typing import Any

PACKAGES = ("tebiki", "tantivy", "openai", "mcp", "uvicorn")
GIGABYTE = 1 << 30


def facts() -> dict[str, Any]:
    """The machine as it is now, its load included."""
    found: dict[str, Any] = {
        "system": platform.system(),
        "machine": platform.machine(),
        "processor": _processor(),
        "cpus": os.cpu_count(),
    }
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        size = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        found["memory_gb"] = round(size / GIGABYTE)
    if hasattr(os, "getloadavg"):
        found["load"] = round(os.getloadavg()[0], 2)
    return found


def versions() -> dict[str, str]:
    """What is measured, and what it stands on."""
    found = {platform.python_implementation(): platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            # A measurement that needs it fails by itself and says so.
            continue
    return found | {"SQLite": sqlite3.sqlite_version}


def _processor() -> str:
    """The processor's name, where the system tells it."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as lines:
            named = [line.partition(":")[2].strip() for line in lines if "model name" in line]
    except OSError:
        named = []
    return named[0] if named else platform.processor()
