"""Which measurements there are, in the order they run and are shown; each is a module."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bench.report import Table

GROUPS: dict[str, tuple[str, ...]] = {
    "Start and calls": ("startup", "first_answer", "overhead", "memory", "ping", "framing"),
    "Manuals": (
        "manual_find",
        "manual_start",
        "manual_build",
        "manual_edit",
        "manual_cancel",
        "manual_deadline",
    ),
    "Manuals, very large": ("manual_large", "manual_files"),
    "Vault": ("vault_writes", "vault_pages"),
    "HTTP": ("http_load", "http_drops"),
    "Faults": ("vault_faults", "manual_sharing"),
    "Reading": ("walk",),
}
ON_REQUEST = frozenset(["manual_large", "manual_files", "vault_faults", "manual_sharing", "walk"])
"""Only with `--large`, or by name: each takes minutes, and the first gigabytes of disk; `walk` is
quick, and counts what a reader of the code has to follow."""

ALL = tuple(name for names in GROUPS.values() for name in names)
USUAL = tuple(name for name in ALL if name not in ON_REQUEST)


def measured(name: str, *, quick: bool) -> Table:
    """Run one measurement here and now."""
    # Imported only now: one that cannot be imported fails alone.
    table: Table = import_module(f"bench.{name}").measure(quick=quick)
    return table
