"""Searching manuals: folding is idempotent, and history leaves no trace in the answers."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tebiki.manuals.text.folding import fold
from tebiki.manuals.text.lines import tokens_of_all
from tests.manuals.searchable import LONG_AGO, Searchable
from tests.support.examples import examples

NAMES = st.sampled_from(["a.md", "b.md", "c/d.md", "c/が.md", "c/か\u3099.md", "x.json"])
WORDS = st.sampled_from(["申請", "期限", "alpha", "beta", "30日", "E-1042", "について", "データ"])
TEXTS = st.lists(
    st.lists(WORDS, min_size=1, max_size=8).map(" ".join), min_size=1, max_size=30
).map(lambda parts: "\n".join(f"# 題{place}\n{part}" for place, part in enumerate(parts)))
EDITS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), NAMES, TEXTS),
        st.tuples(st.just("remove"), NAMES, st.none()),
        st.tuples(st.just("rename"), NAMES, NAMES),
        st.tuples(st.just("touch"), NAMES, st.none()),
    ),
    min_size=1,
    max_size=8,
)


@pytest.mark.requirement("manuals:ranking:folding")
@given(st.text())
def test_folding_is_idempotent(text: str) -> None:
    """Folded text folds to itself."""
    assert fold(fold(text)) == fold(text)


@given(st.text())
def test_tokens_have_no_spaces_inside(text: str) -> None:
    """The index splits at spaces and nothing else."""
    words = tokens_of_all([text])[0].words
    assert words == " " + " ".join(words.split()) + " " or not words.strip()


@pytest.mark.requirement("manuals:determinism:same-answer")
@examples(25)
@given(EDITS, st.booleans())
def test_any_edits_give_the_answers_of_a_fresh_build(
    edits: list[tuple[str, str, str | None]], is_shared: bool
) -> None:
    """Every row and score; by one process, or by two in turns."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        kept = Searchable(folder, folder / "cache")
        indexes = [kept.index, kept.another()] if is_shared else [kept.index]
        for number, (what, path, more) in enumerate(edits):
            edit(kept, what, path, more)
            kept.ask("申請", index=indexes[number % len(indexes)])
        fresh = Searchable(folder, None)
        for query in ("申請の期限", "alpha beta", "E-1042", "データ"):
            expected = fresh.ask(query)
            for index in indexes:
                found = kept.ask(query, index=index)
                assert found.lists == expected.lists
                assert found.summary == expected.summary
        state = fresh.index.refresh(lambda: False).fingerprint
        assert all(index.refresh(lambda: False).fingerprint == state for index in indexes)


def edit(manual: Searchable, what: str, path: str, more: str | None) -> None:
    """Do something to a file, if it is there."""
    where = manual.root / "m" / path
    if what == "write":
        manual.write(path, more or "")
    elif where.exists():
        if what == "remove":
            where.unlink()
        elif what == "touch":
            where.touch()
        else:
            target = manual.root / "m" / (more or path)
            target.parent.mkdir(parents=True, exist_ok=True)
            where.replace(target)


@pytest.mark.requirement("manuals:fresh:edits")
@examples(25)
@given(st.lists(st.sampled_from(["alpha", "omega", "gamma"]), min_size=2, max_size=6), st.data())
def test_an_edit_shows_although_size_and_time_stay(words: list[str], data: st.DataObject) -> None:
    """Written in place, or a new file put in the place of the old one."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        manual = Searchable(folder, folder / "cache")
        other = manual.another()
        for word in words:
            if data.draw(st.booleans()):
                (manual.root / "m" / "a.md").unlink(missing_ok=True)
            manual.write("a.md", f"# t\n{word}\n", modified=LONG_AGO)
            for index in (manual.index, other):
                assert manual.paths(word, index=index) == ["a.md"]
                (row,) = manual.ask(word, index=index).lists["candidates"]
                assert row["matched_tokens"] == [word]
