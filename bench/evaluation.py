"""`python -m bench.evaluation [--ablation]`: how well manuals are searched, over question sets.

The sets are not part of the project: EVAL_DATA names their folder, `../shared/data` is tried
otherwise, and where there are none this says so and succeeds. A set is a folder with `dev.jsonl`
(see `tebiki.evals.cases`) and `manuals/`. Answers come from a real server over its pipes.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.ablation import ablation
from bench.processes import Piped, clean_environment
from bench.set_tables import RANK_AT, missed_cases, run, table
from tebiki.errors import InvalidArguments
from tebiki.evals.cases import Case, dataset_in, same_path
from tebiki.evals.measures import BY_NAME, measure_all
from tebiki.evals.run import Outcome, SearchReply

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

USUAL_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
SERVER = (sys.executable, "-m", "tebiki", "--stdio")


FLOORS: dict[str, dict[tuple[str, int], float]] = {
    "jsquad": {("hit", 5): 0.9897, ("mrr", 10): 0.9860, ("section_mrr", 10): 0.9427},
    "squad": {("hit", 5): 0.9889, ("mrr", 10): 0.9638, ("section_mrr", 10): 0.8815},
    "k8s-ja": {("hit", 5): 0.8615, ("mrr", 10): 0.7566, ("section_mrr", 10): 0.4462},
    "mdn-en": {("hit", 5): 0.9077, ("mrr", 10): 0.7407, ("section_mrr", 10): 0.5034},
}
"""Below these, which were reached, a change has cost something; other sets have none."""


class Asker:
    """A conversation with a server that serves one set's manuals."""

    def __init__(self, server: Piped) -> None:
        self._server = server
        self._asked = 0
        self._ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}})
        self.call("manual_ls", {})

    def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Call a tool; gives its structured answer."""
        answer = self._ask("tools/call", {"name": tool, "arguments": arguments})
        if answer.get("isError"):
            raise SystemExit(f"{tool} failed: {answer['content'][0]['text']}")
        found: dict[str, Any] = answer["structuredContent"]
        return found

    def find(self, case: Case) -> str:
        """Search; gives the trace. No answer comes from the cache."""
        found = self.call(
            "manual_find",
            {
                "query": case.query,
                "manual_id": case.manual_id,
                "required_terms": list(case.required_terms),
                "use_cache": False,
            },
        )
        return str(found["trace_id"])

    def reply_to(self, _case: Case, trace_id: str) -> SearchReply:
        """Where the best hits of a trace are."""
        arguments = {"trace_id": trace_id, "kind": "integrated_top", "limit": RANK_AT}
        refs = [item["ref"] for item in self.call("manual_hits", arguments)["items"]]
        return SearchReply(tuple((same_path(ref["path"]), ref["start_line"]) for ref in refs))

    def _ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._asked += 1
        message = {"jsonrpc": "2.0", "id": self._asked, "method": method, "params": params}
        reply = self._server.ask(message)
        while reply.get("id") != self._asked:  # progress and the like
            reply = self._server.next()
        if "error" in reply:
            raise SystemExit(f"{method} failed: {reply['error']['message']}")
        result: dict[str, Any] = reply["result"]
        return result


@contextmanager
def asker(manuals: Path) -> Iterator[Asker]:
    """Start a server over a set's manuals, its index in a folder that is thrown away."""
    with tempfile.TemporaryDirectory() as cache, clean_environment() as environment:
        own = {"MANUALS_ROOT": str(manuals), "XDG_CACHE_HOME": cache, "VAULT_ROOT": cache}
        with Piped(SERVER, environment | own) as server:
            yield Asker(server)


def sets_in(folder: Path) -> dict[str, list[Case]]:
    """Every set below a folder, by name."""
    files = sorted(folder.glob("*/dev.jsonl"))
    return {file.parent.name: list(dataset_in(file).cases) for file in files}


def main() -> None:
    """Measure every set there is."""
    parser = argparse.ArgumentParser(prog="python -m bench.evaluation", description=__doc__)
    parser.add_argument("--ablation", action="store_true", help="measure without each part too")
    parser.add_argument("--missed", action="store_true", help="name the questions that failed")
    wanted = parser.parse_args()
    folder = Path(os.environ.get("EVAL_DATA") or USUAL_DATA)
    try:
        sets = sets_in(folder)
    except InvalidArguments as error:
        raise SystemExit(str(error)) from error
    if not sets:
        print("No question sets: set EVAL_DATA=DIR to a folder of <set>/dev.jsonl. Nothing done.")
        return
    results = {}
    for name, cases in sets.items():
        with asker(folder / name / "manuals") as asked:
            asked.find(cases[0])  # builds the index
            results[name] = run(cases, asked.find, asked.reply_to, time.perf_counter)
    print(table(results), flush=True)
    fallen = [line for name, outcomes in results.items() for line in below_floors(name, outcomes)]
    if wanted.missed:
        print(
            "\nmissed:", *(name for outcomes in results.values() for name in missed_cases(outcomes))
        )
    if wanted.ablation:
        print()
        for line in ablation(folder, sets):
            print(line, flush=True)
    if fallen:
        raise SystemExit("\n".join(["", *fallen]))


def below_floors(name: str, outcomes: Sequence[Outcome]) -> Iterator[str]:
    """What of a set has fallen below its floor, in words; rounded as it is shown."""
    for (measure, k), floor in FLOORS.get(name, {}).items():
        value = measure_all(outcomes, k)[measure]
        if value is not None and round(value, 4) < floor:
            yield f"{name}: {BY_NAME[measure].label(k)} is {value:.4f}, below its floor {floor}"


if __name__ == "__main__":
    main()
