"""What is remembered of private text: its long spans, by client, as hashes, within bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tebiki.guard.memory import LOTS, PrivateSpans
from tebiki.guard.spans import SPAN_CHARS, SPAN_WORDS, hash_spans
from tebiki.state.memory import MemoryStateStore
from tebiki.state.shared import SharedStore

if TYPE_CHECKING:
    from pathlib import Path

KEY = b"k" * 32
KANA = st.text(st.characters(min_codepoint=0x3042, max_codepoint=0x3093), max_size=120)
WORDS = st.lists(st.text(st.sampled_from("abc"), min_size=1, max_size=2), max_size=40)


def clock() -> float:
    """A moment."""
    return 1_794_830_400.0


@given(KANA, KANA)
def test_japanese_texts_share_what_they_share(first: str, second: str) -> None:
    """Forty characters in a row, no matter where."""
    shared = {first[at : at + SPAN_CHARS] for at in range(len(first) - SPAN_CHARS + 1)}
    expected = any(span in second for span in shared)

    found = set(hash_spans(first, KEY)) & set(hash_spans(second, KEY))

    assert bool(found) is expected


@given(WORDS, WORDS)
def test_texts_of_words_share_what_they_share(first: list[str], second: list[str]) -> None:
    """Twelve words in a row, no matter how they are parted."""
    spans = {tuple(first[at : at + SPAN_WORDS]) for at in range(len(first) - SPAN_WORDS + 1)}
    expected = any(
        tuple(second[at : at + SPAN_WORDS]) in spans for at in range(len(second) - SPAN_WORDS + 1)
    )

    found = set(hash_spans(" ".join(first), KEY)) & set(hash_spans(",\n- ".join(second), KEY))

    assert bool(found) is expected


@given(st.text(max_size=300))
def test_any_text_can_be_hashed(text: str) -> None:
    """Also what is no text at all: lone surrogates, controls, marks."""
    assert list(hash_spans(text, KEY)) == list(hash_spans(text, KEY))


@pytest.mark.requirement("security:guard:by-client")
def test_nobody_is_told_by_what_another_was_told() -> None:
    """A principal's questions are compared with that principal's own files."""
    spans = PrivateSpans(MemoryStateStore(clock))
    text = "ひみつのけいかく" * 6
    spans.remember("alice", [text])

    assert spans.count_repeated("alice", [text]) > 0
    assert spans.count_repeated("bob", [text]) == 0


@pytest.mark.requirement("security:guard:by-client")
def test_workers_share_what_was_told(tmp_path: Path) -> None:
    """And the file that they share holds no text."""
    path = tmp_path / "state.db"
    stores = [SharedStore(str(path), clock) for _ in range(2)]
    first, second = map(PrivateSpans, stores)
    text = "one two three four five six seven eight nine ten eleven twelve thirteen"
    first.remember("alice", [text])

    assert second.count_repeated("alice", [text]) == 2
    for store in stores:
        store.close()
    kept = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"seven eight" not in kept


@pytest.mark.requirement("security:guard:bounded")
def test_the_oldest_is_forgotten_first() -> None:
    """However much is read, so much is kept."""
    spans = PrivateSpans(MemoryStateStore(clock), lot_spans=10)
    texts = [" ".join(f"w{number}x{word}" for word in range(21)) for number in range(LOTS + 5)]
    for text in texts:
        spans.remember("alice", [text])

    assert spans.count_repeated("alice", texts[:3]) == 0
    assert spans.count_repeated("alice", texts[-5:]) == 5 * 10
