"""Response objects as the sequence of server-sent events that builds them up."""

from collections.abc import Iterator
from typing import Any

from simulator.wire import to_json

Event = dict[str, Any]

_DELTAS = 6
_UNFINISHED: dict[str, Any] = {
    "status": "in_progress",
    "completed_at": None,
    "error": None,
    "incomplete_details": None,
    "output": [],
    "usage": None,
}


def opening(response: dict[str, Any], repeats: int = 0) -> Iterator[Event]:
    """Tell that the response exists and is being worked on."""
    begun = response | _UNFINISHED
    yield {"type": "response.created", "response": begun}
    for _ in range(1 + repeats):
        yield {"type": "response.in_progress", "response": begun}


def content(response: dict[str, Any]) -> Iterator[Event]:
    """Tell each output item, then the whole response."""
    for place, item in enumerate(response["output"]):
        yield from _item_events(item, place)
    yield {"type": f"response.{response['status']}", "response": response}


def numbered(events: Iterator[Event]) -> list[Event]:
    """Give each event its place in the stream."""
    return [
        {"type": event["type"], "sequence_number": place, **event}
        for place, event in enumerate(events)
    ]


def sse(event: Event) -> bytes:
    """Write one event."""
    return b"event: %b\ndata: %b\n\n" % (event["type"].encode(), to_json(event))


def _item_events(item: dict[str, Any], place: int) -> Iterator[Event]:
    yield {"type": "response.output_item.added", "output_index": place, "item": _begun(item)}
    if item["type"] == "web_search_call":
        for stage in ("in_progress", "searching", "completed"):
            yield {
                "type": f"response.web_search_call.{stage}",
                "output_index": place,
                "item_id": item["id"],
            }
    for index, part in enumerate(item.get("content", ())):
        where = {"item_id": item["id"], "output_index": place, "content_index": index}
        yield from _part_events(part, where)
    yield {"type": "response.output_item.done", "output_index": place, "item": item}


def _begun(item: dict[str, Any]) -> dict[str, Any]:
    if item["type"] == "message":
        return item | {"status": "in_progress", "content": []}
    if item["type"] == "web_search_call":
        action = {key: value for key, value in (item["action"] or {}).items() if key != "sources"}
        return item | {"status": "in_progress", "action": action or None}
    return item


def _part_events(part: dict[str, Any], where: dict[str, Any]) -> Iterator[Event]:
    refused = part["type"] == "refusal"
    field, stem = ("refusal", "response.refusal") if refused else ("text", "response.output_text")
    extras: dict[str, Any] = {} if refused else {"logprobs": []}
    begun = part | ({"refusal": ""} if refused else {"text": "", "annotations": []})
    yield {"type": "response.content_part.added", **where, "part": begun}
    for piece in _pieces(part[field]):
        yield {"type": f"{stem}.delta", **where, "delta": piece, **extras}
    for index, annotation in enumerate(part.get("annotations", ())):
        yield {
            "type": "response.output_text.annotation.added",
            **where,
            "annotation_index": index,
            "annotation": annotation,
        }
    yield {"type": f"{stem}.done", **where, field: part[field], **extras}
    yield {"type": "response.content_part.done", **where, "part": part}


def _pieces(text: str) -> Iterator[str]:
    size = max(1, -(-len(text) // _DELTAS))
    for start in range(0, len(text), size):
        yield text[start : start + size]
