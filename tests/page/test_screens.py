"""Every screen in both languages, wide and narrow, light and dark, and what axe-core says of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.page.visitor import Visitor

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from tests.page.conftest import Serve
    from tests.support.http_process import HttpProcess

STATIC = Path(__file__).parents[2] / "src" / "tebiki" / "web" / "page" / "static"
SECTION = {"manual": "lantern-backup", "path": "guides/restore.md", "line": 11, "q": "snapshots"}
SCREENS: dict[str, dict[str, object]] = {
    "find": {"q": "how long can deleted snapshots be restored", "manual": "lantern-backup"},
    "read": SECTION,
    "notes": {"path": "ideas/restore-drill.md"},
    "ask": {},
    "usage": {},
    "health": {},
    "settings": {},
}
GRAVE = {"serious", "critical"}
WHOLE_PAGE = "document.documentElement.scrollWidth - innerWidth"


def grave_findings(page: Page) -> list[str]:
    """What axe-core finds that keeps somebody out."""
    found = Axe().run(page).response["violations"]
    return [
        f"{one['id']}: {[node['target'] for node in one['nodes']][:3]}"
        for one in found
        if one["impact"] in GRAVE
    ]


@pytest.mark.requirement("page:screens:both-languages")
@pytest.mark.requirement("page:screens:accessible")
@pytest.mark.parametrize(
    "window",
    [("en", 1280, "light"), ("en", 400, "dark"), ("ja", 1280, "dark"), ("ja", 400, "light")],
    ids=["en-1280-light", "en-400-dark", "ja-1280-dark", "ja-400-light"],
)
def test_every_screen_is_whole_and_accessible(
    browser: Browser, served: HttpProcess, subtests: pytest.Subtests, window: tuple[str, int, str]
) -> None:
    """It says its name, fits the window, asks nobody else, and has no serious finding."""
    language, width, scheme = window
    words = json.loads((STATIC / f"words.{language}.json").read_text("utf-8"))
    context = browser.new_context(
        viewport={"width": width, "height": 800},
        locale={"en": "en-US", "ja": "ja-JP"}[language],
        color_scheme=scheme,
    )
    visitor = Visitor(context, served)
    visitor.sign_in()

    for screen, values in SCREENS.items():
        with subtests.test(screen):
            page = visitor.go(screen, **values)
            page.wait_for_load_state("networkidle")

            assert page.title() == f"{words[f'screen.{screen}']} · tebiki"
            assert page.locator("#logout").is_visible()
            assert page.locator("html").get_attribute("lang") == language
            assert page.locator(".notice.bad").count() == 0
            assert page.evaluate(WHOLE_PAGE) <= 0
            assert grave_findings(page) == []

    assert visitor.trouble == []
    context.close()


@pytest.mark.requirement("page:screens:both-languages")
def test_language_and_appearance_are_chosen_on_the_page(visitor: Visitor) -> None:
    """And are still so after it is loaded again."""
    page = visitor.page

    page.locator("#language").select_option("ja")
    page.get_by_placeholder("質問やキーワードを入力").wait_for()
    page.locator("#theme").select_option("dark")
    page.reload()
    page.get_by_placeholder("質問やキーワードを入力").wait_for()

    assert page.evaluate("document.documentElement.style.colorScheme") == "dark"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(19, 22, 26)"


@pytest.mark.requirement("page:find:complete")
def test_a_find_says_first_whether_everything_was_searched(visitor: Visitor) -> None:
    """Then what disagrees, each side with its own place, and why each section is there."""
    page = visitor.page
    page.locator("select[aria-label=Manual]").select_option("lantern-backup")

    hits = visitor.search("how long can deleted snapshots be restored")
    page.locator(".conflict").wait_for()
    hits.first.get_by_role("button", name="why").click()

    assert page.locator(".said").inner_text().startswith("Everything searched")
    assert page.locator(".sides a").all_inner_texts() == [
        "guides/restore.md:11",
        "reference/retention.md:9",
    ]
    assert page.locator(".sides mark").all_inner_texts() == ["30", "14"]
    assert "Words of the question in the text" in hits.first.locator(".why").inner_text()
    assert hits.first.locator("mark").count() > 0


@pytest.mark.requirement("page:find:complete")
def test_signs_of_a_code_are_marked_as_they_are_written(visitor: Visitor) -> None:
    """What means something in a pattern is a sign like any other."""
    page = visitor.open("find", q="E-1042 (disk) [full]? a+b *", manual="lantern-backup")

    page.locator(".hit mark", has_text="E-1042").first.wait_for()


@pytest.mark.requirement("page:find:why-not")
def test_a_file_that_is_not_among_the_results_is_explained(visitor: Visitor) -> None:
    """In a sentence, with its score part by part where it got one."""
    page = visitor.open("find", q="how long are snapshots kept", manual="lantern-backup")
    page.locator("summary").click()

    page.locator("details input").fill("guides/install.md")
    page.keyboard.press("Enter")

    page.locator("details .why b").wait_for()
    assert "_" not in page.locator("details .why").inner_text()


@pytest.mark.requirement("page:ask:sources")
def test_an_answer_has_its_sources_and_becomes_a_note(visitor: Visitor) -> None:
    """Asked by keyboard; the receipt says what it took."""
    page = visitor.go("ask")

    page.locator("#asked").fill("Which Python release is current?")
    page.keyboard.press("Control+Enter")
    page.locator("article.prose").wait_for()
    page.get_by_role("button", name="Save as a note").click()
    page.get_by_role("link", name="Saved as").click()

    page.locator("article.prose h1").wait_for()
    assert page.locator("article.prose h1").inner_text() == "Which Python release is current?"


@pytest.mark.requirement("page:ask:kept")
def test_an_answer_outlives_a_look_at_another_screen(visitor: Visitor) -> None:
    """Also one that is still on its way when somebody looks elsewhere; it was paid for."""
    page = visitor.go("ask")
    page.locator("#asked").fill("simulate: slow ms=1500")
    page.keyboard.press("Control+Enter")

    visitor.go("find")
    page.locator("#question").wait_for()
    visitor.go("ask")

    page.locator("article.prose").wait_for()
    assert page.locator("#asked").input_value() == "simulate: slow ms=1500"


@pytest.mark.requirement("page:screens:both-languages")
def test_usage_and_health_show_nothing_but_their_parts(browser: Browser, serve: Serve) -> None:
    """Also where calls were made, and to somebody who is not told of the clients of others."""
    server = serve()
    context = browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-US")
    context.route("**/ui/api/clients*", lambda route: route.fulfill(status=403, json={}))
    visitor = Visitor(context, server)
    visitor.sign_in()
    page = visitor.go("ask")
    page.locator("#asked").fill("Which Python release is current?")
    page.keyboard.press("Control+Enter")
    page.locator("article.prose").wait_for()

    for screen in ("usage", "health"):
        visitor.go(screen)
        page.locator(".stage table").first.wait_for()
        nodes = page.locator(".stage").evaluate(
            "(stage) => [...stage.childNodes].map((node) => node.nodeType)"
        )
        assert set(nodes) == {1}, page.locator(".stage").inner_text()
    context.close()


@pytest.mark.requirement("page:find:why-not")
def test_why_not_takes_a_place_as_the_results_show_it(visitor: Visitor) -> None:
    """Of all manuals, with the manual's name before it; without one it is asked for."""
    page = visitor.open("find", q="how long are snapshots kept")
    page.locator(".hit").first.wait_for()
    page.locator("summary").click()

    page.locator("details input").fill("install.md")
    page.keyboard.press("Enter")
    page.locator("details .notice").wait_for()
    page.locator("details input").fill("lantern-backup/guides/install.md:1")
    page.keyboard.press("Enter")

    page.locator("details .why b").wait_for()
    assert "lantern-backup/guides/install.md:1" in page.locator("details .why").inner_text()


