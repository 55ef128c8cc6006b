"""Takes the pictures of the page in docs/images, of a real server over the samples.

Run by `make pictures`; a picture shows what the page shows, and nothing is drawn by hand.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from simulator import Simulator
from tests.page.conftest import FLAGS, start_server
from tests.page.missing import CHROMIUM, missing
from tests.page.visitor import Visitor

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.support.http_process import HttpProcess

IMAGES = Path(__file__).parents[1] / "docs" / "images"
WIDTH, HEIGHT = 1120, 640
QUESTIONS = {
    "page.png": ("en-US", "lantern-backup", "how long can deleted snapshots be restored"),
    "page.ja.png": ("ja-JP", "kaede-fukugouki", "印刷データの保存期間"),
}


def main() -> int:
    """Start a server, search in each language, and keep what is shown."""
    if told := missing():
        raise SystemExit("\n".join(told))
    from playwright.sync_api import sync_playwright

    with (
        tempfile.TemporaryDirectory() as home,
        Simulator() as simulator,
        start_server(Path(home), simulator) as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        for name in QUESTIONS:
            take(browser, server, name)
        browser.close()
    return 0


def take(browser: Browser, server: HttpProcess, name: str) -> None:
    """One picture: a question, and why its first section was found."""
    locale, manual, question = QUESTIONS[name]
    context = browser.new_context(
        viewport={"width": WIDTH, "height": HEIGHT}, locale=locale, color_scheme="light"
    )
    visitor = Visitor(context, server)
    visitor.sign_in()
    # The first find builds the index; what people see every day is the second.
    for _ in range(2):
        page = visitor.open("find", manual=manual, q=question)
        page.locator(".conflict").wait_for()
    page.locator(".hit .foot button").first.click()
    page.wait_for_load_state("networkidle")
    page.screenshot(path=IMAGES / name)
    context.close()
    size = (IMAGES / name).stat().st_size
    print(f"written: docs/images/{name}, {size // 1000} kB")


if __name__ == "__main__":
    sys.exit(main())
