"""tantivy: its schema, its failures, and how an index is opened and written.

Tokens come ready-made; the engine only splits at spaces. `postings` reads what is written here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import tantivy
from tantivy import Document

from tebiki.manuals.index import packing
from tebiki.manuals.index.clauses import SIGNS
from tebiki.manuals.index.values import FIELDS, NOTHING
from tebiki.manuals.text.tokenizer import GAP

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType

    from tebiki.manuals.documents.sections import Section
    from tebiki.manuals.index.values import Lengths

FORMAT = 12
"""Raised whenever tokens, fields or keys change: an index of another format is built anew."""

HEAP_BYTES = 30_000_000
STATE = "\0state"
"""Stands where a path stands, in the one document that names the committed state."""

EMPTY = "empty"
"""The state of an index that is begun: nothing names it, since nothing was committed."""

FAILURES = (ValueError, OSError)
"""What tantivy raises when its files are broken or cannot be written."""

PANICS = "pyo3_runtime"
"""Where the exceptions come from that tell of an error the engine did not expect."""


class Damaged(ValueError):
    """The engine cannot use its files."""


class _Contained:
    """Makes a panic of the engine, which no `except Exception` stops, one of its failures."""

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None and kind.__module__ == PANICS:
            raise Damaged(f"the engine gave up: {error}") from error
        if isinstance(error, ValueError) and not isinstance(error, Damaged):
            raise Damaged(str(error)) from error


def contain_failures() -> _Contained:
    """Use the engine where its files may be broken."""
    return _Contained()


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    for field in FIELDS:
        builder.add_text_field(field, tokenizer_name="tokens")
    builder.add_text_field(SIGNS, tokenizer_name="tokens")
    builder.add_text_field("path", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("state", tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field(packing.PLACE_NUMBER, fast=True)
    builder.add_bytes_field("stored", stored=True)
    return builder.build()


def open_engine(folder: str | None) -> tantivy.Index:
    """Open the index in a folder, or make one there; without a folder it lives in memory."""
    index = tantivy.Index(_schema(), folder)
    # What is filtered out keeps its position: no phrase goes across a gap.
    gaps = tantivy.Filter.custom_stopword([GAP])
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).filter(gaps)
    index.register_tokenizer("tokens", builder.build())
    index.config_reader("manual")
    return index


class Writing:
    """Changes that become visible together at `commit`."""

    def __init__(self, index: tantivy.Index) -> None:
        self._writer = index.writer(HEAP_BYTES, 1)

    def add(self, sections: Sequence[Section], check: Callable[[], None] = lambda: None) -> Lengths:
        """Add sections; gives their lengths together. `check` is called often, and may raise."""
        every = [NOTHING]
        for document, lengths in packing.documents(sections, check):
            self.put(document)
            every.append(lengths)
        body, title, trail, place = map(sum, zip(*every, strict=True))
        return body, title, trail, place

    def put(self, document: Document) -> None:
        """Add a section that is made ready."""
        self._writer.add_document(document)

    def remove(self, path: str) -> None:
        """Remove every section of a file."""
        self._writer.delete_documents_by_term("path", path)

    def commit(self, state: str) -> None:
        """Make the changes visible, under the name of the new state."""
        self._writer.delete_documents_by_term("path", STATE)
        self._writer.add_document(Document(path=STATE, state=state))
        self._writer.commit()

    def close(self) -> None:
        """Let go of the index, when nothing writes to it any more: parts may be merged."""
        self._writer.wait_merging_threads()
        del self._writer
