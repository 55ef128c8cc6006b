"""An API that stalls, floods or truncates costs one call, in words, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.soak.stage import environment
from tests.soak.upstream import PATIENCE_MS
from tests.support.server_process import ServerProcess

if TYPE_CHECKING:
    from pathlib import Path

    from simulator import Simulator

STREAMED = {"_meta": {"progressToken": 1}}


@pytest.mark.requirement("answers:faults:upstream")
@pytest.mark.parametrize(
    ("script", "more"),
    [("flood", {}), ("flood", STREAMED), ("flood shape=line", STREAMED)],
    ids=["plain", "events", "line"],
)
def test_a_flood_ends_before_memory_does(
    tmp_path: Path, simulator: Simulator, script: str, more: dict[str, Any]
) -> None:
    """One gigabyte is not read: the call fails by its size, and the next is answered."""
    with ServerProcess(tmp_path, env=environment(tmp_path, simulator.base_url)) as server:
        answer = server.call(1, "answer", {"query": f"simulate: {script}"}, **more)
        after = server.call(2, "answer", {"query": "HTTP 404"})

    assert "more than 67108864 bytes" in answer["error"]["data"]["message"]
    assert "result" in after


@pytest.mark.requirement("answers:faults:upstream")
def test_stalled_and_truncated_answers_end_in_words(tmp_path: Path, simulator: Simulator) -> None:
    """All at once, streamed and not; a call beside them is answered meanwhile."""
    env = environment(tmp_path, simulator.base_url, OPENAI_API_TIMEOUT=PATIENCE_MS)
    with ServerProcess(tmp_path, env=env) as server:
        server.call("warm", "answer", {"query": "HTTP 404"})
        for script in ("stalled", "dropped_midway"):
            asked = {"query": f"simulate: {script}"}
            server.begin_call(script, "answer", asked)
            server.begin_call(f"{script} streamed", "answer", asked, **STREAMED)
        assert "result" in server.call("beside", "answer", {"query": "HTTP 404"})

        for script, words in (("stalled", "did not answer within"), ("dropped_midway", "reached")):
            for name in (script, f"{script} streamed"):
                assert words in server.answer_to(name)["error"]["data"]["message"]
