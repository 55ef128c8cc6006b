"""What a child process gives up before it looks at a file: memory, time, files, network.

Linux: limits of the kernel, and a filter that lets no call of the network, of files that would be
written, or of other programs through. macOS: limits without memory. Windows: none; see
docs/import.md.
"""

from __future__ import annotations

import contextlib
import os
import signal
import struct
import sys

from tebiki.importer.limits import (
    CPU_SECONDS,
    MEMORY_BYTES,
    MOST_DESCRIPTORS,
    MOST_PAGES,
    cpu_seconds,
)

SECCOMP_SET_MODE_FILTER = 2
PR_SET_PDEATHSIG = 1
PR_SET_SECCOMP = 22
PR_SET_NO_NEW_PRIVS = 38
LOAD_WORD = 0x20
JUMP_IF_EQUAL = 0x15
JUMP_IF_SET = 0x45
JUMP_IF_GREATER_OR_EQUAL = 0x35
GIVE = 0x06
ALLOW = 0x7FFF0000
REFUSE = 0x00050000 | 1
"""The call fails with "not permitted"."""

UNKNOWN = 0x00050000 | 38
"""The call fails with "no such call": the library then tries an older one."""

NUMBER_AT, ARCHITECTURE_AT, THIRD_ARGUMENT_AT, SECOND_ARGUMENT_AT = 0, 4, 32, 24
FIRST_ARGUMENT_AT = 16
OF_A_THREAD = 0x10000
"""Set where a call makes a thread, and not a process."""

WRITING = 0o1 | 0o2 | 0o100 | 0o1000 | 0o2000
"""Flags of an open that may change a file: for writing, create, truncate, append."""

FOREIGN_CALLS = 0x40000000
"""From here on the numbers are those of another table, which some kernels have as well."""


class _Calls:
    """The numbers of the calls that matter, on one kind of processor."""

    def __init__(
        self,
        architecture: int,
        opens: tuple[int, int],
        clones: tuple[int, int],
        refused: tuple[int, ...],
    ) -> None:
        self.architecture = architecture
        self.open, self.openat = opens
        self.clone, self.clone3 = clones
        self.refused = refused


CALLS = {
    "x86_64": _Calls(
        0xC000003E,
        (2, 257),
        (56, 435),
        (
            # socket connect accept sendto bind listen socketpair accept4
            *(41, 42, 43, 44, 49, 50, 53, 288),
            # fork vfork execve execveat kill tkill ptrace
            *(57, 58, 59, 322, 62, 200, 101),
            # truncate rename mkdir rmdir creat link unlink symlink chmod chown mknod utime xattr
            *(76, 82, 83, 84, 85, 86, 87, 88, 90, 91, 92, 93, 94, 132, 133, 188, 189, 190, 235),
            *(258, 259, 260, 261, 263, 264, 265, 266, 268, 280, 316, 437, 425, 452),
            # chroot mount unshare setns, other processes, keys, bpf, perf
            *(161, 165, 166, 272, 308, 310, 311, 248, 249, 250, 321, 298, 438, 434, 424),
        ),
    ),
    "aarch64": _Calls(
        0xC00000B7,
        (-1, 56),
        (220, 435),
        (
            *(198, 199, 200, 201, 202, 203, 206, 242),
            *(221, 281, 129, 130, 117),
            *(33, 34, 35, 36, 37, 38, 45, 52, 53, 54, 55, 88, 5, 6, 7, 276, 437, 425, 452),
            *(51, 40, 39, 97, 268, 270, 271, 217, 218, 219, 280, 241, 438, 434, 424),
        ),
    ),
}


def confine() -> None:
    """Give up whatever a reader does not need; what the system cannot take is kept."""
    set_limits()
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            _filter_calls()


def set_limits() -> None:
    """Limit memory, time, files and descriptors, and leave no trace of a crash."""
    try:
        import resource  # not on Windows
    except ImportError:
        return
    hard = cpu_seconds(MOST_PAGES)
    for name, soft, most in (
        ("RLIMIT_AS", MEMORY_BYTES, MEMORY_BYTES),
        ("RLIMIT_CPU", CPU_SECONDS, hard),
        ("RLIMIT_FSIZE", 0, 0),
        ("RLIMIT_CORE", 0, 0),
        ("RLIMIT_NOFILE", MOST_DESCRIPTORS, MOST_DESCRIPTORS),
    ):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            resource.setrlimit(getattr(resource, name), (soft, most))


def allow_cpu(seconds: int) -> None:
    """Allow as much time as a file with many pages needs."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, hard))


def _filter_calls() -> None:
    import ctypes

    # Not `platform`, which takes longer to import than all of this.
    calls = CALLS.get(os.uname().machine)
    if calls is None:
        return
    program = _program(calls)
    code = ctypes.create_string_buffer(program, len(program))

    class Filter(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_void_p))

    given = Filter(len(program) // 8, ctypes.cast(code, ctypes.c_void_p))
    library = ctypes.CDLL(None)
    library.prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4
    # Whoever wanted the text is gone: so is this process.
    library.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    library.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    library.prctl(PR_SET_SECCOMP, SECCOMP_SET_MODE_FILTER, ctypes.addressof(given), 0, 0)


def _program(calls: _Calls) -> bytes:
    """The filter: calls of another processor and those above are refused, the rest may pass."""
    steps: list[tuple[int, int, int, int]] = []

    def step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> None:
        steps.append((code, if_true, if_false, value))

    step(LOAD_WORD, ARCHITECTURE_AT)
    step(JUMP_IF_EQUAL, calls.architecture, if_true=1)
    step(GIVE, REFUSE)
    step(LOAD_WORD, NUMBER_AT)
    step(JUMP_IF_GREATER_OR_EQUAL, FOREIGN_CALLS, if_false=1)
    step(GIVE, REFUSE)
    for number in calls.refused:
        step(JUMP_IF_EQUAL, number, if_false=1)
        step(GIVE, REFUSE)
    step(JUMP_IF_EQUAL, calls.clone3, if_false=1)
    step(GIVE, UNKNOWN)
    step(JUMP_IF_EQUAL, calls.clone, if_false=4)
    step(LOAD_WORD, FIRST_ARGUMENT_AT)
    step(JUMP_IF_SET, OF_A_THREAD, if_true=1)
    step(GIVE, REFUSE)
    step(GIVE, ALLOW)
    for number, flags_at in ((calls.open, SECOND_ARGUMENT_AT), (calls.openat, THIRD_ARGUMENT_AT)):
        if number >= 0:
            step(JUMP_IF_EQUAL, number, if_false=4)
            step(LOAD_WORD, flags_at)
            step(JUMP_IF_SET, WRITING, if_false=1)
            step(GIVE, REFUSE)
            step(GIVE, ALLOW)
    step(GIVE, ALLOW)
    return b"".join(struct.pack("=HBBI", *one) for one in steps)
