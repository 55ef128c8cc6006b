"""Manuals at work on the real process: pings, progress and cancellation of finds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.interaction.manual_calls import content_of
from tests.support.talk import MODERN_META

if TYPE_CHECKING:
    from tests.interaction.conftest import OpenManuals
    from tests.interaction.manual_calls import Json, Reader, Workspace

FILES, FEW_FILES = 800, 150
ASKED = {"manual_id": "m", "query": "lantern of room 7", "required_terms": ["lantern"]}


@pytest.fixture(name="large")
def _large(workspace: Workspace) -> None:
    """A manual whose index takes long enough for something else to happen meanwhile."""
    write_rooms(workspace, FILES)


@pytest.fixture(name="small")
def _small(workspace: Workspace) -> None:
    """A manual whose index takes long enough to tell of it."""
    write_rooms(workspace, FEW_FILES)


def write_rooms(workspace: Workspace, files: int) -> None:
    """Write so many files of eight sections each."""
    for number in range(files):
        sections = (
            f"## Room {number}-{part}\n\nThe lantern of room {number} hangs at height {part}.\n\n"
            for part in range(8)
        )
        workspace.write(f"m/{number % 30}/f{number}.md", "".join(sections))


def begin(reader: Reader, request_id: str, meta: Json) -> Json:
    """Begin a find, and wait for the first word of its progress: it runs."""
    reader.server.begin_call(request_id, "manual_find", ASKED, _meta=meta)
    message = reader.server.next_message()
    assert message["method"] == "notifications/progress", message
    return message


@pytest.mark.requirement("wire:progress:index")
@pytest.mark.usefixtures("small")
def test_progress_counts_files_while_an_index_is_built(open_manuals: OpenManuals) -> None:
    """Done of all, under the client's token, before the answer."""
    reader = open_manuals()

    heard = [begin(reader, "f", {"progressToken": "t"})]
    while "id" not in (message := reader.server.next_message()):
        heard.append(message)

    assert content_of("find", message)["complete"] is True
    assert {one["params"]["progressToken"] for one in heard} == {"t"}
    counts = [one["params"]["progress"] for one in heard]
    assert counts == sorted(set(counts))
    assert {one["params"]["total"] for one in heard} == {FEW_FILES}
    told = [one["params"]["message"].split() for one in heard]
    assert all(words[0] == "indexing" and words[3] == str(FEW_FILES) for words in told)
    done = [int(words[1]) for words in told]
    assert done == sorted(done)
    # The number of files, or where no more are done a little above the last one.
    assert [int(count) for count in counts] == done
    assert reader.server.finish() == []


@pytest.mark.requirement("wire:progress:no-token")
@pytest.mark.usefixtures("small")
def test_without_a_token_there_is_no_progress(reader: Reader) -> None:
    """Only the answer."""
    reader.server.begin_call("f", "manual_find", ASKED)

    assert reader.server.next_message()["id"] == "f"


@pytest.mark.requirement("wire:calls:never-block")
@pytest.mark.usefixtures("large")
def test_a_ping_is_answered_while_a_find_runs(open_manuals: OpenManuals) -> None:
    """And so is a short call: neither waits for the index."""
    reader = open_manuals()
    begin(reader, "f", {"progressToken": 1})

    reader.server.request("p", "ping")
    reader.server.begin_call("l", "manual_ls", {})
    answered = []
    while "f" not in answered:
        message = reader.server.next_message()
        answered += [message["id"]] if "id" in message else []

    assert answered[-1] == "f"
    assert set(answered) == {"p", "l", "f"}


@pytest.mark.requirement("wire:cancel:no-answer", "manuals:cancel:find")
@pytest.mark.usefixtures("large")
def test_a_cancelled_find_gets_no_answer(open_manuals: OpenManuals) -> None:
    """Neither now nor later; what it had indexed is no loss, and the next find is whole."""
    reader = open_manuals()
    begin(reader, "c", {"progressToken": 1})

    reader.server.cancel("c")
    whole = reader.find("lantern of room 7", "lantern")

    assert whole["complete"] is True
    rest = reader.server.finish()
    assert [message for message in rest if "id" in message] == []


@pytest.mark.requirement("wire:progress:index")
@pytest.mark.usefixtures("small")
def test_a_modern_find_reports_progress_too(reader: Reader) -> None:
    """The token stands beside the envelope; the result is stamped."""
    # Over HTTP each era has listed for itself.
    reader.server.call("ls", "manual_ls", {}, _meta=MODERN_META)
    first = begin(reader, "f", MODERN_META | {"progressToken": "t"})

    assert first["params"]["progressToken"] == "t"
    assert reader.server.answer_to("f")["result"]["resultType"] == "complete"


@pytest.mark.requirement("wire:ids:concurrent")
@pytest.mark.usefixtures("small")
def test_many_finds_at_once_are_all_answered(reader: Reader) -> None:
    """Over an index that the first of them builds; each with its own trace."""
    for number in range(12):
        reader.server.begin_call(number, "manual_find", {**ASKED, "query": f"room {number}"})
    found = [content_of("find", reader.server.answer_to(number)) for number in range(12)]

    assert all(one["complete"] for one in found)
    assert len({one["trace_id"] for one in found}) == 12


@pytest.mark.requirement("wire:ending:end-of-input")
@pytest.mark.usefixtures("small")
def test_the_end_of_input_is_no_cancellation(reader: Reader) -> None:
    """A running find is answered before the process exits."""
    begin(reader, "f", {"progressToken": 1})

    rest = reader.server.finish()

    answers = [message for message in rest if "id" in message]
    assert [message["id"] for message in answers] == ["f"]
    assert content_of("find", answers[0])["complete"] is True
