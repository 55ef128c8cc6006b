"""Where the checks take place: the simulator, a home of their own, a clean environment."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from simulator import Simulator
from tests.hosts.packages import Packages

_KEY = "sk-test-hosts"
_KEPT = ("PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR")


@dataclass(frozen=True, slots=True)
class Stage:
    """What every client needs to meet the server."""

    packages: Packages
    simulator: Simulator
    home: Path

    def server_environment(self) -> dict[str, str]:
        """The variables that make the server talk to the simulator."""
        return server_environment(self.simulator, self.home)

    def environment(self) -> dict[str, str]:
        """The variables for a client, which hands them on to the server."""
        kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
        place = {"TEBIKI_HOSTS_DIR": str(self.packages.folder)}
        return {**kept, **place, **self.server_environment()}


def server_environment(simulator: Simulator, home: Path) -> dict[str, str]:
    """The variables that make a server talk to this simulator and read no one's settings."""
    return {
        "OPENAI_API_KEY": _KEY,
        "OPENAI_BASE_URL": simulator.base_url,
        "HOME": str(home),
        "USERPROFILE": str(home),
    }


def command(face: str) -> str:
    """The server's command, as installed beside the running Python."""
    return str(Path(sys.executable).parent / face)
