"""What an API key looks like, and cleaning a whole value of one, for whoever must not repeat it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

KEY_LIKE = r"\bsk-[A-Za-z0-9_-]{8,}"
"""A pattern as text: most processes never need it compiled."""

SHORTEST_SECRET = 6
"""A shorter "key" is a typing error or a word for none; it stands inside ordinary words."""


def clean_value(value: Any, clean: Callable[[str], str]) -> Any:
    """A value as JSON knows it, each string in it cleaned.

    Cleaning its JSON text would take the backslash before a quote for a part of a secret.
    """
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(name): clean_value(inner, clean) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [clean_value(inner, clean) for inner in value]
    return value
