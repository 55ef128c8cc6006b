"""Checks of the `input` parameter: a string, or a list of messages and other items."""

from typing import Any

from simulator.shapes import (
    array,
    bad_value,
    dictionary,
    integer,
    json_type,
    mistyped,
    nullable,
    one_of,
    record,
    require,
    string,
)

_BREAKPOINT = record({"mode": one_of("explicit"), "ttl": one_of("30m", "12h")}, ["mode"])
_IMAGE_DETAIL = one_of("low", "high", "auto", "original")
_URL_CITATION = record(
    {
        "type": one_of("url_citation"),
        "url": string,
        "title": string,
        "start_index": integer(0),
        "end_index": integer(0),
    },
    ["type", "url", "title", "start_index", "end_index"],
)
_ASKING_PARTS = {
    "input_text": record(
        {"type": string, "text": string, "prompt_cache_breakpoint": _BREAKPOINT}, ["text"]
    ),
    "input_image": record(
        {
            "type": string,
            "detail": _IMAGE_DETAIL,
            "file_id": nullable(string),
            "image_url": nullable(string),
            "prompt_cache_breakpoint": _BREAKPOINT,
        }
    ),
    "input_file": record(
        {
            "type": string,
            "detail": one_of("auto", "low", "high"),
            "file_data": string,
            "file_id": nullable(string),
            "file_url": string,
            "filename": string,
            "prompt_cache_breakpoint": _BREAKPOINT,
        }
    ),
}
_ANSWERING_PARTS = {
    "output_text": record(
        {
            "type": string,
            "text": string,
            "annotations": array(_URL_CITATION),
            "logprobs": nullable(array(dictionary)),
        },
        ["text"],
    ),
    "refusal": record({"type": string, "refusal": string}, ["refusal"]),
}
_OTHER_ITEMS = (
    "reasoning",
    "web_search_call",
    "file_search_call",
    "function_call",
    "function_call_output",
    "custom_tool_call",
    "custom_tool_call_output",
    "image_generation_call",
    "code_interpreter_call",
    "computer_call",
    "computer_call_output",
    "mcp_list_tools",
    "mcp_approval_request",
    "mcp_approval_response",
    "mcp_call",
    "compaction",
    "item_reference",
)
_ITEM_TYPE = one_of("message", *_OTHER_ITEMS)
_ROLES = ("assistant", "system", "developer", "user")


def check_input(value: Any, path: str) -> None:
    """Accept what may be given as `input`."""
    if isinstance(value, str):
        return
    if not isinstance(value, list):
        raise mistyped(path, "one of a string or an array of input items", value)
    array(_check_item)(value, path)


def _check_item(item: Any, path: str) -> None:
    dictionary(item, path)
    kind = item.get("type", "message")
    _ITEM_TYPE(kind, f"{path}.type")
    if kind == "message":
        _check_message(item, path)


def _check_message(message: dict[str, Any], path: str) -> None:
    require(message, "role", f"{path}.")
    one_of(*_ROLES)(message["role"], f"{path}.role")
    parts = _ANSWERING_PARTS if message["role"] == "assistant" else _ASKING_PARTS

    def check_part(part: Any, part_path: str) -> None:
        dictionary(part, part_path)
        require(part, "type", f"{part_path}.")
        kind = part["type"]
        if not isinstance(kind, str) or kind not in parts:
            raise bad_value(
                f"{part_path}.type", kind if isinstance(kind, str) else json_type(kind), [*parts]
            )
        parts[kind](part, part_path)

    def check_content(content: Any, content_path: str) -> None:
        if not isinstance(content, str | list):
            raise mistyped(content_path, "one of a string or an array of objects", content)
        if isinstance(content, list):
            array(check_part)(content, content_path)

    record(
        {
            "type": string,
            "role": string,
            "content": check_content,
            "id": string,
            "status": one_of("in_progress", "completed", "incomplete"),
            "phase": nullable(one_of("commentary", "final_answer")),
        },
        ["content"],
    )(message, path)
