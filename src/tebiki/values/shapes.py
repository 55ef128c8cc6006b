"""What a value may be: one description for settings and for tool arguments.

A shape reads a value (no silent coercion), says in words what it allows, and gives its JSON schema.
Not here: where values come from, and what a refusal means on the wire.
"""

from __future__ import annotations

import json
from typing import Any, Protocol

from tebiki.named_tuples import NamedTuple
from tebiki.values.numerals import count_in, is_finite, plain_digits

LONGEST_SHOWN_VALUE = 80
"""Characters of a refused value that an error repeats: enough to recognise it, not a page."""

HIGHEST_PORT = 65_535


class NotOfShape(ValueError):
    """A value is not of the shape; `str()` is "must be …, got …", `where` the place inside it."""

    def __init__(self, words: str, where: str = "") -> None:
        super().__init__(words)
        self.where = where

    def within(self, place: str) -> NotOfShape:
        """The same refusal as seen from outside: `place` is where its value stands."""
        return NotOfShape(str(self), place + self.where)


class Shape(Protocol):
    """What settings and tool parameters ask of a shape."""

    def read(self, value: object) -> Any:
        """Return the value in its own type, or raise `NotOfShape`."""

    def from_text(self, text: str) -> Any:
        """Read a value written as text, as in an environment variable."""

    def allowed(self) -> str:
        """Say what may stand here, as in "must be …"."""

    def schema(self) -> dict[str, Any]:
        """Describe the shape as JSON schema."""


def refusal(allowed: str, value: object) -> NotOfShape:
    """Say what may stand here and what does."""
    return NotOfShape(f"must be {allowed}, got {quote_value(value)}")


def quote_value(value: object) -> str:
    """Write a value as an error repeats it: as JSON, or by its size when it is long.

    Never a part of it: half a key would pass every scrubber.
    """
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        # An integer that Python does not write is one that nobody means.
        return "a number too long to write" if isinstance(value, int) else type(value).__name__
    if len(text) <= LONGEST_SHOWN_VALUE:
        return text
    if isinstance(value, (str, list, dict)):
        kind = {str: "characters", list: "items", dict: "keys"}[type(value)]
        return f"something of {len(value)} {kind}"
    return f"a number of {len(text)} digits"


class Text(NamedTuple):
    """A string, perhaps one of a few, perhaps with a length."""

    choices: tuple[str, ...] = ()
    not_blank: bool = False
    not_empty: bool = False
    longest: int | None = None

    def read(self, value: object) -> str:
        """Take a string as it is."""
        if not isinstance(value, str) or (self.choices and value not in self.choices):
            raise refusal(self.allowed(), value)
        if (self.not_blank and not value.strip()) or (self.not_empty and not value):
            raise refusal(self.allowed(), value)
        if self.longest is not None and len(value.strip()) > self.longest:
            raise refusal(self.allowed(), value)
        return value

    def from_text(self, text: str) -> str:
        """Take the text; a choice is found whatever its letter case."""
        matching = [choice for choice in self.choices if choice.lower() == text.strip().lower()]
        return self.read(matching[0] if matching else text.strip())

    def allowed(self) -> str:
        """Name the choices, or a string."""
        if self.choices:
            return "one of " + ", ".join(self.choices)
        words = "a string"
        if self.not_blank or self.not_empty:
            words += f" that is not {'blank' if self.not_blank else 'empty'}"
        return words if self.longest is None else f"{words}, at most {self.longest} characters"

    def schema(self) -> dict[str, Any]:
        """Give the string's JSON schema."""
        schema: dict[str, Any] = {"type": "string"}
        if self.choices:
            schema["enum"] = list(self.choices)
        if self.longest is not None:
            schema |= {"minLength": 1, "maxLength": self.longest}
        if self.not_empty:
            schema["minLength"] = 1
        return schema


