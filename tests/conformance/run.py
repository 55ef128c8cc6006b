"""The official conformance suite against the HTTP server: `python tests/conformance/run.py`.

Each protocol version is run whole; what a server without the suite's own test tools, prompts and
resources cannot pass is listed in `expected_failures/`. A listed scenario that passes is a failure
too, so the lists stay honest. The suite and Node.js come from npm, outside the checkout.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.hosts import packages
from tests.http_process import HttpProcess

VERSIONS = ("2025-06-18", "2025-11-25", "2026-07-28")
LONGEST_RUN_SECONDS = 300
# The suite calls the first tool that is listed, without arguments; `manual_ls` needs none.
FLAGS = ("--toolsets", "manuals,vault")


def main() -> int:
    """Run every version; 1 when one has a result that is not listed."""
    installed = packages.install_conformance()
    failed = []
    with tempfile.TemporaryDirectory() as home, HttpProcess(Path(home), *FLAGS) as server:
        for version in VERSIONS:
            done = _run(installed, server.url, version)
            sys.stdout.write(f"== {version}\n{done.stdout.rpartition('=== SUMMARY ===')[2]}\n")
            if done.returncode:
                failed.append(version)
                sys.stdout.write(done.stderr)
    sys.stdout.write(f"conformance: {', '.join(failed) + ' failed' if failed else 'as expected'}\n")
    return int(bool(failed))


def _run(installed: packages.Packages, url: str, version: str) -> subprocess.CompletedProcess[str]:
    script = installed.folder / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
    expected = Path(__file__).parent / "expected_failures" / f"{version}.yml"
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
