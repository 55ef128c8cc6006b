"""Questions through both engines: the same rows, scores and counts, and the same completeness.

The question sets are not part of the project: EVAL_DATA names their folder, `../shared/data` is
tried otherwise. Every fortieth question is asked unless EVAL_STEP says another number; all of
them, over each of the stages, in an hour:

    EVAL_STEP=1 make cluster TESTS=tests/cluster/test_same_answers.py

Without sets the headings of the samples are asked for.
"""

from __future__ import annotations

import json
import os
import random
import re
import secrets
import shutil
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tebiki.evals.cases import dataset_in
from tebiki.files.paths import Root
from tebiki.manuals.documents.sources import WalkedManual
from tebiki.manuals.find import Clocks
from tebiki.manuals.index.opensearch.client import Cluster
from tebiki.manuals.index.opensearch.publishing import publish
from tebiki.manuals.index.opensearch.store import FARTHEST
from tebiki.manuals.index.postings import Reading
from tebiki.manuals.library import Library
from tebiki.manuals.request import FindRequest
from tests.cluster.teams import remote_settings, words_of
from tests.manuals import usual

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tebiki.manuals.library import LibrarySettings
    from tests.cluster.engines import SearchNodes

HERE = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("EVAL_DATA") or HERE.parent / "shared" / "data")
STEP = int(os.environ.get("EVAL_STEP") or 40)
SAMPLES = HERE / "samples" / "manuals"
CLOCKS = Clocks(time.time, lambda: 0.0, time.time_ns)
"""Nobody is out of time, however slow a machine is; and files settle."""

DRIFT, LEAST_DRIFT = 0.048, 0.045
"""How far a mean is moved, and at least: beyond FARTHEST the index would be built anew."""

BEYOND = 0.07

LENGTHENED = 5
"""One file in so many gets longer."""


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
    cases = list(dataset_in(DATA / name / "dev.jsonl").cases)[::STEP]
    asked = [FindRequest(one.query, one.manual_id, tuple(one.required_terms)) for one in cases]
    return DATA / name / "manuals", [one._replace(time_ms=60_000) for one in asked]


def files_of(folder: Path) -> list[Path]:
    """The Markdown files of a manual."""
    return sorted(folder.rglob("*.md"))


def edit(folder: Path) -> None:
    """Remove every ninth file, add to every seventh and bring one in."""
    files = files_of(folder)
    for path in files[::9]:
        path.unlink()
    for path in files[1::7]:
        if path.exists():
            path.write_text(path.read_text("utf-8") + "\n## Added\nOne more line.\n", "utf-8")
    (folder / "brought-in.md").write_text("# Brought in\nWhat nobody had asked for.\n", "utf-8")


class Both:
    """A set of manuals, both engines over them, and what differs."""

    def __init__(
        self, nodes: SearchNodes, root: Path, asked: list[FindRequest], shards: int
    ) -> None:
        self.root, self.asked = root, asked
        self.manuals = sorted({one.manual_id for one in asked})
        self.prefix = f"same-{secrets.token_hex(4)}"
        settings = remote_settings(nodes.urls, self.prefix, shards=shards, timeout_seconds=60.0)
        self.cluster = Cluster(settings)
        self.frozen: dict[str, Sequence[float]] = {}
        self.indexes: dict[str, str] = {}
        self.same: dict[str, int] = {}
        self.different: list[tuple[str, str, str | None]] = []
        shared = usual.FINDER._replace(opensearch=settings)
        self.here = self._library(usual.LIBRARY)
        self.there = self._library(usual.LIBRARY._replace(finder=shared))

    def _library(self, settings: LibrarySettings) -> Library:
        library = Library(self.root, settings, CLOCKS, lambda: "id", log=lambda _line: None)
        library.ls()
        return library

    def publish(self) -> set[str]:
        """Publish each manual as it is now; gives those whose index was made anew."""
        made = set()
        for manual in self.manuals:
            source = WalkedManual(Root(str(self.root)), manual)
            state = publish(self.cluster, manual, source, "", now_ns=time.time_ns).state
            if self.indexes.get(manual) != state.index_name:
                made.add(manual)
            self.frozen[manual], self.indexes[manual] = state.means, state.index_name
        return made

    def drift_of(self, manual: str) -> float:
        """How far the mean length of a body is from the one in the index, as a share."""
        postings = self.here._finder.index_of(manual).refresh(lambda: False).postings
        assert isinstance(postings, Reading)
        return postings.means[0] / self.frozen[manual][0] - 1

    def compare(self, stage: str) -> None:
        """Ask both engines everything."""
        self.same[stage] = 0
        for request in self.asked:
            one = self.here._finder.find(request, use_cache=False)
            other = self.there._finder.find(request, use_cache=False)
            if one.complete and words_of(one) == words_of(other):
                self.same[stage] += 1
            else:
                self.different.append((stage, request.query, other.failure_reason))

    def clear_away(self) -> None:
        """Remove what was published."""
        for index in self.cluster.ask("GET", f"/{self.prefix}-*"):
            self.cluster.ask("DELETE", f"/{index}", seconds=30)


