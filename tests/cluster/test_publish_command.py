"""`tebiki manuals publish` and `tebiki cluster status` as a person runs them, on real nodes."""

from __future__ import annotations

import json
import secrets
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.command import run_command
from tests.support.repositories import Repository

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.cluster.engines import SearchNodes


def told(home: Path, *words: str, code: int = 0) -> Any:
    """What a command prints as JSON."""
    flags = (*words, "--json", "--config", str(home / "tebiki.yaml"))
    ended = run_command(home, *flags, face="tebiki")
    assert ended.code == code, ended.stderr + ended.stdout
    return json.loads(ended.stdout)


@pytest.fixture(name="prefix")
def _prefix(nodes: SearchNodes, tmp_path: Path) -> Iterator[str]:
    """What the names of the indexes begin with, which the settings name; they go afterwards."""
    prefix = f"command-{secrets.token_hex(4)}"
    opensearch = {"addresses": nodes.urls, "prefix": prefix, "timeout_ms": 10_000}
    settings = {"manuals": {"engine": "opensearch", "opensearch": opensearch}}
    (tmp_path / "tebiki.yaml").write_text(json.dumps(settings))
    yield prefix
    for index in nodes.manager.ask(f"/{prefix}-*"):
        nodes.manager.ask(f"/{index}", method="DELETE")


@pytest.mark.usefixtures("prefix")
def test_a_commit_is_published_and_found(tmp_path: Path) -> None:
    """What git has at it, and neither what came later nor what nobody committed."""
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


def test_a_snapshot_is_published_and_told_of(
    nodes: SearchNodes, prefix: str, tmp_path: Path
) -> None:
    """What a folder holds, by the name that it is given; people hear how it is, and a machine."""
    own, snapshot = tmp_path / "manuals" / "oven", tmp_path / "snapshot"
    for folder, degrees in ((own, 40), (snapshot, 60)):
        folder.mkdir(parents=True)
        (folder / "guide.md").write_text(f"# Guide\n\nThe heater runs at {degrees} degrees.\n")

    before = told(tmp_path, "doctor", "--offline", code=1)["findings"]
    flags = (f"--from={snapshot}", "--label=2026-11")
    row = told(tmp_path, "manuals", "publish", "oven", *flags)
    nodes.wait_until_green()
    after = told(tmp_path, "doctor", "--offline", code=1)["findings"]
    status = run_command(
        tmp_path, "cluster", "status", "--config", str(tmp_path / "tebiki.yaml"), face="tebiki"
    )
    again = told(tmp_path, "manuals", "publish", "oven", *flags)
    found = told(tmp_path, "manuals", "find", "heater degrees")

    assert (row["revision"], row["files"], row["changed"]) == ("2026-11", 1, 1)
    assert (again["revision"], again["rebuilt"]) == ("2026-11", False)
    assert [one["words"] for one in before if one["area"] == "cluster"][1:] == [
        "oven was never published"
    ]
    health, manual = (one for one in after if one["area"] == "cluster")
    assert "is green, with 3 nodes" in health["words"]
    assert manual["words"] == "oven is published at 2026-11"
    assert (manual["verdict"], health["verdict"]) == ("ok", "ok")
    assert status.code == 0
    assert status.stdout.splitlines()[1] == "oven: 2026-11, 1 section, 2 of 2 shards"
    assert found["complete"] is True
    assert found["inline_hits"]["items"][0]["ref"]["path"] == "guide.md"
    assert nodes.manager.ask(f"/{prefix}-state/_count")["count"] > 0
