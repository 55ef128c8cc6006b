"""The counter: what the six tools take, and that an engine is asked once for each call."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NoReturn

import jsonschema
import pytest

from tebiki.errors import InvalidArguments, InvalidScope, NeedsNarrowScope, TebikiError
from tebiki.manuals.request import FindRequest
from tebiki.observability.logs import Log
from tebiki.observability.redact import Redactor
from tebiki.server.error_map import ErrorMap
from tebiki.server.progress import Progress
from tebiki.server.registry import Call, InThread
from tebiki.tools import manual_forms as forms
from tebiki.tools import manuals

if TYPE_CHECKING:
    from tebiki.manuals.library import Library
    from tests.manuals.conftest import Write


def no_engine() -> NoReturn:
    """Definitions need no engine."""
    raise AssertionError("a definition asked for its engine")


TOOLS = {tool.name: tool for tool in manuals.tools(no_engine)}
FIND = {"query": "q", "manual_id": "m", "required_terms": ["a"]}
REF = {"manual_id": "m", "path": "a.md"}


def call(library: Library, name: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool as the desk does."""
    tool = {tool.name: tool for tool in manuals.tools(lambda: library)}[name]
    assert isinstance(tool.run, InThread)
    given = tool.run.work(Call(tool.read_arguments(arguments), Progress(None)))
    assert given.content is not None
    return given.content


def test_the_tools_and_their_order() -> None:
    """As seed 004 lists them, hits after find."""
    assert list(TOOLS) == [
        "manual_ls",
        "manual_toc",
        "manual_find",
        "manual_hits",
        "manual_read",
        "manual_scan",
    ]
    assert all(tool.behaviour.read_only for tool in TOOLS.values())


@pytest.mark.requirement("wire:definitions:errors-in-output-schema")
@pytest.mark.parametrize("name", TOOLS)
def test_definitions_are_whole(name: str) -> None:
    """Valid schemas, every property described, the error object admitted."""
    definition = TOOLS[name].definition()

    for schema in ("inputSchema", "outputSchema"):
        jsonschema.Draft202012Validator.check_schema(definition[schema])
    assert all(entry["description"] for entry in definition["inputSchema"]["properties"].values())
    assert {"code", "message", "details"} <= set(definition["outputSchema"]["properties"])


@pytest.mark.requirement("manuals:hits:kinds")
def test_the_tool_offers_every_kind_that_a_find_has(library: Library, write: Write) -> None:
    """And no other."""
    write("m/a.md", "# A\ntext\n")

    offered = TOOLS["manual_hits"].definition()["inputSchema"]["properties"]["kind"]["enum"]
    found = library.find(FindRequest("text", "m", ("text",))).found

    assert sorted(filter(None, offered)) == sorted(found.lists)


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("manual_toc", {"manual_id": "m", "include_headings": True}, "include_headings"),
        ("manual_toc", {"manual_id": "m", "max_files": True}, "max_files"),
        ("manual_toc", {"manual_id": "m", "max_files": 201}, "1 to 200"),
        ("manual_toc", {"manual_id": "m", "cursor": {"offset": 1.5}}, "cursor.offset"),
        ("manual_toc", {"manual_id": "m", "cursor": "x"}, "cursor"),
        ("manual_toc", {"manual_id": "m", "cursor": True}, "cursor"),
        ("manual_toc", {"manual_id": " "}, "manual_id is required"),
        ("manual_find", FIND | {"required_terms": []}, "at least 1"),
        ("manual_find", FIND | {"required_terms": ["a", " "]}, r"required_terms\[1\]"),
        ("manual_find", FIND | {"required_terms": "a"}, "required_terms"),
        ("manual_find", FIND | {"query": "x" * 2001}, "2000"),
        ("manual_find", FIND | {"use_cache": "yes"}, "use_cache"),
        ("manual_find", FIND | {"budget": {"time_ms": 0}}, "budget.time_ms"),
        ("manual_find", FIND | {"budget": {"time": 1}}, "time_ms"),
        ("manual_find", FIND | {"inline_hits": {"limit": 0}}, "inline_hits.limit"),
        ("manual_hits", {"trace_id": "t", "kind": "all"}, "kind"),
        ("manual_hits", {"trace_id": "t", "limit": "5"}, "limit"),
        ("manual_read", {}, "ref is required"),
        ("manual_read", {"ref": {"manual_id": "m"}}, "ref.path is required"),
        ("manual_read", {"ref": REF | {"line": 1}}, "unknown key"),
        ("manual_read", {"ref": REF, "scope": "page"}, "scope"),
        ("manual_read", {"ref": REF, "expand": {"before_chars": -1}}, "expand.before_chars"),
        ("manual_scan", {"manual_id": "m", "path": "a", "cursor": -1}, "cursor"),
        ("manual_scan", {"manual_id": "m", "path": "a", "cursor": "1.5"}, "cursor"),
    ],
)
def test_bad_arguments_are_named(name: str, arguments: dict[str, Any], words: str) -> None:
    """No value is coerced, at any depth."""
    with pytest.raises(InvalidArguments, match=words):
        TOOLS[name].read_arguments(arguments)


