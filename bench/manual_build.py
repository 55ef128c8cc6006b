"""`manual_build`: how fast an index is built, how large it makes the process, what an edit costs.

The yardstick of a build is the engine alone, given the same tokens ready-made.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.report import Goal, Row, Table, at_most, spread_of

ROUNDS, QUICK_ROUNDS = 5, 2
SECTIONS, QUICK_SECTIONS = 100_000, 10_000
FILES, QUICK_FILES = 10_000, 1_000
SECTIONS_A_FILE = 20
LEAST_MB_A_SECOND = 4
MOST_RESIDENT_MB = 150
MOST_EDIT_MS = 50
SENTENCES = (
    "入院給付金は、手術を受けた日から{0}日以内に支払われます。",
    "第{0}条の規定により、申請の期限を過ぎたときはこの限りではありません。",
    "サーバーの設定ファイル config-{0}.yaml を確認し、再起動してください。",
    "お問い合わせは、窓口{0}番の担当者までご連絡ください。",
    "データベースのバックアップは毎日{0}時に自動で行われる。",
)
"""Of the generated manual; the numbers make its words differ."""


def measure(*, quick: bool) -> Table:
    """Build, weigh and edit, each in a process of its own."""
    rounds = QUICK_ROUNDS if quick else ROUNDS
    sections = QUICK_SECTIONS if quick else SECTIONS
    files = QUICK_FILES if quick else FILES
    with tempfile.TemporaryDirectory() as folder:
        size = generate(Path(folder, "build"), sections // SECTIONS_A_FILE, SECTIONS_A_FILE)
        builds = [_child("build", Path(folder, "build")) for _ in range(rounds)]
        generate(Path(folder, "edit"), files, 1)
        edits = _child("edit", Path(folder, "edit"))
    speeds = [size / 1e6 / build["seconds"] for build in builds]
    speed = spread_of(speeds)
    bare = spread_of([size / 1e6 / build["bare"] for build in builds])
    resident = spread_of([build["resident"] for build in builds])
    edit = spread_of([1000 * (taken - edits["walk"]) for taken in edits["edits"]])
    least = Goal(f">= {LEAST_MB_A_SECOND} MB/s", speed.median >= LEAST_MB_A_SECOND)
    rows = (
        Row("the engine alone", "MB/s", bare, 1.0),
        Row("cold build", "MB/s", speed, speed.median / bare.median, least),
        Row("peak memory", "MB", resident, goal=at_most(resident.median, MOST_RESIDENT_MB, " MB")),
        Row(f"walk of {files} files", "ms", spread_of([1000 * edits["walk"]])),
        Row(
            "one edit, beyond the walk", "ms", edit, goal=at_most(edit.median, MOST_EDIT_MS, " ms")
        ),
    )
    return Table("manual_build", f"{sections} sections, {size / 1e6:.0f} MB of Japanese", rows)


def generate(root: Path, files: int, sections: int) -> int:
    """Write a manual that is the same each time; gives its bytes."""
    size = 0
    for number in range(files):
        path = root / "m" / f"{number // 100}" / f"{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        text = "".join(_section(number * sections + part) for part in range(sections))
        path.write_text(text, encoding="utf-8")
        os.utime(path, (1_600_000_000, 1_600_000_000))
        size += len(text.encode())
    return size


def _section(number: int) -> str:
    lines = [
        sentence.format(number * 7 % (1000 + place)) for place, sentence in enumerate(SENTENCES)
    ]
    return f"## 項目{number}\n\n{''.join(lines)}\n\n"


def _child(what: str, root: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "bench.manual_build", what, str(root)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _build(root: Path) -> dict[str, Any]:
    import resource  # not on Windows

    from tebiki.manuals.index.upkeep import ManualIndex

    with tempfile.TemporaryDirectory() as cache:
        index = _index(ManualIndex, root, cache)
        begun = time.perf_counter()
        index.fresh(lambda: False)
        seconds = time.perf_counter() - begun
    resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"seconds": seconds, "resident": resident, "bare": _bare(root)}


def _bare(root: Path) -> float:
    """Seconds the engine takes for the same tokens, the time to make them left out."""
    from tebiki.manuals.documents import sections_of
    from tebiki.manuals.index import engine

    with tempfile.TemporaryDirectory() as cache:
        writing = engine.Writing(engine.open_engine(cache))
        documents = [
            writing.document(section)[0]
            for path in sorted((root / "m").rglob("*.md"))
            for section in sections_of(path.name, path.read_bytes())
        ]
        begun = time.perf_counter()
        for document in documents:
            writing.put(document)
        writing.commit("bare")
        return time.perf_counter() - begun


def _edit(root: Path) -> dict[str, Any]:
    from tebiki.files.paths import Root
    from tebiki.manuals.index.upkeep import ManualIndex
    from tebiki.manuals.walking import manual_files

    with tempfile.TemporaryDirectory() as cache:
        index = _index(ManualIndex, root, cache)
        index.fresh(lambda: False)
        walks = [_seconds(lambda: list(manual_files(Root(root), "m"))) for _ in range(9)]
        edits = []
        for number in range(15):
            (root / "m" / "5" / "500.md").write_text(f"# 題\n{_section(number)}")
            edits.append(_seconds(lambda: index.fresh(lambda: False)))
    return {"walk": sorted(walks)[len(walks) // 2], "edits": edits}


def _index(kind: Any, root: Path, cache: str) -> Any:
    from tebiki.files.paths import Root

    return kind(Root(root), "m", cache, now_ns=time.time_ns, log=print)


def _seconds(work: Any) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


if __name__ == "__main__":
    print(json.dumps({"build": _build, "edit": _edit}[sys.argv[1]](Path(sys.argv[2]))))
