"""A whole manifest as a file: its sums as a line of JSON, and the columns of its files behind it.

What was written as JSON alone is read as well: by older versions, or for numbers that no column
takes.
"""

from __future__ import annotations

import json
import sys
from array import array
from itertools import compress
from typing import TYPE_CHECKING, Any

from tebiki.manuals.index.manifest import Manifest, manifest_from
from tebiki.manuals.index.records import (
    COUNTED,
    COUNTS,
    DIGEST_BYTES,
    SIGNED,
    UNSIGNED,
    Columns,
    Records,
)
from tebiki.manuals.index.small_files import as_body

if TYPE_CHECKING:
    from collections.abc import Iterable

BETWEEN = "\0"
"""Stands in no path."""

ORDER = [sys.byteorder, array(SIGNED).itemsize, array(COUNTS).itemsize]
"""How numbers lie here: a file of another kind of machine is none of ours."""


def manifest_body(manifest: Manifest, version: int) -> bytes:
    """Give what `manifest_of` takes."""
    try:
        columns = manifest.files.columns(manifest.order)
    except OverflowError:  # a date after 2262, which some file systems keep
        return as_body(manifest.to_json(version))
    # From here on it is held as it is kept.
    manifest.files = Records.of(columns)
    sums = [manifest.sections, manifest.lengths, manifest.fingerprint()]
    known = [manifest.state, manifest.has_removed, manifest.commits, sums]
    paths = BETWEEN.join(columns.paths).encode()
    sizes = [len(columns.paths), len(paths)]
    head = {"version": version, "order": ORDER, "sizes": sizes, "known": known}
    return b"".join(
        [
            as_body(head | {"reasons": columns.reasons}),
            b"\n",
            *(column.tobytes() for column in columns.looks),
            columns.counts.tobytes(),
            columns.digests,
            columns.settled,
            paths,
        ]
    )


def manifest_of(body: bytes, version: int) -> Manifest | None:
    """Read what `manifest_body` gave; None when it is not one of this version."""
    # The columns are megabytes, of which no copy is made.
    end = body.find(b"\n")
    head = json.loads(body if end < 0 else body[:end])
    if not isinstance(head, dict):
        return manifest_from(head, version)
    if head.get("version") != version or head.get("order") != ORDER:
        return None
    try:
        columns = _columns(head, memoryview(body)[end + 1 :])
        state, has_removed, commits, (sections, lengths, content) = head["known"]
        manifest = Manifest(str(state))
        manifest.has_removed, manifest.commits = bool(has_removed), int(commits)
        manifest.sections = int(sections)
        body_length, title, trail, place, links = map(int, lengths)
        manifest.lengths = (body_length, title, trail, place, links)
        manifest.content = int(content, 16)
    except (KeyError, TypeError, ValueError):
        return None
    manifest.files = Records.of(columns)
    manifest.unread = dict(columns.reasons)
    if 0 in columns.settled:
        manifest.unsettled = set(compress(columns.paths, _are_zero(columns.settled)))
    return manifest


def _columns(head: dict[str, Any], packed: memoryview) -> Columns:
    """The columns behind a line that tells how many files there are.

    Raises:
        ValueError: they are not as long as it says.
    """
    count, path_bytes = map(int, head["sizes"])
    here = 0

    def take(size: int) -> memoryview:
        nonlocal here
        part = packed[here : here + size]
        if len(part) != size:
            raise ValueError("the columns are cut off")
        here += size
        return part

    def numbers(kind: str, how_many: int) -> array[int]:
        made = array(kind)
        made.frombytes(take(made.itemsize * how_many))
        return made

    looks = (
        numbers(SIGNED, count),
        numbers(SIGNED, count),
        numbers(SIGNED, count),
        numbers(UNSIGNED, count),
    )
    counts = numbers(COUNTS, COUNTED * count)
    digests, settled = bytes(take(DIGEST_BYTES * count)), bytes(take(count))
    paths = str(take(path_bytes), "utf-8").split(BETWEEN) if count else []
    if len(paths) != count or here != len(packed):
        raise ValueError("there are other files than it says")
    reasons = {str(path): str(reason) for path, reason in head["reasons"].items()}
    return Columns(paths, looks, digests, counts, settled, reasons)


def _are_zero(settled: bytes) -> Iterable[bool]:
    return (not one for one in settled)
