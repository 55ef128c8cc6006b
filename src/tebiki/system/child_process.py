"""A child process of this Python that runs one function of the package, and talks by two pipes.

No shell, an empty environment, words that are constants; it inherits no descriptor but its pipes,
and gets no signal of the terminal. Knows nothing of what is said.
"""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from subprocess import Popen

    Child = Popen[bytes]

START = (
    "import sys; count = int(sys.argv[1]); sys.path[:0] = sys.argv[2 : 2 + count]; "
    "from importlib import import_module; import_module(sys.argv[2 + count]).main()"
)
CAN_START = os.name == "posix"


def start_child(module: str, packages: Iterable[str]) -> Child:
    """Start `module.main` in a process that can import some packages, and nothing else.

    It ends by itself when its standard input is closed, which is when this process is gone.

    Raises:
        OSError: the system does not let us, or there is no Python to be found.
    """
    from subprocess import DEVNULL, PIPE, Popen  # most processes start none

    if not sys.executable:
        raise FileNotFoundError("it is not known where this Python is")
    specs = [find_spec(name) for name in packages]
    found = [os.path.dirname(os.path.dirname(one.origin or "")) for one in specs if one]
    paths = list(dict.fromkeys(found))
    return Popen(  # noqa: S603 -- this Python, with words that are constants
        [
            sys.executable,
            *("-I", "-S", "-B", "-X", "utf8", "-c", START),
            *(str(len(paths)), *paths, module),
        ],
        stdin=PIPE,
        stdout=PIPE,
        stderr=DEVNULL,
        env={},
        close_fds=True,
        start_new_session=True,
    )
