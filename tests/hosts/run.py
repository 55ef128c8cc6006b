"""Let clients we did not write use the server: `python tests/hosts/run.py` prints a table.

It installs them from npm by itself and exits with 1 if any check failed.
"""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from simulator import Simulator
from tests.hosts import inspector, packages, scripts
from tests.hosts.rows import Row, summary
from tests.hosts.stage import Stage

_FACES = ("tebiki", "openai-responses-mcp")


def main() -> int:
    """Run every check of every client against every command."""
    installed = packages.install()
    rows = []
    with tempfile.TemporaryDirectory() as home, Simulator() as simulator:
        for row in _checks(Stage(installed, simulator, Path(home))):
            rows.append(row)
            sys.stdout.write(f"{row}\n")
            sys.stdout.flush()
    sys.stdout.write(f"\n{summary(rows)}\n")
    return int(not all(row.ok for row in rows))


def _checks(stage: Stage) -> Iterator[Row]:
    for face in _FACES:
        yield from scripts.check(stage, face)
        yield from inspector.check(stage, face)


if __name__ == "__main__":
    sys.exit(main())
