"""Edits by chance in the folder of a manual: whatever programs do to files, in any order.

The same chance makes the same edits. Every edit is complete when the call returns.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import shutil
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Callable
    from pathlib import Path

NAMES = (
    "a.md",
    "b.md",
    "c.json",
    "d.txt",
    "e.MD",
    "Übersicht.md",
    unicodedata.normalize("NFD", "Übersicht.md"),
    unicodedata.normalize("NFD", "ガイド.md"),
    "con.md",
)
FOLDERS = ("one", "two", "three", unicodedata.normalize("NFD", "ガイド"), "ガイド")
WORDS = ("alpha", "bravo", "gamma", "delta", "omega", "kappa")
DEEPEST = 3
BURST = 40
MEGABYTES_TOO_LARGE = 17
LONG_AGO = 1_600_000_000


class RandomEdits:
    """Changes a folder step by step; `outside` is a folder that nobody watches."""

    def __init__(self, folder: Path, outside: Path, chance: random.Random) -> None:
        self.folder = folder
        self.outside = outside
        self.chance = chance
        self.steps = 0
        outside.mkdir(exist_ok=True)
        self._kinds: tuple[Callable[[], str], ...] = (
            self._write,
            self._write,
            self._write,
            self._append,
            self._truncate,
            self._replace,
            self._same_size_and_time,
            self._through_a_map,
            self._remove,
            self._rename_file,
            self._make_folder,
            self._move_folder,
            self._remove_folder,
            self._move_out,
            self._move_in,
            self._link,
            self._hard_link,
            self._write_by_another_name,
            self._chmod,
            self._touch_folder,
            self._remake,
            self._burst,
            self._too_large,
        )

    def step(self) -> str:
        """Do one thing, or nothing where it cannot be done; tells what."""
        self.steps += 1
        edit = self.chance.choice(self._kinds)
        try:
            return f"{self.steps} {edit.__name__} {edit()}"
        except OSError as error:
            return f"{self.steps} {edit.__name__} {error.strerror}"

    def _folders(self) -> list[Path]:
        found = [self.folder]
        for above, folders, _ in os.walk(self.folder):
            found += [self.folder / above / name for name in folders]
        return [path for path in found if not path.is_symlink()]

    def _a_folder(self) -> Path:
        return self.chance.choice(sorted(self._folders()))

    def _an_inner_folder(self) -> Path:
        return self.chance.choice(
            sorted(set(self._folders()) - {self.folder}) or [self.folder / "x"]
        )

    def _a_file(self) -> Path:
        found = [
            path for path in self.folder.rglob("*") if path.is_file() and not path.is_symlink()
        ]
        return self.chance.choice(sorted(found) or [self.folder / "none.md"])

    def _a_place(self) -> Path:
        return self._a_folder() / self.chance.choice(NAMES)

    def _text(self) -> str:
        words = " ".join(self.chance.choice(WORDS) for _ in range(3))
        return f"# {self.chance.choice(WORDS)}\n\n{words} {self.chance.randrange(100):02}\n"

    def _write(self) -> str:
        path = self._a_place()
        path.write_text(self._text())
        return str(path)

    def _append(self) -> str:
        path = self._a_file()
        with path.open("a") as file:
            file.write(self._text())
        return str(path)

    def _truncate(self) -> str:
        path = self._a_file()
        os.truncate(path, self.chance.randrange(20))
        return str(path)

    def _replace(self) -> str:
        path = self._a_place()
        new = path.with_name(".new")
        new.write_text(self._text())
        new.replace(path)
        return str(path)

    def _same_size_and_time(self) -> str:
        path = self._a_file()
        status, old = path.stat(), path.read_bytes()
        path.write_bytes(old[::-1] if self.chance.random() < 0.5 else bytes(len(old)))
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
        return str(path)

    def _through_a_map(self) -> str:
        path = self._a_file()
        with (
            path.open("r+b") as file,
            contextlib.suppress(ValueError),  # of an empty file
            mmap.mmap(file.fileno(), 0) as mapped,
        ):
            mapped[:1] = b"Z" if mapped[:1] != b"Z" else b"Y"
        return str(path)

    def _remove(self) -> str:
        path = self._a_file()
        path.unlink()
        return str(path)

    def _rename_file(self) -> str:
        path, new = self._a_file(), self._a_place()
        path.rename(new)
        return f"{path} {new}"

    def _make_folder(self) -> str:
        above = self._a_folder()
        if len(above.relative_to(self.folder).parts) >= DEEPEST:
            return "too deep"
        path = above / self.chance.choice(FOLDERS)
        path.mkdir()
        if self.chance.random() < 0.7:
            (path / "a.md").write_text(self._text())
            (path / "two").mkdir()
            (path / "two" / "b.md").write_text(self._text())
        return str(path)

    def _move_folder(self) -> str:
        path, new = self._an_inner_folder(), self._a_folder() / self.chance.choice(FOLDERS)
        path.rename(new)
        return f"{path} {new}"

    def _remove_folder(self) -> str:
        path = self._an_inner_folder()
        shutil.rmtree(path)
        return str(path)

    def _move_out(self) -> str:
        path = self._an_inner_folder()
        shutil.rmtree(self.outside / "moved", ignore_errors=True)
        path.rename(self.outside / "moved")
        return str(path)

    def _move_in(self) -> str:
        path, new = self.outside / "moved", self._a_folder() / self.chance.choice(FOLDERS)
        for inner in path.rglob("*.md"):
            if not inner.is_symlink():
                inner.write_text(self._text())
        path.rename(new)
        return f"{path} {new}"

    def _link(self) -> str:
        path = self._a_place()
        path.unlink(missing_ok=True)
        path.symlink_to(self.chance.choice([self.folder, self.outside, self.folder / "a.md"]))
        return str(path)

    def _hard_link(self) -> str:
        """A file from outside gets a name inside."""
        path, other = self._a_place(), self.outside / "linked.md"
        path.unlink(missing_ok=True)
        other.write_text(self._text())
        os.link(other, path)
        return str(path)

    def _write_by_another_name(self) -> str:
        other = self.outside / "linked.md"
        if other.exists():
            other.write_text(self._text())
        return str(other)

    def _chmod(self) -> str:
        path = self.chance.choice([self._a_file(), self._an_inner_folder()])
        path.chmod(0o700 if self.chance.random() < 0.7 else 0o755)
        return str(path)

    def _touch_folder(self) -> str:
        path = self._an_inner_folder()
        os.utime(path, (LONG_AGO, LONG_AGO))
        return str(path)

    def _remake(self) -> str:
        """A folder is removed and made again at once, often with the same number."""
        path = self._an_inner_folder()
        shutil.rmtree(path)
        path.mkdir()
        (path / "b.md").write_text(self._text())
        return str(path)

    def _burst(self) -> str:
        folder = self._a_folder()
        for number in range(BURST):
            (folder / f"burst{number}.md").write_text(self._text())
        for number in range(BURST):
            if number % 8:
                (folder / f"burst{number}.md").unlink()
        return str(folder)

    def _too_large(self) -> str:
        path = self._a_place()
        path.unlink(missing_ok=True)
        path.touch()
        os.truncate(path, MEGABYTES_TOO_LARGE * 1024 * 1024)
        return str(path)
