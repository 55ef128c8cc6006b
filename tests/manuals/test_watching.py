"""A watched manual is at every moment what a walk would find, whatever happens to it."""

from __future__ import annotations

import itertools
import os
import random
import shutil
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tebiki.errors import Forbidden, NotFound, OutOfScope, TebikiError
from tebiki.files.handles import NAMES_BETWEEN_CHECKS
from tebiki.files.paths import Root
from tebiki.manuals.documents.choosing import CAN_WATCH, ManualSources, try_watching
from tebiki.manuals.documents.sources import UNKNOWN
from tests.manuals.random_edits import RandomEdits
from tests.manuals.watched_libraries import Watched, difference

if TYPE_CHECKING:
    from tebiki.manuals.documents.watching import WatchedManual

pytestmark = pytest.mark.skipif(not CAN_WATCH, reason="only Linux tells of changes")

QUEUED = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text()) if CAN_WATCH else 0


def never() -> bool:
    """Whoever asks has the time."""
    return False


def edits_in(watched: Watched, seed: int) -> RandomEdits:
    """The same edits for the same seed."""
    chance = random.Random(seed)  # noqa: S311 -- repeatable, not secret
    return RandomEdits(watched.folder, watched.outside, chance)


@pytest.fixture(name="watched")
def _watched(tmp_path: Path) -> Watched:
    return Watched(tmp_path)


@pytest.mark.parametrize("seed", range(4))
def test_whatever_is_edited_the_watched_files_are_those_of_a_walk(
    watched: Watched, seed: int
) -> None:
    """After each step by chance, finds that had no time in between or not."""
    edits = edits_in(watched, seed)
    chance = edits.chance
    done: list[str] = []
    watched.source.walk(never)

    for _ in range(120):
        done.append(edits.step())
        if chance.random() < 0.2:
            turns = iter([False] * chance.randrange(4))
            watched.source.walk(partial(next, turns, True))
        if chance.random() < 0.7:
            assert difference(watched) == "", done[-3:]

    assert watched.said == []


@pytest.mark.requirement("manuals:find:fresh")
def test_a_find_answers_the_same_watching_and_walking(watched: Watched) -> None:
    """To the last field, after each of some edits."""
    watching, walking = watched.library(lasts=True), watched.library(lasts=False)
    edits = edits_in(watched, 8)

    for _ in range(15):
        done = edits.step()
        for word in ("alpha", "gamma"):
            assert watched.find(watching, word) == watched.find(walking, word), done


