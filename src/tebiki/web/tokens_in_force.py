"""Which tokens are in force, by the file as it is now and the settings; and the words for it.

The file is looked at for every request, so a token that is made is needed at once, and one that is
removed is dead at once. Once a token was needed, one stays needed until the process ends: a file
that somebody moves, or that an editor is just saving, opens no door.
"""

from __future__ import annotations

import hmac
import os
from typing import TYPE_CHECKING

from tebiki.errors import BadSetting
from tebiki.web.tokens import digest_of, entries_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tebiki.web.tokens import StoredToken, TokenFile

Version = tuple[int, int, int]

UNREADABLE: Version = (0, 0, 0)
"""Of a file that is there, or may be, but cannot be looked at."""


class KnownTokens:
    """Tells whether a request needs a token, and whose token it is."""

    def __init__(
        self,
        file: TokenFile,
        configured: Iterable[str],
        complain: Callable[[str], None],
        *,
        always_needed: bool = False,
    ) -> None:
        self.path = file.path
        self._file = file
        self._configured = entries_of(configured, "http.tokens")
        self._complain = complain
        self._seen = version_of(self.path)
        self._from_file = file.entries() if self._seen is not None else ()
        self._is_needed = always_needed or bool(self._configured) or self._seen is not None

    def are_needed(self) -> bool:
        """Tell whether a request needs a token: there is one, or there was."""
        self._refresh()
        return self._is_needed

    def names(self) -> tuple[str, ...]:
        """Whose tokens there are."""
        self._refresh()
        return tuple(entry.name for entry in self._entries())

    def name_of(self, token: str) -> str | None:
        """The name of a token; every entry is compared, however early one fits."""
        return self.name_of_digest(digest_of(token))

    def name_of_digest(self, digest: str) -> str | None:
        """The name of a token of which only the digest was kept."""
        self._refresh()
        found = None
        for entry in self._entries():
            if hmac.compare_digest(entry.digest, digest):
                found = entry.name
        return found

    def _entries(self) -> tuple[StoredToken, ...]:
        return (*self._from_file, *self._configured)

    def _refresh(self) -> None:
        version = version_of(self.path)
        if version == self._seen:
            return
        self._seen = version
        self._is_needed = True
        try:
            self._from_file = self._file.entries()
        except BadSetting as wrong:
            # Nobody gets in by it until it is right again.
            self._from_file = ()
            self._complain(str(wrong))
        else:
            if not self._entries():
                self._complain(refused_words(self.path))


def version_of(path: str) -> Version | None:
    """What changes when a file does; none only where there certainly is no file."""
    try:
        found = os.stat(path)
    except OSError as missing:
        # A link that leads nowhere is there: what it leads to may not be mounted yet.
        is_gone = isinstance(missing, FileNotFoundError | NotADirectoryError)
        return None if is_gone and not os.path.islink(path) else UNREADABLE
    return found.st_mtime_ns, found.st_size, found.st_ino


def start_words(tokens: KnownTokens, issuer: str | None) -> str:
    """What a server that starts says about who may call."""
    wanted = [", ".join(tokens.names()), f"those of {issuer}" if issuer is not None else ""]
    if any(wanted):
        return f"requests need a token: {', '.join(filter(None, wanted))}"
    if tokens.are_needed():
        return refused_words(tokens.path)
    return (
        "no token is needed: every program on this machine may call; "
        "tebiki token new NAME changes that at once"
    )


def refused_words(path: str) -> str:
    """What is in force where a token is needed and there is none."""
    return (
        "every request is refused, for no token is left: make one (tebiki token new NAME); or, to "
        f"let every program on this machine call without one, delete {path} and start again"
    )


def left_words(names: Iterable[str], path: str, issuer: str | None) -> str:
    """What is in force after a token was removed."""
    listed = [*names, *([f"those of {issuer}"] if issuer is not None else [])]
    if listed:
        return f"Tokens in force: {', '.join(listed)}."
    words = refused_words(path)
    return f"{words[0].upper()}{words[1:]}."
