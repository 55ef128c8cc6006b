"""What a system may do to a watched manual: no watches left, unmounted, stopped, a clock set back.

Limits and mounts are real ones, of a user namespace that a test has for itself; where none can be
had these are skipped.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Self

import pytest

from tebiki.files.paths import Root
from tebiki.manuals.documents.choosing import CAN_WATCH
from tebiki.manuals.documents.sources import UNKNOWN, WalkedManual
from tebiki.manuals.index.refresh import ManualIndex
from tests.manuals.watched_libraries import Watched, difference

if TYPE_CHECKING:
    from types import TracebackType

pytestmark = pytest.mark.skipif(not CAN_WATCH, reason="only Linux tells of changes")

OWN_NAMESPACE = ("unshare", "--user", "--map-root-user", "--mount")
LIMITS = Path("/proc/sys/user")


def never() -> bool:
    """Whoever asks has the time."""
    return False


def run_apart(case: str, folder: Path) -> None:
    """Run one of the functions below in a namespace of its own."""
    script = f"import sys; from {__name__} import {case}; {case}(sys.argv[1])"
    command = [*OWN_NAMESPACE, sys.executable, "-c", script, str(folder)]
    try:
        can = subprocess.run([*OWN_NAMESPACE, "true"], capture_output=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no unshare")
    if can.returncode:
        pytest.skip("this user may have no namespace")
    done = subprocess.run(command, capture_output=True, check=False, text=True)
    assert done.returncode == 0, done.stderr


def run_tool(name: str, *arguments: str) -> None:
    """Run a tool of the system."""
    subprocess.run([shutil.which(name) or name, *arguments], check=True)


def manual_of_folders(folder: str) -> Watched:
    """A manual with a file in each of five folders."""
    watched = Watched(Path(folder))
    for number in range(5):
        watched.write(f"{number}/a.md", "# A\n")
    return watched


def stays_right_without_watching(watched: Watched, words: str) -> None:
    """Every find looks at all files, and one line says why."""
    for number in range(3):
        watched.write(f"{number}/a.md", f"# Edited {number}\n")
        assert watched.source.walk(never).head == UNKNOWN
        assert difference(watched) == ""
    assert len(watched.said) == 1
    assert words in watched.said[0]
    assert words in (watched.source.state().reason or "")


def meet_the_limit_of_watches(folder: str) -> None:
    """Three of them, and six folders."""
    (LIMITS / "max_inotify_watches").write_text("3")
    stays_right_without_watching(manual_of_folders(folder), "max_user_watches")


def meet_the_limit_of_instances(folder: str) -> None:
    """None is left."""
    (LIMITS / "max_inotify_instances").write_text("0")
    stays_right_without_watching(manual_of_folders(folder), "max_user_instances")


def meet_the_limit_later(folder: str) -> None:
    """Enough for what is there, and not for one folder more."""
    (LIMITS / "max_inotify_watches").write_text("6")
    watched = manual_of_folders(folder)
    assert watched.source.walk(never).head != UNKNOWN
    watched.write("one/more/a.md", "# A\n")
    stays_right_without_watching(watched, "max_user_watches")


def lose_a_file_system(folder: str) -> None:
    """What was mounted inside a manual goes, and comes again."""
    watched = manual_of_folders(folder)
    inner = watched.folder / "1"
    run_tool("mount", "-t", "tmpfs", "none", str(inner))
    (inner / "on-tmpfs.md").write_text("# T\n")
    assert "1/on-tmpfs.md" in watched.source.walk(never).files
    run_tool("umount", str(inner))
    assert difference(watched) == ""
    files = watched.source.walk(never).files
    assert "1/on-tmpfs.md" not in files
    assert "1/a.md" in files
    assert len(watched.said) <= 1
    watched.write("2/a.md", "# After\n")
    assert difference(watched) == ""


@pytest.mark.parametrize(
    "case",
    [
        meet_the_limit_of_watches,
        meet_the_limit_of_instances,
        meet_the_limit_later,
        lose_a_file_system,
    ],
)
def test_a_real_limit_or_a_lost_file_system_makes_nothing_stale(
    case: object, tmp_path: Path
) -> None:
    """The manual is walked or begun anew, and one clear line says so."""
    run_apart(getattr(case, "__name__", ""), tmp_path)


class WatchingProcess:
    """A process that watches a manual, and tells its files when it is asked."""

    def __init__(self, folder: Path) -> None:
        script = f"import sys; from {__name__} import tell_files; tell_files(sys.argv[1])"
        self.process = subprocess.Popen(
            [sys.executable, "-c", script, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.process.communicate()

    def ask(self) -> None:
        """Ask; the answer is read by `answer`."""
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def answer(self) -> tuple[bool, dict[str, list[int]]]:
        """Whether the manual is watched, and its files."""
        assert self.process.stdout is not None
        is_watched, files = json.loads(self.process.stdout.readline())
        return is_watched, files


def tell_files(root: str) -> None:
    """What such a process does."""
    from tebiki.manuals.documents.watching import WatchedManual, WatchPlaces

    source = WatchedManual(
        Root(Path(root)), "m", WatchPlaces(time.monotonic), time.monotonic, lambda _words: None
    )
    source.walk(never)
    for _ in sys.stdin:
        walk = source.walk(never)
        sys.stdout.write(json.dumps([walk.head != UNKNOWN, walk.files]) + "\n")
        sys.stdout.flush()


def walked(watched: Watched) -> tuple[bool, dict[str, list[int]]]:
    """What such a process has to tell."""
    files = WalkedManual(Root(watched.root), "m").walk(never).files
    return True, {path: list(look) for path, look in files.items()}


def test_several_processes_watch_one_manual(tmp_path: Path) -> None:
    """Each is told of every change, however many others are."""
    watched = manual_of_folders(str(tmp_path))
    with (
        WatchingProcess(watched.root) as one,
        WatchingProcess(watched.root) as two,
        WatchingProcess(watched.root) as three,
    ):
        for number in range(12):
            watched.write(f"{number % 5}/a.md", f"# Edited {number}\n")
            if number % 3 == 0:
                watched.write(f"new-{number}/b.md", "# B\n")
            if number % 4 == 3:
                (watched.folder / f"{number % 5}/a.md").unlink()
            for process in (one, two, three):
                process.ask()
            wanted = walked(watched)
            assert [one.answer(), two.answer(), three.answer()] == [wanted] * 3


def test_a_process_that_was_stopped_sees_what_happened_meanwhile(tmp_path: Path) -> None:
    """However long: the system keeps what happened."""
    watched = manual_of_folders(str(tmp_path))
    with WatchingProcess(watched.root) as process:
        process.ask()
        assert process.answer() == walked(watched)
        os.kill(process.process.pid, signal.SIGSTOP)
        watched.write("0/a.md", "# While it was stopped\n")
        watched.write("while/stopped.md", "# B\n")
        process.ask()
        os.kill(process.process.pid, signal.SIGCONT)
        assert process.answer() == walked(watched)


def test_a_clock_set_back_hides_no_edit(watched: Watched) -> None:
    """Of the machine, or of a file whose times are set: nothing is told by times alone."""
    now = [time.time_ns()]
    watched.write("a.md", "# A\n\nalpha\n")
    index = ManualIndex(
        Root(watched.root),
        "m",
        None,
        now_ns=lambda: now[0],
        log=pytest.fail,
        source=watched.source,
    )
    fingerprints = [index.refresh(never).fingerprint]
    for text in ("# A\n\ngamma\n", "# A\n\ndelta\n", "# A\n\nkappa\n"):
        now[0] -= 3_600_000_000_000
        before = (watched.folder / "a.md").stat()
        watched.write("a.md", text)
        os.utime(watched.folder / "a.md", ns=(before.st_atime_ns, before.st_mtime_ns - 10**12))
        fingerprints.append(index.refresh(never).fingerprint)

    assert len(set(fingerprints)) == 4


@pytest.fixture(name="watched")
def _watched(tmp_path: Path) -> Watched:
    return Watched(tmp_path)