def test_more_events_than_the_queue_holds_lose_nothing(watched: Watched) -> None:
    """All is looked at anew, and that is said once."""
    watched.write("a.md", "old")
    watched.source.walk(never)

    for _ in range(QUEUED // 2 + 1):
        # Two kinds that alternate: the system joins events that are alike.
        os.utime(watched.folder / "a.md")
        os.truncate(watched.folder / "a.md", 1)
    watched.write("b.md", "new")

    assert difference(watched) == ""
    assert "b.md" in watched.source.walk(never).files
    assert watched.source.state().is_on
    assert ["more happened" in words for words in watched.said] == [True]


def test_a_manual_of_too_many_folders_is_walked(tmp_path: Path) -> None:
    """And that is said once; edits are seen as before."""
    watched = Watched(tmp_path, most_folders=2)
    for number in range(3):
        watched.write(f"{number}/a.md", "text")

    for number in range(3):
        watched.write(f"{number}/b.md", "text")
        assert difference(watched) == ""

    assert watched.source.head(never) == UNKNOWN
    assert not watched.source.state().is_on
    assert len(watched.said) == 1
    assert "folders" in watched.said[0]


def test_a_folder_too_many_ends_the_watching(tmp_path: Path) -> None:
    """The same when it comes later; after a while it is tried again."""
    watched = Watched(tmp_path, most_folders=2)
    watched.write("1/a.md", "text")
    assert watched.source.head(never) != UNKNOWN

    watched.write("2/a.md", "text")
    assert difference(watched) == ""
    assert not watched.source.state().is_on
    shutil.rmtree(watched.folder / "2")
    watched.now += 601

    assert difference(watched) == ""
    assert watched.source.state().is_on


def test_a_file_system_that_may_not_tell_is_walked() -> None:
    """Such as one that the kernel makes up."""
    state = try_watching(Root("/proc/sys"), "fs", time.monotonic)

    assert not state.is_on
    assert "file system" in (state.reason or "")


def test_without_descriptors_a_find_fails_and_the_next_one_does_not(watched: Watched) -> None:
    """Nothing is stale afterwards."""
    watched.write("a.md", "old")
    watched.source.walk(never)
    watched.write("b.md", "new")
    held: list[int] = []
    try:
        while True:
            held.append(os.dup(0))
    except OSError:
        with pytest.raises(TebikiError):
            watched.source.walk(never)
    finally:
        for descriptor in held:
            os.close(descriptor)

    assert difference(watched) == ""


def test_a_manual_that_is_removed_and_made_again_is_another_one(watched: Watched) -> None:
    """Even if the system gives its folder the same number."""
    for number in range(5):
        watched.write("a.md", f"text {number}")
        watched.write(f"{number}/a.md", "text")
        assert difference(watched) == ""
        shutil.rmtree(watched.folder)
        with pytest.raises(NotFound):
            watched.source.walk(never)
        watched.folder.mkdir()
        assert watched.source.walk(never).files == {}


def test_a_root_replaced_by_another_or_a_link_is_noticed(watched: Watched) -> None:
    """No folder inside is told of that."""
    watched.write("a.md", "text")
    watched.source.walk(never)

    watched.root.rename(watched.outside / "old")
    watched.write("b.md", "text")
    assert list(watched.source.walk(never).files) == ["b.md"]
    watched.root.rename(watched.outside / "older")
    watched.root.symlink_to(watched.outside / "old")
    with pytest.raises(OutOfScope):
        watched.source.walk(never)
    watched.root.unlink()
    (watched.outside / "old").rename(watched.root)

    assert list(watched.source.walk(never).files) == ["a.md"]


def test_a_manual_replaced_by_a_link_is_refused(watched: Watched) -> None:
    """As when it is walked."""
    watched.write("a.md", "text")
    watched.source.walk(never)

    watched.folder.rename(watched.outside / "m")
    watched.folder.symlink_to(watched.outside / "m")

    with pytest.raises(Forbidden):
        watched.source.head(never)


def test_what_is_written_by_a_name_outside_is_seen(watched: Watched) -> None:
    """Files with several names are looked at by each find."""
    outside = watched.outside / "x.md"
    outside.write_text("old")
    watched.folder.joinpath("a.md").hardlink_to(outside)
    watched.source.walk(never)

    for text in ("newer", "newest one"):
        outside.write_text(text)
        assert watched.source.walk(never).files["a.md"][0] == len(text)


def test_threads_do_not_lose_events_to_one_another(watched: Watched) -> None:
    """Whoever comes second finds done what the first one read."""
    sizes = itertools.count(1)
    wrong: list[str] = []
    watched.write("a.md", "")
    watched.source.walk(never)
    barrier = threading.Barrier(4)

    def look() -> None:
        for _ in range(100):
            if barrier.wait() == 0:
                state["size"] = next(sizes)
                watched.write("a.md", "x" * state["size"])
            barrier.wait()
            if (found := watched.source.walk(never).files["a.md"][0]) != state["size"]:
                wrong.append(f"{found} for {state['size']}")
            barrier.wait()

    state = {"size": 0}
    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert wrong == []


def _audit(watched: Watched) -> None:
    """Let a minute pass, and wait for the audit that the next find begins."""
    watched.now += 61
    watched.source.head(never)
    for thread in threading.enumerate():
        if thread.name == "tebiki-audit":
            thread.join()


def test_an_audit_finds_what_nobody_told(watched: Watched) -> None:
    """A name outside that a file got later; found once, it is looked at by each find."""
    watched.write("a.md", "old")
    watched.source.walk(never)
    (watched.outside / "x.md").hardlink_to(watched.folder / "a.md")
    (watched.outside / "x.md").write_text("longer")
    assert watched.source.walk(never).files["a.md"][0] == len("old")

    _audit(watched)

    assert difference(watched) == ""
    assert watched.source.state().missed == 1
    assert len(watched.said) == 1
    (watched.outside / "x.md").write_text("longer still")
    assert difference(watched) == ""
    assert watched.source.state().is_on


def test_a_manual_where_audits_find_again_and_again_is_walked(watched: Watched) -> None:
    """Changes are made there that the system does not tell."""
    for number in range(2):
        watched.write(f"{number}.md", "old")
        watched.source.walk(never)
        other = watched.outside / f"{number}.md"
        other.hardlink_to(watched.folder / f"{number}.md")
        other.write_text("longer")
        _audit(watched)

    assert not watched.source.state().is_on
    assert difference(watched) == ""


def test_an_audit_finds_nothing_where_all_was_told(watched: Watched) -> None:
    """Whatever is edited while it runs."""
    edits = edits_in(watched, 3)
    watched.source.walk(never)
    for _ in range(30):
        watched.now += 61
        watched.source.head(never)
        edits.step()
        for thread in threading.enumerate():
            if thread.name == "tebiki-audit":
                thread.join()

    assert watched.source.state().missed == 0


def test_as_many_manuals_are_watched_as_may_be(tmp_path: Path) -> None:
    """One that nobody searches any more gives way."""
    watched = Watched(tmp_path, most_manuals=1)
    (watched.root / "n").mkdir()
    other = watched.another("n")
    watched.source.head(never)
    assert other.head(never) == UNKNOWN

    watched.now += 601
    assert other.head(never) != UNKNOWN

    assert not watched.source.state().is_on
    assert watched.source.head(never) == UNKNOWN


def test_a_process_that_does_not_last_walks(watched: Watched) -> None:
    """A command looks once."""
    sources = ManualSources(Root(watched.root), time.monotonic, watched.said.append, watches=False)

    source = sources.source_of("m")
    assert (source.head(never), source.walk(never).head, source.head(never)) == (UNKNOWN,) * 3


def test_nothing_that_watches_is_imported_before_it_is_needed() -> None:
    """It takes milliseconds."""
    code = "import sys, tebiki.manuals.library; print('ctypes' in sys.modules)"

    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)

    assert done.stdout == "False\n"


