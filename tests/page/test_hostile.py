"""Text of manuals and of notes never becomes markup, whatever it says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.page.hostile_texts import DOCUMENTS, write_manual
from tests.page.visitor import Visitor

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import BrowserContext

    from tests.page.conftest import Serve

STRANGE = """() => {
  const allowed = new Set(("A BLOCKQUOTE BR CODE DEL DIV EM H1 H2 H3 H4 H5 H6 HR IMG LI MARK OL P"
    + " PRE S SPAN STRONG TABLE TBODY TD TH THEAD TR UL").split(" "));
  const attributes = new Set(("alt aria-label class href id rel role src start tabindex target"
    + " title").split(" "));
  const links = /^(https?:|mailto:|#read\\?)/;
  const found = [];
  for (const element of document.querySelectorAll(".prose *")) {
    if (!allowed.has(element.tagName)) found.push(element.tagName);
    for (const { name, value } of element.attributes) {
      if (!attributes.has(name)) found.push(`${element.tagName} ${name}`);
      if (name === "href" && !links.test(value)) found.push(value);
      if (name === "src" && !value.startsWith("/ui/api/picture?")) found.push(value);
    }
  }
  if (window.pwned) found.push("it ran");
  return found;
}"""


@pytest.mark.requirement("page:hostile:nothing-runs")
def test_nothing_in_two_hundred_hostile_documents_runs(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    """No script, no strange element, no request elsewhere, no report of the policy."""
    count = write_manual(tmp_path / "manuals" / "hostile")
    visitor = Visitor(context, serve())
    page = visitor.sign_in()
    strange: dict[int, list[str]] = {}

    for number in range(1, count + 1):
        visitor.go("read", manual="hostile", path=f"{number:03}.md", line=1, q="hostile script")
        assert page.locator(".crumbs").count() == 1, number
        if found := page.evaluate(STRANGE):
            strange[number] = found

    assert count == DOCUMENTS
    assert strange == {}
    assert visitor.trouble == []


@pytest.mark.requirement("page:hostile:nothing-runs")
def test_hostile_titles_and_excerpts_are_text_among_the_results(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    """Headings, excerpts and the words of the question itself."""
    folder = tmp_path / "manuals" / "lamp"
    folder.mkdir(parents=True)
    (folder / "a.md").write_text(
        "# <img src=x onerror=window.pwned=1> lamp\n\n"
        "The lamp says <script>window.pwned=1</script>.\n"
    )
    visitor = Visitor(context, serve())
    page = visitor.sign_in()

    visitor.search("lamp <script>window.pwned=1</script>")
    page.locator(".hit").first.wait_for()

    assert page.evaluate("window.pwned") is None
    assert "<img src=x onerror=window.pwned=1>" in page.locator(".hit h3").first.inner_text()
    assert page.locator(".hit img, .hit script").count() == 0
    assert visitor.trouble == []