class Address(NamedTuple):
    """An http or https address, or one of other schemes; perhaps one that may name nobody."""

    schemes: tuple[str, ...] = ("http://", "https://")
    without_user: bool = False

    def read(self, value: object) -> str:
        """Take an address without a trailing slash."""
        # A user, or a password in disguise or in a query.
        carries = self.without_user and any(sign in str(value) for sign in "@?#%")
        if carries or not str(value).strip().lower().startswith(self.schemes):
            raise refusal(self.allowed(), self._quotable(value))
        address = str(value).strip().rstrip("/")
        host = address.partition("://")[2].partition("/")[0].rpartition("@")[2]
        if _is_host(host) and not any(sign.isspace() for sign in address):
            return address
        raise refusal(self.allowed(), self._quotable(value))

    def _quotable(self, value: object) -> object:
        """What may be repeated of a refused address: a password may stand anywhere in it."""
        if not isinstance(value, str):
            return value
        return "..." if self.without_user else value.rpartition("@")[2]

    def from_text(self, text: str) -> str:
        """Read the same as a value."""
        return self.read(text)

    def allowed(self) -> str:
        """Say so in words."""
        article = "an" if self.schemes[0].startswith("h") else "a"
        nobody = " without a user or a password in it" if self.without_user else ""
        return f"{article} {' or '.join(self.schemes)} address{nobody}"

    def schema(self) -> dict[str, Any]:
        """Give the address's JSON schema."""
        return {"type": "string", "format": "uri"}


def _is_host(text: str) -> bool:
    """A name or a bracketed IPv6 address, perhaps with a port."""
    name, _, port = text.rpartition(":") if text[-1:] != "]" and ":" in text else (text, "", "")
    if port and not (port.isascii() and port.isdigit() and count_in(port) <= HIGHEST_PORT):
        return False
    if name.startswith("["):
        return name.endswith("]")
    return bool(name) and not set(name) & set("[]:?#")


class VariableName(NamedTuple):
    """The name of an environment variable."""

    def read(self, value: object) -> str:
        """Take a name of letters, digits and underscores."""
        if not isinstance(value, str) or not value.isascii() or not value.isidentifier():
            raise refusal(self.allowed(), value)
        return value

    def from_text(self, text: str) -> str:
        """Read the same as a value."""
        return self.read(text.strip())

    def allowed(self) -> str:
        """Say so in words."""
        return "the name of an environment variable"

    def schema(self) -> dict[str, Any]:
        """Give the name's JSON schema."""
        return {"type": "string"}


class Integer(NamedTuple):
    """A whole number within bounds; `5.0` is one, `true` and `"5"` are not.

    Without an upper bound it ends where a float does: milliseconds become seconds by a division.
    """

    least: int | None = None
    most: int | None = None

    def read(self, value: object) -> int:
        """Take a whole number within the bounds."""
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not is_finite(value):
            raise refusal(self.allowed(), value)
        if self.least is not None and value < self.least:
            raise refusal(self.allowed(), value)
        if self.most is not None and value > self.most:
            raise refusal(self.allowed(), value)
        return value

    def from_text(self, text: str) -> int:
        """Read decimal digits."""
        try:
            number = int(plain_digits(text))
        except ValueError as not_an_integer:
            raise refusal(self.allowed(), text) from not_an_integer
        return self.read(number)

    def allowed(self) -> str:
        """Name the bounds."""
        if self.least is None and self.most is None:
            return "an integer"
        if self.most is None:
            return f"an integer of at least {self.least}"
        return f"an integer from {self.least} to {self.most}"

    def schema(self) -> dict[str, Any]:
        """Give the integer's JSON schema."""
        schema: dict[str, Any] = {"type": "integer"}
        if self.least is not None:
            schema["minimum"] = self.least
        if self.most is not None:
            schema["maximum"] = self.most
        return schema


class Number(NamedTuple):
    """A finite number within bounds, whole or not."""

    least: float | None = None
    most: float | None = None

    def read(self, value: object) -> int | float:
        """Take a number as it is."""
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise refusal(self.allowed(), value)
        if not is_finite(value) or (self.least is not None and value < self.least):
            raise refusal(self.allowed(), value)
        if self.most is not None and value > self.most:
            raise refusal(self.allowed(), value)
        return value

    def from_text(self, text: str) -> int | float:
        """Read a decimal number."""
        try:
            number = float(plain_digits(text))
        except ValueError as not_a_number:
            raise refusal(self.allowed(), text) from not_a_number
        return self.read(int(number) if number.is_integer() else number)

    def allowed(self) -> str:
        """Name the bounds."""
        if self.least is None:
            return "a number"
        if self.most is None:
            return f"a number of at least {self.least:g}"
        return f"a number from {self.least:g} to {self.most:g}"

    def schema(self) -> dict[str, Any]:
        """Give the number's JSON schema."""
        schema: dict[str, Any] = {"type": "number"}
        if self.least is not None:
            schema["minimum"] = self.least
        if self.most is not None:
            schema["maximum"] = self.most
        return schema


