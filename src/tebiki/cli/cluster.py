"""`tebiki cluster status`: how the index that a team's servers share is doing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tebiki.cli import shared
from tebiki.cli.manual_publish import LOCAL
from tebiki.cli.parsers import CommandParser, subparsers
from tebiki.errors import UsageError
from tebiki.manuals.index.failures import Damaged
from tebiki.values.numerals import counted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from tebiki.app.faces import Face
    from tebiki.manuals.index.opensearch.status import PublishedManual
    from tebiki.manuals.library import Library


def run(face: Face, words: list[str]) -> int:
    """Look at the cluster; 1 when something there is not as it should be."""
    typed = parser().parse_args(words)
    app = shared.open_app(face, typed.config, ("manuals",), manuals=typed.manuals)
    action: Callable[[Library, argparse.Namespace], int] = typed.action
    return action(app.engines.library(), typed)


def _status(library: Library, typed: argparse.Namespace) -> int:
    settings = library.opensearch
    if settings is None:
        raise UsageError(LOCAL)
    from tebiki.manuals.index.opensearch.client import Cluster
    from tebiki.manuals.index.opensearch.status import health_of, look_at

    cluster = Cluster(settings)
    try:
        health = health_of(cluster)
        manuals = look_at(cluster, [item.id for item in library.ls().items])
    except Damaged as error:
        raise UsageError(str(error)) from error
    row: dict[str, Any] = {
        "opensearch": health._asdict(),
        "manuals": [one.row() for one in manuals],
    }
    nodes = counted(health.nodes, "node")
    lines = [f"OpenSearch {health.version}: {health.status}, {nodes}", *map(_line, manuals)]
    is_well = all(one.state and not one.is_behind and one.is_whole for one in manuals)
    return shared.show(typed, row, "\n".join(lines), found=is_well)


def _line(one: PublishedManual) -> str:
    state = one.state
    if state is None or state.revision is None:
        return f"{one.manual_id}: not published (tebiki manuals publish {one.manual_id})"
    active, every = one.shards
    words = [
        f"{one.manual_id}: {state.revision.label}",
        counted(state.sections, "section"),
        f"{active} of {every} shards" if every else "its index is missing",
    ]
    if one.is_behind:
        words.append(f"behind {state.head.label if state.head else 'its head'}")
    if state.writing is not None:
        words.append(f"leader {state.writing} is writing")
    return ", ".join(words)


def parser() -> CommandParser:
    """What can be typed."""
    made = CommandParser(prog="tebiki cluster", description="The index that servers share.")
    made.add_action("status", _status, "Tell what is published, and who writes.")
    for inner in subparsers(made).values():
        inner.add_argument("--manuals", metavar="DIR", help="folder of the manuals")
    return made
