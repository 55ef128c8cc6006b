"""npm packages for a page without a bundler: exact versions, and an import map that finds them.

The folder is that of the other packages that checks need (`tests/hosts/packages.py`).
"""

from __future__ import annotations

import json
import posixpath
import re
from typing import TYPE_CHECKING, Any

from tests.hosts.packages import install_app_bridge

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CONDITIONS = ("browser", "import", "module", "default")
IMPORTED = re.compile(r"""(?:from|import)\s*["']([^."'][^"']*)["']""")
ORIGIN = "http://npm.test"


class NpmModules:
    """The installed packages, as a browser may ask for them below `ORIGIN`."""

    def __init__(self, modules: Path) -> None:
        self.modules = modules

    @classmethod
    def install(cls) -> NpmModules:
        """Fetch them where they are not there yet."""
        return cls(install_app_bridge().modules)

    def import_map(self, *specifiers: str) -> dict[str, dict[str, str]]:
        """Where each name that these modules import, at any depth, is to be found."""
        found: dict[str, str] = {}
        waiting = list(specifiers)
        while waiting:
            name = waiting.pop()
            # Comments show imports of packages that are not there.
            if name in found or not (self.modules / _package_of(name)).is_dir():
                continue
            found[name] = self._path_of(name)
            waiting += self._names_behind(found[name], set())
        return {"imports": {name: f"{ORIGIN}/{path}" for name, path in found.items()}}

    def read(self, path: str) -> bytes:
        """A file of a package."""
        return (self.modules / path).read_bytes()

    def _path_of(self, specifier: str) -> str:
        package = _package_of(specifier)
        rest = specifier.removeprefix(package)
        told = json.loads((self.modules / package / "package.json").read_text("utf-8"))
        chosen = _chosen(told["exports"][f".{rest}"])
        return posixpath.normpath(f"{package}/{chosen}")

    def _names_behind(self, path: str, seen: set[str]) -> Iterator[str]:
        """What a file and the files beside it import by name."""
        if path in seen:
            return
        seen.add(path)
        text = (self.modules / path).read_text("utf-8")
        yield from IMPORTED.findall(text)
        for near in re.findall(r"""(?:from|import)\s*["'](\.[^"']+)["']""", text):
            yield from self._names_behind(
                posixpath.normpath(f"{posixpath.dirname(path)}/{near}"), seen
            )


def _package_of(specifier: str) -> str:
    return "/".join(specifier.split("/")[: 2 if specifier.startswith("@") else 1])


def _chosen(exports: Any) -> str:
    """The file that a browser takes."""
    while not isinstance(exports, str):
        exports = next(exports[condition] for condition in CONDITIONS if condition in exports)
    return exports
