"""How many arenas the C library keeps for threads that come and go."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

COUNT_ARENAS = """
import ctypes, sys, threading
from tebiki.system.allocator import share_arenas

libc = ctypes.CDLL(None, use_errno=True)
if not hasattr(libc, "mallopt") or not hasattr(libc, "malloc_info"):
    sys.exit("another C library")
if sys.argv[1] == "shared":
    share_arenas()
libc.malloc.restype = libc.fopen.restype = ctypes.c_void_p
libc.fclose.argtypes = [ctypes.c_void_p]
libc.malloc_info.argtypes = [ctypes.c_int, ctypes.c_void_p]
libc.fopen.argtypes = [ctypes.c_char_p, ctypes.c_char_p]
together = threading.Barrier(6)

def work():
    together.wait()
    libc.malloc(ctypes.c_size_t(100_000))
    together.wait()

threads = [threading.Thread(target=work) for _ in range(6)]
for thread in threads: thread.start()
for thread in threads: thread.join()
out = libc.fopen(sys.argv[2].encode(), b"w")
libc.malloc_info(0, out)
libc.fclose(out)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="glibc's allocator")
def test_threads_share_their_arenas(tmp_path: Path) -> None:
    """Left alone, each of some threads at once has one of its own."""
    counts = {}
    for how in ("alone", "shared"):
        told = tmp_path / f"{how}.xml"
        done = subprocess.run(
            [sys.executable, "-c", COUNT_ARENAS, how, told], check=False, capture_output=True
        )
        if b"another C library" in done.stderr:
            pytest.skip("not glibc")
        assert done.returncode == 0, done.stderr
        counts[how] = told.read_text(encoding="utf-8").count("<heap nr=")

    assert counts["shared"] <= 2 < counts["alone"]
