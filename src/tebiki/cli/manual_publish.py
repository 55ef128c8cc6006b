"""`tebiki manuals publish`: a folder or a commit becomes what all servers of a team search."""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from typing import TYPE_CHECKING, Any

from tebiki.cli import shared
from tebiki.cli.git_commits import extract_commit, find_commit
from tebiki.cli.manual_inputs import known_manual
from tebiki.errors import NotFound, UsageError
from tebiki.manuals.index.failures import Damaged
from tebiki.values.numerals import counted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from tebiki.cli.parsers import CommandParser
    from tebiki.manuals.library import Library

LOCAL = (
    "manuals.engine is local: every server searches its own files, and there is nothing to "
    "publish; see docs/cluster.md"
)


def describe_publish(parser: CommandParser) -> None:
    """Add what can be typed after `publish`."""
    parser.add_argument("manual", help="manual")
    parser.add_argument(
        "--from", dest="folder", metavar="FOLDER", help="files; left out: the manual's own folder"
    )
    parser.add_argument("--commit", metavar="REF", help="what git has at a commit, tag or branch")
    parser.add_argument("--label", help="how the revision is called; left out: commit or digest")


def publish_manual(library: Library, typed: argparse.Namespace) -> int:
    """Publish a manual.

    Raises:
        UsageError: no shared engine is set, or git cannot tell what a commit holds.
        NotFound: there is no such manual, folder or commit.
        Conflict: somebody else publishes it.
    """
    settings = library.opensearch
    if settings is None:
        raise UsageError(LOCAL)
    from tebiki.manuals.index.opensearch.client import Cluster
    from tebiki.manuals.index.opensearch.publishing import PublishProgress, publish

    manual_id, folder = typed.manual, typed.folder
    if folder is None:
        manual_id = known_manual(library, manual_id)
        folder = os.path.join(*library.origin_of(manual_id))
    with (
        _files(os.path.abspath(folder), typed.commit) as (root, name, commit),
        shared.progress_bar() as show,
    ):
        progress = PublishProgress(lambda done, every: show(f"publishing {manual_id}", done, every))
        try:
            done = publish(
                Cluster(settings),
                manual_id,
                library.source_of(root, name),
                typed.label or commit,
                now_ns=time.time_ns,
                progress=progress,
            )
        except Damaged as error:
            raise UsageError(f"{manual_id} was not published: {error}") from error
    state = done.state
    label = state.revision.label if state.revision else ""
    row: dict[str, Any] = {
        "manual_id": manual_id,
        "revision": label,
        "generation": state.gen,
        "files": state.files,
        "sections": state.sections,
        "changed": done.changed,
        "rebuilt": done.is_rebuilt,
    }
    sizes = f"{counted(state.files, 'file')}, {counted(state.sections, 'section')}"
    words = f"{manual_id} is published at {label}: {sizes}, {done.changed} looked at anew."
    return shared.show(typed, row, words)


@contextlib.contextmanager
def _files(folder: str, ref: str | None) -> Iterator[tuple[str, str, str]]:
    """A folder that holds what is to be published: the one above, its name, and the commit."""
    if not os.path.isdir(folder):
        raise NotFound(f"there is no folder {folder}")
    if ref is None:
        above, name = os.path.split(folder)
        yield above, name, ""
        return
    commit = find_commit(folder, ref)
    with tempfile.TemporaryDirectory(prefix="tebiki-publish-") as above:
        inside = os.path.join(above, "manual")
        os.mkdir(inside)
        extract_commit(folder, commit, inside)
        yield os.path.realpath(above), "manual", commit
