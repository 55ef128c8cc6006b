"""Publishing a manual: its files become a revision that every server searches.

The one who publishes has the lead until it is done. Whatever stops it, the revision before stays
published, and to publish again ends the same.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from tebiki.errors import Conflict
from tebiki.manuals.documents.folders import Skipped
from tebiki.manuals.index.batch import Batch
from tebiki.manuals.index.building import Pace, preparing, read_files
from tebiki.manuals.index.comparing import compare_all
from tebiki.manuals.index.manifest import manifest_from
from tebiki.manuals.index.opensearch.client import (
    Incomplete,
    OtherFormat,
    RequestRefused,
    StateMoved,
)
from tebiki.manuals.index.opensearch.layout import means_of
from tebiki.manuals.index.opensearch.leading import LEASE_SECONDS, Lead
from tebiki.manuals.index.opensearch.state_document import Revision, StateDocuments
from tebiki.manuals.index.opensearch.store import PublishedStore
from tebiki.manuals.index.protocols import State
from tebiki.manuals.index.refresh import Fresh, fresh_of
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.manuals.documents.sources import ManualSource
    from tebiki.manuals.documents.walking import Walk
    from tebiki.manuals.index.manifest import Manifest
    from tebiki.manuals.index.opensearch.client import Cluster
    from tebiki.manuals.index.opensearch.state_document import ManualState

FINGERPRINT_CHARS = 32
TRIES = 3
"""Of one publication: files may be edited while they are read."""


class Publication(NamedTuple):
    """What is published now, how much of it had to be written, and whether anything had to."""

    state: ManualState
    changed: int
    is_rebuilt: bool
    is_new: bool = True


class _Drifted(Exception):
    """Sections have become longer or shorter than scores allow for. Never leaves this module."""


class _Wanted(NamedTuple):
    """What is to be published, and by which clock; `only` this revision, or whatever there is."""

    source: ManualSource
    label: str
    now_ns: Callable[[], int]
    only: Revision | None


class PublishProgress(NamedTuple):
    """Whom a publication tells how far it is, and who may call it off."""

    tell: Callable[[int, int], None] = lambda _done, _all: None
    check: Callable[[], None] = lambda: None
    stop: Callable[[], bool] = lambda: False


QUIET = PublishProgress()


def fingerprint_of(fresh: Fresh) -> str:
    """A short digest of all that a revision is."""
    return hashlib.sha256(fresh.version.encode()).hexdigest()[:FINGERPRINT_CHARS]


def publish(
    cluster: Cluster,
    manual_id: str,
    source: ManualSource,
    label: str,
    *,
    now_ns: Callable[[], int],
    progress: PublishProgress = QUIET,
    lease_seconds: float = LEASE_SECONDS,
    repairing: ManualState | None = None,
) -> Publication:
    """Make the files of a source the newest revision of a manual; it is `label`ed for people.

    `repairing` a state, what it says is brought about and nothing else is published: nothing is
    done if somebody else was quicker, if the index is whole, or if another release has laid it out.

    Raises:
        Conflict: somebody else publishes it, or has taken over; or the files are not those of the
            state that is put right.
        Damaged: OpenSearch does not do its part.
    """
    cluster.check()
    documents = StateDocuments(cluster)
    with Lead(documents, manual_id, progress.stop, lease_seconds) as lead:
        store = PublishedStore(cluster, documents, manual_id, lead)
        if repairing is not None and (
            lead.state.gen != repairing.gen
            or lead.state.head != repairing.head
            or not store.is_broken()
        ):
            return Publication(lead.state, 0, is_rebuilt=False, is_new=False)
        wanted = _Wanted(source, label, now_ns, repairing and repairing.head)
        for tries in range(TRIES):
            try:
                changed = _bring_up_to_date(store, lead, wanted, progress)
                return Publication(lead.state, changed, is_rebuilt=tries > 0)
            except StateMoved:
                store.wipe()
            except Incomplete:
                # Of an index that nobody has a copy of yet a node is lost, or was.
                if not store.is_new or tries == TRIES - 1:
                    raise
                store.wipe()
            except _Drifted:
                continue
        raise StateMoved("its files change faster than they can be published; try again")


def _bring_up_to_date(
    store: PublishedStore, lead: Lead, wanted: _Wanted, progress: PublishProgress
) -> int:
    source = wanted.source
    walk = source.walk(lambda: False)
    state = store.state()
    found = compare_all(walk, state.manifest)
    batch = Batch(store, state)
    batch.remove_all(found.gone)
    pace = Pace(progress.check, progress.tell, wanted.now_ns)
    with preparing(found.stale) as prepare:
        files = read_files(source, found.stale, batch, pace)
        for read, prepared in prepare(files, progress.check):
            batch.put(read, prepared)
    progress.tell(len(found.stale), len(found.stale))
    batch.commit()
    if store.has_drifted(batch.manifest) or not _can_settle(store, batch.manifest):
        # All of it is written again, with the means that are known now.
        store.make_with(means_of(batch.manifest.sections, batch.manifest.lengths))
        raise _Drifted
    fresh = fresh_of(walk, State(batch.manifest, state.postings))
    store.beside = _beside(walk, fresh)
    head = Revision(wanted.label or fingerprint_of(fresh), fingerprint_of(fresh))
    if wanted.only is not None and head != wanted.only:
        raise Conflict("this machine's copy has changed since it was published")
    lead.change(lambda now: now._replace(head=head))
    store.save(batch.manifest)
    store.seal(batch.manifest.state or "none")
    return len(found.stale) + len(found.gone)


def _can_settle(store: PublishedStore, manifest: Manifest) -> bool:
    """Have a new index score by the means of all of it; not every cluster allows to close one."""
    try:
        store.settle(manifest)
    except RequestRefused:
        return False
    return True


def _beside(walk: Walk, fresh: Fresh) -> dict[str, Any]:
    """What readers need of a walk, which they do not take."""
    return {
        "paths": list(walk.files),
        "skipped": [list(one) for one in fresh.skipped],
        "unsupported": [list(one) for one in fresh.unsupported],
        "kinds": dict(fresh.kinds),
        "left_out": fresh.left_out,
        "files": fresh.files,
    }


def manifest_of(value: Any, version: int) -> tuple[Manifest, dict[str, Any]]:
    """The manifest and what lies beside it, as `publish` left them.

    Raises:
        OtherFormat: another release did.
    """
    manifest = manifest_from(value[0], version)
    if manifest is None:
        raise OtherFormat(
            "it was published by a release whose indexes have another form; set another "
            "manuals.opensearch.prefix for one of the two, or publish it again"
        )
    return manifest, value[1]


def fresh_from(manifest: Manifest, beside: dict[str, Any], state: State) -> Fresh:
    """A published state as a search needs it."""
    return Fresh(
        state.postings,
        beside["files"],
        manifest.sections,
        tuple(Skipped(*one) for one in beside["skipped"]),
        (),
        dict.fromkeys(beside["paths"]).keys(),
        manifest.fingerprint(),
        tuple(Skipped(*one) for one in beside["unsupported"]),
        beside["kinds"],
        beside["left_out"],
    )
