"""Nobody needs a mouse, and nothing is searched while an input method composes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Route

    from tests.page.visitor import Visitor

FIND = "POST /ui/api/find"
FOCUSED = "document.activeElement.innerText ?? document.activeElement.id"


@pytest.mark.requirement("page:keyboard:everything")
def test_a_question_is_asked_read_and_left_by_keyboard_alone(visitor: Visitor) -> None:
    """From the field through the results into the reader, on, and back."""
    page = visitor.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    press = page.keyboard.press

    page.evaluate(
        "document.querySelector('tebiki-results')"
        ".addEventListener('shown', () => (window.shownFor = location.hash))"
    )
    page.keyboard.type("how do I restore a whole machine")
    page.wait_for_function("() => window.shownFor?.includes('machine')")
    press("ArrowDown")
    press("ArrowDown")
    press("ArrowUp")
    press("w")
    assert page.locator(".hit").first.locator(".why").is_visible()
    press("Enter")
    page.locator("article .prose").wait_for()
    for key in ("n", "p"):
        before = page.locator(".crumbs").inner_text()
        press(key)
        page.wait_for_function(
            "(before) => document.querySelector('.crumbs')?.innerText !== before", arg=before
        )
    press("c")
    page.locator(".toast").wait_for()
    assert page.evaluate("navigator.clipboard.readText()").startswith("manual://")
    press("Escape")
    page.locator(".hit").nth(2).wait_for()

    assert page.locator("#question").input_value() == "how do I restore a whole machine"


@pytest.mark.requirement("page:keyboard:everything")
def test_keys_lead_to_every_screen_and_are_told(visitor: Visitor) -> None:
    """They can be switched off, for those whose hands press keys by themselves."""
    page = visitor.page
    press = page.keyboard.press
    page.evaluate("document.activeElement.blur()")

    for place, name in enumerate(("Notes", "Ask", "Usage", "Health", "Settings"), 2):
        press(str(place))
        page.get_by_role("heading", level=1, name=name).wait_for()
        page.evaluate("document.activeElement.blur()")
    press("?")
    page.get_by_role("dialog").wait_for()
    page.get_by_role("dialog").get_by_role("checkbox").uncheck()
    press("Escape")
    press("2")
    press("/")

    assert page.get_by_role("dialog").count() == 0
    assert page.get_by_role("heading", level=1).inner_text() == "Settings"


@pytest.mark.requirement("page:keyboard:skip")
def test_the_way_past_the_screens_leaves_the_address_as_it_is(visitor: Visitor) -> None:
    """So that a reload shows what was there; the screen's link says that it is the one shown."""
    page = visitor.open("usage")
    page.get_by_role("heading", level=1, name="Usage").wait_for()

    page.locator(".skip").focus()
    page.keyboard.press("Enter")
    focused = page.evaluate("document.activeElement.id")
    page.reload()
    page.get_by_role("heading", level=1, name="Usage").wait_for()

    assert focused == "main"
    assert page.url.endswith("#usage")
    shown = page.locator("nav a[aria-current=page]")
    assert shown.get_attribute("data-screen") == "usage"


@pytest.mark.requirement("page:find:composing")
def test_nothing_is_searched_while_an_input_method_composes(visitor: Visitor) -> None:
    """The browser's own composition, not events that a script made up."""
    page = visitor.page
    keys = page.context.new_cdp_session(page)
    page.locator("#question").focus()
    visitor.asked.clear()

    for text in ("k", "か", "かみ", "紙づまり"):
        keys.send(
            "Input.imeSetComposition",
            {"text": text, "selectionStart": len(text), "selectionEnd": len(text)},
        )
        # Longer than the pause after which typing is searched for.
        page.evaluate("new Promise((done) => setTimeout(done, 200))")
    while_composing = visitor.asked.count(FIND)
    keys.send("Input.insertText", {"text": "紙づまり"})
    page.locator(".hit").first.wait_for()

    assert while_composing == 0
    assert visitor.asked.count(FIND) == 1


@pytest.mark.requirement("page:find:order")
def test_an_answer_that_comes_late_is_not_shown(visitor: Visitor) -> None:
    """The first question's answer is held back until the second one's is there."""
    page = visitor.page
    held: list[Route] = []

    def hold(route: Route) -> None:
        if "retention" in (route.request.post_data or ""):
            held.append(route)
        else:
            route.continue_()

    page.route("**/ui/api/find", hold)
    page.locator("#question").fill("retention")
    with page.expect_response("**/ui/api/find"):
        page.locator("#question").press("Enter")
        page.locator("#question").fill("トナー")
    page.locator(".hit h3", has_text="トナー").first.wait_for()
    for route in held:
        route.continue_()
    page.wait_for_load_state("networkidle")

    assert held
    assert "Retention" not in page.locator(".hits").inner_text()
