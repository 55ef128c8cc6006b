"""Merging the layers: pure functions from what was written to what is in force.

Each layer is already checked values with their origin; the highest one wins, key by key, so objects
merge deeply and lists replace. Not here: reading files, variables or arguments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from tebiki.config.schema import NULLABLE_SECTIONS, SETTINGS
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Origin(NamedTuple):
    """Where a value was written: the layer, and the place in it."""

    layer: str
    place: str = ""

    def __str__(self) -> str:
        return f"{self.layer} {self.place}".strip()


DEFAULT = Origin("default")


class Written(NamedTuple):
    """One value as a layer holds it."""

    value: Any
    origin: Origin


class Resolved(NamedTuple):
    """The value in force, where it came from and what it covers."""

    value: Any
    origin: Origin
    shadowed: tuple[Written, ...] = ()


Layer = dict[str, Written]
"""Checked values of one source by dotted key."""


class Settings:
    """What is in force, by dotted key; frozen after loading."""

    def __init__(
        self, resolved: Mapping[str, Resolved], unread: Mapping[str, str] | None = None
    ) -> None:
        """`unread`: by limit on money what is wrong with the value that somebody gave it."""
        self._resolved = dict(resolved)
        self.unread = dict(unread or {})

    def __getitem__(self, key: str) -> Any:
        return self._resolved[key].value

    def text(self, key: str) -> str:
        """Return a setting that is always a string."""
        return cast(str, self[key])

    def integer(self, key: str) -> int:
        """Return a setting that is always a whole number."""
        return cast(int, self[key])

    def flag(self, key: str) -> bool:
        """Return a setting that is true or false."""
        return cast(bool, self[key])

    def section(self, prefix: str) -> dict[str, Any]:
        """Return the values directly below a section, by their last name."""
        start = f"{prefix}."
        return {
            key.removeprefix(start): found.value
            for key, found in self._resolved.items()
            if key.startswith(start)
        }

    def is_null(self, section: str) -> bool:
        """Tell whether a user set this profile to null explicitly."""
        found = self._resolved[f"{section}.model"]
        return found.value is None and found.origin != DEFAULT

    def resolve(self, key: str) -> Resolved:
        """Return a setting with where it came from."""
        return self._resolved[key]

    def items(self) -> Iterable[tuple[str, Resolved]]:
        """Every key with its resolved value, in the table's order."""
        return self._resolved.items()

    def is_given(self, *keys: str) -> bool:
        """Tell whether somebody set one of these; a default is nobody's."""
        return any(self._resolved[key].origin.layer != "default" for key in keys)

    def with_values(self, values: Mapping[str, Any], origin: Origin) -> Settings:
        """The same settings with a few of them set otherwise, each of an allowed value."""
        other = dict(self._resolved)
        for key, value in values.items():
            before = other[key]
            shadowed = (Written(before.value, before.origin), *before.shadowed)
            other[key] = Resolved(value, origin, shadowed)
        return Settings(other, self.unread)

    def effective(self) -> dict[str, Any]:
        """Everything in force as nested objects, as a YAML file would hold it."""
        tree: dict[str, Any] = {}
        for key, found in self._resolved.items():
            *sections, leaf = key.split(".")
            branch = tree
            for section in sections:
                branch = branch.setdefault(section, {})
            branch[leaf] = found.value
        profiles = tree["model_profiles"]
        for name in NULLABLE_SECTIONS:
            if self.is_null(f"model_profiles.{name}"):
                profiles[name] = None
        return tree


def merge(layers: Iterable[Layer], unread: Mapping[str, str] | None = None) -> Settings:
    """Resolve every setting from its default and the layers, lowest authority first."""
    ordered = list(layers)
    resolved = {}
    for setting in SETTINGS:
        found = [Written(setting.default, DEFAULT)]
        found += [layer[setting.key] for layer in ordered if setting.key in layer]
        winner = found.pop()
        resolved[setting.key] = Resolved(winner.value, winner.origin, tuple(reversed(found)))
    return Settings(resolved, unread)
