"""The words of the refusals, and the rules of strict schemas."""

from typing import Any

import pytest

from simulator import Simulator
from tests.simulator.asking import post, question, schema_format


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"x": 1}, "Unknown parameter: 'x'."),
        ({"model": 5}, "Invalid type for 'model': expected a string, but got an integer instead."),
        (
            {"stream": {}},
            "Invalid type for 'stream': expected a boolean, but got an object instead.",
        ),
        (
            {"tools": 0.5},
            "Invalid type for 'tools': expected an array, but got a decimal number instead.",
        ),
        (
            {"reasoning": {"summary": "x"}},
            "Invalid value: 'x'. Supported values are: 'auto', 'concise', and 'detailed'.",
        ),
        ({"truncation": "x"}, "Invalid value: 'x'. Supported values are: 'auto' and 'disabled'."),
        (
            {"context_management": [{"type": "x"}]},
            "Invalid value: 'x'. Supported values are: 'compaction'.",
        ),
        (
            {"tool_choice": "required", "tools": []},
            "Tool choice 'required' must be specified with 'tools' parameter.",
        ),
        (
            {"tool_choice": {"type": "web_search"}, "tools": []},
            "Tool choice 'web_search' not found in 'tools' parameter.",
        ),
        (
            {"stream_options": {"include_obfuscation": True}},
            "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
        ),
        (
            {"model": "gpt-4o", "reasoning": {"effort": "low"}},
            "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
        ),
    ],
)
def test_a_refusal_is_worded_as_the_api_words_it(
    simulator: Simulator, change: dict[str, Any], message: str
) -> None:
    """Clients pass these words on to people."""
    assert post(simulator, question("hello") | change).error["message"] == message


@pytest.mark.parametrize(
    ("schema", "complaint"),
    [
        ({"type": "array", "items": {"type": "string"}}, 'type: "object"'),
        ({"type": "object", "properties": {}}, "'additionalProperties' is required"),
        (
            {"type": "object", "properties": {"a": {}}, "additionalProperties": False},
            "Missing 'a'",
        ),
        (
            {
                "type": "object",
                "properties": {"a": {"type": "array", "items": {"type": "object"}}},
                "required": ["a"],
                "additionalProperties": False,
            },
            "In context=('properties', 'a', 'items')",
        ),
        (
            {
                "type": "object",
                "properties": {"a": {"anyOf": [{"type": "string", "format": "uri"}]}},
                "required": ["a"],
                "additionalProperties": False,
            },
            "'uri' is not a valid format",
        ),
        (
            {"type": "object", "additionalProperties": False, "allOf": []},
            "'allOf' is not permitted",
        ),
        (
            {
                "type": "object",
                "properties": {"a": 1},
                "required": 5,
                "additionalProperties": False,
            },
            "Missing 'a'",
        ),
    ],
)
def test_a_strict_schema_must_keep_the_rules(
    simulator: Simulator, schema: dict[str, Any], complaint: str
) -> None:
    """The same schema passes when it is not strict."""
    strict = post(simulator, question("hello", text=schema_format(schema=schema)))
    assert strict.error["code"] == "invalid_json_schema"
    assert complaint in strict.error["message"]
    loose = post(simulator, question("hello", text=schema_format(schema=schema, strict=False)))
    assert loose.status == 200
