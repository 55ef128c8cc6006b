"""The official conformance suite against the HTTP server: `python tests/conformance/run.py`.

Two servers, each protocol version whole: the product as it is, and the product with the suite's own
tools (`diagnostic_server`). What each cannot pass is listed in `expected_failures/`, each line with
its reason. A listed scenario that passes is a failure too, so the lists stay honest. The suite and
Node.js come from npm, outside the checkout.
"""

import os
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.hosts import packages
from tests.support.http_process import HttpProcess
from tests.support.launching import clean_environment
from tests.support.overheard import PATIENCE_SECONDS

HERE = Path(__file__).parent
VERSIONS = ("2025-06-18", "2025-11-25", "2026-07-28")
LONGEST_RUN_SECONDS = 300
# The suite calls the first tool that is listed, without arguments; `manual_ls` needs none.
FLAGS = ("--toolsets", "manuals,vault")


def main() -> int:
    """Run every version on both servers; 1 when one has a result that is not listed."""
    installed = packages.install_conformance()
    failed = []
    for name, server in (("product", _product), ("diagnostic", _diagnostic)):
        with tempfile.TemporaryDirectory() as home, server(Path(home)) as url:
            for version in VERSIONS:
                done = _run(installed, url, name, version)
                summary = done.stdout.rpartition("=== SUMMARY ===")[2]
                sys.stdout.write(f"== {name} {version}\n{summary}\n")
                if done.returncode:
                    failed.append(f"{name} {version}")
                    sys.stdout.write(done.stderr)
    sys.stdout.write(f"conformance: {', '.join(failed) + ' failed' if failed else 'as expected'}\n")
    return int(bool(failed))


@contextmanager
def _product(home: Path) -> Iterator[str]:
    with HttpProcess(home, *FLAGS) as server:
        yield server.url


@contextmanager
def _diagnostic(home: Path) -> Iterator[str]:
    environment = clean_environment(home)
    # Talking back to a client is deprecated, and what the suite wants to see.
    environment.pop("PYTHONWARNINGS")
    process = subprocess.Popen(
        [sys.executable, str(HERE / "diagnostic_server.py"), str(home)],
        stderr=subprocess.PIPE,
        text=True,
        cwd=home,
        env=environment,
    )
    assert process.stderr is not None
    said = []
    try:
        for line in process.stderr:
            said.append(line)
            if found := re.search(r"serving on (\S+)", line):
                break
        else:
            raise RuntimeError("".join(said))
        # Somebody must go on reading, or the server would wait for it.
        threading.Thread(target=process.stderr.read, daemon=True).start()
        yield found[1]
    finally:
        process.terminate()
        process.wait(PATIENCE_SECONDS)


def _run(
    installed: packages.Packages, url: str, server: str, version: str
) -> subprocess.CompletedProcess[str]:
    script = installed.folder / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
    expected = HERE / "expected_failures" / server / f"{version}.yml"
    command = [installed.node, str(script), "server", "--url", url, "--suite", "all"]
    command += ["--spec-version", version, "--expected-failures", str(expected)]
    return subprocess.run(
        command,
        capture_output=True,
        check=False,
        text=True,
        timeout=LONGEST_RUN_SECONDS,
        cwd=installed.folder,
        env={"PATH": os.environ["PATH"], "HOME": str(installed.folder)},
    )


if __name__ == "__main__":
    sys.exit(main())
