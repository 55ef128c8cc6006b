"""A state of an index that was published, and what servers have learnt of it by now."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING

from tebiki.manuals.documents.link_targets import NamedFiles
from tebiki.manuals.index.opensearch.layout import files_in, means_of
from tebiki.manuals.index.values import ALL_FIELDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tebiki.manuals.index.manifest import Manifest
    from tebiki.manuals.index.values import Clause

    Clauses = tuple[Clause, ...]
    Holders = tuple[int, ...]

MOST_TOKENS = 200_000
MOST_COUNTS = 4096


class IndexState:
    """A state of an index that was published, and what is known of it by now."""

    def __init__(
        self,
        index: str,
        marker: str,
        markers: int,
        manifest: Manifest,
        frozen_means: Sequence[float],
    ) -> None:
        self.index, self.marker, self.markers = index, marker, markers
        self.manifest = manifest
        self.sections = manifest.sections
        self.means = means_of(manifest.sections, manifest.lengths)
        self.ratios = {
            field: true / told if true else 1.0
            for field, true, told in zip(ALL_FIELDS, self.means, frozen_means, strict=True)
        }
        self.files = files_in(manifest)
        self.named_files = NamedFiles(manifest.files)
        self.holders: dict[str, Holders] = {}
        self.counts: dict[Clauses, int] = {}

    def learn(self, holders: Mapping[str, Holders], counts: Mapping[Clauses, int]) -> None:
        """Remember what was counted, and not without bound."""
        if len(self.holders) > MOST_TOKENS:
            self.holders = {}
        if len(self.counts) > MOST_COUNTS:
            self.counts = {}
        self.holders.update(holders)
        self.counts.update(counts)

    def apart(self, holders: Mapping[str, Holders], counts: Mapping[Clauses, int]) -> IndexState:
        """The same state with what was counted, of which others do not hear: it may be untrue."""
        other = copy(self)
        other.holders, other.counts = {**self.holders, **holders}, {**self.counts, **counts}
        return other
