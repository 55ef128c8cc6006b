"""The log under many threads: every line whole, none raising, the secret in none."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tebiki.observability.logs import Log
from tebiki.observability.redact import Redactor
from tests.support.launching import clean_environment
from tests.support.overheard import PATIENCE_SECONDS
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


HOSTILE = "a\x1b[2Jb\x9b1mc\u202ed\u2028e\rf\x07\n[test] forged"


@pytest.mark.parametrize("as_json", [False, True])
def test_what_is_logged_cannot_drive_a_terminal(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], *, as_json: bool
) -> None:
    """What a terminal would obey is written out, here and in the file, and forges no line."""
    file = tmp_path / "debug.log"
    log = Log("test", Redactor(None), debug=True, file=str(file), as_json=as_json)

    log.debug(HOSTILE)
    log.warning(HOSTILE)
    log.info("told", client=HOSTILE)

    written = capfd.readouterr().err
    assert written == file.read_text(encoding="utf-8")
    assert len(written.splitlines()) == 3
    assert written.replace("\n", "").isprintable()
    assert "forged" in written
    if as_json:
        entries = [json.loads(line) for line in written.splitlines()]
        assert [HOSTILE in entry.values() for entry in entries] == [True] * 3


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_debug_file_that_is_a_pipe_nobody_reads_is_a_warning(tmp_path: Path) -> None:
    """Opened in the usual way, it would wait for a reader for ever."""
    os.mkfifo(tmp_path / "pipe")
    done = subprocess.run(
        [sys.executable, "-m", "tebiki", "--show-config", "--debug", str(tmp_path / "pipe")],
        cwd=tmp_path,
        env=clean_environment(tmp_path),
        capture_output=True,
        check=False,
        timeout=PATIENCE_SECONDS,
    )

    assert done.returncode == 0
    assert b"pipe cannot be opened" in done.stderr
