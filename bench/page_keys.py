"""`python -m bench.page_keys`: from a key press to shown results, and to the first paint.

In Chromium, over loopback, with a manual of 12,000 sections; `make page-bench` installs what it
needs. The browser's own clock is read: from the `input` event to the frame after the results are
shown, less the pause that the page waits for more keys.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path

from bench.corpus import MANUAL_ID, Corpus, questions
from simulator import Simulator
from tests.page.conftest import FLAGS, start_server
from tests.page.missing import CHROMIUM, missing
from tests.page.visitor import Visitor

SECTIONS = 12_000
QUESTIONS = 60
LOADS = 15
PAUSE_MS = 120
"""As in static/find.js."""

MOST_KEY_MS, MOST_PAINT_MS = 60, 300

TIMED = """(text) => new Promise((done) => {
  const field = document.getElementById("question");
  const results = document.querySelector("tebiki-results");
  results.addEventListener("shown", () => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    // A message that is sent from within a frame arrives after it is painted.
    channel.port1.onmessage = () => done(performance.now() - pressed);
    channel.port2.postMessage(0);
  }), { once: true });
  field.value = text;
  const pressed = performance.now();
  field.dispatchEvent(new InputEvent("input", { bubbles: true }));
})"""
PAINTED = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"


def main() -> int:
    """Measure and print; 1 when a bound is missed."""
    if told := missing():
        raise SystemExit("\n".join(told))
    from playwright.sync_api import sync_playwright

    with (
        tempfile.TemporaryDirectory() as folder,
        Simulator() as simulator,
        sync_playwright() as playwright,
    ):
        home = Path(folder)
        Corpus(SECTIONS).write(home / "manuals")
        with start_server(home, simulator) as server:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
            visitor = Visitor(browser.new_context(), server)
            page = visitor.sign_in()
            page.set_default_timeout(120_000)
            keys = timed_keys(visitor)
            paints = []
            for _ in range(LOADS):
                page.reload()
                page.wait_for_function(f"() => {PAINTED} > 0")
                paints.append(page.evaluate(PAINTED))
            browser.close()
    is_met = tell("key press to shown results, beyond the pause", keys, MOST_KEY_MS)
    is_met &= tell("first paint", paints, MOST_PAINT_MS)
    return 0 if is_met else 1


def timed_keys(visitor: Visitor) -> list[float]:
    """Milliseconds of each question but the first, which may build the index."""
    visitor.open("find", manual=MANUAL_ID)
    asked = [one.query for one in questions(QUESTIONS + 1)]
    return [visitor.page.evaluate(TIMED, text) - PAUSE_MS for text in asked][1:]


def tell(what: str, values: list[float], most: float) -> bool:
    """Print the spread; whether the median is within its bound."""
    ordered = sorted(values)
    median = statistics.median(ordered)
    p95 = ordered[int(len(ordered) * 0.95)]
    print(f"{what}: p50 {median:.1f} ms (at most {most}), p95 {p95:.1f}, n {len(ordered)}")
    return median <= most


if __name__ == "__main__":
    sys.exit(main())
