"""Checks of the `tools` and `tool_choice` parameters; only web search is checked in depth."""

import re
from collections.abc import Sequence
from typing import Any

from simulator.shapes import (
    Refused,
    anything,
    array,
    boolean,
    dictionary,
    mistyped,
    nullable,
    one_of,
    record,
    require,
    string,
)

WEB_SEARCH_TYPES = ("web_search", "web_search_2025_08_26")
_PREVIEW_TYPES = ("web_search_preview", "web_search_preview_2025_03_11")
_OTHER_TYPES = (
    "function",
    "file_search",
    "computer",
    "computer_use_preview",
    "mcp",
    "code_interpreter",
    "image_generation",
    "local_shell",
    "shell",
    "custom",
    "apply_patch",
)
_LABEL = r"[^\W_](?:[\w-]{0,61}[^\W_])?"
_BARE_DOMAIN = re.compile(rf"{_LABEL}(?:\.{_LABEL})+")
_MOST_DOMAINS = 100


def _check_domain(value: Any, path: str) -> None:
    string(value, path)
    if not _BARE_DOMAIN.fullmatch(value):
        raise Refused(
            f"Invalid value: '{value}'. Expected a domain without scheme, port or path,"
            " such as 'example.com'.",
            path,
            "invalid_value",
        )


def _check_country(value: Any, path: str) -> None:
    string(value, path)
    if not re.fullmatch(r"[A-Za-z]{2}", value):
        raise Refused(
            f"Invalid value: '{value}'. Expected a two-letter ISO country code, such as 'US'.",
            path,
            "invalid_value",
        )


_DOMAINS = array(_check_domain, _MOST_DOMAINS)
_LOCATION = record(
    {
        "type": one_of("approximate"),
        "city": nullable(string),
        "region": nullable(string),
        "country": nullable(_check_country),
        "timezone": nullable(string),
    }
)
_SEARCH_FIELDS = {
    "type": string,
    "search_context_size": one_of("low", "medium", "high"),
    "user_location": nullable(_LOCATION),
}
_WEB_SEARCH = record(
    {
        **_SEARCH_FIELDS,
        "external_web_access": boolean,
        "filters": nullable(
            record(
                {
                    "allowed_domains": nullable(_DOMAINS),
                    # Not in the API's published types: see `lacks` of the simulator.
                    "blocked_domains": nullable(_DOMAINS),
                }
            )
        ),
    }
)
_WEB_SEARCH_PREVIEW = record(
    {**_SEARCH_FIELDS, "search_content_types": array(one_of("text", "image"))}
)


def _check_tool(value: Any, path: str) -> None:
    dictionary(value, path)
    require(value, "type", f"{path}.")
    one_of(*WEB_SEARCH_TYPES, *_PREVIEW_TYPES, *_OTHER_TYPES)(value["type"], f"{path}.type")
    if value["type"] in WEB_SEARCH_TYPES:
        _WEB_SEARCH(value, path)
    elif value["type"] in _PREVIEW_TYPES:
        _WEB_SEARCH_PREVIEW(value, path)
    elif value["type"] in {"function", "custom"}:
        require(value, "name", f"{path}.")


check_tools = array(_check_tool)

_CHOICE_OBJECT = record(
    {
        "type": one_of("allowed_tools", *WEB_SEARCH_TYPES, *_PREVIEW_TYPES, *_OTHER_TYPES),
        "name": nullable(string),
        "server_label": string,
        "mode": one_of("auto", "required"),
        "tools": array(anything),
    },
    ["type"],
)


def check_tool_choice(value: Any, path: str) -> None:
    """Accept what may be given as `tool_choice`."""
    if isinstance(value, str):
        one_of("none", "auto", "required")(value, path)
    elif isinstance(value, dict):
        _CHOICE_OBJECT(value, path)
    else:
        raise mistyped(path, "one of a string or an object", value)


def check_choice_fits(choice: Any, tools: Sequence[dict[str, Any]]) -> None:
    """Refuse a choice that the given tools cannot satisfy."""
    if choice == "required" and not tools:
        raise Refused(
            "Tool choice 'required' must be specified with 'tools' parameter.", "tool_choice"
        )
    if isinstance(choice, dict) and choice["type"] != "allowed_tools":
        wanted = choice["type"]
        if all(tool["type"] != wanted for tool in tools):
            raise Refused(f"Tool choice '{wanted}' not found in 'tools' parameter.", "tool_choice")
