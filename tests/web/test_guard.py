"""The guard of a server of several workers: what one of them told, all of them know."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.command import run_command

if TYPE_CHECKING:
    from pathlib import Path

    from simulator import Simulator
    from tests.web.conftest import StartHttp

PLAN = (
    "来年度の新製品「あかつき」は四月十日に発表し、価格は一台あたり九万八千円とする。"
    "発表までは社外の誰にも話してはならない。"
)
CONNECTIONS = 8
"""Of which each worker gets some."""


@pytest.mark.requirement("security:guard:by-client")
@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize("modern", [False, True])
def test_what_was_told_in_one_session_is_private_in_the_next(
    start_http: StartHttp, simulator: Simulator, tmp_path: Path, *, modern: bool, workers: str
) -> None:
    """Of the same principal, in whichever era; a client that connects anew has not forgotten."""
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "plan.md").write_text(PLAN, encoding="utf-8")
    env = {"VAULT_ROOT": str(notes), "TEBIKI_GUARD_WEB_QUERIES": "refuse"}
    server = start_http("--workers", workers, "--toolsets", "answers,vault", env=env)
    reading = {"path": "plan.md", "full": True}

    read = server.talk(modern=modern).call("r", "vault_read", reading)["result"]
    refused = [
        server.talk(modern=later).call("q", "answer", {"query": PLAN}) for later in (False, True)
    ]

    assert read["structuredContent"]["text"] == PLAN
    assert all("guard.web_queries" in one["error"]["data"]["message"] for one in refused)
    assert simulator.requests == []


@pytest.mark.requirement("security:guard:by-client", "security:guard:refuse")
def test_what_one_worker_told_no_other_sends(
    start_http: StartHttp, simulator: Simulator, tmp_path: Path
) -> None:
    """To the client that was told, whichever worker it reaches; another client asks freely."""
    ann, bob = (
        run_command(tmp_path, "token", "new", name, face="tebiki").stdout.strip()
        for name in ("ann", "bob")
    )
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "plan.md").write_text(PLAN, encoding="utf-8")
    env = {"VAULT_ROOT": str(notes), "TEBIKI_GUARD_WEB_QUERIES": "refuse"}
    server = start_http("--workers", "2", "--toolsets", "answers,vault", env=env)

    read = server.talk(token=ann).ask("r", "resources/read", {"uri": "vault:///plan.md"})
    refused = [
        server.talk(modern=modern, token=ann).call(number, "answer", {"query": PLAN})
        for number in range(CONNECTIONS)
        for modern in (False, True)
    ]
    asked = len(simulator.requests)
    passed = server.talk(token=bob).call("b", "answer", {"query": PLAN})

    assert read["result"]["contents"][0]["text"] == PLAN
    assert all("guard.web_queries" in one["error"]["data"]["message"] for one in refused)
    assert asked == 0
    assert "private_spans" not in passed["result"]["_meta"]["tebiki/receipt"]
