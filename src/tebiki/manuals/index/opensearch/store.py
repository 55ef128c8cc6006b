"""The index of a manual on OpenSearch as its leader writes it, behind the interface of a store.

Committed states become visible all at once, when the store is sealed: what the index holds is held
against the manifest, marked, refreshed, proven, and published by one change of the state document.
Whoever dies on the way leaves the state before; the next leader begins with what is really there.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from tebiki.manuals.index.engine import EMPTY, FORMAT
from tebiki.manuals.index.manifest import Manifest, manifest_from
from tebiki.manuals.index.opensearch.client import StateMoved
from tebiki.manuals.index.opensearch.index_state import IndexState
from tebiki.manuals.index.opensearch.layout import (
    file_id,
    files_in,
    frozen,
    index_name,
    key_of_manual,
    means_of,
)
from tebiki.manuals.index.opensearch.reading import SharedReading
from tebiki.manuals.index.opensearch.shelf import SectionShelf
from tebiki.manuals.index.opensearch.writing import BulkWriter, IndexBuild
from tebiki.manuals.index.protocols import State
from tebiki.manuals.index.values import ALL_FIELDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tebiki.manuals.index.opensearch.client import Cluster
    from tebiki.manuals.index.opensearch.leading import Lead
    from tebiki.manuals.index.opensearch.state_document import ManualState, StateDocuments
    from tebiki.manuals.index.values import Lengths

FARTHEST = 0.05
"""How far a mean may be from the one in the similarity before the index is built anew."""

EVEN_CLOSED = {"expand_wildcards": "open,closed"}

FARTHEST_OF_NEW = 0.01
"""The same of an index that is about to be published: so much less is left to later changes."""

UNKNOWN_MEANS = (1.0,) * len(ALL_FIELDS)
"""Of an index that has no sections."""


class PublishedStore:
    """One manual's index, for whoever has the lead; implements `Store`."""

    def __init__(
        self, cluster: Cluster, documents: StateDocuments, manual_id: str, lead: Lead
    ) -> None:
        self._cluster, self._documents = cluster, documents
        self._manual_id, self._lead = manual_id, lead
        self._manifest: Manifest | None = None
        self._build: IndexBuild | None = None
        self._is_new = self._is_settled = False
        self._given_up = 0
        self._means: tuple[float, ...] | None = None
        self._is_marked = True
        self.beside: dict[str, Any] = {}
        """What readers have to know beside the manifest: what was left out of it, and why."""

    @contextlib.contextmanager
    def hold(self, _stop: Callable[[], bool]) -> Iterator[bool]:
        """The lead is held by whoever made the store."""
        yield True

    def state(self) -> State:
        """The state that is to be changed: what is published, as far as it is really there."""
        if self._manifest is None:
            self._open()
        manifest = self._manifest or Manifest(EMPTY)
        return State(manifest, self._reading(manifest))

    def write(self) -> BulkWriter:
        """Begin to change it."""
        build = self._use_build()
        published = self._lead.state
        if self._is_marked and not self._is_new:
            build.unmark(published.marker, published.routings)
            self._is_marked = False
        is_made = not self._is_new or self._means is not None
        return BulkWriter(self._cluster, build.index, None if is_made else self._make)

    def announce(self, manifest: Manifest) -> None:
        """Nothing is visible before the store is sealed."""

    def save(self, manifest: Manifest) -> None:
        """Keep a manifest."""
        self._manifest = manifest

    def seal(self, state: str) -> None:
        """Publish what was written.

        Raises:
            StateMoved: the index does not hold what the manifest says.
            Conflict: the lead is lost.
        """
        manifest = self._manifest or Manifest(EMPTY)
        build, before = self._use_build(), self._lead.state
        means = self.settle(manifest)
        build.refresh()
        wanted = files_in(manifest)
        build.remove_files(build.files().keys() - wanted.keys())
        build.remove_markers()
        routings = build.routings() if self._is_new else before.routings
        build.refresh()
        marker = f"{state}-{self._lead.state.fence}"
        build.mark(marker, routings)
        build.refresh()
        build.prove(marker, len(routings), wanted)
        parts = self._documents.write_parts(
            self._manual_id, before.gen + 1, [manifest.to_json(FORMAT), self.beside]
        )
        self._lead.change(
            lambda now: now._replace(
                gen=before.gen + 1,
                revision=now.head,
                writing=None,
                index_name=build.index,
                marker=marker,
                routings=routings,
                means=means,
                parts=parts,
                sections=manifest.sections,
                files=len(manifest.files),
            )
        )
        self._is_new, self._is_marked, self._means = False, True, None
        self._clear_away(before, build)

    def is_broken(self) -> bool:
        """Tell whether what is published is not there as it should be; never of another release."""
        published = self._lead.state
        if not published.index_name:
            return True
        if not self._is_ours(published.index_name):
            return False
        build = IndexBuild(self._cluster, published.index_name)
        if not published.is_at_head or not build.exists():
            return True
        try:
            value = self._documents.read_parts(self._manual_id, published)
            manifest = manifest_from(value[0], FORMAT)
            if manifest is None:
                return False
            # What a leader that died took away is seen at the latest now, in every copy.
            build.refresh()
            build.prove(published.marker, len(published.routings), files_in(manifest))
        except StateMoved:
            return True
        return False

    def _is_ours(self, index: str) -> bool:
        key = key_of_manual(self._manual_id)
        return index.startswith(index_name(self._cluster.settings.prefix, key))

    def wipe(self) -> None:
        """Begin anew, in another index: what is published stays until this one is."""
        self._manifest = Manifest(EMPTY)
        self._given_up += 1
        self._build = self._means = None
        self._is_new, self._is_settled = True, False

    def make_with(self, means: Sequence[float]) -> None:
        """Begin anew, with means that are known already."""
        self.wipe()
        self._use_build().make(frozen(means))
        self._means = frozen(means)

    @property
    def is_new(self) -> bool:
        """Tell whether it writes an index that was never published."""
        return self._is_new

    def has_drifted(self, manifest: Manifest) -> bool:
        """Tell whether a mean is too far from the one that scores rest on."""
        if self._is_new:
            return False  # its similarity can still be changed
        true = means_of(manifest.sections, manifest.lengths)
        return _are_apart(true, self._lead.state.means or true, FARTHEST)

    def settle(self, manifest: Manifest) -> tuple[float, ...]:
        """Have a new index score by how long all of its sections are, and other nodes have it too.

        Gives the means that it scores by.
        """
        if not self._is_new or self._is_settled:
            return self._means or self._lead.state.means
        true = means_of(manifest.sections, manifest.lengths)
        if self._means is None:
            self._make(manifest.sections, manifest.lengths)
        elif _are_apart(true, self._means, FARTHEST_OF_NEW):
            # It was made when only the first of them were known.
            self._use_build().tune(frozen(true))
            self._means = frozen(true)
        self._use_build().spread()
        self._is_settled = True
        return self._means or UNKNOWN_MEANS

    def _open(self) -> None:
        """Begin with what is published, without the files that are not there whole."""
        published = self._lead.state
        if not published.index_name:
            self.wipe()
            return
        build = IndexBuild(self._cluster, published.index_name)
        if not self._is_ours(published.index_name) or not build.exists():
            self.wipe()
            return
        build.refresh()
        value = self._documents.read_parts(self._manual_id, published)
        manifest = manifest_from(value[0], FORMAT)
        if manifest is None:
            self.wipe()
            return
        held, wanted = build.files(), files_in(manifest)
        by_id = {file_id(path, one.digest): path for path, one in manifest.files.items()}
        broken = [by_id[file] for file, count in wanted.items() if held.get(file) != count]
        for path in broken:
            manifest.drop(path)
        self._manifest, self._build = manifest, build

    def _use_build(self) -> IndexBuild:
        if self._build is None:
            key = key_of_manual(self._manual_id)
            # No other leader has this fence; what this one has sent to one that it gave up may
            # still arrive there.
            number = f"{self._lead.state.fence}-{self._lead.state.gen}-{self._given_up}"
            name = index_name(self._cluster.settings.prefix, key, number)
            self._build = IndexBuild(self._cluster, name)
            self._is_new, self._is_settled = True, False
        return self._build

    def _make(self, sections: int, lengths: Lengths) -> None:
        """Make the index, with the mean lengths of the sections that are known by now."""
        self._means = frozen(means_of(sections, lengths))
        self._use_build().make(self._means)

    def _clear_away(self, before: ManualState, build: IndexBuild) -> None:
        """Remove what only the state before needed, and what leaders that died have begun.

        A reader of it asks for the newest.
        """
        ours = index_name(self._cluster.settings.prefix, key_of_manual(self._manual_id))
        with contextlib.suppress(ValueError):
            if before.parts:
                self._documents.drop_parts(self._manual_id, before.gen, before.parts)
            others = {before.index_name, *self._cluster.ask("GET", f"/{ours}*", params=EVEN_CLOSED)}
            for name in sorted(others - {"", build.index}):
                IndexBuild(self._cluster, name).drop()

    def _reading(self, manifest: Manifest) -> SharedReading:
        now = self._lead.state
        means = now.means or UNKNOWN_MEANS
        state = IndexState(now.index_name, now.marker, len(now.routings), manifest, means)
        return SharedReading(self._cluster, state, SectionShelf(), self._manual_id)


def _are_apart(true: Sequence[float], told: Sequence[float], most: float) -> bool:
    pairs = zip(true, told, strict=True)
    return any(mean and abs(mean / other - 1) > most for mean, other in pairs)
