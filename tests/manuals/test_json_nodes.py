"""JSON as nodes: paths, neighbours kept together, and texts that no parser likes."""

from __future__ import annotations

import json

import pytest

from tebiki.manuals.documents.json_nodes import (
    LONGEST_PATH,
    MOST_DEPTH,
    Member,
    Unparsable,
    members,
    nodes,
    readable,
)
from tebiki.manuals.limits import READABLE_CHARS

LONG = "x" * (READABLE_CHARS - 100)


def test_a_small_file_is_one_node() -> None:
    """Nothing is gained by parting it."""
    assert [tuple(node) for node in nodes('{"a": [1, 2]}')] == [(0, 13, "$", ())]


def test_large_members_are_nodes_of_their_own() -> None:
    """Named by their path; what opens an object goes with its first node."""
    text = json.dumps({"first": {"a b": LONG, "c": LONG}, "last": [LONG, LONG]})

    found = nodes(text)

    assert [node.path for node in found] == [
        '$.first["a b"]',
        "$.first.c",
        "$.last[0]",
        "$.last[1]",
    ]
    assert [node.keys for node in found] == [("first", "a b"), ("first", "c"), ("last",), ("last",)]
    assert text[found[0].start : found[0].end].startswith('{"first": {"a b"')


def test_small_neighbours_stay_together() -> None:
    """Array items are named as a slice."""
    text = json.dumps({"items": [{"n": number, "t": "x" * 180} for number in range(12)]})

    found = nodes(text)

    assert [node.path for node in found] == ["$.items[0:5]", "$.items[5:10]", "$.items[10:12]"]
    assert all(node.keys == ("items",) for node in found)


def test_small_members_are_named_from_the_first_to_the_last() -> None:
    """Not after the object alone, which all of them are in; their last key is one of them."""
    small = dict.fromkeys(("a", "b c", "d", "e", "f"), "x" * 400)

    found = nodes(json.dumps({"o": small}))

    assert [node.path for node in found] == ['$.o["a".."b c"]', '$.o["d".."e"]', "$.o.f"]
    assert [node.keys for node in found] == [("o",), ("o",), ("o", "f")]


def test_all_members_together_have_the_name_of_their_object() -> None:
    """There is nothing to tell them apart from."""
    found = nodes(json.dumps({"o": {"a": "x" * 400, "b": "x" * 400}, "p": LONG}))

    assert [node.path for node in found] == ["$.o", "$.p"]


def test_a_key_that_is_there_twice_names_two_nodes() -> None:
    """JSON allows it, and both are to be found."""
    found = nodes(f'{{"a": "{LONG}", "a": "{LONG}", "a": "{LONG}"}}')

    assert [node.path for node in found] == ["$.a", "$.a (2)", "$.a (3)"]


def test_what_is_too_deep_to_be_named_is_numbered() -> None:
    """By what holds it."""
    key = "k" * LONGEST_PATH
    found = nodes(json.dumps({"o": {f"{key}{number}": LONG for number in range(3)}}))

    assert [node.path for node in found] == ["$.o", "$.o (2)", "$.o (3)"]


def test_nodes_of_a_laid_out_file_are_whole_lines() -> None:
    """So that a line number means something."""
    text = json.dumps({"a": [LONG, LONG], "b": LONG}, indent=2)

    starts = [node.start for node in nodes(text)]

    assert all(start == 0 or text[start - 1] == "\n" for start in starts)


@pytest.mark.parametrize("depth", [1_000, 10_000])
@pytest.mark.parametrize("brackets", ["[]", '{"k":}'])
def test_deep_nesting_is_no_danger(depth: int, brackets: str) -> None:
    """The path names something above what is too deep to be named."""
    opening, closing = brackets[:-1], brackets[-1]
    found = nodes(opening * depth + "1" + closing * depth)

    assert len(found) == 1
    assert len(found[0].path) <= LONGEST_PATH


def test_boundless_nesting_is_no_json() -> None:
    """It would take more memory than its text is worth."""
    with pytest.raises(Unparsable):
        nodes("[" * (MOST_DEPTH + 1) + "]" * (MOST_DEPTH + 1))


@pytest.mark.parametrize(
    "text", ["", "{", '{"a" 1}', "[1,]", "[1 2]", '{"a":1,}', "{1:2}", "nul", "01", '"a', "[]]"]
)
def test_what_is_no_json_is_told(text: str) -> None:
    """At the first place that shows it."""
    with pytest.raises(Unparsable):
        nodes(text)


def test_the_first_keys_are_told() -> None:
    """Of the top level only, with where they stand."""
    text = '{"a": {"inner": 1}, "\\u65e5": [2],\n "c": 3}'

    assert members(text, 10) == [Member("a", 1), Member("日", 20), Member("c", 36)]
    assert [member.key for member in members(text, 2)] == ["a", "日"]
    assert members("[1]", 10) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\\u65e5\\u672c", "日本"),
        ('a\\nb\\t\\"c\\"', 'a\nb "c"'),
        ("\\ud83d\\ude00", "😀"),
        ("\\ud83d", "\ufffd"),
        ("\\\\u65e5", "\\u65e5"),
        ("\\u0000", " "),
    ],
)
def test_escapes_are_read(text: str, expected: str) -> None:
    """Japanese in ASCII is found like any other."""
    assert readable(text) == expected
