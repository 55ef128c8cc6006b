"""Response objects: the full envelope that the API puts around an answer's output."""

from collections.abc import Iterator
from typing import Any

from simulator.asked import Asked
from simulator.drafts import Draft, Item

_CREATED_AT = 1_790_000_000  # fixed, so that the same request always has the same answer
_SNAPSHOTS = {
    "gpt-4o": "2024-08-06",
    "gpt-4o-mini": "2024-07-18",
    "gpt-4.1": "2025-04-14",
    "gpt-4.1-mini": "2025-04-14",
    "gpt-5": "2025-08-07",
    "gpt-5-mini": "2025-08-07",
    "gpt-5-nano": "2025-08-07",
    "gpt-5.1": "2025-11-13",
    "gpt-5.2": "2025-12-11",
    "o1": "2024-12-17",
    "o3": "2025-04-16",
    "o3-mini": "2025-01-31",
    "o4-mini": "2025-04-16",
}
_LATEST_SNAPSHOT = "2025-12-11"
_ID_PREFIXES = {"message": "msg", "web_search_call": "ws", "reasoning": "rs"}
_CACHE_BLOCK = 128
_CACHE_FROM = 1024
_REASONING_TOKENS = {"minimal": 16, "low": 64, "medium": 192, "high": 512}


def snapshot(model: str) -> str:
    """Name the dated version of a model."""
    if model[-10:].replace("-", "").isdigit() and model[-10:].count("-") == 2:  # noqa: PLR2004  a date
        return model
    return f"{model}-{_SNAPSHOTS.get(model, _LATEST_SNAPSHOT)}"


def response_object(asked: Asked, draft: Draft) -> dict[str, Any]:
    """Put an answer into the response object that a client receives."""
    output = list(_with_ids(asked, draft))
    body = asked.body
    done = draft.status == "completed"
    return {
        "id": f"resp_{asked.digest}",
        "object": "response",
        "created_at": _CREATED_AT,
        "status": draft.status,
        "background": body.get("background") or False,
        "completed_at": _CREATED_AT + 2 if done else None,
        "error": draft.error,
        "incomplete_details": (
            {"reason": draft.incomplete_reason} if draft.incomplete_reason else None
        ),
        "instructions": body.get("instructions"),
        "max_output_tokens": body.get("max_output_tokens"),
        "max_tool_calls": body.get("max_tool_calls"),
        "model": snapshot(asked.model),
        "output": output,
        "parallel_tool_calls": body.get("parallel_tool_calls") is not False,
        "previous_response_id": body.get("previous_response_id"),
        "prompt_cache_key": body.get("prompt_cache_key"),
        "prompt_cache_retention": body.get("prompt_cache_retention"),
        "reasoning": _reasoning(asked),
        "safety_identifier": body.get("safety_identifier"),
        "service_tier": "default",
        "store": body.get("store") is not False,
        "temperature": _or(body.get("temperature"), 1.0),
        "text": _text_settings(asked),
        "tool_choice": body.get("tool_choice", "auto"),
        "tools": [_tool_settings(tool) for tool in body.get("tools", ())],
        "top_logprobs": body.get("top_logprobs") or 0,
        "top_p": _or(body.get("top_p"), 1.0),
        "truncation": body.get("truncation") or "disabled",
        "tool_usage": _tool_usage(output, draft.billed_searches),
        "usage": _usage(asked, output),
        "user": body.get("user"),
        "metadata": body.get("metadata") or {},
    }


def _or(value: float | None, default: float) -> float:
    return default if value is None else value


def _with_ids(asked: Asked, draft: Draft) -> Iterator[Item]:
    thought = {"type": "reasoning", "summary": []}
    items = [thought, *draft.output] if asked.reasons and draft.error is None else draft.output
    for place, item in enumerate(items):
        prefix = _ID_PREFIXES.get(item["type"], "item")
        yield {"id": f"{prefix}_{asked.digest}{place:04x}", **item}


def _reasoning(asked: Asked) -> Item:
    wanted = asked.body.get("reasoning") or {}
    effort = wanted.get("effort") or ("medium" if asked.reasons else None)
    return {"effort": effort, "summary": wanted.get("summary")}


def _text_settings(asked: Asked) -> Item:
    wanted = asked.body.get("text", {})
    answer_format = {"type": "text"} | wanted.get("format", {})
    if asked.wants_schema:
        answer_format = {"description": None, "strict": True} | answer_format
    return {"format": answer_format, "verbosity": wanted.get("verbosity") or "medium"}


def _tool_settings(tool: Item) -> Item:
    if not tool["type"].startswith("web_search"):
        return tool
    location = tool.get("user_location") or {"country": "US"}
    nowhere = {"city": None, "country": None, "region": None, "timezone": None}
    return {
        "filters": None,
        "search_context_size": "medium",
        **tool,
        "user_location": {"type": "approximate", **nowhere, **location},
    }


def _tool_usage(output: list[Item], billed: int | None) -> Item:
    searches = [
        item
        for item in output
        if item["type"] == "web_search_call" and (item.get("action") or {}).get("type") == "search"
    ]
    nothing = {"image_tokens": 0, "text_tokens": 0}
    return {
        "image_gen": {
            "input_tokens": 0,
            "input_tokens_details": nothing,
            "output_tokens": 0,
            "output_tokens_details": nothing,
            "total_tokens": 0,
        },
        "web_search": {"num_requests": len(searches) if billed is None else billed},
    }


def _usage(asked: Asked, output: list[Item]) -> Item:
    """Estimate tokens as a tokenizer would on average: one for four characters."""
    instructions = asked.body.get("instructions") or ""
    read = 1 + (len(instructions) + len(asked.text)) // 4 + 300 * bool(asked.body.get("tools"))
    effort = (asked.body.get("reasoning") or {}).get("effort") or "medium"
    thought = _REASONING_TOKENS.get(effort, 1024) if asked.reasons else 0
    written = thought + sum(
        1 + len(part.get("text") or part.get("refusal") or "") // 4
        for item in output
        for part in item.get("content", ())
    )
    return {
        "input_tokens": read,
        "input_tokens_details": {
            "cache_write_tokens": 0,
            "cached_tokens": read // _CACHE_BLOCK * _CACHE_BLOCK if read >= _CACHE_FROM else 0,
        },
        "output_tokens": written,
        "output_tokens_details": {"reasoning_tokens": thought},
        "total_tokens": read + written,
    }
