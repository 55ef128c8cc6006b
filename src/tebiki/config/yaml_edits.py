"""Changing one entry of a settings file; comments, order and everything else stay.

Imported only by a command that changes settings.
"""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap
from ruamel.yaml.error import YAMLError

from tebiki.errors import BadSetting


def set_entry(path: str, keys: tuple[str, ...], value: str | None) -> None:
    """Write a value below some keys, or with none take the entry away; a missing file is made.

    Raises:
        BadSetting: the file is no mapping of settings, or cannot be read or written.
    """
    # A settings file is often a link into a folder of dotfiles; the file itself is replaced.
    real = os.path.realpath(path)
    yaml = YAML(typ="rt", pure=True)
    yaml.preserve_quotes = True
    yaml.width = 4096
    try:
        document = _load(yaml, real)
        if not isinstance(document, CommentedMap):
            raise BadSetting(f"{path}: must be a mapping of settings")
        _put(document, keys, value, path)
        text = io.StringIO()
        yaml.dump(document, text)
        _replace(real, text.getvalue() if document else "")
    except (OSError, UnicodeError, YAMLError) as refused:
        reason = str(refused).splitlines()[0]
        raise BadSetting(f"{path} cannot be changed: {reason}") from refused


def _load(yaml: YAML, path: str) -> Any:
    try:
        with open(path, encoding="utf-8-sig") as file:
            found = yaml.load(file)
    except FileNotFoundError:
        found = None
    return CommentedMap() if found is None else found


def _put(branch: CommentedMap, keys: tuple[str, ...], value: str | None, path: str) -> None:
    name, *deeper = keys
    if not deeper:
        if value is None:
            branch.pop(name, None)
        else:
            branch[name] = value
        return
    inner = branch.get(name)
    if inner is None:
        inner = branch[name] = CommentedMap()
    if not isinstance(inner, CommentedMap):
        raise BadSetting(f"{path}: {name} must be a mapping")
    _put(inner, tuple(deeper), value, path)
    if value is None and not inner:
        del branch[name]


def _replace(path: str, text: str) -> None:
    """Put a file in the place of another as a whole, with the rights that one had."""
    folder = os.path.dirname(path)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    descriptor, new = tempfile.mkstemp(dir=folder, prefix=".tebiki-")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileNotFoundError):
            os.chmod(new, os.stat(path).st_mode & 0o7777)
        os.replace(new, path)
    except OSError:
        os.unlink(new)
        raise
