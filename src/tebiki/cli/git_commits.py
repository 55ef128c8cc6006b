"""What git has at a commit, as files: the one program that tebiki runs, for who publishes so.

No shell; the words are constants, a folder that the user typed, and names that cannot be taken for
options. Files are read object by object: neither attributes nor settings of a repository, which may
name commands, have a say in what they hold.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
from typing import IO, TYPE_CHECKING

from tebiki.errors import NotFound, UsageError
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

OBJECT_NAME = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
LINK_MODE = "120000"
FILE_MODES = {"100644", "100664", "100755"}
BLOCK_BYTES = 1 << 20

# All of it: a hook's GIT_DIR would lead to another repository than that of the folder.
ENVIRONMENT = {"LC_ALL": "C", "GIT_NO_LAZY_FETCH": "1", "GIT_NO_REPLACE_OBJECTS": "1"}


class _Entry(NamedTuple):
    """A file or link of a commit."""

    mode: str
    name: str
    path: str


def find_commit(folder: str, ref: str) -> str:
    """The full name of a commit, by any name of it.

    Raises:
        NotFound: there is no such commit, or no repository.
        UsageError: there is no git, or nothing can be called so.
    """
    if ref.startswith("-") or not ref.isprintable():
        raise UsageError(f"--commit: no commit, tag or branch is called {ref!r}")
    words = ("rev-parse", "--quiet", "--verify", "--end-of-options", f"{ref}^{{commit}}")
    ended = _run(folder, *words)
    said = os.fsdecode(ended.stderr)
    if "not a git repository" in said:
        raise NotFound(f"{folder} is in no git repository")
    if "dubious ownership" in said:
        raise UsageError(
            f"{folder} is in a repository of another user; publish as that one, or name it as "
            "safe.directory in git's settings for the whole system"
        )
    name = os.fsdecode(ended.stdout).strip()
    if ended.returncode or not OBJECT_NAME.fullmatch(name):
        raise NotFound(f"git has no commit {ref!r} in {folder}; git log --all lists those it has")
    return name


def extract_commit(folder: str, commit: str, target: str) -> None:
    """Write what a commit has below a folder; links are made last, and never written through.

    Raises:
        NotFound: the commit has nothing there.
        UsageError: git cannot read it, or it has a path that leads elsewhere.
    """
    entries = list(_entries(folder, commit))
    if not entries:
        raise NotFound(f"commit {commit} has no files in {folder}")
    links: list[tuple[str, bytes]] = []
    with _reading(folder) as (asks, answers):
        for entry in entries:
            size = _ask_for(entry, asks, answers)
            place = os.path.join(target, *_parts_of(entry.path))
            if entry.mode == LINK_MODE:
                links.append((place, answers.read(size)))
            else:
                _write(entry.path, place, answers, size)
            answers.read(1)
    for place, leads_to in links:
        # A link to nowhere, or where a file stands already, is none that anybody could read.
        with contextlib.suppress(OSError, ValueError):
            os.makedirs(os.path.dirname(place), exist_ok=True)
            os.symlink(os.fsdecode(leads_to), place)


def _command(folder: str, *words: str) -> list[str]:
    found = shutil.which("git")
    if found is None:
        raise UsageError("--commit needs git, which is not installed")
    # An object that is missing here is not fetched: no address of a repository is opened.
    return [found, "-C", folder, "-c", "protocol.allow=never", *words]


def _run(folder: str, *words: str) -> subprocess.CompletedProcess[bytes]:
    command = _command(folder, *words)
    return subprocess.run(  # noqa: S603 -- see the head of this module
        command, stdin=subprocess.DEVNULL, capture_output=True, check=False, env=ENVIRONMENT
    )


def _entries(folder: str, commit: str) -> Iterator[_Entry]:
    """Files and links below the folder; another repository inside it is none of its files."""
    ended = _run(folder, "ls-tree", "-r", "-z", commit)
    if ended.returncode:
        raise UsageError(f"git cannot read {commit} in {folder}: {_last_words(ended.stderr)}")
    for line in filter(None, ended.stdout.split(b"\0")):
        about, _, path = line.partition(b"\t")
        mode, _, name = os.fsdecode(about).split(" ")
        if mode == LINK_MODE or mode in FILE_MODES:
            yield _Entry(mode, name, os.fsdecode(path))


def _parts_of(path: str) -> list[str]:
    parts = path.split("/")
    if any(part in {"", ".", ".."} or os.path.split(part)[0] for part in parts):
        raise UsageError(f"the commit has a path that leads elsewhere: {path!r}")
    return parts


@contextlib.contextmanager
def _reading(folder: str) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """A git that is asked for one object after the other."""
    with subprocess.Popen(  # noqa: S603 -- see the head of this module
        _command(folder, "cat-file", "--batch"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=ENVIRONMENT,
    ) as process:
        if process.stdin is None or process.stdout is None:
            raise UsageError("git has no pipes")
        yield process.stdin, process.stdout


def _ask_for(entry: _Entry, asks: IO[bytes], answers: IO[bytes]) -> int:
    """Ask for a file; gives its size, and its bytes are the next to be read."""
    try:
        asks.write(f"{entry.name}\n".encode())
        asks.flush()
    except BrokenPipeError as error:
        raise UsageError(f"git ended before {entry.path!r} was read") from error
    head = os.fsdecode(answers.readline()).split()
    if len(head) != len(("name", "kind", "size")) or head[1] != "blob":
        raise UsageError(f"git cannot read {entry.path!r}: {' '.join(head[1:]) or 'it ended'}")
    return int(head[2])


def _write(path: str, place: str, answers: IO[bytes], size: int) -> None:
    try:
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "xb") as file:
            while size:
                block = answers.read(min(size, BLOCK_BYTES))
                if not block:
                    raise UsageError(f"git ended in the middle of {path!r}")
                file.write(block)
                size -= len(block)
    except OSError as error:
        raise UsageError(f"{path!r} of the commit cannot be written: {error.strerror}") from error


def _last_words(said: bytes) -> str:
    lines = os.fsdecode(said).strip().splitlines() or ["it failed"]
    return lines[-1].removeprefix("fatal: ")
