"""`tebiki manuals clean`: the indexes of manuals that are gone, shown, or removed with `--yes`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.cli import shared
from tebiki.manuals.index.kept_indexes import GONE, UNKNOWN, remove_index
from tebiki.values.numerals import counted, in_bytes

if TYPE_CHECKING:
    import argparse

    from tebiki.cli.parsers import CommandParser
    from tebiki.manuals.index.kept_indexes import KeptIndex
    from tebiki.manuals.library import Library


def add_clean(clean: CommandParser) -> None:
    """Add what can be typed."""
    clean.add_argument("--yes", action="store_true", help="remove them; left out: only show them")
    clean.add_argument(
        "--unknown", action="store_true", help="also those that do not tell their manual"
    )


def clean_indexes(library: Library, typed: argparse.Namespace) -> int:
    """Show the indexes of manuals that are gone, or remove them; 1 when one is in use and stays."""
    states = {GONE, UNKNOWN} if typed.unknown else {GONE}
    kept = library.kept_indexes()
    wanted = [one for one in kept if one.state in states]
    removed = [one for one in wanted if typed.yes and remove_index(one)]
    lines = [f"{in_bytes(one.size):>10}  {one.name}{_note(one, typed, removed)}" for one in wanted]
    total = in_bytes(sum(one.size for one in (removed if typed.yes else wanted)))
    lines.append(_last_words(kept, wanted, total, typed))
    rows = [{**one.row(), "removed": one in removed} for one in wanted]
    return shared.show(typed, rows, "\n".join(lines), found=not typed.yes or removed == wanted)


def _note(one: KeptIndex, typed: argparse.Namespace, removed: list[KeptIndex]) -> str:
    return "  (in use, left alone)" if typed.yes and one not in removed else ""


def _last_words(
    kept: list[KeptIndex], wanted: list[KeptIndex], total: str, typed: argparse.Namespace
) -> str:
    """What was done, or what to type for it."""
    silent = [one for one in kept if one.state == UNKNOWN and one not in wanted]
    more = ""
    if silent:
        count = counted(len(silent), "index does", "indexes do")
        size = in_bytes(sum(one.size for one in silent))
        more = f" {count} not tell the manual ({size}): --unknown takes them in."
    if not wanted:
        return f"Nothing to clean: no index is of a manual that is gone.{more}"
    if typed.yes:
        return f"{total} removed.{more}"
    count = counted(len(wanted), "index", "indexes")
    return f"{count}, {total}, of manuals that are gone; --yes removes them.{more}"
