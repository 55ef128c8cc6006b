"""The evaluation as people run it: sets in a folder, a table on the screen."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
SAMPLES = REPOSITORY / "samples" / "manuals"
PATIENCE_SECONDS = 120


def evaluate(data: Path) -> subprocess.CompletedProcess[str]:
    """Run it over a folder."""
    return subprocess.run(
        [sys.executable, "-m", "bench.evaluation"],
        cwd=REPOSITORY,
        env=os.environ | {"EVAL_DATA": str(data)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=PATIENCE_SECONDS,
        check=False,
    )


def write_set(folder: Path, *lines: str) -> None:
    """Make a set over the sample manuals."""
    shutil.copytree(SAMPLES, folder / "small" / "manuals")
    (folder / "small" / "dev.jsonl").write_text("\n".join(lines), encoding="utf-8")


def test_a_set_is_measured_through_the_server(tmp_path: Path) -> None:
    """By file and by section."""
    case = {
        "case_id": "1",
        "query": "How long is a deleted snapshot kept?",
        "manual_id": "lantern-backup",
        "required_terms": ["snapshot"],
        "expected_paths": ["reference/retention.md", "guides/restore.md"],
        "expected_refs": [{"path": "nowhere.md", "start_line": 1}],
    }
    write_set(tmp_path, json.dumps(case))
    done = evaluate(tmp_path)
    assert done.returncode == 0, done.stderr
    assert "| small | 1 | 1.0000 | 1.0000 | 0.0000 | 0.0000 |" in done.stdout


def test_without_sets_nothing_is_done(tmp_path: Path) -> None:
    """Which is said, and is no failure."""
    done = evaluate(tmp_path)
    assert done.returncode == 0
    assert "No question sets" in done.stdout


def test_a_bad_set_is_refused(tmp_path: Path) -> None:
    """With the line to mend."""
    write_set(tmp_path, "{}")
    done = evaluate(tmp_path)
    assert done.returncode == 1
    assert "dev.jsonl, line 1" in done.stderr


def test_a_set_below_its_floor_fails(tmp_path: Path) -> None:
    """Of the sets that have one, by name; it is told after the table."""
    case = {
        "query": "How long is a deleted snapshot kept?",
        "manual_id": "lantern-backup",
        "expected_paths": ["nowhere.md"],
    }
    write_set(tmp_path, json.dumps(case))
    (tmp_path / "small").rename(tmp_path / "jsquad")
    done = evaluate(tmp_path)
    assert done.returncode == 1
    assert "| jsquad | 1 | 0.0000 |" in done.stdout
    assert "jsquad: hit@5 is 0.0000, below its floor 0.9897" in done.stderr
