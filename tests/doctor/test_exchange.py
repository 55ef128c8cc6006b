"""The conversation with oneself, when the server is not as it should be."""

from __future__ import annotations

import os
import threading

from tebiki.doctor.exchange import exchanges
from tebiki.doctor.findings import FindingLevel


def test_a_server_that_never_answers_is_a_fault() -> None:
    """The wait is bounded."""
    ended = threading.Event()

    def hang(_wire_in: int, _wire_out: int) -> None:
        ended.wait()

    found = list(exchanges(hang, 0.01, line_mode=False))
    ended.set()

    assert [one.verdict for one in found] == [FindingLevel.FAULT] * 2
    assert found[0].words == "lines: no answer within 0.01 s"


def test_a_server_that_leaves_is_a_fault() -> None:
    """Without a single answer."""
    found = list(exchanges(lambda _in, _out: None, 5, line_mode=False))

    assert [one.words for one in found] == [
        f"{name}: initialize, tools/list, server/discover was not answered"
        for name in ("lines", "frames")
    ]


def test_answers_in_another_dialect_are_a_fault() -> None:
    """Lines are right for lines, and for frames only where lines are forced."""
    answers = (
        b'{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18"}}\n'
        b'{"jsonrpc":"2.0","id":1,"result":{"tools":[{}]}}\n'
        b'{"jsonrpc":"2.0","id":2,"result":{"supportedVersions":["2026-07-28"]}}\n'
    )

    def serve(wire_in: int, wire_out: int) -> None:
        while os.read(wire_in, 65_536):
            pass
        os.write(wire_out, answers)

    lines, frames = exchanges(serve, 5, line_mode=False)
    _, forced = exchanges(serve, 5, line_mode=True)

    assert lines.verdict is forced.verdict is FindingLevel.OK
    assert frames.words == "frames: answered in another dialect"
