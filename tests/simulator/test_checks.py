"""The strict checks of a request, as a table of what is refused and what is not."""

from typing import Any

import pytest

from simulator import Simulator
from tests.simulator.asking import post, question, schema_format

_DOMAINS = [f"d{number}.example.com" for number in range(101)]


def _search(**settings: Any) -> dict[str, Any]:
    return {"tools": [{"type": "web_search", **settings}]}


def _said(*parts: Any, role: str = "user") -> dict[str, Any]:
    return {"input": [{"role": role, "content": list(parts)}]}


_FILTER = "tools[0].filters.allowed_domains"
_WRONG_DOMAINS = (
    "https://example.com",
    "example.com/",
    "example.com:80",
    "localhost",
    "",
    "a b.c",
)
_REFUSED: dict[str, list[tuple[dict[str, Any], str]]] = {
    "unknown_parameter": [
        ({"x": 1}, "x"),
        ({"reasoning": {"x": 1}}, "reasoning.x"),
        ({"text": {"x": 1}}, "text.x"),
        ({"text": {"format": {"type": "text", "x": 1}}}, "text.format.x"),
        (_search(x=1), "tools[0].x"),
        (_search(filters={"blocked_domains": []}), "tools[0].filters.blocked_domains"),
        (_search(user_location={"x": 1}), "tools[0].user_location.x"),
        ({"input": [{"role": "user", "content": "a", "x": 1}]}, "input[0].x"),
        (_said({"type": "input_text", "text": "a", "x": 1}), "input[0].content[0].x"),
    ],
    "invalid_type": [
        ({"model": 5}, "model"),
        ({"model": None}, "model"),
        ({"input": 5}, "input"),
        ({"input": [5]}, "input[0]"),
        ({"input": [{"role": "user", "content": None}]}, "input[0].content"),
        (_said("text"), "input[0].content[0]"),
        (_said({"type": "input_text", "text": 5}), "input[0].content[0].text"),
        ({"instructions": []}, "instructions"),
        ({"stream": "yes"}, "stream"),
        ({"store": 1}, "store"),
        ({"temperature": "hot"}, "temperature"),
        ({"temperature": True}, "temperature"),
        ({"max_output_tokens": 99.5}, "max_output_tokens"),
        ({"max_output_tokens": True}, "max_output_tokens"),
        ({"metadata": {"a": 1}}, "metadata.a"),
        ({"conversation": 5}, "conversation"),
        ({"reasoning": "high"}, "reasoning"),
        ({"tools": {}}, "tools"),
        ({"tools": ["web_search"]}, "tools[0]"),
        ({"tool_choice": 5}, "tool_choice"),
        ({"include": "sources"}, "include"),
        (_search(external_web_access="no"), "tools[0].external_web_access"),
        (_search(filters={"allowed_domains": "a.com"}), _FILTER),
    ],
    "invalid_value": [
        ({"reasoning": {"effort": "huge"}}, "reasoning.effort"),
        ({"reasoning": {"summary": "long"}}, "reasoning.summary"),
        ({"reasoning": {"context": "none"}}, "reasoning.context"),
        ({"reasoning": {"mode": "fast"}}, "reasoning.mode"),
        ({"text": {"verbosity": "loud"}}, "text.verbosity"),
        ({"text": {"format": {"type": "xml"}}}, "text.format.type"),
        ({"text": schema_format(name="two words")}, "text.format.name"),
        ({"include": ["everything"]}, "include[0]"),
        ({"truncation": "some"}, "truncation"),
        ({"service_tier": "free"}, "service_tier"),
        ({"tool_choice": "always"}, "tool_choice"),
        ({"tool_choice": {"type": "x"}}, "tool_choice.type"),
        ({"tools": [{"type": "search"}]}, "tools[0].type"),
        (_search(search_context_size="huge"), "tools[0].search_context_size"),
        (_search(user_location={"type": "exact"}), "tools[0].user_location.type"),
        (_search(user_location={"country": "JPN"}), "tools[0].user_location.country"),
        ({"input": [{"role": "robot", "content": "a"}]}, "input[0].role"),
        ({"input": [{"type": "x"}]}, "input[0].type"),
        (_said({"type": "text", "text": "a"}), "input[0].content[0].type"),
        (_said({"type": ["input_text"]}), "input[0].content[0].type"),
        (_said({"type": "input_text", "text": "a"}, role="assistant"), "input[0].content[0].type"),
        *(
            (_search(filters={"allowed_domains": [wrong]}), f"{_FILTER}[0]")
            for wrong in _WRONG_DOMAINS
        ),
    ],
    "array_above_max_length": [
        (_search(filters={"allowed_domains": _DOMAINS}), _FILTER),
    ],
    "integer_below_min_value": [
        ({"max_output_tokens": 1}, "max_output_tokens"),
    ],
    "integer_above_max_value": [
        ({"top_logprobs": 21}, "top_logprobs"),
    ],
    "decimal_above_max_value": [
        ({"temperature": 2.5}, "temperature"),
    ],
    "decimal_below_min_value": [
        ({"top_p": -0.1}, "top_p"),
    ],
    "missing_required_parameter": [
        ({"input": [{"content": "a"}]}, "input[0].role"),
        ({"input": [{"role": "user"}]}, "input[0].content"),
        (_said({"text": "a"}), "input[0].content[0].type"),
        (_said({"type": "input_text"}), "input[0].content[0].text"),
        ({"tools": [{}]}, "tools[0].type"),
        ({"tools": [{"type": "function"}]}, "tools[0].name"),
        ({"text": {"format": {}}}, "text.format.type"),
        ({"text": {"format": {"type": "json_schema"}}}, "text.format.name"),
    ],
    "unsupported_parameter": [
        ({"model": "gpt-4o", "reasoning": {"effort": "low"}}, "reasoning.effort"),
        ({"model": "gpt-4o", "text": {"verbosity": "low"}}, "text.verbosity"),
        ({"model": "o3", "text": {"verbosity": "high"}}, "text.verbosity"),
    ],
}


