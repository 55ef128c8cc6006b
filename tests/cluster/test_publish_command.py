"""`tebiki manuals publish` and `tebiki cluster status` as a person runs them, on real nodes."""

from __future__ import annotations

import json
import secrets
from typing import TYPE_CHECKING, Any

from tests.support.command import run_command
from tests.support.repositories import Repository

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cluster.engines import SearchNodes


def told(home: Path, *words: str, code: int = 0) -> Any:
    """What a command prints as JSON."""
    flags = (*words, "--json", "--config", str(home / "tebiki.yaml"))
    ended = run_command(home, *flags, face="tebiki")
    assert ended.code == code, ended.stderr + ended.stdout
    return json.loads(ended.stdout)


def test_a_commit_is_published_and_found(nodes: SearchNodes, tmp_path: Path) -> None:
    """What git has at it, and neither what came later nor what nobody committed."""
    prefix = f"command-{secrets.token_hex(4)}"
    opensearch = {"addresses": nodes.urls, "prefix": prefix, "timeout_ms": 10_000}
    settings = {"manuals": {"engine": "opensearch", "opensearch": opensearch}}
    (tmp_path / "tebiki.yaml").write_text(json.dumps(settings))
    oven = Repository(tmp_path / "manuals" / "oven")
    first = oven.commit({"guide.md": "# Guide\n\nThe heater runs at 40 degrees.\n"})
    second = oven.commit({"more.md": "# More\n\nThe heater may run at 60 degrees.\n"})
    (oven.folder / "guide.md").write_text("# Guide\n\nNobody has committed this heater.\n")

    assert told(tmp_path, "cluster", "status", code=1)["manuals"][0]["published"] is False
    rows = [
        told(tmp_path, "manuals", "publish", "oven", f"--commit={ref}")
        for ref in ("HEAD~1", "trunk", first)
    ]
    (status,) = told(tmp_path, "cluster", "status")["manuals"]
    found = told(tmp_path, "manuals", "find", "heater")

    assert [row["revision"] for row in rows] == [first, second, first]
    assert [row["files"] for row in rows] == [1, 2, 1]
    assert (status["revision"], status["behind"]) == (first, False)
    assert found["complete"] is True
    (hit,) = found["inline_hits"]["items"]
    assert hit["ref"]["path"] == "guide.md"
    for index in nodes.manager.ask(f"/{prefix}-*"):
        nodes.manager.ask(f"/{index}", method="DELETE")
