"""`tebiki manuals publish` and `tebiki cluster`: what is said where nothing can be published."""

from __future__ import annotations

import json
import socket
from typing import TYPE_CHECKING

import pytest

from tests.support.command import Finished, run_command

if TYPE_CHECKING:
    from pathlib import Path

SHARED = "manuals: {engine: opensearch, opensearch: {%s}}\n"
SECRET = "not-to-be-repeated"


@pytest.fixture(name="home")
def _home(tmp_path: Path) -> Path:
    """A workspace with one manual."""
    folder = tmp_path / "manuals" / "oven"
    folder.mkdir(parents=True)
    (folder / "guide.md").write_text("# Guide\n\nThe heater runs at 40 degrees.\n")
    return tmp_path


def run(home: Path, settings: str, *words: str) -> Finished:
    """Run a command with a settings file."""
    (home / "tebiki.yaml").write_text(settings)
    flags = (*words, "--config", str(home / "tebiki.yaml"))
    return run_command(home, *flags, face="tebiki", env={"SEARCH_PASSWORD": SECRET})


@pytest.mark.requirement("people:cluster:local")
@pytest.mark.parametrize("words", [("manuals", "publish", "oven"), ("cluster", "status")])
def test_on_one_machine_there_is_nothing_to_publish(home: Path, words: tuple[str, ...]) -> None:
    """The default engine searches the files themselves."""
    ended = run(home, "", *words)

    assert ended.code == 2
    assert "manuals.engine is local" in ended.stderr


@pytest.mark.requirement("people:cluster:settings")
@pytest.mark.parametrize(
    ("section", "said"),
    [
        ("", "manuals.opensearch.addresses must name its nodes"),
        (f"addresses: ['https://u:{SECRET}@search:9200']", "without a user or a password in it"),
        (
            "addresses: ['http://search:9200'], user: u, password_env: SEARCH_PASSWORD",
            "would travel to search unencrypted; use https://",
        ),
        (
            "addresses: ['https://search:9200'], user: u, password_env: NO_SUCH_VARIABLE",
            "names NO_SUCH_VARIABLE, which is not set",
        ),
        ("addresses: ['https://search:9200'], prefix: Ab_c", "small letters, digits and -"),
    ],
)
def test_a_shared_index_is_refused_in_words(home: Path, section: str, said: str) -> None:
    """Before anything is sent anywhere."""
    ended = run(home, SHARED % section, "cluster", "status")

    assert ended.code == 2
    assert said in ended.stderr
    assert SECRET not in ended.stderr + ended.stdout


@pytest.mark.requirement("people:cluster:away")
def test_while_no_node_answers_the_copy_does(home: Path) -> None:
    """The same rows, and nothing is called complete that nobody can know."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    away = SHARED % f"addresses: ['http://127.0.0.1:{port}'], timeout_ms: 500"

    for words in (("manuals", "publish", "oven"), ("cluster", "status")):
        ended = run(home, away, *words)
        assert ended.code == 2
        assert "OpenSearch does not answer" in ended.stderr
    found = json.loads(run(home, away, "manuals", "find", "heater", "--json").stdout)
    doctor = run(home, away, "doctor", "--offline", "--json")

    assert found["inline_hits"]["items"][0]["ref"]["path"] == "guide.md"
    assert found["complete"] is False
    findings = json.loads(doctor.stdout)["findings"]
    (cluster,) = [one for one in findings if one["area"] == "cluster"]
    assert cluster["verdict"] == "fault"
    assert "does not answer" in cluster["words"]
