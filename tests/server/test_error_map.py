"""The way out for failures: every error of the tree has words in every family, and a code."""

from __future__ import annotations

import pytest

from tebiki.errors import (
    MissingKey,
    OverBudget,
    ProtocolError,
    TebikiError,
    UnsupportedVersion,
)
from tebiki.observability.logs import Log
from tebiki.observability.redact import Redactor
from tebiki.protocol.messages import encode
from tebiki.server.error_map import FAMILIES, FILE_CODES, PROTOCOL_CODES, ErrorMap, WireError
from tests.support.server_process import CANARY

WORDS = f"what went wrong with {CANARY}"
BUILT_OTHERWISE: dict[type[TebikiError], TebikiError] = {
    MissingKey: MissingKey(WORDS),
    OverBudget: OverBudget(WORDS, 1.5),
    UnsupportedVersion: UnsupportedVersion(CANARY, ("2",)),
}


def leaves(kind: type[TebikiError]) -> list[type[TebikiError]]:
    """What is raised: every class of a tree that has none below it."""
    below = kind.__subclasses__()
    return [leaf for inner in below for leaf in leaves(inner)] or [kind]


def made(kind: type[TebikiError]) -> TebikiError:
    """An error of a class, with words that hold a key."""
    return BUILT_OTHERWISE[kind] if kind in BUILT_OTHERWISE else kind(WORDS)


@pytest.mark.parametrize("debug", [False, True], ids=["plain", "debug"])
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("kind", leaves(TebikiError), ids=lambda kind: kind.__name__)
def test_every_error_has_words_in_every_family(
    kind: type[TebikiError], family: str, debug: bool
) -> None:
    """It can be sent, it is no incident, and no key is in it."""
    errors = ErrorMap(Log("test", Redactor(CANARY), debug=debug))

    outcome = errors.translate(made(kind), family)

    sent = encode(outcome._asdict() if isinstance(outcome, WireError) else outcome)
    assert b"incident" not in sent
    assert CANARY.encode() not in sent


def test_every_broken_rule_of_the_protocol_has_a_code() -> None:
    """Whoever adds one says what the peer reads."""
    assert set(leaves(ProtocolError)) == set(PROTOCOL_CODES)


@pytest.mark.parametrize("kind", FILE_CODES, ids=lambda kind: kind.__name__)
def test_a_file_tool_says_which(kind: type[TebikiError]) -> None:
    """By the code of its class, in a result that a model can read."""
    errors = ErrorMap(Log("test", Redactor(None)))

    outcome = errors.translate(kind("words", details={"path": "a.md"}), "files")

    assert isinstance(outcome, dict)
    assert outcome["isError"] is True
    assert outcome["structuredContent"] == {
        "code": FILE_CODES[kind],
        "message": "words",
        "details": {"path": "a.md"},
    }


def test_a_bug_tells_the_client_only_where_to_look(capfd: pytest.CaptureFixture[str]) -> None:
    """The log has the rest, but for the key."""
    errors = ErrorMap(Log("test", Redactor(CANARY)))

    outcome = errors.translate(ZeroDivisionError(WORDS), "files")

    assert isinstance(outcome, WireError)
    incident = outcome.message.partition("incident ")[2].partition(";")[0]
    logged = capfd.readouterr().err
    assert WORDS.partition(" with")[0] not in outcome.message
    assert f"incident {incident}" in logged
    assert "ZeroDivisionError: what went wrong with [redacted]" in logged
