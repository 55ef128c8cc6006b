"""Checks of the `text` parameter, with the rules that a strict JSON schema must keep."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from simulator.shapes import (
    Refused,
    boolean,
    dictionary,
    nullable,
    one_of,
    record,
    require,
    string,
)

_STRICT_FORMATS = frozenset(
    ("date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid")
)
_STRICT_EXCLUDES = ("allOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas")
_SCHEMA_PATH = "text.format.schema"


def _check_name(value: Any, path: str) -> None:
    string(value, path)
    if not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", value):
        raise Refused(
            f"Invalid '{path}': string does not match pattern. Expected a string that matches"
            " the pattern '^[a-zA-Z0-9_-]+$' of at most 64 characters.",
            path,
            "invalid_value",
        )


_FORMATS = {
    "text": record({"type": string}),
    "json_object": record({"type": string}),
    "json_schema": record(
        {
            "type": string,
            "name": _check_name,
            "schema": dictionary,
            "description": string,
            "strict": nullable(boolean),
        },
        ["name", "schema"],
    ),
}


def _check_format(value: Any, path: str) -> None:
    dictionary(value, path)
    require(value, "type", f"{path}.")
    one_of(*_FORMATS)(value["type"], f"{path}.type")
    _FORMATS[value["type"]](value, path)
    if value["type"] == "json_schema" and value.get("strict"):
        _check_strict_schema(value["name"], value["schema"])


check_text = record(
    {"format": _check_format, "verbosity": nullable(one_of("low", "medium", "high"))}
)


def _check_strict_schema(name: str, schema: Mapping[str, Any]) -> None:
    problem = next(_problems(schema, ()), None)
    if schema.get("type") != "object":
        problem = "schema must be a JSON Schema of 'type: \"object\"'"
    if problem:
        raise Refused(
            f"Invalid schema for response_format '{name}': {problem}.",
            _SCHEMA_PATH,
            "invalid_json_schema",
        )


def _problems(schema: Any, context: tuple[str, ...]) -> Iterator[str]:
    if not isinstance(schema, dict):
        return
    where = f"In context={context}"
    for word in _STRICT_EXCLUDES:
        if word in schema:
            yield f"{where}, '{word}' is not permitted"
    if "format" in schema and str(schema["format"]) not in _STRICT_FORMATS:
        yield f"{where}, '{schema['format']}' is not a valid format"
    if schema.get("type") == "object" or "properties" in schema:
        yield from _object_problems(schema, where)
    for step, inner in _inner_schemas(schema):
        yield from _problems(inner, (*context, *step))


def _object_problems(schema: Mapping[str, Any], where: str) -> Iterator[str]:
    if schema.get("additionalProperties") is not False:
        yield f"{where}, 'additionalProperties' is required to be supplied and to be false"
    required = schema.get("required")
    listed = required if isinstance(required, list) else []
    missing = [key for key in _members(schema, "properties") if key not in listed]
    if missing:
        yield (
            f"{where}, 'required' is required to be supplied and to be an array including every"
            f" key in properties. Missing '{missing[0]}'"
        )


def _inner_schemas(schema: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    for group in ("properties", "$defs", "definitions"):
        for key, inner in _members(schema, group).items():
            yield (group, key), inner
    variants = schema.get("anyOf")
    for place, inner in enumerate(variants if isinstance(variants, list) else ()):
        yield ("anyOf", str(place)), inner
    if "items" in schema:
        yield ("items",), schema["items"]


def _members(schema: Mapping[str, Any], group: str) -> Mapping[str, Any]:
    found = schema.get(group)
    return found if isinstance(found, dict) else {}
