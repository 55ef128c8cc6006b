"""Signing in and out, sessions that end, servers that only read, and two tabs at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.page.visitor import TOKEN, Visitor

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import BrowserContext

    from tests.page.conftest import Serve
    from tests.support.http_process import HttpProcess


@pytest.mark.requirement("page:session:token")
def test_a_token_is_given_once_and_never_shown(
    context: BrowserContext, served: HttpProcess
) -> None:
    """A wrong one is refused in words; the right one leaves a cookie that no script can read."""
    visitor = Visitor(context, served)
    page = visitor.open()

    page.locator("#token").fill("wrong")
    page.keyboard.press("Enter")
    page.get_by_role("alert").wait_for()
    page.locator("#token").fill(TOKEN)
    page.keyboard.press("Enter")
    page.locator("#question").wait_for()

    (cookie,) = [one for one in context.cookies() if one["httpOnly"]]
    assert cookie["sameSite"] == "Strict"
    assert TOKEN not in cookie["value"]
    assert TOKEN not in page.content()
    assert TOKEN not in page.evaluate("JSON.stringify([document.cookie, {...localStorage}])")
    assert TOKEN not in page.url
    assert TOKEN not in served.stderr
    assert visitor.trouble == []


@pytest.mark.requirement("page:session:ends")
def test_a_session_that_has_ended_asks_for_the_token_again(visitor: Visitor) -> None:
    """Wherever one is; what was typed into the address stays."""
    page = visitor.page
    page.context.clear_cookies()

    visitor.go("usage")
    page.locator("#token").wait_for()
    page.locator("#token").fill(TOKEN)
    page.keyboard.press("Enter")

    page.get_by_role("heading", level=1, name="Usage").wait_for()


@pytest.mark.requirement("page:ask:kept")
def test_a_question_outlives_the_session_it_was_typed_in(visitor: Visitor) -> None:
    """It is there after signing in again, and gone once somebody has signed out."""
    page = visitor.go("ask")
    page.locator("#asked").fill("A long question")
    page.context.clear_cookies()
    page.keyboard.press("Control+Enter")
    page.get_by_role("alert").wait_for()

    page.reload()
    page.locator("#token").fill(TOKEN)
    page.keyboard.press("Enter")
    page.locator("#asked").wait_for()
    assert page.locator("#asked").input_value() == "A long question"

    page.locator("#logout").click()
    page.locator("#token").wait_for()
    page.locator("#token").fill(TOKEN)
    page.keyboard.press("Enter")
    page.locator("#asked").wait_for()
    assert page.locator("#asked").input_value() == ""


@pytest.mark.requirement("page:session:ends")
def test_signing_out_ends_the_session_for_every_tab(visitor: Visitor) -> None:
    """The cookie is no use any more, also to whoever kept it."""
    page = visitor.page
    kept = page.context.cookies()

    page.locator("#logout").click()
    page.locator("#token").wait_for()
    page.context.add_cookies(kept)
    page.reload()

    page.locator("#token").wait_for()


@pytest.mark.requirement("page:notes:read-only")
def test_a_server_that_only_reads_offers_no_undo(context: BrowserContext, serve: Serve) -> None:
    """And says why."""
    visitor = Visitor(context, serve("--read-only"))
    page = visitor.sign_in()

    visitor.go("notes")

    assert "only reads" in page.locator("header p").inner_text()
    assert page.get_by_role("button", name="Undo").count() == 0
    assert visitor.trouble == []


@pytest.mark.requirement("page:notes:undo")
def test_two_tabs_that_undo_the_same_change_do_it_once(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    """The second one is told; the note is as it was before the change, and nothing is lost."""
    server = serve()
    note = tmp_path / "vault" / "ideas" / "restore-drill.md"
    before = note.read_bytes()
    server.talk(token=TOKEN).call(
        1,
        "vault_replace",
        {"path": "ideas/restore-drill.md", "find": "quarter", "replace": "month"},
    )
    tabs = [Visitor(context, server), Visitor(context, server)]
    tabs[0].sign_in()
    for tab in tabs:
        tab.open("notes", path="ideas/restore-drill.md")

    for tab in tabs:
        tab.page.get_by_role("button", name="Undo", exact=True).first.click()
        tab.page.get_by_role("button", name="Undo the change").click()
        tab.page.locator(".toast, .notice.bad").first.wait_for()

    assert tabs[0].page.locator(".notice.bad").count() == 0
    assert tabs[1].page.locator(".notice.bad").count() == 1
    assert note.read_bytes() == before
    assert [tab.trouble for tab in tabs] == [[], []]


@pytest.mark.requirement("page:notes:undo")
def test_undo_is_asked_for_first(context: BrowserContext, serve: Serve, tmp_path: Path) -> None:
    """Escape leaves everything as it is; the difference is shown on request."""
    server = serve()
    note = tmp_path / "vault" / "ideas" / "restore-drill.md"
    server.talk(token=TOKEN).call(
        1,
        "vault_replace",
        {"path": "ideas/restore-drill.md", "find": "quarter", "replace": "month"},
    )
    changed = note.read_bytes()
    visitor = Visitor(context, server)
    page = visitor.sign_in()
    visitor.go("notes", path="ideas/restore-drill.md")

    page.get_by_role("button", name="Show changes").first.click()
    page.locator(".diff").wait_for()
    page.get_by_role("button", name="Undo", exact=True).first.click()
    page.get_by_role("dialog").wait_for()
    page.keyboard.press("Escape")

    assert page.locator(".diff del").first.inner_text().startswith("-")
    assert page.get_by_role("dialog").count() == 0
    assert note.read_bytes() == changed
    assert visitor.trouble == []


@pytest.mark.requirement("page:session:gone")
def test_a_server_that_is_gone_is_told_of_on_every_screen(visitor: Visitor) -> None:
    """Also where the screen itself has not been loaded yet."""
    page = visitor.page

    page.context.set_offline(True)
    told = {}
    for screen in ("health", "find"):
        visitor.go(screen)
        told[screen] = page.get_by_role("alert").inner_text()

    assert told["health"] == told["find"]
    assert told["find"].startswith("The server does not answer.")


@pytest.mark.requirement("page:read:pictures")
def test_a_drawing_is_a_download(context: BrowserContext, serve: Serve, tmp_path: Path) -> None:
    """It may hold script: there is a link to it, and it is not shown."""
    visitor = Visitor(context, serve())
    manual = tmp_path / "manuals" / "drawn"
    manual.mkdir()
    (manual / "a.md").write_text("# Plan\n\n![The plan](plan.svg)\n")
    (manual / "plan.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"></svg>')
    visitor.sign_in()

    page = visitor.open("read", manual="drawn", path="a.md")
    with page.expect_download() as download:
        page.get_by_role("link", name="The plan").click()

    assert download.value.suggested_filename.endswith(".svg")
    assert page.locator(".prose img").count() == 0
    assert visitor.trouble == []
