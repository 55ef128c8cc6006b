"""One measurement in a process of its own: `python -m bench.alone NAME FILE [--quick]`.

So that it starts with an empty memory, and that whatever ends it leaves the others alone.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.names import ON_REQUEST, measured
from bench.report import Table, table_of
from bench.results import ROOT

PATIENCE_SECONDS, LONG_PATIENCE_SECONDS = 1200, 7200
"""A measurement that hangs is ended after so long; the long ones are those on request."""

SHOWN_LINES = 12
"""Of what a failed measurement had to say."""


class MeasurementFailed(Exception):
    """There is no table; says the last words of the process."""


def measured_alone(name: str, *, quick: bool) -> Table:
    """Measure in a new process.

    Raises:
        MeasurementFailed: it did not come to its end.
    """
    with tempfile.TemporaryDirectory() as folder:
        found, said = Path(folder, "table.json"), Path(folder, "said")
        flags = ["--quick"] if quick else []
        command = [sys.executable, "-m", "bench.alone", name, str(found), *flags]
        with said.open("wb") as errors:
            process = subprocess.Popen(command, cwd=ROOT, stderr=errors, start_new_session=True)
            code = _waited(
                process, LONG_PATIENCE_SECONDS if name in ON_REQUEST else PATIENCE_SECONDS
            )
        if code != 0:
            raise MeasurementFailed(_last_words(said) or f"exit code {code}")
        return table_of(json.loads(found.read_bytes()))


def _waited(process: subprocess.Popen[bytes], seconds: float) -> int | str:
    """How the process ended; nothing of it stays behind, whatever happens here."""
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return f"none after {seconds:g} s"
    finally:
        if process.poll() is None:
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the process with the servers it has started."""
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()


def _last_words(said: Path) -> str:
    lines = said.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return "\n".join(lines[-SHOWN_LINES:])


def main() -> None:
    """Measure, and write the table into the file."""
    name, file, *flags = sys.argv[1:]
    table = measured(name, quick="--quick" in flags)
    Path(file).write_text(json.dumps(table.as_json()), encoding="utf-8")


if __name__ == "__main__":
    main()
