"""The index of the corpus without a server around it."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from bench.corpus import MANUAL_ID
from tebiki.files.paths import Root
from tebiki.manuals.index.refresh import ManualIndex

if TYPE_CHECKING:
    from pathlib import Path


def bare_index(root: Path, cache: str) -> ManualIndex:
    """The manual below a root, its index kept in a folder; what goes wrong is said on stderr."""
    return ManualIndex(Root(root), MANUAL_ID, cache, now_ns=time.time_ns, log=_complain)


def _complain(words: str) -> None:
    print(words, file=sys.stderr)