class Lengthening:
    """Words of a manual that are added to some of its files, to make its sections longer."""

    def __init__(self, both: Both, manual: str) -> None:
        self._both, self._manual = both, manual
        files = files_of(both.root / manual)
        self._words = re.findall(r"\w+", " ".join(one.read_text("utf-8") for one in files))
        self._files = {one: one.read_text("utf-8") for one in files[::LENGTHENED]}
        self._choose = random.Random(manual)  # noqa: S311
        self._added: dict[Path, list[str]] = {one: [] for one in self._files}

    def reach(self, drift: float) -> None:
        """Make the sections longer until they are about so far from what their index says."""
        before = self._drift()
        number = max(1, len(self._words) // 100)
        self._add(number)
        a_word = (self._drift() - before) / number
        while (left := drift - self._drift()) > FARTHEST - DRIFT:
            self._add(max(1, int(0.9 * left / a_word)))

    def sink(self, drift: float) -> None:
        """Take words away again until the sections are about so much too short."""
        taken, before = 0, self._drift()
        number = max(1, self._count() // 10)
        while (left := self._drift() + drift) > FARTHEST - DRIFT:
            if taken:
                a_word = (before - self._drift()) / taken
                number = max(1, int(0.9 * left / a_word))
            self._take(number)
            taken += number

    def _drift(self) -> float:
        return self._both.drift_of(self._manual)

    def _count(self) -> int:
        return sum(map(len, self._added.values()))

    def _take(self, number: int) -> None:
        for _ in range(min(number, self._count())):
            max(self._added.values(), key=len).pop()
        self._write()

    def _add(self, number: int) -> None:
        places = list(self._added.values())
        for at, word in enumerate(self._choose.choices(self._words, k=number)):
            places[at % len(places)].append(word)
        self._write()

    def _write(self) -> None:
        for path, text in self._files.items():
            path.write_text(f"{text}\n\n{' '.join(self._added[path])}\n", "utf-8")


@pytest.mark.parametrize("shards", [1, 3])
@pytest.mark.parametrize("name", question_sets())
def test_both_engines_answer_the_same(
    nodes: SearchNodes, tmp_path: Path, name: str, shards: int
) -> None:
    """Whatever is asked: after a build, edits and removals, and however far the means are off."""
    source, asked = asked_in(name)
    shutil.copytree(source, tmp_path / "manuals")
    both = Both(nodes, tmp_path / "manuals", asked, shards)

    both.publish()
    both.compare("built")
    for manual in both.manuals:
        edit(both.root / manual)
    both.publish()
    both.compare("edited")
    longer = {manual: Lengthening(both, manual) for manual in both.manuals}
    for one in longer.values():
        one.reach(DRIFT)
    above = {manual: both.drift_of(manual) for manual in longer}
    kept = both.publish()
    both.compare("longer")
    for one in longer.values():
        one.reach(BEYOND)
    made = both.publish()
    for one in longer.values():
        one.sink(DRIFT)
    below = {manual: both.drift_of(manual) for manual in longer}
    kept |= both.publish()
    both.compare("shorter")
    both.clear_away()

    told = {"set": name, "shards": shards, "asked": len(asked), "same": both.same,
            "drift": [*above.values(), *below.values()]}  # fmt: skip
    sys.stderr.write(f"\n{json.dumps(told)}\n")
    assert both.different == []
    assert (kept, made) == (set(), set(both.manuals))
    assert all(LEAST_DRIFT < one < FARTHEST for one in above.values())
    assert all(LEAST_DRIFT < -one < FARTHEST for one in below.values())
