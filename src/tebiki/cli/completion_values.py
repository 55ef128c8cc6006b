"""What a shell may offer that only a look at the disk tells: manuals, their files, notes.

The scripts of `completion` ask for it with the words typed so far. Whatever is wrong, nothing is
offered and nothing is said: a person is in the middle of typing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.cli import shared
from tebiki.cli.completion_tree import FOLDER, MANUAL, NOTE, PLACE, PREFIX, tree
from tebiki.errors import TebikiError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tebiki.app.faces import Face
    from tebiki.cli.completion_tree import CompletionFlag, CompletionNode
    from tebiki.manuals.library import Library

OF_MANUALS = frozenset({MANUAL, PLACE, FOLDER, PREFIX})


def values_for(face: Face, current: str, words: Sequence[str]) -> list[str]:
    """What may stand for the word that is being typed, after those typed before it."""
    node, rest = _node_at(tree(face), words)
    kind, before = _kind_at(node, rest)
    try:
        if kind in OF_MANUALS:
            found = _of_manuals(_library(face, words), kind, current, before)
        elif kind == NOTE:
            found = _notes(face, current, words)
        else:
            return []
    except TebikiError:
        return []
    return [one for one in found if one.startswith(current)]


def _node_at(
    nodes: list[CompletionNode], words: Sequence[str]
) -> tuple[CompletionNode, Sequence[str]]:
    """The place that the words lead to, and those that did not lead further."""
    by_place = {node.at: node for node in nodes}
    at: tuple[str, ...] = ()
    for taken, word in enumerate(words):
        if (*at, word) not in by_place:
            return by_place[at], words[taken:]
        at = (*at, word)
    return by_place[at], ()


def _kind_at(node: CompletionNode, words: Sequence[str]) -> tuple[str | None, list[str]]:
    """The kind of value that comes next, and the values that were typed before it."""
    flags: dict[str, CompletionFlag] = {name: flag for flag in node.flags for name in flag.names}
    before: list[str] = []
    waiting: CompletionFlag | None = None
    for word in words:
        if waiting is not None:
            waiting = None
        elif word in flags:
            waiting = flags[word] if flags[word].takes_value else None
        elif not word.startswith("-"):
            before.append(word)
    if waiting is not None:
        return waiting.kind, before
    place = len(before)
    return (node.kinds[place] if place < len(node.kinds) else None), before


def _of_manuals(
    library: Library, kind: str | None, current: str, before: list[str]
) -> Iterable[str]:
    ids = [item.id for item in library.ls().items]
    if kind == MANUAL:
        return ids
    start = f"{before[0]}/" if kind == PREFIX and before else ""
    folder, slash, _ = (start + current).rpartition("/")
    if not slash:
        return [f"{one}/" for one in ids]
    items = library.ls(folder).items
    found = [f"{one.id}/" if one.kind == "dir" else one.id for one in items]
    if kind == FOLDER:
        found = [one for one in found if one.endswith("/")]
    return [one.removeprefix(start) for one in found]


def _notes(face: Face, current: str, words: Sequence[str]) -> Iterable[str]:
    app = shared.open_app(face, _after("--config", words), ("vault",))
    folder = current.rpartition("/")[0]
    items = app.engines.vault().ls(folder or None).items
    return [f"{one.path}/" if one.kind == "dir" else one.path for one in items]


def _library(face: Face, words: Sequence[str]) -> Library:
    config, root = _after("--config", words), _after("--manuals", words)
    return shared.open_app(face, config, ("manuals",), manuals=root).engines.library()


def _after(flag: str, words: Sequence[str]) -> str | None:
    """The value of a flag among the words."""
    places = [at for at, word in enumerate(words[:-1]) if word == flag]
    return words[places[-1] + 1] if places else None
