"""The shape of a mapping whose keys are the user's own names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tebiki.named_tuples import NamedTuple
from tebiki.values.shapes import NotOfShape, refusal

if TYPE_CHECKING:
    from tebiki.values.shapes import Shape


class MapOf(NamedTuple):
    """An object with any names, whose values all have one shape."""

    value: Shape

    def read(self, value: object) -> dict[str, Any]:
        """Take each value by the values' shape."""
        if not isinstance(value, dict):
            raise refusal(self.allowed(), value)
        return {str(name): self._read_value(str(name), entry) for name, entry in value.items()}

    def _read_value(self, name: str, entry: object) -> Any:
        try:
            return self.value.read(entry)
        except NotOfShape as refused:
            raise refused.within(f".{name}") from refused

    def from_text(self, text: str) -> dict[str, Any]:
        """Mappings are not written as text."""
        raise refusal(self.allowed(), text)

    def allowed(self) -> str:
        """Describe it by its values."""
        return f"a mapping of names, each to {self.value.allowed()}"

    def schema(self) -> dict[str, Any]:
        """Give the mapping's JSON schema."""
        return {"type": "object", "additionalProperties": self.value.schema()}
