"""`python -m bench.report_page [--commit]`: draw the newest results, and offer them to the docs.

Results that are whole, of full rounds and without a failure become those of the documentation.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from bench import results
from bench.names import ALL, USUAL
from bench.page import page

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from bench.results import Result


def main() -> int:
    """Draw what there is."""
    parser = argparse.ArgumentParser(prog="python -m bench.report_page", description=__doc__)
    parser.add_argument("--commit", action="store_true", help="take rough or partial results too")
    wanted = parser.parse_args()
    found = results.saved(ALL)
    if not found:
        print("No results yet: run `make bench` first.", file=sys.stderr)
        return 1
    drawn = results.FOLDER / "report.html"
    drawn.write_text(page(found), encoding="utf-8")
    print(f"drawn: {_shown(drawn)}")
    if reasons := [] if wanted.commit else against_committing(found):
        print(f"not for the docs: {'; '.join(reasons)}")
    else:
        results.write(found, results.COMMITTED)
        print(f"written: {_shown(results.COMMITTED)}")
    return 0


def against_committing(found: Sequence[Result]) -> list[str]:
    """Why these results are not those of the documentation, if they are not."""
    names = {result.name for result in found}
    sorts = {
        "not measured": [name for name in USUAL if name not in names],
        "failed": [result.name for result in found if result.table is None],
        "rough, by --quick": [result.name for result in found if result.quick],
    }
    return [f"{why}: {', '.join(which)}" for why, which in sorts.items() if which]


def _shown(path: Path) -> str:
    return path.relative_to(results.ROOT).as_posix()


if __name__ == "__main__":
    sys.exit(main())
