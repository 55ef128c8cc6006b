"""What the six tools of manuals take and refuse, on the real process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.interaction.differences import expected
from tests.interaction.manual_calls import content_of

if TYPE_CHECKING:
    from tests.interaction.conftest import OpenManuals
    from tests.interaction.manual_calls import Json, Reader, Workspace

REF: Json = {"manual_id": "m", "path": "a.md"}
RIGHT: dict[str, Json] = {
    "ls": {"id": "m"},
    "toc": {"manual_id": "m"},
    "find": {"manual_id": "m", "query": "lantern", "required_terms": ["lantern"]},
    "hits": {"trace_id": "…"},
    "read": {"ref": REF},
    "scan": REF,
}
NAMES = [f"manual_{tool}" for tool in RIGHT]


@pytest.fixture(name="ready")
def _ready(reader: Reader, workspace: Workspace) -> Reader:
    workspace.write("m/a.md", "# Lantern\n")
    return reader


def arguments_for(reader: Reader, tool: str) -> Json:
    """Arguments that are right."""
    if tool == "hits":
        return {"trace_id": reader.find("lantern")["trace_id"]}
    return RIGHT[tool]


@pytest.mark.requirement("wire:methods:tools-list", "wire:definitions:whole")
def test_the_six_tools_only_read(open_manuals: OpenManuals) -> None:
    """Listed in order, without a key; also where nothing may be written."""
    reader = open_manuals("--read-only", listed=False)

    listed = reader.server.ask(1, "tools/list")["result"]["tools"]

    assert [tool["name"] for tool in listed] == NAMES
    for tool in listed:
        hints = tool["annotations"]
        assert (hints["readOnlyHint"], hints["destructiveHint"]) == (True, False)
        assert (hints["idempotentHint"], hints["openWorldHint"]) == (True, False)
        for described in tool["inputSchema"]["properties"].values():
            assert described["description"]


@pytest.mark.requirement("wire:arguments:missing")
def test_each_tool_takes_what_is_right(ready: Reader) -> None:
    """The calls that the other tests bend."""
    for tool in RIGHT:
        assert "code" not in ready.use(tool, **arguments_for(ready, tool))


@pytest.mark.requirement("wire:arguments:unknown-keys")
@pytest.mark.parametrize(
    ("tool", "key", "nearest"),
    [
        ("ls", "idd", "id"),
        ("toc", "path_prefixes", "path_prefix"),
        ("find", "inline_hit", "inline_hits"),
        ("hits", "trace", "trace_id"),
        ("read", "scopes", "scope"),
        ("scan", "cursors", "cursor"),
    ],
)
def test_unknown_keys_name_the_nearest(ready: Reader, tool: str, key: str, nearest: str) -> None:
    """Also when their value is null."""
    values: list[Any] = [None, "x", {}]
    for value in values:
        refused = ready.use(tool, **arguments_for(ready, tool), **{key: value})

        assert refused["code"] == "invalid_parameter"
        assert f'unknown key "{key}"; did you mean {nearest}?' in refused["message"]


@pytest.mark.requirement("wire:arguments:known-keys")
def test_a_key_like_no_other_names_those_there_are(ready: Reader) -> None:
    """So that a model can correct itself."""
    for tool in RIGHT:
        refused = ready.use(tool, **arguments_for(ready, tool), qqq=1)

        assert 'unknown key "qqq"; known: ' in refused["message"]
        assert all(key in refused["message"] for key in arguments_for(ready, tool))


@pytest.mark.requirement("wire:arguments:object")
@pytest.mark.parametrize("arguments", [[], "text", 5, True, [{}]])
def test_arguments_are_an_object(ready: Reader, arguments: Any) -> None:
    """Anything else is refused in the words of the family."""
    for number, tool in enumerate(RIGHT):
        answer = ready.server.call(number, f"manual_{tool}", arguments)

        refused = expected(ready.server, "arguments that are no object", None)
        if refused is not None:
            assert answer["error"] == refused
        else:
            assert content_of(tool, answer)["code"] == "invalid_parameter"


@pytest.mark.requirement("wire:arguments:missing")
def test_missing_arguments_are_none(ready: Reader) -> None:
    """`arguments` may be left out where nothing is required, and is refused by name elsewhere."""
    listed = ready.server.ask(1, "tools/call", {"name": "manual_ls"})
    refused = ready.server.ask(2, "tools/call", {"name": "manual_find", "arguments": None})

    assert content_of("ls", listed)["id"] == "manuals"
    assert "query is required" in content_of("find", refused)["message"]


@pytest.mark.requirement("wire:arguments:null-is-absent")
def test_null_means_absent_for_every_optional_argument(ready: Reader) -> None:
    """As the schemas list them."""
    listed = ready.server.ask(1, "tools/list")["result"]["tools"]
    schemas = {tool["name"].removeprefix("manual_"): tool["inputSchema"] for tool in listed}

    for tool, schema in schemas.items():
        optional = set(schema["properties"]) - set(schema["required"])
        right = arguments_for(ready, tool)
        nulls = dict.fromkeys(optional - set(right))
        assert nulls.keys() | right.keys() == schema["properties"].keys()
        assert "code" not in ready.use(tool, **right, **nulls), tool


@pytest.mark.requirement("wire:arguments:missing")
def test_null_is_no_value_of_a_required_argument(ready: Reader) -> None:
    """It is missing."""
    for tool, right in RIGHT.items():
        for key in right if tool != "ls" else ():
            refused = ready.use(tool, **(arguments_for(ready, tool) | {key: None}))
            assert refused["code"] == "invalid_parameter"
            assert f"{key} is required" in refused["message"]


INTEGERS: list[tuple[str, tuple[str, ...]]] = [
    ("toc", ("max_files",)),
    ("toc", ("max_headings_per_file",)),
    ("toc", ("cursor", "offset")),
    ("find", ("budget", "max_candidates")),
    ("find", ("budget", "time_ms")),
    ("find", ("inline_hits", "limit")),
    ("hits", ("offset",)),
    ("hits", ("limit",)),
    ("read", ("expand", "before_chars")),
    ("read", ("expand", "after_chars")),
    ("read", ("ref", "start_line")),
    ("scan", ("start_line",)),
    ("scan", ("cursor", "char_offset")),
    ("scan", ("cursor", "start_line")),
]


def with_value(right: Json, keys: tuple[str, ...], value: Any) -> Json:
    """Arguments with one value put in, at its depth."""
    if len(keys) == 1:
        return right | {keys[0]: value}
    return right | {keys[0]: right.get(keys[0], {}) | {keys[1]: value}}


@pytest.mark.requirement("wire:arguments:integers", "wire:arguments:no-coercion")
def test_integers_are_integers(ready: Reader, subtests: pytest.Subtests) -> None:
    """`1.0` is one; a boolean, a text, a fraction or a list is none, at any depth."""
    for tool, keys in INTEGERS:
        with subtests.test(tool, keys=keys):
            right = arguments_for(ready, tool)

            taken = ready.use(tool, **with_value(right, keys, 1.0))
            assert taken.get("code") is None, taken
            for value in (True, False, "1", "", 1.5, -1, [1], {"value": 1}):
                refused = ready.use(tool, **with_value(right, keys, value))
                assert refused.get("code") == "invalid_parameter", value
                assert ".".join(keys) in refused["message"]
                assert "must be" in refused["message"]


@pytest.mark.requirement("wire:arguments:huge-numbers")
def test_huge_numbers_are_bounds_not_crashes(ready: Reader) -> None:
    """Longer than any machine word."""
    for tool, keys in INTEGERS:
        answer = ready.use(tool, **with_value(arguments_for(ready, tool), keys, 10**300))

        assert answer.get("code") in {None, "invalid_parameter"}, (tool, keys)


@pytest.mark.requirement("wire:arguments:huge-numbers")
def test_a_number_beyond_every_float_is_refused(ready: Reader) -> None:
    """`1e400` is JSON, and no integer."""
    asked = '"name":"manual_hits","arguments":{"trace_id":"x","limit":1e400}'

    ready.server.send(
        f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{{asked}}}}}'.encode()
    )

    assert content_of("hits", ready.server.answer_to(1))["code"] == "invalid_parameter"


@pytest.mark.requirement("wire:errors:unknown-tool")
def test_an_unknown_tool_is_no_result(ready: Reader) -> None:
    """It is an error of the protocol."""
    error = ready.server.call(1, "manual_excepts", {})["error"]

    assert error == expected(
        ready.server, "unknown tool", {"code": -32601, "message": "Unknown tool"}
    )


@pytest.mark.requirement("manuals:find:term-length")
def test_a_required_term_has_a_length(ready: Reader) -> None:
    """The longest is taken, one more sign is not, and the answer says so."""
    right = arguments_for(ready, "find")
    taken = ready.use("find", **(right | {"required_terms": ["x" * 500]}))
    refused = ready.use("find", **(right | {"required_terms": ["x" * 501]}))

    assert "code" not in taken
    assert refused["code"] == "invalid_parameter"
    assert "500" in refused["message"]
    assert "required_terms" in refused["message"]
