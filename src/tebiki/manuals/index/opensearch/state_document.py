"""The state of each published manual: one document, changed only by compare-and-set.

It names the index that is to be searched, what that holds, and who writes. Beside it lie the parts
of a manifest, which are as large as the manual has files.
"""

from __future__ import annotations

import json
import os
import zlib
from base64 import b64decode, b64encode
from typing import TYPE_CHECKING, Any

from tebiki.manuals.index.opensearch.client import (
    NOT_FOUND,
    Conflicted,
    Incomplete,
    NotThere,
    RequestRefused,
    StateMoved,
)
from tebiki.manuals.index.opensearch.layout import ALIAS, EXISTS, ONLY_IF_THERE, key_of_manual
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from tebiki.manuals.index.opensearch.client import Cluster

PART_CHARS = 4_000_000
"""Of a manifest in one document: far below what a request may hold."""

FULL = "read-only"
"""In what is said of an index that takes no more, because a disk is full."""

PROOF = ".read"
MAPPING = {
    "settings": {"number_of_shards": 1, "auto_expand_replicas": "0-2"},
    "mappings": {
        "dynamic": "strict",
        "properties": {"kept": {"type": "object", "enabled": False}},
    },
}


class Revision(NamedTuple):
    """A version of a manual: how people call it, and a digest of all that it is."""

    label: str
    fingerprint: str


class ManualState(NamedTuple):
    """What is published of a manual.

    `head` is the newest revision, `revision` the one that the index has; `gen` grows with each,
    `fence` with each leader. `writing` is the fence of the leader that writes now, and `nonce`
    changes whenever the document does: a leader whose nonce stays the same for long is dead.
    """

    gen: int = 0
    fence: int = 0
    writing: int | None = None
    head: Revision | None = None
    revision: Revision | None = None
    index_name: str = ""
    marker: str = ""
    routings: tuple[str, ...] = ()
    means: tuple[float, ...] = ()
    parts: int = 0
    sections: int = 0
    files: int = 0
    nonce: str = ""
    seq_no: int = -1
    primary_term: int = -1

    @property
    def is_at_head(self) -> bool:
        """Tell whether the index has what was published last."""
        return self.revision is not None and self.revision == self.head

    def to_json(self) -> dict[str, Any]:
        """What is kept of it."""
        kept = self._asdict()
        del kept["seq_no"], kept["primary_term"]
        return kept