@pytest.mark.requirement("page:screens:both-languages")
@pytest.mark.requirement("page:screens:accessible")
@pytest.mark.requirement("page:notes:long")
def test_long_names_and_long_notes_fit_a_telephone(
    browser: Browser, serve: Serve, tmp_path: Path
) -> None:
    """The page is not wider than the window, and a note of many screens is read to its end."""
    server = serve()
    name = "a-manual-with-a-name-that-somebody-made-very-long-for-no-reason"
    manual = tmp_path / "manuals" / name / ("folder-" * 9)
    manual.mkdir(parents=True)
    (manual / f"{'file-' * 20}.md").write_text(
        f"# Valve {'Donaudampfschifffahrt' * 4}\n\nThe valve https://example.org/{'a' * 200}\n\n"
        f"```\n{'code ' * 80}\n```\n\n| {'cell | ' * 12}\n|{'--|' * 12}\n| {'cell | ' * 12}\n"
    )
    (tmp_path / "vault" / "long.md").write_text("A paragraph of this note.\n\n" * 4_000)
    context = browser.new_context(viewport={"width": 400, "height": 800}, locale="ja-JP")
    visitor = Visitor(context, server)
    visitor.sign_in()

    page = visitor.open("find", q="valve", manual=name)
    page.locator(".hit a").first.wait_for()
    widths = [page.evaluate(WHOLE_PAGE)]
    page.locator(".hit a").first.click()
    page.locator("article pre").wait_for()
    widths.append(page.evaluate(WHOLE_PAGE))
    findings = grave_findings(page)
    visitor.open("notes", path="long.md")
    more = page.get_by_role("button", name="さらに表示")
    more.click()
    more.wait_for(state="detached")
    widths.append(page.evaluate(WHOLE_PAGE))

    assert max(widths) <= 0
    assert findings == []
    assert page.locator("article.prose p").count() == 4_000
    assert visitor.trouble == []
    context.close()
