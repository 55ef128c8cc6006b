"""The OpenAI SDK without what no call needs.

`import openai` runs some 470 modules, nearly all to describe requests and replies of the API. Calls
here go by the client's own `post` and take plain JSON. So the SDK's packages are made, but not run
until one is asked for a name that is no module of its own: what is imported from the module that
defines it (`openai._client`) comes without the rest. `bench first_answer` measures it.
"""

from __future__ import annotations

import importlib
import sys
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.abc import Loader
    from importlib.machinery import ModuleSpec
    from types import ModuleType

SDK = "openai"


def import_leanly() -> None:
    """Have the SDK's packages run late from now on; what is imported already stays as it is."""
    if not any(isinstance(finder, LatePackages) for finder in sys.meta_path):
        sys.meta_path.insert(0, LatePackages())


class LatePackages:
    """Finds the packages of the SDK, and leaves everything else to the others."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The import system's question for a module."""
        if name.partition(".")[0] != SDK or _is_utility(name):
            return None
        spec = PathFinder.find_spec(name, path)
        if spec is None or spec.loader is None or spec.submodule_search_locations is None:
            return None
        spec.loader = cast("Loader", _LateLoader(spec.loader))
        return spec


class _LateLoader:
    """Runs a package when it is asked for a name that it does not have yet."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, _spec: ModuleSpec) -> None:
        """An ordinary module."""

    def exec_module(self, package: ModuleType) -> None:
        """Have the package answer for itself later."""
        names = vars(package)

        def find_name(name: str) -> Any:
            module = f"{package.__name__}.{name}"
            if PathFinder.find_spec(module, package.__path__) is not None:
                return importlib.import_module(module)
            names.pop("__getattr__", None)
            self._loader.exec_module(package)
            return getattr(package, name)

        names["__getattr__"] = find_name


def _is_utility(name: str) -> bool:
    """Tell whether a package is one that every module of the SDK takes names from."""
    return name.startswith(f"{SDK}._")