class StateDocuments:
    """The states of all manuals below one prefix."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self.index = f"{cluster.settings.prefix}-state"
        self._alias = f"{self.index}{ALIAS}"

    def read(self, manual_id: str) -> ManualState | None:
        """A state; None where nothing was published.

        Not surely the newest: a node that others have lost goes on to tell what it knows.
        """
        try:
            answer = self._cluster.ask("GET", f"/{self.index}/_doc/{key_of_manual(manual_id)}")
        except NotThere:
            return None
        return state_from(answer)

    def read_newest(self, manual_id: str) -> ManualState | None:
        """The newest state that there was when this began, or a later one.

        It is read by the copy that takes writes, behind a write of its own: that is taken only once
        every copy that may follow has it, so a node that others have lost can never answer.

        Raises:
            Damaged: nobody can tell.
        """
        key = key_of_manual(manual_id)
        lines: tuple[dict[str, Any], ...] = (
            {"index": {"_id": f"{key}{PROOF}"}},
            {"kept": {}},
            # Changes nothing, and gives what there is.
            {"update": {"_id": key, "_source": True}},
            {"doc": {}},
        )
        try:
            answer = self._cluster.ask_many(f"/{self._alias}/_bulk", lines, params=ONLY_IF_THERE)
        except NotThere:
            return None
        written, told = (next(iter(item.values())) for item in answer["items"])
        failed = next((one for one in (written, told) if "error" in one), None)
        if failed is None:
            return state_from(told["get"])
        words = " ".join(str(failed["error"].get("reason", "")).split())[:300]
        if failed["status"] == NOT_FOUND:
            return None
        if FULL in words:
            # Of the disk: nobody can publish, so what any node knows is the newest.
            return self.read(manual_id)
        raise Incomplete(words)

    def change(self, manual_id: str, old: ManualState | None, new: ManualState) -> ManualState:
        """Put a state in the place of another one, if that is still the newest.

        Raises:
            Conflicted: it is not.
        """
        new = new._replace(nonce=os.urandom(8).hex())
        if old is None:
            self._begin()
            guard: dict[str, Any] = {"op_type": "create"}
        else:
            guard = {"if_seq_no": old.seq_no, "if_primary_term": old.primary_term}
        path = f"/{self._alias}/_doc/{key_of_manual(manual_id)}"
        try:
            made = self._cluster.ask(
                "PUT", path, {"kept": new.to_json()}, params={**guard, **ONLY_IF_THERE}
            )
        except Conflicted:
            # The first try may have done it, and its answer been lost.
            found = self.read(manual_id)
            if found is None or found.nonce != new.nonce:
                raise
            return found
        return new._replace(seq_no=made["_seq_no"], primary_term=made["_primary_term"])

    def write_parts(self, manual_id: str, gen: int, value: Any) -> int:
        """Keep what belongs to a state; gives how many parts it takes."""
        packed = b64encode(zlib.compress(json.dumps(value, ensure_ascii=False).encode(), 6))
        text = packed.decode()
        starts = range(0, max(1, len(text)), PART_CHARS)
        for number, at in enumerate(starts):
            path = f"/{self._alias}/_doc/{_part(manual_id, gen, number)}"
            kept = {"kept": {"text": text[at : at + PART_CHARS]}}
            self._cluster.ask("PUT", path, kept, params=ONLY_IF_THERE, seconds=30)
        return len(starts)

    def read_parts(self, manual_id: str, state: ManualState) -> Any:
        """What belongs to a state.

        Raises:
            StateMoved: it is there no longer.
        """
        texts = []
        for number in range(state.parts):
            path = f"/{self.index}/_doc/{_part(manual_id, state.gen, number)}"
            try:
                answer = self._cluster.ask("GET", path, seconds=30)
            except NotThere as error:
                raise StateMoved("the manifest of a state is gone") from error
            texts.append(answer["_source"]["kept"]["text"])
        return json.loads(zlib.decompress(b64decode("".join(texts))))

    def drop_parts(self, manual_id: str, gen: int, parts: int) -> None:
        """Forget what belonged to a state."""
        for number in range(parts):
            try:
                self._cluster.ask("DELETE", f"/{self.index}/_doc/{_part(manual_id, gen, number)}")
            except NotThere:
                continue

    def _begin(self) -> None:
        try:
            self._cluster.ask(
                "PUT", f"/{self.index}", {**MAPPING, "aliases": {self._alias: {}}}, seconds=30
            )
        except RequestRefused as error:
            if EXISTS not in str(error):
                raise


def state_from(answer: dict[str, Any]) -> ManualState | None:
    """A state from what a request for its document gives; None where there is none.

    Raises:
        RequestRefused: something else stands there.
    """
    if not answer.get("found"):
        return None
    try:
        kept = dict(answer["_source"]["kept"])
        for name in ("head", "revision"):
            kept[name] = Revision(*kept[name]) if kept[name] else None
        kept["routings"], kept["means"] = tuple(kept["routings"]), tuple(kept["means"])
        return ManualState(**kept, seq_no=answer["_seq_no"], primary_term=answer["_primary_term"])
    except (KeyError, TypeError, ValueError) as error:
        raise RequestRefused(f"the state of the manual cannot be read: {error!r}") from error


def _part(manual_id: str, gen: int, number: int) -> str:
    return f"{key_of_manual(manual_id)}.{gen}.{number}"
