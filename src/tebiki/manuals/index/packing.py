"""A section as the engine takes and keeps it: what is searched, and what is stored beside it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tantivy import Document

from tebiki.manuals.documents.sections import Section
from tebiki.manuals.index.values import (
    SEPARATOR,
    Stored,
    body_of,
    key_of,
    place_of,
    short_indexed,
    short_signs,
    short_tokens,
)
from tebiki.manuals.text.punctuation import sign_tokens
from tebiki.manuals.text.tokenizer import APART, GAP, Tokens, indexed, spaced_bigrams, tokens_of

if TYPE_CHECKING:
    from collections.abc import Callable

HEADS = json.JSONEncoder(ensure_ascii=False)
EVERY = "\0section"
"""Stands beside the path of every section: the engine's number of them counts removed ones too."""


def document(section: Section, check: Callable[[], None] = lambda: None) -> tuple[Document, int]:
    """Make a section ready for the engine; gives its length in tokens too."""
    body = tokens_of(body_of(section), check)
    grams = spaced_bigrams(body.folded, check)
    text = indexed(grams, body.words)
    length = text.count(" ") - text.count(GAP) - (not grams)
    check()
    place = place_of(section)
    stored = _packed(section, place, body, length)
    check()
    made = Document(
        body=text,
        title=short_indexed(section.title),
        trail=short_indexed(SEPARATOR.join(section.trail)),
        place=short_indexed(place),
        signs=_signs(section, place, body, check),
        path=[section.path, EVERY],
        stored=stored,
    )
    check()
    return made, length


def _signs(section: Section, place: str, body: Tokens, check: Callable[[], None]) -> str:
    above = map(short_signs, (section.title, *section.trail, place))
    return APART.join(filter(None, [sign_tokens(body.folded, check), *above]))


def _packed(section: Section, place: str, body: Tokens, length: int) -> bytes:
    """A section with its tokens: taking them from here is cheaper than making them again."""
    head = [
        section.path,
        section.start_line,
        section.end_line,
        section.level,
        section.title,
        section.trail,
        section.json_path,
        length,
        *short_tokens(section.title),
        *short_tokens(SEPARATOR.join(section.trail)),
        *short_tokens(place),
        len(body.folded),
    ]
    texts = "\0".join([HEADS.encode(head), body.words, body.folded])
    return (texts + section.text).encode()


def unpacked(packed: bytes) -> Stored:
    """A section, ready to be scored, from what the engine keeps of it."""
    first, words, texts = packed.decode().split("\0", 2)
    path, start, end, level, title, trail, json_path, length, *tokens, folded = json.loads(first)
    section = Section(path, start, end, level, title, tuple(trail), texts[folded:], json_path)
    titles, trails, places = Tokens(*tokens[:2]), Tokens(*tokens[2:4]), Tokens(*tokens[4:])
    head = Tokens(
        SEPARATOR.join([titles.folded, trails.folded, places.folded]),
        titles.words + trails.words + places.words,
    )
    body = Tokens(texts[:folded], words)
    return Stored(key_of(section), section, body, titles, trails, places, head, length)
