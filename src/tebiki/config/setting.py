"""What a setting is: one row of the table in `schema`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from tebiki.values.shapes import Shape


class Setting(NamedTuple):
    """One row: where a value is written, what it may be and what it is by default."""

    key: str
    shape: Shape
    default: Any
    doc: str
    env: str | None = None
    stops_from_env: bool = False
    """Whether a bad value in the variable stops the start, as one in the file does."""
    limits_money: bool = False
    """Whether paid calls are refused while the variable has a bad value: a limit that somebody set
    is not to be without effect."""

    @property
    def allowed(self) -> str:
        """What may stand here, in words."""
        return self.shape.allowed()
