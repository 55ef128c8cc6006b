"""Changes of a manifest, kept as lines behind it: one edit does not write all files again.

A line is JSON behind its digest, names the manifest it follows (by the digest of that file) and its
number, and holds what one revision changed. A line that is not whole, or follows another manifest,
ends the reading: whoever appends next cuts it off.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from tebiki.files.handles import Kind, kind_of
from tebiki.manuals.index.manifest import is_sound_record
from tebiki.manuals.index.private_folders import open_folder
from tebiki.manuals.index.records import Record
from tebiki.manuals.index.small_files import PRIVATE, Broken, as_body, digest_of, read_bytes

if TYPE_CHECKING:
    from tebiki.manuals.index.manifest import Manifest

LOG = "changes.log"
LEAST_FILES = 200
SHARE = 5
"""Once there are more lines or changed files than this many, and than one in so many of all files,
all are written again: whoever begins has to read every line."""

_OPEN = os.O_RDWR | os.O_CREAT


def is_worth_a_line(manifest: Manifest) -> bool:
    """Tell whether a revision had better be a line than a manifest of its own."""
    most = max(LEAST_FILES, len(manifest.files) // SHARE)
    return bool(manifest.base) and max(manifest.distance, manifest.revision) <= most


def as_change(manifest: Manifest) -> list[Any]:
    """What the last revision of a manifest changed, as `follow` takes it."""
    head = [manifest.base, manifest.revision, manifest.state]
    sums = [manifest.has_removed, manifest.commits, manifest.fingerprint()]
    return [*head, *sums, list(manifest.changes().items())]


def follow(manifest: Manifest, change: Any) -> bool:
    """Make a manifest its next revision; false, and nothing done, if this is not that.

    Raises:
        Broken: it says that it is, and is harmed.
    """
    try:
        base, revision, state, has_removed, commits, fingerprint, changes = change
    except (TypeError, ValueError):
        return False
    if (base, revision) != (manifest.base, manifest.revision + 1):
        return False
    try:
        for path, row in changes:
            if row is None:
                manifest.drop(path)
            elif is_sound_record(row):
                manifest.put(path, Record(*row))
            else:
                raise Broken("a change is none")
    except (TypeError, ValueError):
        raise Broken("a change is none") from None
    manifest.advance()
    manifest.state, manifest.has_removed = str(state), bool(has_removed)
    manifest.commits = int(commits)
    if manifest.fingerprint() != fingerprint:
        raise Broken("a change does not fit")
    return True


def read_changes(folder: str, manifest: Manifest, start: int) -> int:
    """Bring a manifest up to date by the lines from some byte on; gives the byte after the last.

    Raises:
        Broken: a line is harmed.
    """
    data = read_bytes(folder, LOG, start) or b""
    here = 0
    while (end := data.find(b"\n", here)) >= 0:
        digest, _, body = data[here:end].partition(b" ")
        if digest != digest_of(body) or not follow(manifest, json.loads(body)):
            break
        here = end + 1
    return start + here


def append_change(folder: str, manifest: Manifest, end: int) -> int:
    """Add the last revision behind the lines that end at some byte; gives the byte after it."""
    body = as_body(as_change(manifest))
    line = digest_of(body) + b" " + body + b"\n"
    with open_folder(folder) as top:
        descriptor = top.open(LOG, _OPEN, PRIVATE)
    try:
        if kind_of(os.fstat(descriptor)) is not Kind.FILE:
            raise Broken(f"{LOG} is no file")
        os.ftruncate(descriptor, end)
        os.lseek(descriptor, end, os.SEEK_SET)
        written = os.write(descriptor, line)
        if written != len(line):
            raise OSError(f"{LOG} has no place for a change")
    finally:
        os.close(descriptor)
    return end + len(line)
