"""The log under many threads: every line whole, none raising, the secret in none."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from tests.support.launching import clean_environment
from tests.support.server_process import CANARY

if TYPE_CHECKING:
    from pathlib import Path

MANY_THREADS = f"""\
import threading
from tebiki.observability.logs import Log
from tebiki.observability.redact import Redactor
log = Log("test", Redactor({CANARY!r}), debug=True, file="debug.log")
failures = []
def write(letter):
    try:
        for _ in range(300):
            log.debug(letter * 200 + " {CANARY}")
    except BaseException as failure:
        failures.append(failure)
threads = [threading.Thread(target=write, args=(letter,)) for letter in "abcdefgh"]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert not failures, failures
"""


def test_many_threads_may_log(tmp_path: Path) -> None:
    """On stderr and in the file, line by line."""
    done = subprocess.run(
        [sys.executable, "-c", MANY_THREADS],
        cwd=tmp_path,
        env=clean_environment(tmp_path),
        capture_output=True,
        check=False,
    )

    written = (tmp_path / "debug.log").read_text(encoding="utf-8")
    wanted = sorted(
        f"[test] {letter * 200} [redacted]" for letter in "abcdefgh" for _ in range(300)
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert sorted(written.splitlines()) == wanted
    assert sorted(done.stderr.decode().splitlines()) == wanted
