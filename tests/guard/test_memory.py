"""What is remembered of private text: its long spans, by client, as hashes, within bounds."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tebiki.guard.memory import LOTS, SPANS, PrivateSpans
from tebiki.guard.spans import SPAN_CHARS, SPAN_WORDS, hash_spans
from tebiki.state.memory import MemoryStateStore
from tebiki.state.shared import SharedStore

if TYPE_CHECKING:
    from pathlib import Path

    from tebiki.state.store import Kept, Shelf

KEY = b"k" * 32
KANA = st.text(st.characters(min_codepoint=0x3042, max_codepoint=0x3093), max_size=120)
SENTENCES = st.lists(
    st.tuples(st.text(st.sampled_from("あいうえお"), min_size=1), st.sampled_from("、。「」・")),
    max_size=30,
).map(lambda words: "".join(word[:9] + sign for word, sign in words)[:60])
WORDS = st.lists(st.text(st.sampled_from("abc"), min_size=1, max_size=2), max_size=40)


def clock() -> float:
    """A moment."""
    return 1_794_830_400.0


@given(KANA, KANA)
def test_japanese_texts_share_what_they_share(first: str, second: str) -> None:
    """Forty characters in a row, no matter where."""
    shared = {first[at : at + SPAN_CHARS] for at in range(len(first) - SPAN_CHARS + 1)}

    assert bool(repeats(first, second)) is any(span in second for span in shared)
    for span in shared:
        assert repeats(first, f"{second}。{span}") >= 1


def repeats(told: str, asked: str) -> int:
    """How many spans of a question were told."""
    spans = PrivateSpans(MemoryStateStore(clock))
    spans.remember("alice", [told])
    return spans.count_repeated("alice", [asked])


@given(SENTENCES)
def test_spans_have_their_signs_in_them(first: str) -> None:
    """Forty characters in a row: wherever they begin, also with a sign."""
    shared = [first[at : at + SPAN_CHARS] for at in range(len(first) - SPAN_CHARS + 1)]

    for span in shared:
        is_japanese = sum(sign in "あいうえお" for sign in span) * 2 >= SPAN_CHARS
        assert repeats(first, f"Is this so? {span} 本当") >= is_japanese
        assert repeats(first, span[:-1]) == 0


PLAN = (
    "来年度の新製品「あかつき」は四月十日に発表し、ガイド付きの価格は一台あたり98000円とする。"
    "発表までは社外の誰にも話してはならない。"
)
MERGER = (
    "The merger with the northern branch will be announced on the tenth of April, and until then "
    "nobody outside the board may hear of the co-operation."
)


@pytest.mark.requirement("security:guard:spans")
@pytest.mark.parametrize(
    "asked",
    [
        PLAN.translate(str.maketrans("0123456789", "０１２３４５６７８９")),
        PLAN.replace("ガイド", "ｶﾞｲﾄﾞ"),
        unicodedata.normalize("NFD", PLAN),
        "\u200b".join(PLAN),
        " ".join(PLAN),
        "・".join(PLAN),
        re.sub(r"\W", "", PLAN),
        PLAN.replace("、", "\n- ").replace("「", "**").replace("」", "**"),
    ],
)
def test_a_span_of_japanese_is_known_in_any_dress(asked: str) -> None:
    """Width, blanks, signs, marks and what has no width change nothing."""
    assert repeats(PLAN, asked) > 0
    assert repeats(asked, PLAN) > 0


@pytest.mark.requirement("security:guard:spans")
@pytest.mark.parametrize(
    "asked",
    [
        MERGER.upper(),
        MERGER.replace(" ", "_"),
        MERGER.replace(" ", "\u200b"),
        MERGER.replace("e", "e\u00ad").replace("o", "\u200do"),
        MERGER.replace(" ", " * "),
        "".join(chr(ord(one) + 0xFEE0) if "!" <= one <= "~" else one for one in MERGER),
        MERGER.replace("a", "\u00e1").replace("e", "e\u0301"),
    ],
)
def test_a_span_of_words_is_known_in_any_dress(asked: str) -> None:
    """The same for words."""
    assert repeats(MERGER, asked) > 0


def test_a_long_question_is_read_once() -> None:
    """A million characters take no longer than their hashes; reading on from the first would."""
    words = [f"{number:04x}" for number in range(200_000)]

    assert repeats(" ".join(words[:20]), " ".join(words)) == 20 - SPAN_WORDS + 1


def test_what_a_client_said_itself_is_no_secret() -> None:
    """A question to a manual that has it for a heading; what else was told is."""
    spans = PrivateSpans(MemoryStateStore(clock))
    question, answer = PLAN[:50], PLAN[20:]
    spans.remember("alice", [PLAN], said=[question])

    assert spans.count_repeated("alice", [question]) == 0
    assert spans.count_repeated("alice", [answer]) > 0

    spans.remember("alice", [PLAN])
    spans.remember("alice", ["nothing"], said=[question])
    assert spans.count_repeated("alice", [question]) > 0


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


class CountedHashes(MemoryStateStore):
    """A store that counts how often lots are put: each time something was hashed."""

    puts = 0

    def put(self, shelf: Shelf[Kept], owner: str, key: str, value: Kept) -> None:
        """Keep a thing."""
        self.puts += shelf.name == SPANS.name
        super().put(shelf, owner, key, value)


def test_what_is_told_again_is_not_hashed_again() -> None:
    """By the client that was told, whatever else is told beside it."""
    store = CountedHashes(clock)
    spans = PrivateSpans(store)
    spans.remember("alice", [PLAN])
    once = store.puts
    spans.remember("alice", [PLAN, "short"])
    again = store.puts
    spans.remember("bob", [PLAN])

    assert (once, again, store.puts) == (1, 1, 2)
    assert spans.count_repeated("alice", [PLAN]) > 0
    assert spans.count_repeated("bob", [PLAN]) > 0


def test_what_is_told_again_is_kept_as_the_newest() -> None:
    """However much was told meanwhile, by this worker or another one."""
    store = MemoryStateStore(clock)
    here, there = PrivateSpans(store, lot_spans=10), PrivateSpans(store, lot_spans=10)
    texts = [" ".join(f"w{number}x{word}" for word in range(21)) for number in range(2 * LOTS)]
    here.remember("alice", [PLAN])
    for text in texts:
        there.remember("alice", [text])
    forgotten = here.count_repeated("alice", [PLAN])
    here.remember("alice", [PLAN])

    assert forgotten == 0
    assert here.count_repeated("alice", [PLAN]) > 0


def test_what_was_said_once_is_no_secret_only_then() -> None:
    """The same text, told to a question that does not repeat it, is one."""
    spans = PrivateSpans(MemoryStateStore(clock))
    spans.remember("alice", [PLAN], said=[PLAN])
    said = spans.count_repeated("alice", [PLAN])
    spans.remember("alice", [PLAN])

    assert said == 0
    assert spans.count_repeated("alice", [PLAN]) > 0
