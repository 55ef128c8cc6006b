"""`first_answer`: an answer that is asked for right after the handshake, and waits for the SDK.

The yardstick is a plain script of the SDK, from its birth to its first answer.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from bench.calls import body_the_server_sends, script_call, timed_calls
from bench.processes import plain_script, server, simulator
from bench.report import Row, Table, at_most, spread_of
from bench.startup import compile_package

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

ROUNDS, QUICK_ROUNDS = 20, 5
MOST_MS = 200
"""What a person does not notice beside the seconds that an answer takes."""


def measure(*, quick: bool) -> Table:
    """Start both again and again, in turn."""
    compile_package()
    body = body_the_server_sends()
    served: list[float] = []
    scripted: list[float] = []
    with simulator(0) as base_url:
        for _ in range(QUICK_ROUNDS if quick else ROUNDS):
            scripted.append(_script_ms(base_url, body))
            with server(base_url) as process:
                served += timed_calls(process, 1, 1)
    yardstick, spread = spread_of(scripted), spread_of(served)
    rows = (
        Row("plain script, birth to first answer", "ms", yardstick),
        Row(
            "server, handshake to first answer",
            "ms",
            spread,
            spread.median / yardstick.median,
            at_most(spread.median, MOST_MS, " ms"),
        ),
    )
    return Table("first_answer", "first tools/call answer, against the plain SDK script", rows)


def _script_ms(base_url: str, body: Mapping[str, Any]) -> float:
    started = time.perf_counter()
    with plain_script(base_url, body) as script:
        timed_calls(script, 1, 1, script_call)
        return (time.perf_counter() - started) * 1000
