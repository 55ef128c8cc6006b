"""Searching manuals: folding is idempotent, and history leaves no trace in the answers."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tebiki.manuals.folding import fold
from tebiki.manuals.tokenizer import tokens_of
from tests.manuals.searchable import Searchable

NAMES = st.sampled_from(["a.md", "b.md", "c/d.md", "c/e.md"])
WORDS = st.sampled_from(["申請", "期限", "alpha", "beta", "30日", "E-1042", "について", "データ"])
TEXTS = st.lists(WORDS, min_size=1, max_size=8).map(lambda words: "# 題\n" + " ".join(words))
EDITS = st.lists(st.tuples(NAMES, st.none() | TEXTS), min_size=1, max_size=6)


@given(st.text())
def test_folding_is_idempotent(text: str) -> None:
    """Folded text folds to itself."""
    assert fold(fold(text)) == fold(text)


@given(st.text())
def test_tokens_have_no_spaces_inside(text: str) -> None:
    """The index splits at spaces and nothing else."""
    words = tokens_of(text).words
    assert words == " " + " ".join(words.split()) + " " or not words.strip()


@settings(max_examples=25, deadline=None)
@given(EDITS)
def test_any_edits_give_the_answers_of_a_fresh_build(edits: list[tuple[str, str | None]]) -> None:
    """Scores included."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        kept = Searchable(folder, folder / "cache")
        for path, text in edits:
            where = kept.root / "m" / path
            if text is None:
                where.unlink(missing_ok=True)
            else:
                kept.write(path, text)
            kept.ask("申請")
        fresh = Searchable(folder, None)
        for query in ("申請の期限", "alpha beta", "E-1042"):
            assert kept.ask(query).lists == fresh.ask(query).lists
