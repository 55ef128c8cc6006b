"""Checks of JSON shapes that refuse in the API's own words; they know no parameter by name."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Check = Callable[[Any, str], None]

_TYPE_NAMES: Sequence[tuple[type, str]] = (
    (bool, "a boolean"),  # before int, of which it is a subclass
    (int, "an integer"),
    (float, "a decimal number"),
    (str, "a string"),
    (list, "an array"),
)


@dataclass(eq=False)
class Refused(Exception):
    """A request the API would not accept, with the parts of its error object."""

    message: str
    param: str | None = None
    code: str | None = None
    status: int = 400
    kind: str = "invalid_request_error"


def json_type(value: Any) -> str:
    """Name a value's type as the API's messages do."""
    if value is None:
        return "null"
    return next((name for kind, name in _TYPE_NAMES if isinstance(value, kind)), "an object")


def mistyped(path: str, expected: str, value: Any) -> Refused:
    """Build the refusal of a value of the wrong type."""
    return Refused(
        f"Invalid type for '{path}': expected {expected}, but got {json_type(value)} instead.",
        path,
        "invalid_type",
    )


def bad_value(path: str, value: Any, supported: Sequence[str]) -> Refused:
    """Build the refusal of a value outside an enumeration."""
    quoted = [f"'{name}'" for name in supported]
    listed = quoted[0]
    if len(quoted) > 1:
        comma = "," if len(quoted) > 2 else ""  # noqa: PLR2004  "a and b" but "a, b, and c"
        listed = f"{', '.join(quoted[:-1])}{comma} and {quoted[-1]}"
    return Refused(
        f"Invalid value: '{value}'. Supported values are: {listed}.", path, "invalid_value"
    )


def string(value: Any, path: str) -> None:
    """Accept a string."""
    if not isinstance(value, str):
        raise mistyped(path, "a string", value)


def boolean(value: Any, path: str) -> None:
    """Accept true or false."""
    if not isinstance(value, bool):
        raise mistyped(path, "a boolean", value)


def anything(value: Any, path: str) -> None:
    """Accept whatever is there."""


def dictionary(value: Any, path: str) -> None:
    """Accept an object with any keys."""
    if not isinstance(value, dict):
        raise mistyped(path, "an object", value)


def nullable(check: Check) -> Check:
    """Accept null and what the check accepts."""

    def accept(value: Any, path: str) -> None:
        if value is not None:
            check(value, path)

    return accept


def one_of(*supported: str) -> Check:
    """Accept one of these strings."""

    def accept(value: Any, path: str) -> None:
        string(value, path)
        if value not in supported:
            raise bad_value(path, value, supported)

    return accept


def integer(low: int, high: int | None = None) -> Check:
    """Accept an integer in a range."""

    def accept(value: Any, path: str) -> None:
        if isinstance(value, bool) or not isinstance(value, int):
            raise mistyped(path, "an integer", value)
        _in_range(value, path, "integer", low, high)

    return accept


def number(low: float, high: float) -> Check:
    """Accept a number in a range."""

    def accept(value: Any, path: str) -> None:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise mistyped(path, "a decimal number", value)
        _in_range(value, path, "decimal", low, high)

    return accept


def _in_range(value: float, path: str, word: str, low: float, high: float | None) -> None:
    if value < low:
        raise Refused(
            f"Invalid '{path}': {word} below minimum value."
            f" Expected a value >= {low}, but got {value} instead.",
            path,
            f"{word}_below_min_value",
        )
    if high is not None and value > high:
        raise Refused(
            f"Invalid '{path}': {word} above maximum value."
            f" Expected a value <= {high}, but got {value} instead.",
            path,
            f"{word}_above_max_value",
        )


def array(check: Check, longest: int | None = None) -> Check:
    """Accept an array whose items all pass the check."""

    def accept(value: Any, path: str) -> None:
        if not isinstance(value, list):
            raise mistyped(path, "an array", value)
        if longest is not None and len(value) > longest:
            raise Refused(
                f"Invalid '{path}': array too long. Expected an array with maximum length"
                f" {longest}, but got an array with length {len(value)} instead.",
                path,
                "array_above_max_length",
            )
        for place, item in enumerate(value):
            check(item, f"{path}[{place}]")

    return accept


def record(fields: Mapping[str, Check], required: Sequence[str] = ()) -> Check:
    """Accept an object with these fields and no others; an empty path is the whole body."""

    def accept(value: Any, path: str) -> None:
        dictionary(value, path)
        prefix = f"{path}." if path else ""
        for name in value:
            if name not in fields:
                raise unknown_parameter(f"{prefix}{name}")
        for name in required:
            require(value, name, prefix)
        for name, item in value.items():
            fields[name](item, f"{prefix}{name}")

    return accept


def unknown_parameter(path: str) -> Refused:
    """Build the refusal of a parameter that the API does not have."""
    return Refused(f"Unknown parameter: '{path}'.", path, "unknown_parameter")


def require(value: Mapping[str, Any], name: str, prefix: str = "") -> None:
    """Refuse an object without this field."""
    if name not in value:
        missing = f"{prefix}{name}"
        raise Refused(
            f"Missing required parameter: '{missing}'.", missing, "missing_required_parameter"
        )
