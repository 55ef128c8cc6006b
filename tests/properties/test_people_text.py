"""Wrapping and excerpts, for any text."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from tebiki.cli.plain import cells
from tebiki.cli.wrapping import NARROWEST, NOT_FIRST, wrap
from tebiki.manuals.report.excerpts import excerpt_of

TEXTS = st.text(st.sampled_from("aB1. 。、（）「」手引きガー|-#>*`\n\té\u0301"), max_size=200)


@given(TEXTS, st.integers(NARROWEST, 60))
@example("（" * 40, NARROWEST)
@example("x" * 100, NARROWEST)
def test_wrapped_lines_fit_and_lose_nothing(text: str, width: int) -> None:
    """Only white space may come and go."""
    lines = wrap(text, width)

    assert all(cells(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


@given(st.text(st.sampled_from("手引き、。ー"), min_size=1, max_size=100))
@example("手引き" * 10 + "。")
def test_a_line_begins_with_no_sign_that_ends_something(text: str) -> None:
    """Unless signs of that kind alone are longer than a line."""
    longest = max(len(run) for run in text.replace("手", " ").replace("引", " ").split(" "))
    lines = wrap(text, NARROWEST)

    if longest < NARROWEST // 2 - 2 and text[0] not in NOT_FIRST:
        assert not any(line[0] in NOT_FIRST for line in lines if line)


@given(TEXTS, st.lists(st.sampled_from(["手引き", "a", "ガ"])))
@example("| a | b |\n| --- | --- |\n| 手引き | a |\n", ["手引き"])
@example("# a\n", ["a"])
@example("```\na\n", ["a"])
def test_an_excerpt_is_of_the_text(text: str, words: list[str]) -> None:
    """Whatever the text looks like."""
    found = excerpt_of(text, words)

    signs = set(text) | set(" |")
    assert found is None or (found.text.strip() and set(found.text) <= signs)
