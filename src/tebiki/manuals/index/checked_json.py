"""Small files beside an index: written whole or not at all, private, read only if unharmed.

Each is JSON below a digest of it. What they say is `manifest`'s and `seal`'s business.
"""

from __future__ import annotations

import hashlib
import json
import os
from typing import Any

from tebiki.files import handles
from tebiki.files.handles import Kind, kind_of
from tebiki.manuals.index.private_folders import open_folder

MOST_BYTES = 256 * 1024 * 1024
PRIVATE = 0o600
_REPLACE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC


class Broken(Exception):
    """The stored index cannot be used; it is to be built anew. Never leaves this package."""


class Missing(Broken):
    """There is no index yet."""


def write(folder: str, name: str, value: Any) -> None:
    """Write a value in place of what was there."""
    body = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    with open_folder(folder) as top:
        descriptor = top.open(f"{name}.new", _REPLACE, PRIVATE)
        with open(descriptor, "wb") as file:
            file.write(_digest(body) + b"\n" + body)
        top.rename(f"{name}.new", name)


def read(folder: str, name: str) -> Any:
    """Read a value; None when there is no such file.

    Raises:
        Broken: there is something else.
    """
    try:
        with open_folder(folder) as top:
            descriptor = top.open(name, handles.READ)
    except FileNotFoundError:
        return None
    with open(descriptor, "rb") as file:
        if kind_of(os.fstat(file.fileno())) is not Kind.FILE:
            raise Broken(f"{name} is no file")
        digest, _, body = file.read(MOST_BYTES).partition(b"\n")
    if digest != _digest(body):
        raise Broken(f"{name} was changed")
    return json.loads(body)


def remove(path: str) -> None:
    """Remove a file, a link, or a folder with all that is in it; nothing may be there."""
    if os.path.isdir(path) and not os.path.islink(path):
        import shutil  # a fresh index removes nothing

        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.unlink(path)


def _digest(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=16).hexdigest().encode()
