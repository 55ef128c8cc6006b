"""Results as a table that reads as Markdown. Pure functions over values."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tebiki.evals.run import Result

HEADINGS = (
    "set",
    "questions",
    "hit@5",
    "MRR@10",
    "section hit@5",
    "section MRR@10",
    "p50 ms",
    "p95 ms",
)


def table(results: Mapping[str, Result]) -> str:
    """One row a set: by file, by section (of the questions that know theirs), and time."""
    return markdown(HEADINGS, [_row(name, result) for name, result in results.items()])


def _row(name: str, result: Result) -> list[str]:
    return [
        name,
        str(result.cases),
        f"{result.by_file.hit:.4f}",
        f"{result.by_file.reciprocal_rank:.4f}",
        f"{result.by_section.hit:.4f}",
        f"{result.by_section.reciprocal_rank:.4f}",
        f"{result.median_seconds * 1000:.1f}",
        f"{result.p95_seconds * 1000:.1f}",
    ]


def markdown(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Rows below their headings."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
