"""`python -m bench.contradictions`: how many planted contradictions a find tells of.

Over the manuals of the question sets (EVAL_DATA, see `bench.evaluation`) and the samples: each is
asked of a real server once as it is, where every conflict is an alarm, and once with the plants of
`bench.planting`, where the pair has to be told. The samples contradict themselves on purpose, once
each: that is no alarm.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bench.evaluation import USUAL_DATA, asker
from bench.planting import HEADINGS, KINDS, SEED, plants_in
from bench.set_tables import markdown
from tebiki.evals.cases import Case, dataset_in
from tebiki.manuals.ranking.derived_terms import derive_terms

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bench.evaluation import Asker
    from bench.planting import Plant

SAMPLES = Path(__file__).resolve().parents[1] / "samples" / "manuals"
ON_PURPOSE = (
    ("can be restored within 14 days", "can be restored within 30 days"),
    ("**3 日間** 保存", "**7 日間** 保存"),
)
"""What the samples say in two ways, for whoever tries them."""

MOST = 180
MOST_CONFLICTS = 50
MOST_QUESTIONS = 120
"""Of a set's own questions, which are asked as they are."""


@dataclass(frozen=True, slots=True)
class Tally:
    """What came of the plants of one manual."""

    manual: str
    planted: tuple[Plant, ...]
    missed: tuple[Plant, ...]
    asked: int
    alarms: tuple[tuple[str, str, str], ...]

    def cells(self) -> list[str]:
        """A row of the table: by kind and by heading, and the alarms."""
        planted = Counter(word for one in self.planted for word in (one.kind, one.heading))
        missed = Counter(word for one in self.missed for word in (one.kind, one.heading))
        told = [self.manual, _share(len(self.missed), len(self.planted))]
        told += [_share(missed[name], planted[name]) for name in (*KINDS, *HEADINGS)]
        return [*told, f"{len(self.alarms)}/{self.asked}"]


COLUMNS = ["manual", "found", *KINDS, *HEADINGS, "alarms"]


def _share(missed: int, all_of_them: int) -> str:
    return f"{all_of_them - missed}/{all_of_them}"


def main() -> None:
    """Plant, ask and count."""
    parser = argparse.ArgumentParser(prog="python -m bench.contradictions", description=__doc__)
    parser.add_argument("--most", type=int, default=MOST, metavar="N", help="plants in a manual")
    parser.add_argument("--seed", type=int, default=SEED, help="of what is planted (%(default)s)")
    parser.add_argument("--only", metavar="ID", help="this manual alone")
    parser.add_argument("--missed", action="store_true", help="show what was missed, and alarms")
    wanted = parser.parse_args()
    data = Path(os.environ.get("EVAL_DATA") or USUAL_DATA)
    manuals = sorted(folder for folder in data.glob("*/manuals/*") if folder.is_dir())
    manuals += sorted(folder for folder in SAMPLES.iterdir() if folder.is_dir())
    tallies = []
    for manual in manuals:
        if wanted.only in {None, manual.name}:
            tallies.append(tally_of(manual, wanted.most, wanted.seed))
            if wanted.missed:
                _tell(tallies[-1])
    print(markdown(COLUMNS, [tally.cells() for tally in tallies]))
    planted = sum(len(tally.planted) for tally in tallies)
    missed = sum(len(tally.missed) for tally in tallies)
    alarms = sum(len(tally.alarms) for tally in tallies)
    asked = sum(tally.asked for tally in tallies)
    print(
        f"\nfound {1 - missed / planted:.1%} of {planted}, alarms {alarms / asked:.1%} of {asked}"
    )


def _tell(tally: Tally) -> None:
    for plant in tally.missed:
        print(f"missed {plant.kind}, {plant.heading}, {plant.place}, asked: {plant.query}")
        print(f"   {plant.said.path} # {plant.said.title}: {plant.said.text}")
        print(f"   {plant.path} # {plant.title}: {plant.against}")
    for query, one, other in tally.alarms:
        print(f"alarm, asked: {query}\n   {one}\n   {other}")


def tally_of(manual: Path, most: int, seed: int) -> Tally:
    """Ask a manual as it is, and with its plants."""
    plants = plants_in(manual, most, seed)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / manual.name
        shutil.copytree(manual, copy)
        for file in copy.rglob("*"):
            file.chmod(0o700 if file.is_dir() else 0o600)
        copy.chmod(0o700)
        questions = _questions(manual)
        cases = [*(_case(manual.name, plant.query) for plant in plants), *questions]
        with asker(Path(folder)) as asked:
            alarms = [alarm for case in cases if (alarm := _alarm(asked, case)) is not None]
        for plant in plants:
            plant.write(copy)
        with asker(Path(folder)) as asked:
            missed = [plant for plant in plants if not _is_told(asked, manual.name, plant)]
    return Tally(manual.name, tuple(plants), tuple(missed), len(cases), tuple(alarms))


def _questions(manual: Path) -> list[Case]:
    file = manual.parents[1] / "dev.jsonl"
    return list(dataset_in(file).cases)[:MOST_QUESTIONS] if file.exists() else []


def _case(manual_id: str, query: str) -> Case:
    return Case(query, query, manual_id, derive_terms(query), frozenset())


def _alarm(asked: Asker, case: Case) -> tuple[str, str, str] | None:
    for (_, one), (_, other) in _conflicts(asked, case):
        told = f"{one} {other}"
        if not any(all(side in told for side in sides) for sides in ON_PURPOSE):
            return case.query, one, other
    return None


def _is_told(asked: Asker, manual_id: str, plant: Plant) -> bool:
    wanted = {plant.said.path, plant.path}
    pairs = _conflicts(asked, _case(manual_id, plant.query))
    return any({one[0], other[0]} == wanted for one, other in pairs)


def _conflicts(asked: Asker, case: Case) -> Iterable[tuple[tuple[str, str], tuple[str, str]]]:
    """The pairs that a find tells of, each as its path and its text."""
    arguments = {"trace_id": asked.find(case), "kind": "conflicts", "limit": MOST_CONFLICTS}
    for row in asked.call("manual_hits", arguments)["items"]:
        for other in row["conflict_with"]:
            yield (
                (row["ref"]["path"], row["text"]),
                (other["ref"]["path"], other["text"]),
            )


if __name__ == "__main__":
    main()
