"""A real browser for the tests of the page: Debian's Chromium, driven by Playwright.

Nothing here runs in `make test`: `make page` installs Playwright beside the other tools and says
what is missing.
"""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pytest

from simulator import Simulator
from tebiki.web.tokens import TokenFile
from tests.page.missing import CHROMIUM, missing
from tests.page.visitor import TOKEN, Visitor
from tests.support.http_process import HttpProcess
from tests.support.overheard import PATIENCE_SECONDS
from tests.support.server_process import CANARY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, BrowserContext

SAMPLES = Path(__file__).parents[2] / "samples"
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
"""Root has no sandbox, and a closed network is not to be waited for."""

if missing():
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture(name="browser", scope="session")
def _browser() -> Iterator[Browser]:
    """One browser for all tests; each has its own context, which is as good as a fresh profile."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture(name="context")
def _context(browser: Browser) -> Iterator[BrowserContext]:
    """A fresh profile."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-US")
    # As long as for everything else here: on a busy machine a page of many modules needs it.
    context.set_default_timeout(PATIENCE_SECONDS * 1000)
    yield context
    context.close()


def start_server(home: Path, simulator: Simulator, *flags: str) -> HttpProcess:
    """Serve the samples to whoever has the token; the API is the loopback one."""
    for name in ("manuals", "vault"):
        if not (home / name).exists():
            shutil.copytree(SAMPLES / name, home / name)
    tokens = home / ".config" / "tebiki" / "tokens"
    if not tokens.exists():
        tokens.parent.mkdir(parents=True)
        TokenFile(str(tokens)).add("reader", TOKEN)
    access = {
        "OPENAI_API_KEY": CANARY,
        "OPENAI_BASE_URL": simulator.base_url,
        "MANUALS_ROOT": str(home / "manuals"),
        "VAULT_ROOT": str(home / "vault"),
    }
    return HttpProcess(home, *flags, env=access)


@pytest.fixture(name="served", scope="session")
def _served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpProcess]:
    """One server for the tests that change nothing in it."""
    home = tmp_path_factory.mktemp("served")
    with Simulator() as simulator, start_server(home, simulator) as server:
        yield server


class Serve(Protocol):
    """Starts a server of its own for a test."""

    def __call__(self, *flags: str) -> HttpProcess:
        """With these flags."""


@pytest.fixture(name="serve")
def _serve(tmp_path: Path, simulator: Simulator) -> Iterator[Serve]:
    """Servers that end with the test, over a copy of the samples that is the test's own."""
    with ExitStack() as servers:
        yield lambda *flags: servers.enter_context(start_server(tmp_path, simulator, *flags))


@pytest.fixture(name="visitor")
def _visitor(context: BrowserContext, served: HttpProcess) -> Iterator[Visitor]:
    """Somebody who has signed in."""
    visitor = Visitor(context, served)
    visitor.sign_in()
    yield visitor
    assert visitor.trouble == []