class Flag(NamedTuple):
    """True or false."""

    def read(self, value: object) -> bool:
        """Take a boolean."""
        if not isinstance(value, bool):
            raise refusal(self.allowed(), value)
        return value

    def from_text(self, text: str) -> bool:
        """Read 1/true/yes/on or 0/false/no/off; empty means off."""
        word = text.strip().lower()
        if word in {"1", "true", "yes", "on"}:
            return True
        if word in {"", "0", "false", "no", "off"}:
            return False
        raise refusal(self.allowed(), text)

    def allowed(self) -> str:
        """Say so in words."""
        return "true or false"

    def schema(self) -> dict[str, Any]:
        """Give the boolean's JSON schema."""
        return {"type": "boolean"}


class ListOf(NamedTuple):
    """A list whose items all have one shape, perhaps with a least number of them."""

    item: Shape
    least: int = 0

    def read(self, value: object) -> list[Any]:
        """Take each item by the item's shape."""
        if not isinstance(value, list) or len(value) < self.least:
            raise refusal(self.allowed(), value)
        return [self._read_item(number, entry) for number, entry in enumerate(value)]

    def _read_item(self, number: int, entry: object) -> Any:
        try:
            return self.item.read(entry)
        except NotOfShape as refused:
            raise refused.within(f"[{number}]") from refused

    def from_text(self, text: str) -> list[Any]:
        """Read items parted by commas."""
        return [self.item.from_text(part.strip()) for part in text.split(",") if part.strip()]

    def allowed(self) -> str:
        """Describe the list by its items."""
        words = f"a list of at least {self.least}" if self.least else "a list"
        return f"{words}, each item {self.item.allowed()}"

    def schema(self) -> dict[str, Any]:
        """Give the list's JSON schema."""
        schema: dict[str, Any] = {"type": "array", "items": self.item.schema()}
        return schema | ({"minItems": self.least} if self.least else {})


class Field(NamedTuple):
    """One key of a record; absent and null mean the same."""

    name: str
    shape: Shape
    description: str
    required: bool = False


class RecordShape(NamedTuple):
    """An object with known keys."""

    fields: tuple[Field, ...]

    def read(self, value: object) -> dict[str, Any]:
        """Take each key by its own shape; an unknown key is refused by name."""
        if not isinstance(value, dict):
            raise refusal(self.allowed(), value)
        known = [field.name for field in self.fields]
        for key in value:
            if key not in known:
                raise NotOfShape(describe_unknown_key(str(key), known))
        return {field.name: self._read_field(field, value.get(field.name)) for field in self.fields}

    def _read_field(self, field: Field, value: object) -> Any:
        if value is None and field.required:
            raise NotOfShape("is required", f".{field.name}")
        if value is None:
            return None
        try:
            return field.shape.read(value)
        except NotOfShape as refused:
            raise refused.within(f".{field.name}") from refused

    def from_text(self, text: str) -> dict[str, Any]:
        """Records are not written as text."""
        raise refusal(self.allowed(), text)

    def allowed(self) -> str:
        """Name the keys."""
        return "an object with " + ", ".join(field.name for field in self.fields)

    def schema(self) -> dict[str, Any]:
        """Give the record's JSON schema."""
        schema: dict[str, Any] = {
            "type": "object",
            "properties": {
                field.name: {**field.shape.schema(), "description": field.description}
                for field in self.fields
            },
            "additionalProperties": False,
        }
        required = [field.name for field in self.fields if field.required]
        return schema | ({"required": required} if required else {})


def describe_unknown_key(key: str, known: list[str]) -> str:
    """Say that a key is unknown, and which one was probably meant."""
    import difflib  # only when something is wrong

    nearest = difflib.get_close_matches(key, known, n=1)
    hint = f"; did you mean {nearest[0]}?" if nearest else f"; known: {', '.join(known)}"
    return f"has the unknown key {quote_value(key)}{hint}"
