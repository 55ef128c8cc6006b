"""The manifest of an index is written whole now and then; in between a line tells what changed."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest

from tebiki.manuals.index.manifest_log import LEAST_FILES, LOG
from tebiki.manuals.index.store import MANIFEST, NEXT
from tests.manuals.searchable import LONG_AGO, Searchable

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(name="manual")
def _manual(tmp_path: Path) -> Searchable:
    # Its clock stands: on a slow machine files would settle meanwhile, each of them a change.
    begun = time.time_ns()
    manual = Searchable(tmp_path, tmp_path / "cache", lambda: begun)
    for number in range(LEAST_FILES + 50):
        manual.write(f"{number}.md", f"# t\nalpha number{number}\n", modified=LONG_AGO)
    manual.ask("alpha")
    manual.index = manual.another()
    manual.ask("alpha")
    return manual


def _size(manual: Searchable, name: str) -> int:
    assert manual.cache is not None
    path = manual.cache / name
    return path.stat().st_size if path.exists() else 0


def test_an_edit_adds_a_line_and_leaves_the_manifest_alone(manual: Searchable) -> None:
    """So that an edit costs the same in a large manual."""
    assert manual.cache is not None
    before = (manual.cache / MANIFEST).read_bytes()

    manual.write("7.md", "# t\nomega\n")

    assert manual.paths("omega") == ["7.md"]
    assert (manual.cache / MANIFEST).read_bytes() == before
    assert _size(manual, LOG) < len(before) / 10
    assert _size(manual, NEXT) == 0


def test_another_process_goes_on_from_the_lines(manual: Searchable) -> None:
    """One that is there already, and one that begins."""
    old = manual.another()
    manual.paths("alpha", index=old)
    for number in range(5):
        manual.write("7.md", f"# t\nomega{number}\n")
        (manual.root / "m" / f"{number}.md").unlink()
        assert manual.paths(f"omega{number}") == ["7.md"]
        for index in (old, manual.another()):
            assert manual.paths(f"omega{number}", index=index) == ["7.md"]
            assert f"{number}.md" not in manual.paths(f"number{number}", index=index)


def test_many_changes_write_the_manifest_anew(manual: Searchable) -> None:
    """The lines are gone then."""
    for number in range(LEAST_FILES + 1):
        manual.write(f"{number}.md", f"# t\nomega{number}\n", modified=LONG_AGO)

    assert manual.paths("omega7")[0] == "7.md"

    assert _size(manual, LOG) == 0
    assert manual.paths("omega7", index=manual.another())[0] == "7.md"


def test_a_file_that_is_saved_again_and_again_leaves_few_lines(manual: Searchable) -> None:
    """Whoever begins reads them all; they are bounded by the files, not by the years."""
    edits = LEAST_FILES + 20
    sizes = []
    for number in range(edits):
        manual.write("7.md", f"# t\nomega{number}\n")
        assert manual.paths(f"omega{number}")[0] == "7.md"
        sizes.append(_size(manual, LOG))

    assert max(sizes) > sizes[-1]
    assert manual.paths(f"omega{edits - 1}", index=manual.another())[0] == "7.md"


@pytest.mark.parametrize("cut", [1, 40])
def test_a_line_that_is_not_whole_is_cut_off(manual: Searchable, cut: int) -> None:
    """Its writer died; what it says is read from the files again."""
    assert manual.cache is not None
    manual.write("7.md", "# t\nomega\n")
    manual.ask("omega")
    log = manual.cache / LOG
    os.truncate(log, log.stat().st_size - cut)

    assert manual.paths("omega", index=manual.another()) == ["7.md"]
    manual.write("8.md", "# t\nomega\n")

    assert sorted(manual.paths("omega", index=manual.another())) == ["7.md", "8.md"]


@pytest.mark.parametrize("harm", [b"no line\n", b'[]\n{"a": 1}\n', bytes(100)])
def test_harmed_lines_do_no_harm(manual: Searchable, harm: bytes) -> None:
    """Instead of the right ones, and behind them."""
    assert manual.cache is not None
    manual.write("7.md", "# t\nomega\n")
    manual.ask("omega")
    log = manual.cache / LOG

    for text in (log.read_bytes() + harm, harm):
        log.write_bytes(text)
        assert manual.paths("omega", index=manual.another()) == ["7.md"]


def test_lines_behind_another_manifest_are_not_read(manual: Searchable) -> None:
    """A writer that died between the two left them."""
    assert manual.cache is not None
    manual.write("7.md", "# t\nomega\n")
    manual.ask("omega")
    lines = (manual.cache / LOG).read_bytes()
    for number in range(LEAST_FILES + 1):
        manual.write(f"{number}.md", f"# t\nkappa{number}\n", modified=LONG_AGO)
    manual.ask("kappa7")

    (manual.cache / LOG).write_bytes(lines)

    assert manual.paths("omega", index=manual.another()) == []
    manual.write("8.md", "# t\nomega\n")
    assert manual.paths("omega", index=manual.another()) == ["8.md"]