@pytest.mark.parametrize(
    ("change", "param", "code"),
    [(change, param, code) for code, cases in _REFUSED.items() for change, param in cases],
)
def test_a_request_the_api_would_refuse_is_refused(
    simulator: Simulator, change: dict[str, Any], param: str, code: str
) -> None:
    """The error names the parameter and the kind of mistake."""
    answer = post(simulator, question("hello") | change)
    assert answer.status == 400
    assert answer.error["type"] == "invalid_request_error"
    assert (answer.error["param"], answer.error["code"]) == (param, code)


@pytest.mark.parametrize("name", ["model", "input"])
def test_model_and_input_are_required(simulator: Simulator, name: str) -> None:
    """Each is asked for by name."""
    body = question("hello")
    del body[name]
    assert post(simulator, body).error == {
        "message": f"Missing required parameter: '{name}'.",
        "type": "invalid_request_error",
        "param": name,
        "code": "missing_required_parameter",
    }


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"[]",
        b'"text"',
        b'{"model": NaN}',
        b'{"model":"gpt-5.2","input":"\xff"}',
        b'{"model":"gpt-5.2","input":"\xed\xa0\x80"}',
        rb'{"model":"gpt-5.2","input":"\ud83d"}',
        b"[" * 100_000,
    ],
)
def test_a_body_that_is_no_json_object_of_valid_text_is_refused(
    simulator: Simulator, raw: bytes
) -> None:
    """Lone surrogates and invalid UTF-8 count as unreadable."""
    answer = post(simulator, raw)
    assert answer.status == 400
    assert "could not parse the JSON body" in answer.error["message"]


@pytest.mark.parametrize(
    "change",
    [
        {"input": "a plain string"},
        {"input": [{"role": "developer", "content": "a"}, {"role": "user", "content": "b"}]},
        {"input": [{"type": "item_reference", "id": "msg_1"}]},
        _said({"type": "refusal", "refusal": "no"}, role="assistant"),
        _said({"type": "input_image", "image_url": "data:,", "detail": "low"}),
        {"instructions": None, "metadata": None, "include": None, "reasoning": None},
        {"metadata": {"a": "b"}, "user": "u", "temperature": 1, "top_p": 0.5},
        {"conversation": {"id": "conv_1"}},
        {"reasoning": {"effort": "xhigh", "summary": "auto", "mode": "pro", "context": "auto"}},
        {"text": schema_format()},
        {"text": {"verbosity": "low", "format": {"type": "json_object"}}},
        {"model": "gpt-4o", "text": {"verbosity": "medium"}},
        {"model": "o3", "reasoning": {"effort": "high"}},
        {"tool_choice": {"type": "web_search"}},
        {"tool_choice": "required"},
        {"tools": [{"type": "web_search_preview"}, {"type": "function", "name": "f"}]},
        {"tools": [{"type": "web_search_2025_08_26"}]},
        _search(filters={"allowed_domains": ["example.com", "例え.jp", *_DOMAINS[:98]]}),
        _search(filters=None, user_location=None, search_context_size="low"),
        _search(user_location={"type": "approximate", "country": "JP", "timezone": "Asia/Tokyo"}),
        _search(external_web_access=False),
        {"stream": True, "stream_options": {"include_obfuscation": False}},
    ],
)
def test_a_request_the_api_would_accept_is_accepted(
    simulator: Simulator, change: dict[str, Any]
) -> None:
    """Strictness does not stand in the way of what the SDK can send."""
    assert post(simulator, question("hello") | change).status == 200
