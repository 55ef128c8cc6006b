"""What is known of each file is kept in columns: the same records come out of them."""

from __future__ import annotations

import hashlib
import random
from typing import TYPE_CHECKING, Any

import pytest

from tebiki.manuals.documents.walking import Walk
from tebiki.manuals.index.comparing import compare_all
from tebiki.manuals.index.manifest import Manifest
from tebiki.manuals.index.manifest_file import manifest_body, manifest_of
from tebiki.manuals.index.records import Record, Records
from tebiki.manuals.index.small_files import as_body

if TYPE_CHECKING:
    from tebiki.files.handles import Look

VERSION = 7
AFTER_2262 = 1 << 63
LARGEST_INODE = (1 << 64) - 1


def record(number: int, **other: Any) -> Record:
    """A file as an index knows it."""
    digest = hashlib.blake2b(str(number).encode(), digest_size=16).hexdigest()
    counts = (number % 7, number % 11, 2, 3, 4, 5)
    made = Record(
        number, 5, -1, LARGEST_INODE - number, digest, *counts, is_settled=True, reason=None
    )
    return made._replace(**other)


def manifest_with(files: dict[str, Record]) -> Manifest:
    """A manifest that was told of files."""
    manifest = Manifest("some state")
    for path, one in files.items():
        manifest.put(path, one)
    return manifest


FILES = {
    "a.md": record(1),
    "b/日本.md": record(2, is_settled=False),
    "c.md": record(3, digest="", reason="permission", sections=0),
    "d.md": record(4, reason="encoding"),
}


def kept(manifest: Manifest) -> tuple[object, ...]:
    """All that a manifest says."""
    files = dict(manifest.files.items())
    sums = (manifest.sections, manifest.lengths, manifest.fingerprint())
    marks = (manifest.state, manifest.has_removed, manifest.commits)
    return files, sums, marks, manifest.unsettled, manifest.unread, manifest.looks()


@pytest.mark.parametrize("files", [{}, FILES])
def test_a_manifest_comes_back_as_it_was(files: dict[str, Record]) -> None:
    """Records, sums, and what is unsettled or was not read."""
    manifest = manifest_with(files)
    before = kept(manifest_with(files))

    read = manifest_of(manifest_body(manifest, VERSION), VERSION)

    assert read is not None
    assert kept(read) == before
    assert kept(manifest) == before


def test_a_manifest_of_an_older_program_is_read() -> None:
    """It was JSON and nothing else: nobody has to build an index again."""
    manifest = manifest_with(FILES)

    read = manifest_of(as_body(manifest.to_json(VERSION)), VERSION)

    assert read is not None
    assert kept(read) == kept(manifest)


def test_numbers_that_no_column_takes_are_kept_all_the_same() -> None:
    """Some file systems know dates that 64 bits of nanoseconds do not."""
    manifest = manifest_with(FILES | {"late.md": record(5, mtime_ns=AFTER_2262)})

    read = manifest_of(manifest_body(manifest, VERSION), VERSION)

    assert read is not None
    assert read.files["late.md"].mtime_ns == AFTER_2262
    assert kept(read) == kept(manifest)


def test_what_is_not_whole_or_of_another_version_is_none() -> None:
    """The index is built anew then."""
    body = manifest_body(manifest_with(FILES), VERSION)

    assert manifest_of(body, VERSION + 1) is None
    assert manifest_of(body[:-1], VERSION) is None
    assert manifest_of(body + b"x", VERSION) is None
    assert manifest_of(body.partition(b"\n")[0], VERSION) is None
    assert manifest_of(b"{}", VERSION) is None


@pytest.mark.parametrize("seed", range(20))
def test_records_are_a_dictionary(seed: int) -> None:
    """Whatever was put, dropped, kept in columns and copied."""
    chance = random.Random(seed)  # noqa: S311 -- the same each time
    records, wanted = Records(), dict[str, Record]()
    for number in range(300):
        path = f"{chance.randrange(30)}.md"
        kind = chance.randrange(8)
        if kind < 4:
            records.put(path, record(number))
            wanted[path] = record(number)
        elif kind < 6:
            assert records.drop(path) == wanted.pop(path, None)
        elif kind == 6:
            records = Records.of(records.columns())
        else:
            other = records.copy()
            other.drop(path)
            other.put("other", record(0))
        assert records.get(path) == wanted.get(path)
        assert (path in records) == (path in wanted)
        assert len(records) == len(wanted)
        assert dict(records) == wanted
        assert records.looks() == {one: known[:4] for one, known in wanted.items()}


def walk_of(files: dict[str, Look], head: int) -> Walk:
    """A walk that found files."""
    return Walk(files, (), {}, {}, is_whole=True, head=head)


@pytest.mark.parametrize("head", [0, 1])
def test_a_walk_is_compared_with_columns(head: int) -> None:
    """New, changed, unsettled and lost files are told, in any order of the walk."""
    read = manifest_of(manifest_body(manifest_with(FILES), VERSION), VERSION)
    assert read is not None
    looks = {path: one[:4] for path, one in FILES.items()}
    changed = {"new.md": (1, 2, 3, 4)} | dict(reversed(looks.items())) | {"d.md": (9, 9, 9, 9)}
    del changed["a.md"]

    found = compare_all(walk_of(changed, head), read)

    assert [file.path for file in found.stale] == ["d.md", "new.md", "b/日本.md"]
    assert found.gone == ["a.md"]
    settled = manifest_with(FILES | {"b/日本.md": record(2)})
    assert compare_all(walk_of(looks, head), settled) == ([], [])


def test_a_walk_in_the_order_of_the_columns_is_compared_with_few_records() -> None:
    """What was changed, put or dropped since is told; in any other order nothing is."""
    manifest = manifest_with(FILES)
    manifest.order = list(reversed(FILES))
    read = manifest_of(manifest_body(manifest, VERSION), VERSION)
    assert read is not None
    looks = {path: one[:4] for path, one in reversed(FILES.items())}

    assert read.suspects(looks) == {"b/日本.md"}  # it is unsettled
    assert read.suspects(looks | {"a.md": (1, 5, -1, 9)}) == {"a.md", "b/日本.md"}
    assert read.suspects(looks | {"a.md": (1, 5, -1, -9)}) is None
    assert read.suspects(dict(reversed(looks.items()))) is None
    assert read.suspects(looks | {"new.md": (1, 2, 3, 4)}) is None
    read.put("c.md", record(8))
    assert read.suspects(looks) == {"b/日本.md", "c.md"}
    assert [file.path for file in compare_all(walk_of(looks, 1), read).stale] == [
        "c.md",
        "b/日本.md",
    ]
    read.drop("d.md")
    assert compare_all(walk_of(looks, 1), read).stale[1].path == "d.md"
    read.put("d.md", FILES["d.md"])
    assert [file.path for file in compare_all(walk_of(looks, 1), read).stale] == [
        "c.md",
        "b/日本.md",
    ]
