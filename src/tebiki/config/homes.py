"""Where the `tebiki` command's own files are: `$XDG_CONFIG_HOME/tebiki`, else `~/.config/tebiki`.

The other faces keep the places they have always had. A file that already lies under `~/.config`
stays in force until there is one in the folder that the variable names.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

VARIABLE = "XDG_CONFIG_HOME"
USUAL_HOME = "~/.config/"
OURS = f"{USUAL_HOME}tebiki/"


def is_moved(usual: str, environ: Mapping[str, str]) -> bool:
    """Tell whether a file that usually is at `usual` is looked for elsewhere first."""
    # A relative folder is to be ignored, says the XDG specification.
    return usual.startswith(OURS) and os.path.isabs(environ.get(VARIABLE, ""))


def places_of(usual: str, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Where to look for a file that usually is at `usual`: the first that exists is in force."""
    expanded = os.path.expanduser(usual)
    if not is_moved(usual, environ):
        return (expanded,)
    moved = os.path.join(environ[VARIABLE], *usual.removeprefix(USUAL_HOME).split("/"))
    return tuple(dict.fromkeys((moved, expanded)))


def place_in_force(usual: str, environ: Mapping[str, str]) -> str:
    """The file that is read, or made where there is none yet."""
    places = places_of(usual, environ)
    return next((place for place in places if os.path.exists(place)), places[0])
