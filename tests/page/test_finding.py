"""Finding in a browser: when a question is asked, what was left out, and the way back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.page.visitor import Visitor

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import BrowserContext

    from tests.page.conftest import Serve

FIND = "POST /ui/api/find"


@pytest.mark.requirement("page:find:pause")
def test_a_question_is_asked_once_the_typing_pauses(visitor: Visitor) -> None:
    """Not with each key; the pause is measured by a clock that stands still."""
    page = visitor.page
    page.clock.install()
    page.clock.pause_at(page.evaluate("Date.now() + 1000"))
    visitor.asked.clear()

    for piece in ("snap", "shots"):
        page.locator("#question").press_sequentially(piece)
        page.clock.run_for(119)
    while_typing = visitor.asked.count(FIND)
    page.clock.run_for(1)
    page.locator(".hit").first.wait_for()

    assert (while_typing, visitor.asked.count(FIND)) == (0, 1)


@pytest.mark.requirement("page:find:complete")
def test_what_was_not_searched_is_listed_with_its_reason(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    """Behind the first line; and below the results what else is good to know."""
    visitor = Visitor(context, serve())
    manual = tmp_path / "manuals" / "odd"
    manual.mkdir()
    (manual / "a.md").write_text("# Lamp\n\nThe lamp is red.\n")
    (manual / "broken.md").write_bytes(b"\x81\x00\xff\xfe\x00" * 50)
    visitor.sign_in()

    page = visitor.open("find", q="lamp", manual="odd")
    page.get_by_role("button", name="which ones, and why").click()

    row = page.locator(".unscanned p")
    row.wait_for()
    assert page.locator(".said span").first.inner_text() == "1 file not searched"
    assert row.inner_text() == "odd/broken.md is not text in a known encoding"
    page.locator(".gaps p", has_text="broken.md could not be read").wait_for()
    assert visitor.trouble == []


@pytest.mark.requirement("page:find:history")
def test_the_browser_leads_back_on_and_through_a_reload(visitor: Visitor) -> None:
    """A question and what was read of it are addresses."""
    page = visitor.page
    visitor.search("how do I restore a whole machine").first.locator("a").first.click()
    page.locator("article .prose").wait_for()
    read = page.url

    page.go_back()
    page.locator(".hit").first.wait_for()
    asked = page.locator("#question").input_value()
    page.go_forward()
    page.locator("article .prose").wait_for()
    page.reload()
    page.locator("article .prose").wait_for()

    assert asked == "how do I restore a whole machine"
    assert page.url == read
