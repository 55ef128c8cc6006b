"""One process as a value: a face, its settings, the toolsets it serves and the engines behind them.

How it is served is told beside it: `stdio.py` for one client, `http.py` for many.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki import __version__
from tebiki.app.engines import Engines
from tebiki.app.toolsets import call_the_api, toolsets_named
from tebiki.errors import TebikiError
from tebiki.observability.logs import Log
from tebiki.observability.redact import Redactor
from tebiki.protocol.eras import Identity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tebiki.app.faces import Face
    from tebiki.config.sources import Loaded
    from tebiki.server.calls import Desk
    from tebiki.server.error_map import ErrorMap
    from tebiki.server.registry import Tool
    from tebiki.state.store import StateStore


class App:
    """Everything one process needs, made from its settings."""

    def __init__(
        self,
        face: Face,
        loaded: Loaded,
        toolsets: Sequence[str],
        *,
        read_only: bool = False,
        store: StateStore | None = None,
        spare_ledger: str | None = None,
    ) -> None:
        self.face = face
        self.loaded = loaded
        self.toolsets = tuple(toolsets)
        self.read_only = read_only
        settings = loaded.settings
        self.log = Log(
            face.name,
            Redactor(loaded.api_key),
            debug=settings.flag("server.debug") or settings["server.log_level"] == "debug",
            warn=settings["server.log_level"] != "error",
            file=settings["server.debug_file"],
            as_json=settings["server.log_format"] == "json",
        )
        self.engines = Engines(
            loaded,
            self.log,
            read_only=read_only,
            store=store,
            spare_ledger=spare_ledger,
            # The drop-ins send what they always have.
            lasting=face.chooses_toolsets,
        )

    @property
    def identity(self) -> Identity:
        """What the server calls itself."""
        return Identity(self.face.name, __version__, self.face.instructions)

    @property
    def can_call_the_api(self) -> bool:
        """Tell whether something here calls the API, and may."""
        return call_the_api(self.toolsets) and self.loaded.api_key is not None

    def tools(self) -> list[Tool]:
        """The tools this process serves."""
        return [tool for one in toolsets_named(self.toolsets) for tool in one.tools(self.engines)]

    def make_desk(self, errors: ErrorMap) -> Desk:
        """The desk behind which the tools are."""
        from tebiki.server.calls import Desk

        return Desk(self.tools(), errors, self.log)

    def has_to_warm_up(self) -> bool:
        """Tell whether the first calls need something that takes long to import."""
        return self.can_call_the_api or any(one.prepare for one in toolsets_named(self.toolsets))

    def warm_up(self) -> None:
        """Import what the first calls will need."""
        try:
            for one in toolsets_named(self.toolsets):
                if one.prepare is not None:
                    one.prepare(self.engines)
            if self.can_call_the_api:
                self.engines.responder().warm_up()
        except (TebikiError, OSError) as unusable:
            # The call that needs it will say so to the client.
            self.log.debug(f"warm-up: {unusable}")

    def close(self) -> None:
        """Let what was noted about paid calls reach the disk."""
        self.engines.close()
