"""The tracer behind `bench walk`: it counts what the package does, and nothing else."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from bench.traced import Tracer
from tebiki.files.names import nfc, parse
from tebiki.values.numerals import counted

if TYPE_CHECKING:
    from pathlib import Path


def test_calls_of_the_package_are_counted_between_two_signals(tmp_path: Path) -> None:
    """Files, calls and depth; what runs before and outside the package is not counted."""
    file = tmp_path / "walk.json"
    tracer = Tracer(str(file))

    sys.setprofile(tracer.profile)
    try:
        parse("before")
        tracer.begin_or_end(0, None)
        json.dumps([nfc("a"), nfc("b")])
        tracer.begin_or_end(0, None)
    finally:
        sys.setprofile(None)

    assert json.loads(file.read_bytes()) == {
        "files": 1,
        "calls": 2,
        "changes": 0,
        "deepest": 1,
        "entries": {"files/names.py": 2},
        "crossings": {},
    }


def test_a_change_of_folder_is_told_with_where_it_led(tmp_path: Path) -> None:
    """From one folder of the package to a function in another."""
    file = tmp_path / "walk.json"
    tracer = Tracer(str(file))

    sys.setprofile(tracer.profile)
    try:
        tracer.begin_or_end(0, None)
        nfc("a")
        counted(2, "file")
        counted(3, "file")
        tracer.begin_or_end(0, None)
    finally:
        sys.setprofile(None)

    told = json.loads(file.read_bytes())
    assert told["crossings"] == {"files -> values/numerals.py:counted": 1}
    assert (told["changes"], told["entries"]) == (
        1,
        {"files/names.py": 1, "values/numerals.py": 2},
    )
