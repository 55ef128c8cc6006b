"""The manuals' settings of a user who sets nothing, from the one table that has them.

Without a folder for indexes, and without statistics: nothing is kept on disk.
"""

from __future__ import annotations

from tebiki.app.settings import library_settings
from tebiki.config.sources import Given, load

_LOADED = library_settings(load(Given(), "", {}).settings, noted=False)

FINDER = _LOADED.finder._replace(index_root=None)
LIBRARY = _LOADED._replace(finder=FINDER)
FIND = FINDER.find
CACHE = FINDER.cache
TRACES = LIBRARY.traces
