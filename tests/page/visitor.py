"""A person at the page: a browser's tab that notes whatever should never happen.

A message on the console, a refused load, a report of the content security policy or a request to
another host is trouble; a test ends with `assert visitor.trouble == []`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode, urlsplit

from tests.support.overheard import PATIENCE_SECONDS

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Dialog, Locator, Page, Request

    from tests.support.http_process import HttpProcess

TOKEN = "page-token-0123456789abcdef0123456789"
NOTE_VIOLATIONS = """
addEventListener("securitypolicyviolation", (event) =>
  console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`));
"""


class Visitor:
    """One tab."""

    def __init__(self, context: BrowserContext, server: HttpProcess) -> None:
        self.server = server
        self.origin = f"http://127.0.0.1:{server.port}"
        self.trouble: list[str] = []
        self.asked: list[str] = []
        self.page: Page = context.new_page()
        self.page.set_default_timeout(PATIENCE_SECONDS * 1000)
        self.page.add_init_script(NOTE_VIOLATIONS)
        self.page.on("console", lambda message: self._hear(message.type, message.text))
        self.page.on("pageerror", lambda failure: self.trouble.append(f"error: {failure}"))
        self.page.on("dialog", self._refuse)
        self.page.on("request", self._note)

    def open(self, screen: str = "find", **values: object) -> Page:
        """Go to a screen by its address, as a bookmark does."""
        self.page.goto("about:blank")
        self.page.goto(f"{self.origin}/{address(screen, **values)}")
        self.page.locator(".stage").wait_for()
        return self.page

    def go(self, screen: str, **values: object) -> Page:
        """Go to another screen without loading the page again."""
        self.page.evaluate(
            """(to) => new Promise((done) => {
              new MutationObserver((_, seen) => { seen.disconnect(); done(); })
                .observe(document.querySelector("main"), { childList: true });
              location.hash = to;
            })""",
            address(screen, **values),
        )
        return self.page

    def sign_in(self, token: str = TOKEN) -> Page:
        """Give a token to the form."""
        self.open()
        self.page.locator("#token").fill(token)
        self.page.keyboard.press("Enter")
        self.page.locator("#question").wait_for()
        return self.page

    def search(self, text: str) -> Locator:
        """Type a question, and wait for what is shown for it."""
        self.page.locator("#question").fill(text)
        self.page.locator(".said").wait_for()
        return self.page.locator(".hit")

    def _hear(self, kind: str, text: str) -> None:
        # The browser itself logs each status from 400 on; what the page makes of one is tested.
        if kind in {"error", "warning"} and not text.startswith("Failed to load resource"):
            self.trouble.append(f"{kind}: {text}")

    def _refuse(self, dialog: Dialog) -> None:
        self.trouble.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _note(self, request: Request) -> None:
        url = urlsplit(request.url)
        self.asked.append(f"{request.method} {url.path}")
        if url.scheme in {"http", "https", "ws", "wss"} and request.url.startswith(self.origin):
            return
        if request.url not in {"about:blank", "data:,"}:
            self.trouble.append(f"asked for {request.url[:100]}")


def address(screen: str, **values: object) -> str:
    """The part of an address that names a screen."""
    return f"#{screen}" + (f"?{urlencode(values)}" if values else "")
