"""The MCP App in a browser, behind the official `AppBridge`, with a real server behind the host."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.page.npm_modules import ORIGIN, NpmModules
from tests.support.server_process import ServerProcess

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import BrowserContext, FrameLocator, Page, Route

ROOT = Path(__file__).parents[2]
APP = ROOT / "src" / "tebiki" / "web" / "page" / "find.html"
SAMPLES = ROOT / "samples"
BRIDGE = "@modelcontextprotocol/ext-apps/app-bridge"
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; "
    "connect-src 'none'"
)
"""What a host allows an app that asks for nothing."""

HOST_PAGE = """<!doctype html><meta charset="utf-8"><title>host</title>
<script type="importmap">{imports}</script>
<iframe id="app" sandbox="allow-scripts" width="800" height="600"></iframe>
<script type="module">
import {{ AppBridge, PostMessageTransport }} from "{bridge}";
const frame = document.getElementById("app");
const bridge = new AppBridge(null, {{ name: "test host", version: "1" }}, {{ serverTools: {{}} }},
  {{ hostContext: {context} }});
window.sizes = [];
bridge.oncalltool = async (params) => JSON.parse(await window.callTool(JSON.stringify(params)));
bridge.addEventListener("sizechange", (size) => window.sizes.push(size));
const begun = new Promise((resolve) => bridge.addEventListener("initialized", resolve));
await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
frame.srcdoc = await window.appHtml();
await begun;
window.bridge = bridge;
window.begun = true;
</script>"""


class AppHost:
    """A host page with the app in a frame, and the server whose tools it may call."""

    def __init__(self, page: Page, server: ServerProcess, modules: NpmModules) -> None:
        self.page = page
        self.server = server
        self.modules = modules
        self.calls: list[str] = []
        self.trouble: list[str] = []

    def open(self, **context: Any) -> FrameLocator:
        """Load the page; the app has greeted when this returns."""
        page = self.page
        page.on("console", lambda message: self._hear(message.type, message.text))
        page.on("pageerror", lambda failure: self.trouble.append(str(failure)))
        page.expose_function("callTool", self._call)
        page.expose_function("appHtml", self._html)
        html = HOST_PAGE.format(
            imports=json.dumps(self.modules.import_map(BRIDGE)),
            bridge=BRIDGE,
            context=json.dumps(context),
        )
        page.route("**/*", lambda route: self._serve(route, html))
        page.goto(f"{ORIGIN}/host.html")
        page.wait_for_function("window.begun")
        return page.frame_locator("#app")

    def tool(self, name: str, **given: Any) -> dict[str, Any]:
        """Call a tool as the host's model would."""
        result: dict[str, Any] = json.loads(
            self._call(json.dumps({"name": name, "arguments": given}))
        )
        return result

    def show(self, **given: Any) -> None:
        """Search, and hand input and result to the app."""
        result = self.tool("manual_find", **given)
        self.calls.clear()
        self.page.evaluate(
            "async ([given, result]) => { await bridge.sendToolInput({ arguments: given });"
            " await bridge.sendToolResult(result); }",
            [given, result],
        )

    def _call(self, params: str) -> str:
        wanted = json.loads(params)
        self.calls.append(wanted["name"])
        self.server.request(f"call-{len(self.calls)}-{wanted['name']}", "tools/call", wanted)
        answer = self.server.answer_to(f"call-{len(self.calls)}-{wanted['name']}")
        return json.dumps(answer["result"])

    def _html(self) -> str:
        meta = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        return APP.read_text("utf-8").replace("<meta charset", f"{meta}<meta charset", 1)

    def _hear(self, kind: str, text: str) -> None:
        if kind == "error":
            self.trouble.append(text)

    def _serve(self, route: Route, html: str) -> None:
        path = route.request.url.removeprefix(f"{ORIGIN}/")
        if path == "host.html":
            route.fulfill(body=html, content_type="text/html")
        elif route.request.url.startswith(ORIGIN):
            route.fulfill(body=self.modules.read(path), content_type="text/javascript")
        else:
            self.trouble.append(f"asked for {route.request.url}")
            route.abort()


@pytest.fixture(name="host")
def _host(context: BrowserContext, tmp_path: Path) -> Iterator[AppHost]:
    if shutil.which("npm") is None:
        pytest.skip("npm is not on the PATH; it installs the official bridge")
    shutil.copytree(SAMPLES / "manuals", tmp_path / "manuals")
    root = {"MANUALS_ROOT": str(tmp_path / "manuals")}
    with ServerProcess(tmp_path, "--toolsets", "manuals", face="tebiki", env=root) as server:
        host = AppHost(context.new_page(), server, NpmModules.install())
        host.tool("manual_ls")
        yield host
    assert host.trouble == []


@pytest.mark.requirement("page:app:bridge")
def test_app_shows_what_was_found_and_reads_on_through_the_host(host: AppHost) -> None:
    """Results appear with the host's find; a section is read by the host's tools/call."""
    app = host.open(theme="light", locale="en")

    host.show(
        manual_id="lantern-backup",
        query="how long are snapshots kept",
        required_terms=["snapshots"],
    )
    app.get_by_role("link", name="Retention").first.click()

    app.get_by_text("daily ones for 6 weeks").wait_for()
    assert app.locator(".said").inner_text().startswith("Everything searched")
    assert host.calls.count("manual_read") == 1
    assert host.page.evaluate("window.sizes.length") > 0


@pytest.mark.requirement("page:app:bridge")
def test_app_speaks_japanese_and_shows_what_disagrees(host: AppHost) -> None:
    """In the host's language and theme; more rows come through the host too."""
    app = host.open(theme="dark", locale="ja-JP")

    host.show(manual_id="kaede-fukugouki", query="印刷の待ち時間と日数", required_terms=["印刷"])
    app.get_by_role("button", name="さらに表示").click()

    app.locator(".hit").nth(5).wait_for()
    assert app.locator(".said").inner_text().startswith("すべて検索しました")
    assert host.page.evaluate("window.sizes.at(-1).height") > 200


@pytest.mark.requirement("page:app:bridge")
def test_app_reads_a_section_that_the_model_has_read_before(host: AppHost) -> None:
    """The server goes on after what was read; the app shows the section itself."""
    app = host.open(theme="light", locale="en")
    ref = {"manual_id": "lantern-backup", "path": "guides/restore.md", "start_line": 11}
    host.tool("manual_read", ref=ref)

    host.show(manual_id="lantern-backup", query="deleted snapshots", required_terms=["snapshots"])
    app.get_by_role("link", name="Deleted snapshots").first.click()

    app.get_by_text("After that its data is gone").wait_for()
    assert "When a restore stops" not in app.locator(".prose").inner_text()


@pytest.mark.requirement("page:app:bridge")
def test_app_tells_of_a_failure_in_words(host: AppHost) -> None:
    """A find that failed, and one that was called off."""
    app = host.open(theme="light", locale="en")

    host.show(manual_id="no-such-manual", query="x", required_terms=["x"])
    app.get_by_role("alert").wait_for()
    told = app.get_by_role("alert").inner_text()
    host.page.evaluate("bridge.sendToolCancelled({ reason: 'user' })")

    app.get_by_text("The search was cancelled").wait_for()
    assert told == "That did not work. Ask the assistant to search again."
