"""Other processes make of files what is made of them here, whatever becomes of these processes."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from tebiki.files.paths import Root
from tebiki.manuals.documents.choosing import CAN_WATCH
from tebiki.manuals.documents.walking import FileStat
from tebiki.manuals.index import building
from tebiki.manuals.index.builders import Builders
from tebiki.manuals.index.preparing import FileRead, digest_of, prepare_here
from tebiki.manuals.index.refresh import ManualIndex
from tebiki.system.child_process import CAN_START

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tebiki.manuals.index.preparing import Preparation

pytestmark = pytest.mark.skipif(not CAN_WATCH or not CAN_START, reason="no process is started here")

LONGEST_SECONDS = 60
TEXT = """# 第{0}章 Part {0}

See [the next](part-{0}.md), `C++` → 申込み書は{0}日。

## Sub

foo-bar {0}.
"""


def files(count: int = 40) -> list[FileRead]:
    """Files of every kind: plain, long, JSON, of no encoding, left out, and known already."""
    texts = [
        (f"part-{number}.md", (TEXT.format(number) * (number % 20 + 1)).encode())
        for number in range(count)
    ]
    texts += [
        ("long.md", ("# Long\n\n" + "word 言葉 " * 4_000).encode()),
        ("a.json", b'{"a": [1, {"b": "text"}]}'),
        ("odd.md", b"\xff\xfe\x00\xd8\xff\xff"),
        ("empty.md", b""),
    ]
    found = [as_read(path, data) for path, data in texts]
    found.insert(7, as_read("large.md", b"")._replace(reason="too_large"))
    found.insert(9, as_read("known.md", b"# Known\n")._replace(is_known=True))
    return found


def as_read(path: str, data: bytes) -> FileRead:
    """A file with some contents."""
    stat = FileStat(path, len(data), 1, 1, 1)
    return FileRead(stat, data, digest_of(data), None, is_known=False, is_settled=True)


def told(prepared: Iterator[Preparation]) -> list[tuple[object, ...]]:
    """What was made ready, to be compared."""
    return [(read.file.path, one.reason, list(one.sections)) for read, one in prepared]


def go_on() -> None:
    """Whoever builds has the time."""


def test_others_make_the_same_of_files_and_in_their_order() -> None:
    """To the last byte, for every kind of file."""
    with Builders(2) as builders:
        theirs = told(builders.prepare(iter(files()), go_on))

    assert theirs == told(prepare_here(iter(files()), go_on))


@pytest.mark.parametrize("killed", [1, 2])
def test_a_process_that_is_killed_costs_no_file(killed: int) -> None:
    """One of two or both of them, once they have begun."""
    others = children()  # of the test process: whoever it started before is none of ours

    with Builders(2) as builders:
        made = builders.prepare(iter(files(150)), go_on)
        first = [next(made)]
        theirs_alone = [pid for pid in children() if pid not in others]
        assert len(theirs_alone) == 2
        for pid in theirs_alone[:killed]:
            os.kill(pid, signal.SIGKILL)
        theirs = told(iter([*first, *made]))

    assert theirs == told(prepare_here(iter(files(150)), go_on))


def test_none_is_left_when_a_build_is_left_off() -> None:
    """Whoever is out of time waits for nobody, and leaves no process behind."""
    before = children()

    with Builders(2) as builders:
        endless = (one for _ in range(1_000_000) for one in files())
        next(builders.prepare(endless, go_on))
        assert len(children()) == len(before) + 2

    assert children() == before


def test_they_end_with_the_process_that_started_them() -> None:
    """However that ends: nothing closes their pipes but the system."""
    script = "from tests.manuals.test_builders import begin_and_die; begin_and_die()"
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)

    assert ended.returncode == -signal.SIGKILL
    assert len(ended.stdout.split()) == 2
    for told in ended.stdout.split():
        with contextlib.suppress(ProcessLookupError):
            process = os.pidfd_open(int(told))
            assert select.select([process], [], [], LONGEST_SECONDS)[0] == [process]


def begin_and_die() -> None:
    """Begin a build, tell who helps with it, and be killed."""
    builders = Builders(2).__enter__()
    next(builders.prepare(iter(files(150)), go_on))
    os.write(1, b"\n".join(b"%d" % one for one in children()))
    os.kill(os.getpid(), signal.SIGKILL)


def test_without_any_process_all_is_made_ready_here() -> None:
    """Where none can be started."""
    with Builders(0) as builders:
        theirs = told(builders.prepare(iter(files(3)), go_on))

    assert theirs == told(prepare_here(iter(files(3)), go_on))


def test_a_long_build_gives_the_index_that_a_short_one_gives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same state of the same files; and it says how far it is."""
    folder = tmp_path / "manuals" / "m"
    folder.mkdir(parents=True)
    for number in range(60):
        (folder / f"{number}.md").write_text(TEXT.format(number) * 3)

    def built(cache: str) -> tuple[object, ...]:
        steps: list[tuple[int, int]] = []
        index = ManualIndex(
            Root(tmp_path / "manuals"),
            "m",
            str(tmp_path / cache),
            now_ns=time.time_ns,
            log=pytest.fail,
        )
        fresh = index.refresh(lambda: False, lambda done, total: steps.append((done, total)))
        assert steps == [(done, 60) for done in range(61)]
        return fresh.files, fresh.sections, fresh.fingerprint, fresh.postings.mean_length

    short = built("short")
    monkeypatch.setattr(building, "LONG_BUILD_BYTES", 1)

    assert built("long") == short


def children() -> list[int]:
    """The processes that this one has started and that are there."""
    with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as told:
        return sorted(map(int, told.read().split()))
