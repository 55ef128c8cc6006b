"""The checks of one `POST /v1/responses` body, from its bytes to what the model may be asked."""

import json
from typing import Any, NoReturn

from simulator.format_checks import check_text
from simulator.input_checks import check_input
from simulator.shapes import (
    Refused,
    array,
    boolean,
    dictionary,
    integer,
    mistyped,
    nullable,
    number,
    one_of,
    record,
    require,
    string,
)
from simulator.tool_checks import (
    check_choice_fits,
    check_tool_choice,
    check_tools,
)

REASONING_MODELS = ("gpt-5", "gpt-6", "o1", "o3", "o4")
VERBOSE_MODELS = ("gpt-5", "gpt-6")
_UNREADABLE = (
    "We could not parse the JSON body of your request. (HINT: This likely means you aren't using"
    " your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was"
    " not valid JSON.)"
)
_SUMMARY = nullable(one_of("auto", "concise", "detailed"))
_REASONING = record(
    {
        "effort": nullable(one_of("none", "minimal", "low", "medium", "high", "xhigh", "max")),
        "summary": _SUMMARY,
        "generate_summary": _SUMMARY,
        "context": nullable(one_of("auto", "current_turn", "all_turns")),
        "mode": one_of("standard", "pro"),
    }
)
_INCLUDE = one_of(
    "file_search_call.results",
    "web_search_call.results",
    "web_search_call.action.sources",
    "message.input_image.image_url",
    "computer_call_output.output.image_url",
    "code_interpreter_call.outputs",
    "reasoning.encrypted_content",
    "message.output_text.logprobs",
)
_TIERS = ("auto", "default", "flex", "scale", "priority", "fast", "ultrafast")
_MODERATION_MODE = nullable(record({"mode": one_of("score", "block")}, ["mode"]))


def _check_metadata(value: Any, path: str) -> None:
    dictionary(value, path)
    for key, item in value.items():
        string(item, f"{path}.{key}")


def _check_conversation(value: Any, path: str) -> None:
    if isinstance(value, dict):
        record({"id": string}, ["id"])(value, path)
    elif not isinstance(value, str):
        raise mistyped(path, "one of a string or an object", value)


_BODY = record(
    {
        "access_programs": record({"cyber": one_of("standard", "daybreak_blue", "daybreak_red")}),
        "background": nullable(boolean),
        "context_management": nullable(
            array(record({"type": one_of("compaction"), "compact_threshold": nullable(integer(0))}))
        ),
        "conversation": nullable(_check_conversation),
        "image": record({"context_compression": one_of("auto", "enabled", "disabled")}),
        "include": nullable(array(_INCLUDE)),
        "input": check_input,
        "instructions": nullable(string),
        "max_output_tokens": nullable(integer(16)),
        "max_tool_calls": nullable(integer(1)),
        "metadata": nullable(_check_metadata),
        "model": string,
        "moderation": nullable(
            record(
                {
                    "model": string,
                    "policy": nullable(
                        record({"input": _MODERATION_MODE, "output": _MODERATION_MODE})
                    ),
                },
                ["model"],
            )
        ),
        "parallel_tool_calls": nullable(boolean),
        "previous_response_id": nullable(string),
        "prompt": nullable(
            record(
                {"id": string, "variables": nullable(dictionary), "version": nullable(string)},
                ["id"],
            )
        ),
        "prompt_cache_key": nullable(string),
        "prompt_cache_options": record(
            {
                "comparison_response_id": nullable(string),
                "mode": one_of("implicit", "explicit"),
                "prewarm": boolean,
                "ttl": one_of("30m", "12h"),
            }
        ),
        "prompt_cache_retention": nullable(one_of("in_memory", "24h")),
        "reasoning": nullable(_REASONING),
        "safety_identifier": nullable(string),
        "service_tier": nullable(one_of(*_TIERS)),
        "store": nullable(boolean),
        "stream": nullable(boolean),
        "stream_options": nullable(record({"include_obfuscation": boolean})),
        "temperature": nullable(number(0, 2)),
        "text": check_text,
        "tool_choice": check_tool_choice,
        "tools": check_tools,
        "top_logprobs": nullable(integer(0, 20)),
        "top_p": nullable(number(0, 1)),
        "truncation": nullable(one_of("auto", "disabled")),
        "user": string,
    }
)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)  # NaN and Infinity are Python's, not JSON's


def read_body(raw: bytes) -> dict[str, Any]:
    """Parse a request body, refusing what is no JSON object of valid Unicode."""
    try:
        text = raw.decode("utf-8")
        body = json.loads(text, parse_constant=_no_constant)
        if "\\u" in text:
            json.dumps(body, ensure_ascii=False).encode("utf-8")  # finds lone surrogates
    except (ValueError, RecursionError):
        raise Refused(_UNREADABLE) from None
    if not isinstance(body, dict):
        raise Refused(_UNREADABLE)
    return body


def check_body(body: dict[str, Any]) -> None:
    """Refuse a body the API would refuse."""
    _BODY(body, "")
    if not body.get("prompt"):
        require(body, "model")
    if not any(body.get(name) for name in ("prompt", "previous_response_id", "conversation")):
        require(body, "input")
    check_choice_fits(body.get("tool_choice"), body.get("tools", ()))
    _check_model(body)
    if body.get("stream_options") and not body.get("stream"):
        raise Refused(
            "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
            "stream_options",
        )


def _check_model(body: dict[str, Any]) -> None:
    model = body.get("model", "")
    if model.startswith("missing-"):
        raise missing_model(model)
    effort = (body.get("reasoning") or {}).get("effort")
    if effort is not None and not model.startswith(REASONING_MODELS):
        raise _unsupported("reasoning.effort")
    verbosity = body.get("text", {}).get("verbosity")
    if verbosity not in {None, "medium"} and not model.startswith(VERBOSE_MODELS):
        raise _unsupported("text.verbosity")


def missing_model(model: str) -> Refused:
    """Build the refusal of a model that is not there."""
    return Refused(
        f"The model `{model}` does not exist or you do not have access to it.",
        code="model_not_found",
        status=404,
    )


def _unsupported(param: str) -> Refused:
    return Refused(
        f"Unsupported parameter: '{param}' is not supported with this model.",
        param,
        "unsupported_parameter",
    )
