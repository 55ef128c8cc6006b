"""Framing for any bytes: nothing depends on where a read ends, and nothing is ever lost."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tebiki.transport.framing import (
    LONGEST_HEADER_LINE,
    Decoder,
    Dialect,
    Event,
    Message,
    TooLong,
    frame,
    value_ends,
)
from tests.support.examples import examples
from tests.support.strategies import json_objects

if TYPE_CHECKING:
    from collections.abc import Iterable

Sent = list[tuple[dict[str, Any], Dialect]]
sent_messages = st.lists(st.tuples(json_objects, st.sampled_from(Dialect)), max_size=4)

SINGLE_CUTS = 8

NOISE = st.sampled_from(
    [b"", b"\n", b"\r\n \t\r\n", b"hello\n", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"X: 1\r\n\r\n"]
)


def encoded(message: dict[str, Any]) -> bytes:
    """A message as the wire carries it."""
    return json.dumps(message).encode()


def feed_in_pieces(stream: bytes, cuts: Iterable[int], longest: int = 1 << 20) -> list[Event]:
    """Everything a decoder makes of a stream that is cut at these places."""
    decoder = Decoder(longest)
    edges = [0, *sorted(cuts), len(stream)]
    return [event for start, end in pairwise(edges) for event in decoder.feed(stream[start:end])]


def cuts_of(data: st.DataObject, stream: bytes) -> list[int]:
    """Any places to cut a stream at."""
    return data.draw(st.lists(st.integers(0, len(stream)), max_size=12))


@pytest.mark.requirement("wire:framing:any-chunking")
@examples(500)
@given(sent_messages, st.data())
def test_any_chunking_yields_the_same_messages(sent: Sent, data: st.DataObject) -> None:
    """Several messages in one chunk or one byte at a time, in both dialects mixed.

    Messages take long to make up, so each few are cut in many ways: anywhere, at every byte, and
    once at each of some places.
    """
    stream = b"".join(frame(encoded(message), dialect) for message, dialect in sent)
    once = range(0, len(stream), max(1, len(stream) // SINGLE_CUTS))

    for cuts in (cuts_of(data, stream), range(len(stream)), *([place] for place in once)):
        heard = feed_in_pieces(stream, cuts)

        assert [
            (json.loads(event.body), event.dialect) for event in heard if isinstance(event, Message)
        ] == sent


@pytest.mark.requirement("wire:framing:any-chunking")
@examples(2500)
@given(
    st.binary(max_size=400) | st.text(alphabet='{}[]":\\,a\r\n1- ContetLngh').map(str.encode),
    st.data(),
)
@example(b"Content-Length: 3\r\n\r\n{}\n", None)
def test_where_a_read_ends_never_matters(stream: bytes, data: st.DataObject | None) -> None:
    """Also for bytes that are no messages at all."""
    whole = feed_in_pieces(stream, [], longest=64)
    cuts = range(len(stream)) if data is None else cuts_of(data, stream)

    assert feed_in_pieces(stream, cuts, longest=64) == whole
    assert feed_in_pieces(stream, range(len(stream)), longest=64) == whole


@pytest.mark.requirement("wire:bad-input:next-message-served")
@examples(500)
@given(st.lists(st.tuples(NOISE, json_objects, st.sampled_from(Dialect)), max_size=5))
def test_noise_never_costs_a_message(sent: list[tuple[bytes, dict[str, Any], Dialect]]) -> None:
    """Whatever stands between two messages, both are heard."""
    stream = b"".join(noise + frame(encoded(body), dialect) for noise, body, dialect in sent)

    heard = feed_in_pieces(stream, [])

    bodies = [json.loads(event.body) for event in heard if isinstance(event, Message)]
    assert bodies == [body for _, body, _ in sent]


@pytest.mark.requirement("wire:bad-input:too-long")
@given(json_objects, st.sampled_from(Dialect), json_objects, st.data())
def test_an_overlong_message_is_told_and_passed_over(
    long: dict[str, Any], dialect: Dialect, after: dict[str, Any], data: st.DataObject
) -> None:
    """The one after it is heard."""
    body = encoded({"padding": "x" * 2000, "inner": long})
    stream = frame(body, dialect) + frame(encoded(after), Dialect.FRAMED)

    heard = feed_in_pieces(stream, cuts_of(data, stream), longest=1000)

    if len(encoded(after)) <= 1000:
        assert heard == [TooLong(len(body), dialect), Message(encoded(after), Dialect.FRAMED)]


@given(st.integers(1, 3 * LONGEST_HEADER_LINE), json_objects, st.data())
def test_endless_noise_is_not_kept(length: int, after: dict[str, Any], data: st.DataObject) -> None:
    """A header glued to its end is still found."""
    stream = b"?" * length + frame(encoded(after), Dialect.FRAMED)

    heard = feed_in_pieces(stream, cuts_of(data, stream))

    assert heard == [Message(encoded(after), Dialect.FRAMED)]


@pytest.mark.requirement("wire:bad-input:no-length")
@given(json_objects, json_objects)
def test_a_value_glued_to_a_frame_is_heard(first: dict[str, Any], second: dict[str, Any]) -> None:
    """A frame whose header was unusable costs nothing, and makes nobody a line client."""
    stream = (
        b"Content-Length: many\r\n\r\n" + encoded(first) + frame(encoded(second), Dialect.FRAMED)
    )

    heard = [event for event in feed_in_pieces(stream, []) if isinstance(event, Message)]

    assert [json.loads(event.body) for event in heard] == [first, second]
    assert {event.dialect for event in heard} == {Dialect.FRAMED}


@given(json_objects, st.text(min_size=1))
def test_a_value_ends_where_its_bracket_closes(value: dict[str, Any], rest: str) -> None:
    """Brackets and quotes inside strings do not count."""
    text = encoded(value)

    assert value_ends(text + rest.encode("utf-8", "replace"))[0] == len(text)
    assert value_ends(text * 3) == [len(text), 2 * len(text), 3 * len(text)]
