"""The engine's scores as we reckon them ourselves, where a cut is too close to leave it to them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tantivy import Occur, Query

from tebiki.manuals.documents.sections import Section
from tebiki.manuals.index import engine
from tebiki.manuals.index.exact_cut import Worth, kept_length, read_mean, true_score
from tebiki.manuals.index.packing import pack, unpack
from tebiki.manuals.index.values import FIELDS, NOTHING, SectionQuery, add_lengths, rarity_of
from tests.manuals.readings import plain, written

if TYPE_CHECKING:
    from tebiki.manuals.index.values import Stored

WORDS = ("alpha", "beta", "gamma", "delta", "zeta")

signs = st.sampled_from(
    [*"あいアーーパンの申請書申期1a|-_ ", "alpha ", "Beta-2 ", "パン", "\n", "12条"]
)
texts = st.lists(signs, max_size=60).map("".join)
sections = st.builds(
    Section,
    path=st.sampled_from(["a.md", "申請/b.md", "パン-alpha.md"]),
    start_line=st.just(1),
    end_line=st.just(1),
    level=st.integers(0, 2),
    title=texts,
    trail=st.lists(texts, max_size=2).map(tuple),
    text=texts,
    json_path=st.none(),
)
tokens = st.sampled_from(
    ["ーー", "パン", "あい", "申請", "申", "alpha", "beta", "2", "12条", "アー"]
)


def told_of(explanation: dict[str, Any], beginning: str) -> float:
    """A number of the engine's explanation of the score of one token."""
    (found,) = (
        one["value"]
        for part in explanation["details"]
        for one in part.get("details") or []
        if one["description"].startswith(beginning)
    )
    return float(found)


@given(st.lists(sections, min_size=1, max_size=6), st.lists(tokens, min_size=1, unique=True))
def test_the_engine_gives_the_score_that_is_reckoned(some: list[Section], asked: list[str]) -> None:
    """For all that it finds, by each token that any of them has in any field."""
    index = engine.open_engine(None)
    writing = engine.Writing(index)
    lengths = NOTHING
    for packed in pack(some):
        writing.put(packed)
        lengths = add_lengths(lengths, packed.lengths)
    writing.commit("state")
    index.reload()
    searcher = index.searcher()
    means = [length / (len(some) + 1) for length in lengths]
    wanted = [
        (Query.term_query(index.schema, field, token, "freq"), token, field)
        for token in asked
        for field in FIELDS
    ]
    worths = [
        Worth.of(token, FIELDS.index(field), rarity_of(found, len(some) + 1))
        for _, token, field in wanted
        if (found := searcher.doc_freq(field, token))
    ]

    whole = Query.boolean_query([(Occur.Should, query) for query, _, _ in wanted])
    for score, address in searcher.search(whole, 10).hits:
        stored = unpack(searcher.doc(address)["stored"][0])
        assert true_score(stored, worths, means) == pytest.approx(score, rel=2e-5)
    for query, _, field in wanted:
        for _, address in searcher.search(query, 10).hits:
            told = query.explain(searcher, address).to_json()
            length = unpack(searcher.doc(address)["stored"][0]).lengths[FIELDS.index(field)]
            assert read_mean(told) == pytest.approx(means[FIELDS.index(field)])
            assert told_of(json.loads(told), "dl,") == kept_length(length)


@pytest.fixture(name="stored", scope="module")
def _stored() -> Stored:
    """A section that has some words, each another number of times."""
    text = " ".join(f"{word} " * times for times, word in enumerate(WORDS, 1))
    (stored,) = written([plain("one.md", text)])().best(SectionQuery({WORDS[0]: 1.0}, 1))
    return stored


@given(st.lists(st.floats(0.01, 20), min_size=5, max_size=5), st.permutations(range(5)))
def test_a_true_score_is_no_matter_of_order(
    stored: Stored, values: list[float], order: list[int]
) -> None:
    """To the last digit: sections that are as good as each other are equal at a cut."""
    worths = [Worth.of(word, 0, value) for word, value in zip(WORDS, values, strict=True)]
    shuffled = [worths[place] for place in order]
    means = [7.0, *(1.0 for _ in stored.lengths[1:])]

    assert true_score(stored, shuffled, means) == true_score(stored, worths, means)


@pytest.mark.parametrize("length", [0, 1, 23, 24, 31, 39, 40, 41, 55, 56, 150, 1000, 4321, 99_999])
def test_a_length_is_kept_as_the_engine_keeps_it(length: int) -> None:
    """From one word to far more than a section has."""
    index = engine.open_engine(None)
    writing = engine.Writing(index)
    text = "one " + "word " * (length - 1) if length else ""
    for packed in pack([Section("one.md", 1, 1, 0, "", (), text)]):
        writing.put(packed)
    writing.commit("state")
    index.reload()
    searcher = index.searcher()
    query = Query.term_query(index.schema, "place" if not length else "body", "one", "freq")
    ((_, address),) = searcher.search(query, 1).hits

    told = told_of(json.loads(query.explain(searcher, address).to_json()), "dl,")

    assert told == kept_length(length or 1)
