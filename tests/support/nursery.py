"""A process with everything imported, which forks a server whenever a test needs one.

A fork costs milliseconds, a fresh interpreter with the same imports a second of work. What comes
out is a real process with pipes of its own, which begins at the entry point of its face; only the
imports are done already. Run by `launching.py`; not for what is read while importing, nor for
measuring a start.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import pkgutil
import select
import signal
import socket
import sys
import threading
import warnings
from contextlib import suppress
from typing import Any, NoReturn

MOST_BYTES = 1 << 17
STREAMS = 3
LATE = (
    "anyio._backends._asyncio",
    "httpcore2",
    "openai",
    "truststore",
    "uvicorn.lifespan.on",
    "uvicorn.loops.auto",
)
"""Imported by the libraries when they are first used."""


def main() -> None:
    """Fork a server for each order, until nobody can order any more."""
    door = socket.socket(fileno=int(sys.argv[1]))
    _import_everything()
    assert threading.active_count() == 1, "a lock of a thread that is not forked stays locked"
    gc.collect()
    gc.freeze()
    while True:
        words, descriptors, *_ = socket.recv_fds(door, MOST_BYTES, STREAMS + 1)
        if not words:
            _reap()
            return
        if os.fork() == 0:
            door.close()
            _watch_over(json.loads(words), descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        _reap()


def _reap() -> None:
    """Take leave of those that have ended; what they took of the processor counts as ours."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _import_everything() -> None:
    import tebiki

    for module in pkgutil.walk_packages(tebiki.__path__, "tebiki."):
        importlib.import_module(module.name)
    for name in LATE:
        importlib.import_module(name)


def _watch_over(order: dict[str, Any], descriptors: list[int]) -> NoReturn:
    """Fork the server itself, tell its process id, and how it ended."""
    *streams, status = descriptors
    pid = os.fork()
    if pid == 0:
        os.close(status)
        _be_a_server(order, streams)
    for stream in streams:
        os.close(stream)
    os.write(status, b"%d\n" % pid)
    _await_end(pid, status)
    _, ended = os.waitpid(pid, 0)
    with suppress(BrokenPipeError):
        os.write(status, b"%d\n" % os.waitstatus_to_exitcode(ended))
    os._exit(0)


def _await_end(pid: int, status: int) -> None:
    """Return when a server has ended; a test process that was killed takes its servers along."""
    ended = os.pidfd_open(pid)
    waiting = select.poll()
    waiting.register(ended, select.POLLIN)
    waiting.register(status, 0)
    if ended not in dict(waiting.poll()):
        os.kill(pid, signal.SIGKILL)


def _be_a_server(order: dict[str, Any], streams: list[int]) -> NoReturn:
    if order["own_group"]:
        os.setsid()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.environ.clear()
    os.environ.update(order["env"])
    os.chdir(order["cwd"])
    if order["env"].get("PYTHONWARNINGS") == "error":
        warnings.simplefilter("error")
    sys.argv = ["-c", *order["flags"]]
    code: object = 1
    try:
        from tebiki import __main__ as entries

        getattr(entries, order["face"])()
    except SystemExit as end:
        code = end.code
    except BaseException:  # noqa: BLE001  (as an interpreter of its own would end)
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else int(code is not None))


if __name__ == "__main__":
    main()