@pytest.mark.parametrize("cursor", [2, 2.0, "2", {"char_offset": 2}])
def test_a_cursor_has_a_short_form(library: Library, write: Write, cursor: object) -> None:
    """A number, or digits."""
    write("m/a.md", "abcd")

    assert call(library, "manual_scan", manual_id="m", path="a.md", cursor=cursor)["text"] == "cd"


def test_each_tool_asks_the_library(library: Library, write: Write) -> None:
    """With what it was given."""
    write("m/a.md", "# A\ntext\n")

    assert call(library, "manual_ls")["items"][0]["id"] == "m"
    assert call(library, "manual_toc", manual_id="m", cursor="0")["total_files"] == 1
    assert call(library, "manual_read", ref=REF)["text"] == "# A\ntext\n"
    snippet = call(library, "manual_read", ref=REF, scope="snippet", expand={"after_chars": 1})
    assert snippet["text"] == "# A\n"


@pytest.mark.parametrize("name", ["time_ms", "max_candidates"])
def test_a_budget_may_be_any_number(library: Library, write: Write, name: str) -> None:
    """Also one that no clock could count up to; what no float can hold is refused in words."""
    write("m/a.md", "# A\ntext\n")

    found = call(library, "manual_find", **FIND | {"query": "text", "budget": {name: 10**300}})

    assert (found["candidates"], found["complete"]) == (1, True)


@pytest.mark.requirement("manuals:full:next-actions")
def test_the_step_to_a_json_hit_shows_it(library: Library, write: Write) -> None:
    """By default a JSON file is read from its beginning, where the hit need not be."""
    filler = {f"key{number}": "filler " * 20 for number in range(200)}
    write("m/a.json", json.dumps({**filler, "last": "the lantern burns"}, indent=1))

    found = forms.full_find_form(library.find(FindRequest("lantern burns", "m", ("lantern",))))
    (step,) = [step for step in found["next_actions"] if step["type"] == "manual_read"]

    assert "the lantern burns" in call(library, "manual_read", **step["params"])["text"]


@pytest.mark.parametrize("limit", [0, -1])
def test_no_hits_at_once_cannot_be_asked_for(library: Library, limit: int) -> None:
    """Told before anything is searched, by the name of the parameter."""
    with pytest.raises(InvalidArguments, match=rf"inline_hits\.limit is {limit}; .* at least 1"):
        library.find(FindRequest("q", "m", ("a",)), inline_limit=limit)


@pytest.mark.parametrize(
    ("failure", "expected"),
    [
        (InvalidScope("w"), {"code": "invalid_scope", "message": "w"}),
        (
            NeedsNarrowScope(
                "w", details={"sub_folders": [{"path": "sk-canary-0123456789abcdef"}]}
            ),
            {
                "code": "needs_narrow_scope",
                "message": "w",
                "details": {"sub_folders": [{"path": "[redacted]"}]},
            },
        ),
    ],
    ids=["bare", "with details"],
)
def test_failures_are_results_with_scrubbed_details(
    failure: TebikiError, expected: dict[str, Any]
) -> None:
    """A caller's own words come back without a key in them."""
    errors = ErrorMap(Log("test", Redactor("sk-canary-0123456789abcdef")))

    outcome = errors.translate(failure, "files")

    assert isinstance(outcome, dict)
    assert outcome["isError"] is True
    assert outcome["structuredContent"] == expected