def test_after_a_fork_the_child_watches_for_itself(watched: Watched) -> None:
    """Else each would take events from the other."""
    watched.write("a.md", "old")
    watched.source.walk(never)
    child = os.fork()
    if child == 0:
        is_seen = False
        try:
            watched.write("b.md", "new")
            is_seen = "b.md" in _files(watched.source)
        finally:
            os._exit(0 if is_seen else 1)

    _, status = os.waitpid(child, 0)

    assert status == 0
    assert "b.md" in _files(watched.source)


def _files(source: WatchedManual) -> list[str]:
    return list(source.walk(never).files)


def sources_of(watched: Watched) -> ManualSources:
    """As a server has them."""
    return ManualSources(Root(watched.root), lambda: watched.now, watched.said.append, watches=True)


def test_a_small_manual_is_watched_from_its_second_find_on(watched: Watched) -> None:
    """The first walks, since beginning to watch costs more; what happens in between is seen."""
    watched.write("a.md", "# A\n")
    source = sources_of(watched).source_of("m")

    first = source.walk(never)
    watched.write("b.md", "# B\n")
    is_known = source.head(never) != UNKNOWN
    second = source.walk(never)

    assert (first.head, set(first.files)) == (UNKNOWN, {"a.md"})
    assert not is_known
    assert set(second.files) == {"a.md", "b.md"}
    assert source.head(never) == second.head != UNKNOWN


def test_a_large_manual_is_watched_from_the_first_find_on(watched: Watched) -> None:
    """A second walk of it would cost more than to begin at once."""
    for number in range(3 * NAMES_BETWEEN_CHECKS):
        watched.write(f"{number % 7}/{number}.md", "# A\n")
    source = sources_of(watched).source_of("m")

    walk = source.walk(never)

    assert len(walk.files) == 3 * NAMES_BETWEEN_CHECKS
    assert source.head(never) == walk.head != UNKNOWN
