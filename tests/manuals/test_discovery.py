"""The gate before the manuals: a listing first, on every connection."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tebiki.errors import InvalidArguments, NotFound
from tebiki.manuals.client_memory import ClientMemory
from tebiki.manuals.reading import Ref
from tebiki.state.memory import MemoryStateStore
from tests.manuals import usual
from tests.manuals.libraries import library_at

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tebiki.manuals.library import Library

CALLS: dict[str, Callable[[Library], object]] = {
    "toc": lambda library: library.toc("missing"),
    "read": lambda library: library.read(Ref("missing", "a.md")),
    "scan": lambda library: library.scan("missing", "a.md"),
}


def test_nobody_passes_before_a_listing() -> None:
    """And everybody after."""
    memory = ClientMemory(usual.TRACES, MemoryStateStore(lambda: 0.0), lambda: "id")
    with pytest.raises(InvalidArguments) as refusal:
        memory.require_listing()

    memory.note_listing()

    memory.require_listing()
    assert refusal.value.remedy == "list_first"


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_the_gate_comes_before_everything_else(
    root: Path, call: Callable[[Library], object]
) -> None:
    """A wrong id is told only to those who could know better."""
    library = library_at(root, discovered=False)
    with pytest.raises(InvalidArguments, match="not listed yet"):
        call(library)

    library.ls()

    with pytest.raises(NotFound):
        call(library)


def test_hits_need_only_a_trace(root: Path) -> None:
    """Whoever has one has searched."""
    library = library_at(root, discovered=False)

    with pytest.raises(NotFound):
        library.hits("unknown")


def test_another_connection_has_seen_nothing(library: Library) -> None:
    """Discovery is not shared."""
    other = library.for_client("another")

    with pytest.raises(InvalidArguments):
        other.toc("m")
    assert library.toc("m").total_files == 0
