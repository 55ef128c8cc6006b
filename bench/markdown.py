"""Results as a page of the documentation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.names import GROUPS
from bench.report import HEADINGS
from bench.summary import conditions, standing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bench.results import Result

HOW = """\
Every figure stands beside a yardstick that was measured in the same run: the ratio is to it, and it
tells more than the figure, which depends on the machine and on what else it does.
The manuals are made up, the same bytes everywhere: Japanese and English, words after Zipf's law.

```sh
make bench LARGE=1    # half an hour; without LARGE=1 not what takes long, with QUICK=1 roughly
make bench-report     # build/bench/report.html, with plots, and this page
```
"""


def page(results: Sequence[Result], note: str) -> str:
    """The whole document."""
    facts = [f"- {name}: {words}\n" for name, words in conditions(results).items()]
    seen = standing(results)
    missed = [f"- missed: {words}\n" for words in seen.missed]
    parts = [f"# Benchmarks\n\n{note}\n{HOW}\n", *facts, f"\n{seen.words}\n"]
    if missed:
        parts += ["\n", *missed]
    return "".join([*parts, *_groups(results)])


def _groups(results: Sequence[Result]) -> Iterator[str]:
    by_name = {result.name: result for result in results}
    for title, names in GROUPS.items():
        if present := [by_name[name] for name in names if name in by_name]:
            yield f"\n## {title}\n"
            yield from map(_measurement, present)


def _measurement(result: Result) -> str:
    if result.table is None:
        return f"\n### {result.name}\n\nThis measurement failed.\n"
    rows = [HEADINGS, ["---", *["---:"] * (len(HEADINGS) - 1)]]
    rows += [row.cells() for row in result.table.rows]
    lines = "".join(f"| {' | '.join(map(_cell, cells))} |\n" for cells in rows)
    return f"\n### {result.name}\n\n{result.table.title}\n\n{lines}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
