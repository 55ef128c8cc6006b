"""An API that stalls, truncates, floods or talks nonsense, behind every tool that calls it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator import Simulator
from tests.soak.outcome import Outcome
from tests.soak.stage import environment, furnished
from tests.support.server_process import ServerProcess

if TYPE_CHECKING:
    import random
    from collections.abc import Callable
    from pathlib import Path

INTERNAL_ERROR = -32603
SCRIPTS = (
    *("dropped", "dropped_midway", "malformed", "html", "not_object", "failed", "empty", "odd"),
    *("surrogate", "stream_error", "500", "429", "503 body=empty", "incomplete", "refusal"),
    *("large", "flood", "flood shape=line", "stalled", "hang"),
)
TOOLS = ("answer", "answer_detailed", "answer_quick", "chatgpt_o3_search")
PATIENCE_MS = "4000"
"""Of the server with the API; every stalled answer costs that."""
HASTE = {
    "OPENAI_API_TIMEOUT": PATIENCE_MS,
    "SERVER_TIMEOUT": PATIENCE_MS,
    "SERVER_MAX_RETRIES": "1",
}


def troubled(home: Path, chance: random.Random, go_on: Callable[[int], bool]) -> Outcome:
    """Each trouble in turn, streamed or not, from a tool by chance; each is an answer in time."""
    outcome = Outcome("upstream")
    with Simulator() as simulator:
        env = environment(furnished(home), simulator.base_url, **HASTE)
        with ServerProcess(home, face="tebiki", env=env) as server:
            number = 0
            while go_on(number):
                script, tool = SCRIPTS[number % len(SCRIPTS)], chance.choice(TOOLS)
                number += 1
                meta = {"_meta": {"progressToken": number}} if chance.random() < 0.5 else {}
                answer = server.call(number, tool, {"query": f"simulate: {script}"}, **meta)
                outcome.done["troubled calls"] += 1
                code = answer.get("error", {}).get("code")
                outcome.expect(code != INTERNAL_ERROR, f"{tool}, {script}: {answer}")
                well = server.call(f"well{number}", "answer_quick", {"query": "HTTP 404"})
                outcome.expect("result" in well, f"after {script}: {well}")
            server.finish()
        outcome.expect("incident" not in server.stderr, server.stderr[-1000:])
    return outcome
