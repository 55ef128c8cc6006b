"""The HTTP server of the product with the suite's tools, resources and prompts; for tests alone.

Door, endpoint, desk, error map, limits and sessions are the product's: only the lists are
longer, and the SDK is told of what the product does without (log levels, capabilities, headers).
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from secrets import token_hex
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

import mcp_types as types
from mcp.shared.exceptions import MCPError

from tebiki.app import faces
from tebiki.app.app import App
from tebiki.app.http_settings import web_settings
from tebiki.app.offers import Offers
from tebiki.budget.clients import ClientLimits
from tebiki.config.sources import Given, load
from tebiki.server.calls import Desk
from tebiki.server.enquiries import Enquiries
from tebiki.server.error_map import ErrorMap
from tebiki.state.memory import MemoryStateStore
from tebiki.web.authentication import Keepers
from tebiki.web.endpoint import Endpoint
from tebiki.web.serving import application_of, serve
from tests.conformance.diagnostic_offers import diagnostic_prompts, diagnostic_resources
from tests.conformance.diagnostics import CONTEXT, INPUT_SCHEMAS, diagnostic_tools

MISSING_CAPABILITY = -32021
TOOLSETS = ("manuals", "vault")


class DiagnosticEndpoint(Endpoint):
    """The product's endpoint; its tools can reach the SDK's session."""

    has_fast_path = False

    def __init__(self, *parts: Any) -> None:
        super().__init__(*parts)
        self.server.get_tool_input_schema = INPUT_SCHEMAS.get
        self.server.add_request_handler(
            "logging/setLevel", types.SetLevelRequestParams, _accept_level
        )

    async def _call_tool(self, context: Any, params: Any) -> Any:
        CONTEXT.set(context)
        sampling = types.ClientCapabilities(sampling=types.SamplingCapability())
        is_needed = (context.params or {}).get("name") == "test_missing_capability"
        if is_needed and not context.session.check_client_capability(sampling):
            wanted: dict[str, Any] = {"requiredCapabilities": {"sampling": {}}}
            raise MCPError(MISSING_CAPABILITY, "Missing required client capability", wanted)
        return await super()._call_tool(context, params)


async def _accept_level(_context: Any, _params: types.SetLevelRequestParams) -> types.EmptyResult:
    return types.EmptyResult()


class DiagnosticDesk(Desk):
    """Lists some tools with schemas that only the suite has a use for."""

    def definitions(self, *, shows_apps: bool = False) -> list[dict[str, Any]]:
        """Every tool as it is listed, in order."""
        return [
            {**one, "inputSchema": INPUT_SCHEMAS.get(one["name"], one["inputSchema"])}
            for one in super().definitions(shows_apps=shows_apps)
        ]


def main(home: str) -> None:
    """Serve on a port of loopback until told to stop."""
    loaded = load(Given(http_bind="127.0.0.1:0"), f"{home}/no-such-file.yaml", os.environ)
    settings = web_settings(loaded.settings)

    def application() -> Any:
        app = App(faces.TEBIKI, loaded, TOOLSETS)
        errors = ErrorMap(app.log)
        desk = DiagnosticDesk([*app.tools(), *diagnostic_tools()], errors, app.log)
        store = MemoryStateStore(time.time)
        limits = ClientLimits(settings.allowance, store, new_id=token_hex)
        offers = Offers(app.engines, set(app.tool_names))
        enquiries = Enquiries(
            [*offers.collections(), diagnostic_resources()],
            [*offers.prompts(), *diagnostic_prompts()],
            errors,
        )
        return application_of(
            DiagnosticEndpoint(app.identity, lambda: desk, lambda: enquiries, errors, limits),
            settings,
            app.log,
            keepers=Keepers(),
            store=store,
            new_id=token_hex,
            is_ready=lambda: True,
            on_start=lambda: None,
        )

    serve(settings, lambda _place: application(), App(faces.TEBIKI, loaded, TOOLSETS).log)


if __name__ == "__main__":
    main(sys.argv[1])
