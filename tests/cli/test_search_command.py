"""`tebiki search` as a person types it, against the loopback API."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.support.command import Finished, run_command
from tests.support.server_process import CANARY

if TYPE_CHECKING:
    from pathlib import Path

    from simulator import Simulator


def search(home: Path, simulator: Simulator, *words: str) -> Finished:
    """Run a search command whose API is the simulator."""
    env = {"OPENAI_API_KEY": CANARY, "OPENAI_BASE_URL": simulator.base_url}
    return run_command(home, "search", *words, face="tebiki", env=env)


@pytest.mark.requirement("people:search:table")
def test_results_are_a_list_for_people(tmp_path: Path, simulator: Simulator) -> None:
    """Number, title, address, snippet, and how many there were."""
    done = search(tmp_path, simulator, "Model Context Protocol news", "--limit", "2")

    assert (done.code, done.stderr) == (0, "")
    assert done.stdout.startswith(" 1. ")
    assert "https://" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("2 of ")


@pytest.mark.requirement("people:commands:json", "people:search:table")
def test_results_are_json_for_programs(tmp_path: Path, simulator: Simulator) -> None:
    """The tool's own shape."""
    done = search(tmp_path, simulator, "news", "--json", "--language", "ja")

    found = json.loads(done.stdout)
    assert found["totalCount"] == len(found["results"]) > 0
    assert set(found["results"][0]) >= {"title", "url", "snippet"}


@pytest.mark.requirement("people:commands:exit-codes")
def test_nothing_found_is_1(tmp_path: Path, simulator: Simulator) -> None:
    """And says so."""
    assert search(tmp_path, simulator, "simulate: no_results") == (1, "Nothing found.\n", "")


@pytest.mark.requirement("people:commands:wrong-usage")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((" ",), "the question is required"),
        (("x", "--limit", "0"), "--limit: must be an integer from 1 to 50, got 0"),
        (("x" * 501,), "the question must be"),
        (("x", "--timeframe", "ever"), "invalid choice"),
        ((), "the following arguments are required: query"),
    ],
)
def test_bad_words_cost_nothing(
    tmp_path: Path, simulator: Simulator, words: tuple[str, ...], said: str
) -> None:
    """Exit 2, the same words as a model gets, nothing sent."""
    done = search(tmp_path, simulator, *words)

    assert done.code == 2
    assert said in done.stderr
    assert simulator.requests == []


@pytest.mark.requirement("people:commands:one-line-errors")
def test_failures_are_one_line(tmp_path: Path, simulator: Simulator) -> None:
    """Without a key, and with a refused one; the key is in neither."""
    missing = run_command(tmp_path, "search", "x", face="tebiki")
    refused = search(tmp_path, simulator, "simulate: 401")

    assert missing == (2, "", "tebiki: error: Missing API key: set OPENAI_API_KEY\n")
    assert refused.code == 2
    assert refused.stderr.count("\n") == 1
    assert CANARY not in refused.stderr
