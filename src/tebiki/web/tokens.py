"""Bearer tokens: made here, kept only as hashes, each with a name.

A token is 256 random bits, so a plain SHA-256 is as good as it gets: there is nothing to guess.
Not here: which of them are in force while a server runs (`tokens_in_force`).
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from contextlib import contextmanager, suppress
from io import StringIO
from typing import TYPE_CHECKING

from tebiki.errors import BadSetting, Conflict, NotFound
from tebiki.named_tuples import NamedTuple
from tebiki.system.file_locks import lock

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PREFIX = "tbk_"
"""By which people, and programs that look for leaked keys, know one."""

NAME = re.compile(r"[A-Za-z0-9._-]{1,64}")
LINE = re.compile(rf"({NAME.pattern}):([0-9a-f]{{64}})")

MOST_CHARS = 1024 * 1024
"""Of the whole file: some ten thousand tokens. It is read at every request."""

ONLY_OURS = 0o600
LOCK = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH


class StoredToken(NamedTuple):
    """One token as it is kept."""

    name: str
    digest: str

    def line(self) -> str:
        """As it is written in a file."""
        return f"{self.name}:{self.digest}\n"


def digest_of(token: str) -> str:
    """What is kept of a token."""
    return hashlib.sha256(token.encode("utf-8", "backslashreplace")).hexdigest()


def entries_of(lines: Iterable[str], where: str) -> tuple[StoredToken, ...]:
    """Read tokens as they are kept; blank lines and lines that start with # are passed over.

    Raises:
        BadSetting: a line is no token; the line itself is not repeated.
    """
    entries = []
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        match = LINE.fullmatch(text)
        if match is None:
            raise BadSetting(
                f"{where}, entry {number}: not NAME:SHA256; make one with tebiki token new NAME"
            )
        entries.append(StoredToken(match[1], match[2]))
    return tuple(entries)


class TokenFile:
    """The file that holds the tokens of one server."""

    def __init__(self, path: str) -> None:
        self.path = path

    def entries(self) -> tuple[StoredToken, ...]:
        """Every token in it; none when there is no file.

        Raises:
            BadSetting: others may write to it, it cannot be read, or a line is wrong.
        """
        return entries_of(self._lines(), self.path)

    def add(self, name: str, token: str) -> None:
        """Write one more token down.

        Raises:
            BadSetting: the name is none.
            Conflict: there is one of that name, or the file cannot be written.
        """
        if NAME.fullmatch(name) is None:
            raise BadSetting(
                f"{name!r}: a token's name has letters, digits, dots, dashes and underscores, "
                "64 at most"
            )
        with self._alone():
            lines = self._lines()
            if any(entry.name == name for entry in entries_of(lines, self.path)):
                raise Conflict(f"there is a token {name} already; tebiki token rm {name} ends it")
            self._write([*lines, StoredToken(name, digest_of(token)).line()])

    def remove(self, name: str) -> None:
        """End a token.

        Raises:
            NotFound: there is none of that name.
            Conflict: the file cannot be written.
        """
        self._without(name)  # before anything is made for it
        with self._alone():
            self._write(self._without(name))

    def _without(self, name: str) -> list[str]:
        """The lines that stay, with whatever people have noted between the tokens."""
        lines = self._lines()
        ended = [entry.line() for entry in entries_of(lines, self.path) if entry.name == name]
        if not ended:
            raise NotFound(f"there is no token {name}; tebiki token ls lists them")
        return [line for line in lines if f"{line.strip()}\n" not in ended]

    def _lines(self) -> list[str]:
        try:
            with open(self.path, encoding="utf-8") as file:
                mode = os.fstat(file.fileno()).st_mode
                if os.name == "posix" and mode & OTHERS_MAY_WRITE:
                    raise BadSetting(f"{self.path}: others may write to it; chmod 600 it")
                text = file.read(MOST_CHARS + 1)
            if len(text) > MOST_CHARS:
                raise BadSetting(f"{self.path}: it has more than {MOST_CHARS} characters")
            # Each with an end, also the last: another may follow it.
            return [line if line.endswith("\n") else f"{line}\n" for line in StringIO(text)]
        except FileNotFoundError as missing:
            if os.path.islink(self.path):
                raise BadSetting(
                    f"{self.path}: the link leads nowhere, so the tokens cannot be read"
                ) from missing
            return []
        except (OSError, UnicodeDecodeError) as unreadable:
            raise BadSetting(f"{self.path}: the tokens in it cannot be read") from unreadable

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep other processes out from reading to writing: no ended token comes back."""
        try:
            os.makedirs(os.path.dirname(self.path) or ".", mode=0o700, exist_ok=True)
            descriptor = os.open(f"{self.path}.lock", LOCK, ONLY_OURS)
            try:
                lock(descriptor)
                yield
            finally:
                os.close(descriptor)
        except OSError as refused:
            why = (refused.strerror or type(refused).__name__).lower()
            raise Conflict(f"{self.path} cannot be written: {why}; put that right") from refused

    def _write(self, lines: Iterable[str]) -> None:
        beside = f"{self.path}.new"
        with suppress(FileNotFoundError):
            os.unlink(beside)  # of a process that died
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        with open(os.open(beside, flags, ONLY_OURS), "w", encoding="utf-8") as file:
            file.writelines(lines)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, self.path)
