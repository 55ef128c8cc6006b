"""Set the server up in the clients people use: `python tests/hosts/run_applications.py`.

It installs them from npm by itself, prints a table and exits with 1 if any check failed.
"""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.hosts import applications, packages
from tests.hosts.rows import summary


def main() -> int:
    """Run every check of every client."""
    installed = packages.install_applications()
    rows = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for application in applications.APPLICATIONS:
            home = Path(folder).resolve() / application.name
            for row in applications.check(application, installed, home):
                rows.append(row)
                sys.stdout.write(f"{row}\n")
                sys.stdout.flush()
    network = "without" if applications.is_offline() else "with"
    sys.stdout.write(f"\n{summary(rows)}, {network} a network\n")
    return int(not all(row.ok for row in rows))


if __name__ == "__main__":
    sys.exit(main())
