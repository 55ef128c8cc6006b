"""What a face offers beside its tools, as data of the face and of the tools that it serves.

Told before anything is made: a handshake names the capabilities, and imports none of what is behind
them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tebiki.app.toolsets import TOOLSETS, instructions_of
from tebiki.protocol.eras import TOOLS_ONLY

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from tebiki.app.faces import Face
    from tebiki.app.toolsets import Toolset

_SEARCH = ("manual_ls", "manual_find", "manual_read")

TOOLS_OF_PROMPTS = {
    "grounded_answer": _SEARCH,
    "exhaustive_audit": (*_SEARCH, "manual_hits", "manual_scan"),
    "cross_check": (*_SEARCH, "answer"),
    "save_answer": ("vault_create",),
}
"""The prompts, in listing order, and the tools without which each of them asks for too much."""


TOOLS_OF_APP = ("manual_find", "manual_hits", "manual_read", "manual_scan")


def capabilities_of(face: Face, tools: AbstractSet[str]) -> dict[str, Any]:
    """What a face declares in both eras when it serves these tools."""
    if face.introduction is None:
        return TOOLS_ONLY
    offers = {
        "resources": bool(readable_toolsets(tools)),
        "prompts": bool(served_prompts(tools)),
    }
    found = {name: dict[str, Any]() for name, is_offered in offers.items() if is_offered}
    return {**TOOLS_ONLY, **found, **({"completions": {}} if found else {})}


def has_app(tools: AbstractSet[str]) -> bool:
    """Tell whether a find can be shown in its app, which reads on with these tools."""
    return set(TOOLS_OF_APP) <= tools


def instructions_for(face: Face, tools: AbstractSet[str]) -> str | None:
    """What a model is told when it connects; a drop-in tells it nothing."""
    if face.introduction is None:
        return None
    return " ".join([face.introduction, *instructions_of(tools)])


def readable_toolsets(tools: AbstractSet[str]) -> list[Toolset]:
    """The toolsets whose files are resources: those of which a tool that reads is served."""
    return [one for one in TOOLSETS if not tools.isdisjoint(one.readers)]


def served_prompts(tools: AbstractSet[str]) -> list[str]:
    """The prompts that have all their tools."""
    return [name for name, needed in TOOLS_OF_PROMPTS.items() if set(needed) <= tools]
