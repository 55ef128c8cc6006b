"""Questions through both engines: the same rows, scores and counts, and the same completeness.

The question sets are not part of the project: EVAL_DATA names their folder, `../shared/data` is
tried otherwise, and EVAL_STEP says how many questions are passed over between two. Without sets the
headings of the samples are asked for.
"""

from __future__ import annotations

import os
import secrets
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tebiki.evals.cases import cases_in
from tebiki.files.paths import Root
from tebiki.manuals.documents.sources import WalkedManual
from tebiki.manuals.index.opensearch.client import Cluster
from tebiki.manuals.index.opensearch.publishing import publish
from tebiki.manuals.request import FindRequest
from tests.cluster.teams import remote_settings, words_of
from tests.manuals import usual
from tests.manuals.libraries import library_at

if TYPE_CHECKING:
    from tebiki.manuals.library import Library
    from tests.cluster.engines import SearchNodes

HERE = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("EVAL_DATA") or HERE.parent / "shared" / "data")
STEP = int(os.environ.get("EVAL_STEP") or 40)
SAMPLES = HERE / "samples" / "manuals"
NOW = 1_770_000_000


def question_sets() -> list[str]:
    """The sets that there are."""
    return sorted(one.parent.name for one in DATA.glob("*/dev.jsonl")) or ["samples"]


def asked_in(name: str) -> tuple[Path, list[FindRequest]]:
    """The manuals of a set, and what is asked of them."""
    if name == "samples":
        return SAMPLES, [
            FindRequest(line.lstrip("# ").strip(), path.relative_to(SAMPLES).parts[0], (word,))
            for path in sorted(SAMPLES.rglob("*.md"))
            for line in path.read_text(encoding="utf-8").splitlines()
            if line.startswith("#") and (word := line.split()[-1])
        ]
    cases = list(cases_in(DATA / name / "dev.jsonl"))[::STEP]
    asked = [FindRequest(one.query, one.manual_id, tuple(one.required_terms)) for one in cases]
    return DATA / name / "manuals", [one._replace(time_ms=60_000) for one in asked]


def edit(folder: Path) -> None:
    """Remove every ninth file, add to every seventh and bring one in."""
    files = sorted(path for path in folder.rglob("*") if path.suffix in {".md", ".json"})
    for path in files[::9]:
        path.unlink()
    for path in files[1::7]:
        if path.exists() and path.suffix == ".md":
            path.write_text(path.read_text("utf-8") + "\n## Added\nOne more line.\n", "utf-8")
    (folder / "brought-in.md").write_text("# Brought in\nWhat nobody had asked for.\n", "utf-8")


@pytest.mark.parametrize("shards", [1, 3])
@pytest.mark.parametrize("name", question_sets())
def test_both_engines_answer_the_same(
    nodes: SearchNodes, tmp_path: Path, name: str, shards: int
) -> None:
    """Whatever is asked: after a build, and again after edits and removals."""
    source, asked = asked_in(name)
    root = tmp_path / "manuals"
    shutil.copytree(source, root)
    manuals = sorted({one.manual_id for one in asked})
    prefix = f"same-{secrets.token_hex(4)}"
    settings = remote_settings(nodes.urls, prefix, shards=shards, timeout_seconds=60.0)
    cluster = Cluster(settings)
    finder = usual.FINDER._replace(opensearch=settings)
    different = []
    for is_edited in (False, True):
        for manual in manuals:
            if is_edited:
                edit(root / manual)
            publish(
                cluster,
                manual,
                WalkedManual(Root(str(root)), manual),
                "",
                now_ns=lambda: NOW * 10**9,
            )
        here = library_at(root)
        there: Library = library_at(root, usual.LIBRARY._replace(finder=finder))
        for request in asked:
            one = here._finder.find(request, use_cache=False)
            other = there._finder.find(request, use_cache=False)
            if words_of(one) != words_of(other):
                different.append((is_edited, request.query, other.failure_reason))
    for index in cluster.ask("GET", f"/{prefix}-*"):
        cluster.ask("DELETE", f"/{index}", seconds=30)

    assert different == []
