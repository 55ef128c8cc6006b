"""How an index lies in OpenSearch: names, fields, the similarity, and sections as documents.

Nothing depends on what the engine itself counts: every boost is sent, and the mean length that a
score needs is a number written into the similarity (`exact_cut` allows for what has changed since).
"""

from __future__ import annotations

import hashlib
import zlib
from base64 import b64decode, b64encode
from typing import TYPE_CHECKING, Any

from tebiki.manuals.index.engine import FORMAT, SYMBOLS
from tebiki.manuals.index.exact_cut import K1, B
from tebiki.manuals.index.packing import EVERY, PLACE_NUMBER, unpack
from tebiki.manuals.index.values import ALL_FIELDS
from tebiki.manuals.text.tokenizer import GAP

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tebiki.manuals.index.manifest import Manifest
    from tebiki.manuals.index.packing import PackedSection
    from tebiki.manuals.index.values import Lengths, Stored

LONGEST_TOKEN = 8_000
"""Characters. The engine takes no token of more than 32,766 bytes; nobody can ask for so long a
one, and what stands for it is as long as any other."""

MOST_RESULTS = 20_500
MOST_PATHS = 1_000_000
KEY_CHARS = 24
MARKER = "marker"

EXISTS = "resource_already_exists_exception"
ALIAS = "-w"
TRANSLOG = "index.translog.durability"

ONLY_IF_THERE = {"require_alias": "true"}
"""Whatever writes names an index by its alias, and says so: by its own name one that was deleted
would come again by itself, with fields and shards that nobody had chosen."""

QUICKLY = 1
"""What is kept of a section has its text several times over, and is a third as large like this;
what is saved is sent, kept twice by each copy of a shard, and sent again to whoever reads it."""

DIGITS = 6
"""Of a mean that is written into the similarity."""


def key_of_manual(manual_id: str) -> str:
    """How a manual is named among the indexes and states."""
    return _hash(manual_id)


def index_name(prefix: str, key: str, build: str = "") -> str:
    """The name of one build of a manual's index, or what all of this format begin with."""
    return f"{prefix}-m-{key}-f{FORMAT}-{build}"


def file_id(path: str, digest: str) -> str:
    """What all sections of a file in one version begin with: their ids never mean anything else."""
    return f"{_hash(path)}-{digest}"


def file_of_section(section_id: str) -> str:
    """The file of a section by its id."""
    return section_id.rpartition("-")[0]


def files_in(manifest: Manifest) -> dict[str, int]:
    """The ids of all files that have sections, and how many."""
    return {
        file_id(path, record.digest): record.sections
        for path, record in manifest.files.items()
        if record.sections
    }


def means_of(sections: int, lengths: Lengths) -> tuple[float, ...]:
    """Mean lengths as a fresh index has them: its state counts as a section."""
    return tuple(length / (sections + 1) for length in lengths)


def frozen(means: Sequence[float]) -> tuple[float, ...]:
    """Means as they are written down."""
    return tuple(float(f"{mean:.{DIGITS}g}") or 1.0 for mean in means)


def similarities(means: Sequence[float]) -> dict[str, Any]:
    """The similarity of each field, with its mean."""
    weight = {"source": f"return query.boost * {K1 + 1:.1f};"}
    return {
        field: {
            "type": "scripted",
            "weight_script": weight,
            "script": {
                "source": "return weight * doc.freq / "
                f"(doc.freq + {K1 * (1 - B):.2f} + {K1 * B:.2f} * doc.length / {mean!r});"
            },
        }
        for field, mean in zip(ALL_FIELDS, means, strict=True)
    }


def settled_body(replicas: int) -> dict[str, Any]:
    """What is set once it is written: it has copies, and what is taken is on disk."""
    return {"index.number_of_replicas": replicas, TRANSLOG: "request"}


def index_body(shards: int, means: Sequence[float], alias: str) -> dict[str, Any]:
    """What an index is made with; it is copied to other nodes once it is written."""
    tokens = {"type": "text", "analyzer": "tokens"}
    return {
        "aliases": {alias: {}},
        "settings": {
            "number_of_shards": shards,
            "number_of_replicas": 0,
            # What is being built and is lost is built again: no disk is waited for.
            TRANSLOG: "async",
            "refresh_interval": "-1",
            "max_result_window": MOST_RESULTS,
            "max_terms_count": MOST_PATHS,
            "similarity": similarities(means),
            "analysis": {
                "tokenizer": {
                    "spaces": {
                        "type": "char_group",
                        "tokenize_on_chars": [" "],
                        "max_token_length": LONGEST_TOKEN,
                    }
                },
                # What is filtered out keeps its position: no phrase goes across a gap.
                "filter": {"gaps": {"type": "stop", "stopwords": [GAP]}},
                "analyzer": {
                    "tokens": {"type": "custom", "tokenizer": "spaces", "filter": ["gaps"]}
                },
            },
        },
        "mappings": {
            "dynamic": "strict",
            "_source": {"includes": ["stored"]},
            "properties": {
                **{field: {**tokens, "similarity": field} for field in ALL_FIELDS},
                SYMBOLS: {**tokens, "similarity": "boolean", "norms": False},
                "path": {"type": "keyword", "doc_values": False},
                "file": {"type": "keyword"},
                "state": {"type": "keyword", "doc_values": False},
                PLACE_NUMBER: {"type": "long"},
                "stored": {"type": "object", "enabled": False},
            },
        },
    }


def document_of(packed: PackedSection, file: str) -> dict[str, Any]:
    """A section as the engine takes it."""
    said = (packed.body, packed.title, packed.trail, packed.place, packed.said)
    texts = dict(zip(ALL_FIELDS, said, strict=True))
    made: dict[str, Any] = {field: bounded(text) for field, text in texts.items() if text}
    if packed.signs:
        made[SYMBOLS] = bounded(packed.signs)
    made["path"] = [bounded_name(name) for name in packed.paths if name != EVERY]
    made["file"] = file
    made[PLACE_NUMBER] = packed.place_number
    made["stored"] = {"zlib": b64encode(zlib.compress(packed.stored, QUICKLY)).decode()}
    return made


def section_from(source: dict[str, Any]) -> tuple[Stored, int]:
    """A section from what the engine keeps, and about how many bytes it takes.

    Raises:
        ValueError: it was not packed here.
    """
    try:
        packed = zlib.decompress(b64decode(source["stored"]["zlib"]))
    except zlib.error as error:
        raise ValueError(f"a section is cut off: {error}") from error
    return unpack(packed), len(packed)


def bounded(tokens: str) -> str:
    """Tokens of which none is too long for the engine."""
    if len(tokens) <= LONGEST_TOKEN:
        return tokens
    return " ".join(
        one if len(one) <= LONGEST_TOKEN else f"\0{_hash(one)}" for one in tokens.split(" ")
    )


def bounded_name(name: str) -> str:
    """A path or a place in one, as the engine takes it."""
    return name if len(name) <= LONGEST_TOKEN else f"\0{_hash(name)}"


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:KEY_CHARS]
