"""One process as a value: a face, its settings, the toolsets it serves and the engines behind them.

How it is served is told beside it: `stdio.py` for one client, `http.py` for many.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki import __version__
from tebiki.app.capabilities import capabilities_of, has_app, instructions_for
from tebiki.app.engines import Engines, Once
from tebiki.app.toolsets import call_the_api, tool_names, toolsets_named
from tebiki.errors import TebikiError
from tebiki.observability.logs import Log
from tebiki.observability.redact import Redactor
from tebiki.protocol.eras import Identity

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from tebiki.app.faces import Face
    from tebiki.budget.shared_caps import SharedCaps
    from tebiki.config.sources import Loaded
    from tebiki.server.calls import Desk
    from tebiki.server.enquiries import Enquiries
    from tebiki.server.error_map import ErrorMap
    from tebiki.server.registry import Tool
    from tebiki.state.store import StateStore
    from tebiki.tools.guarding import Guard


class App:
    """Everything one process needs, made from its settings."""

    def __init__(
        self,
        face: Face,
        loaded: Loaded,
        toolsets: Sequence[str],
        *,
        tools: Collection[str] | None = None,
        read_only: bool = False,
        store: StateStore | None = None,
        spare_ledger: str | None = None,
        shared_caps: SharedCaps | None = None,
    ) -> None:
        self.face = face
        self.loaded = loaded
        self.toolsets = tuple(toolsets)
        self.read_only = read_only
        served = tool_names(toolsets, read_only=read_only)
        self.tool_names = (
            served if tools is None else tuple(filter(set(tools).__contains__, served))
        )
        settings = loaded.settings
        self.log = Log(
            face.name,
            Redactor(loaded.api_key, (secret for _, secret in loaded.secrets)),
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
            shared_caps=shared_caps,
            named_manuals=self._named_manuals(),
            # The drop-ins send what they always have.
            lasting=face.chooses_toolsets,
        )
        # One for all that is served: what is read as a resource is private too.
        self.guard: Once[Guard | None] = Once(self._make_guard)

    def _named_manuals(self) -> dict[str, str]:
        """The manuals that lie elsewhere than below the root.

        Raises:
            BadSetting: one of them cannot be a manual.
        """
        if not self.loaded.settings["manuals.roots"]:
            return {}
        from tebiki.app.manual_roots import hidden_manuals, named_roots

        named = named_roots(self.loaded)
        for name in hidden_manuals(self.loaded, named):
            self.log.warning(f"manuals.roots.{name} hides the folder {name} of the manuals' root")
        return named

    @property
    def identity(self) -> Identity:
        """What the server calls itself."""
        served = set(self.tool_names)
        return Identity(
            self.face.name,
            __version__,
            instructions_for(self.face, served),
            capabilities_of(self.face, served),
            has_app=self.face.introduction is not None and has_app(served),
        )

    @property
    def can_call_the_api(self) -> bool:
        """Tell whether something here calls the API, and may."""
        return call_the_api(self.toolsets) and self.loaded.api_key is not None

    def tools(self) -> list[Tool]:
        """The tools this process serves."""
        served = toolsets_named(self.toolsets)
        made = [(tool, one) for one in served for tool in one.tools(self.engines)]
        chosen = [(tool, one) for tool, one in made if tool.name in self.tool_names]
        if not self.face.chooses_toolsets:
            return [tool for tool, _ in chosen]
        from tebiki.tools.guarding import guard_tool

        return [guard_tool(tool, one.provenance, self.guard()) for tool, one in chosen]

    def _make_guard(self) -> Guard | None:
        """What listens to private text and checks questions for the web, where both are served."""
        from tebiki.tools.guarding import WEB, Guard

        kinds = {one.provenance for one in toolsets_named(self.toolsets)}
        mode = self.loaded.settings.text("guard.web_queries")
        if WEB not in kinds or len(kinds) == 1 or mode == "off":
            return None
        return Guard(self.engines.private_spans, self.log.warning, refuses=mode == "refuse")

    def make_desk(self, errors: ErrorMap) -> Desk:
        """The desk behind which the tools are."""
        from tebiki.server.calls import Desk

        self.engines.serve_long = True
        return Desk(self.tools(), errors, self.log)

    def make_enquiries(self, errors: ErrorMap) -> Enquiries:
        """What there is beside the tools."""
        from tebiki.app.offers import Offers
        from tebiki.server.enquiries import Enquiries

        offers = Offers(self.engines, set(self.tool_names))
        guard = self.guard()
        listen = None if guard is None else guard.listen
        return Enquiries(offers.collections(), offers.prompts(), errors, listen, offers.unlisted())

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
