"""The key by which a server and the commands of its own user know each other.

A server keeps it in a file that only its user can read. Whoever has it can prove to be that server,
and can make secrets that log a browser in: each for a minute and for once. Standard library alone:
`tebiki open` knows it too.
"""

from __future__ import annotations

import hmac
import json
import os
import secrets
import stat
from contextlib import suppress

from tebiki.named_tuples import NamedTuple
from tebiki.system.private_files import open_regular

KEY_BYTES = 32
SECRET_SECONDS = 60
"""How long a browser has to come with a secret."""

LONGEST_SECRET = 200
LONGEST_FILE = 4096
OTHERS = stat.S_IRWXG | stat.S_IRWXO


class OwnKey(NamedTuple):
    """Random bytes, and what is made from them; a purpose is part of all of it."""

    secret: bytes

    def sign(self, purpose: str, text: str) -> str:
        """What nobody else can make of a text."""
        message = f"{purpose}\0{text}".encode("utf-8", "surrogatepass")
        return hmac.new(self.secret, message, "sha256").hexdigest()

    def is_signed(self, purpose: str, text: str, signature: str) -> bool:
        """Tell whether it was made with this key."""
        return hmac.compare_digest(self.sign(purpose, text).encode(), signature.encode())

    def new_login(self, now: float) -> str:
        """A secret that logs a browser in, for a minute."""
        said = f"{int(now)}.{secrets.token_hex(KEY_BYTES // 2)}"
        return f"{said}.{self.sign('login', said)}"

    def login_id(self, secret: str, now: float) -> str | None:
        """By what a secret is known that is good now; None of any other."""
        said, _, signature = secret.rpartition(".")
        moment, _, name = said.partition(".")
        if len(secret) > LONGEST_SECRET or not moment.isascii() or not moment.isdigit():
            return None
        if not self.is_signed("login", said, signature):
            return None
        return name if -1 <= now - int(moment) <= SECRET_SECONDS else None


def proof_text(port: int, nonce: str, login: str, *, used: object, needs_token: object) -> str:
    """What a server signs to prove itself: what it was asked, where, and what it answers."""
    return f"{port}\0{nonce}\0{login}\0{used}\0{needs_token}"


def new_key() -> OwnKey:
    """A key that nobody has."""
    return OwnKey(secrets.token_bytes(KEY_BYTES))


class KeyFile:
    """Where the server that listens on a port leaves its key."""

    def __init__(self, state_folder: str, port: int) -> None:
        self._folder = os.path.join(state_folder, "page")
        self.path = os.path.join(self._folder, f"{port}.json")

    def write(self, key: OwnKey, url: str) -> None:
        """Leave the key and where the server is called.

        Raises:
            OSError: it cannot be written, or others could read it.
        """
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        beside = f"{self.path}.{os.getpid()}"
        with suppress(FileNotFoundError):
            os.unlink(beside)
        content = json.dumps({"key": key.secret.hex(), "url": url, "pid": os.getpid()})
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        with open(open_regular(beside, flags), "w", encoding="ascii") as file:
            file.write(content)
        os.replace(beside, self.path)

    def read(self) -> tuple[OwnKey, str] | None:
        """The key and the address; None where there is none that is ours alone."""
        try:
            with open(open_regular(self.path, os.O_RDONLY), "rb") as file:
                if not _is_ours_alone(os.fstat(file.fileno())):
                    return None
                content = json.loads(file.read(LONGEST_FILE))
            return OwnKey(bytes.fromhex(content["key"])), str(content["url"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def remove(self, key: OwnKey) -> None:
        """Take the file away, unless another server has left its own there."""
        found = self.read()
        if found is not None and found[0] == key:
            with suppress(OSError):
                os.unlink(self.path)


def _is_ours_alone(status: os.stat_result) -> bool:
    if os.name != "posix":
        return True
    return status.st_uid == os.getuid() and not status.st_mode & OTHERS
