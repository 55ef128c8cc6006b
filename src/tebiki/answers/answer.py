"""A finished answer as a value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tebiki.answers.citations import Citation
    from tebiki.responses.client import Exchange


@dataclass(frozen=True, slots=True)
class Answer:
    """A finished answer and what it took."""

    text: str
    used_search: bool
    citations: tuple[Citation, ...]
    model: str
    exchange: Exchange
