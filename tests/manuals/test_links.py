"""Links of a manual: which are read from a text, what they lead to, and what they do in a find."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tebiki.manuals.documents.link_targets import NamedFiles, written_target
from tebiki.manuals.documents.links import MOST_LINKS, Link, links_of
from tebiki.manuals.documents.parting import sections_of
from tests.manuals import usual
from tests.manuals.searchable import LONG_AGO, Searchable

if TYPE_CHECKING:
    from pathlib import Path

    from tebiki.manuals.report.answer import Found

WITHOUT = usual.FIND._replace(manual_find_link_weight=0.0)
QUESTION = "how to winterize the gizmo"
DRAIN = "# Procedure 7\nDrain all tanks and hoses, then store each gizmo upright, dry and dark.\n"


def read(text: str, path: str = "d/source.md") -> list[Link]:
    """All links of a file."""
    sections = sections_of(path, text.encode())
    return [link for links in links_of(sections, lambda: None) for link in links]


@pytest.mark.parametrize(
    ("written", "text", "target", "fragment"),
    [
        ("[a b](c.md)", "a b", "d/c.md", ""),
        ("[`x`](../c.md#Part-1 'title')", "x", "c.md", "Part-1"),
        ("[a](</e f.md>)", "a", "/e f.md", ""),
        ("[a](%E3%81%82.md)", "a", "d/あ.md", ""),
        ("[a](c(1).md)", "a", "d/c(1).md", ""),
        ("- one [a](c.md) two", "a", "d/c.md", ""),
        ("| x | [a](c.md) |", "a", "d/c.md", ""),
        ("[see [a](c.md) there]", "a", "d/c.md", ""),
        ("[![alt](i.png)](c.md)", "alt", "d/c.md", ""),
        ("[[My Page]]", "My Page", "[[My Page", ""),
        ("[[My Page#Part|shown]]", "shown", "[[My Page", "Part"),
        ("<c.md>", "c.md", "d/c.md", ""),
        ("<c.md#p>", "c.md#p", "d/c.md", "p"),
        ("| [[My Page\\|shown]] | x |", "shown", "[[My Page", ""),
        ("| [[My Page#Part\\|shown]] | x |", "shown", "[[My Page", "Part"),
        ("[a](my page.md)", "a", "d/my page.md", ""),
        ("[a](my page.md#p 'title')", "a", "d/my page.md", "p"),
        (r"[a](my\_page.md)", "a", "d/my_page.md", ""),
        ("[a](r&amp;d.md)", "a", "d/r&d.md", ""),
        ("<a href='r&amp;d.md'>a</a>", "a", "d/r&d.md", ""),
        ("[r&amp;d](c.md)", "r&d", "d/c.md", ""),
        ("<a href='c.md'><code>&lt;b&gt;</code></a>", "<b>", "d/c.md", ""),
        ("[a](~/c.md)", "a", "/c.md", ""),
        ("[a]\n\n> [a]: c.md", "a", "d/c.md", ""),
        ("[a](c/)", "a", "d/c\vd/source/c", ""),
        ("[a](../c#p)", "a", "c\vd/c", "p"),
        ("<a class='k' href=\"c.md#p\">the <b>text</b></a>", "the text", "d/c.md", "p"),
        ("[a][R]\n\n[r]: c.md 'title'", "a", "d/c.md", ""),
        ("[a b][]\n\n[A  b]: <c.md>", "a b", "d/c.md", ""),
        ("[a]\n\n# H\n[a]: c.md", "a", "d/c.md", ""),
    ],
)
def test_each_form_of_a_link_is_read(written: str, text: str, target: str, fragment: str) -> None:
    """With its text, its target and its fragment, and once."""
    assert [(one.text, one.target, one.fragment) for one in read(written)] == [
        (text, target, fragment)
    ]


@pytest.mark.parametrize(
    "written",
    [
        "`[a](c.md)`",
        "``[a](c.md) ` ``",
        "```\n[a](c.md)\n```",
        "- x\n  ~~~~\n  ~~~\n  [a](c.md)\n  ~~~~",
        "```\n[a](c.md)",
        "text\n\n    [a](c.md)\n",
        "<!-- [a](c.md) -->",
        "<pre>\n[a](c.md)\n</pre>",
        "![a](c.md)",
        r"\[a](c.md)",
        "[a](https://example.com/c.md)",
        "[a](mailto:c.md)",
        "[a](//host/c.md)",
        "[a](#part)",
        "[a](../../c.md)",
        "[a](my page)",
        "[a](source.md#part)",
        "[a](c%00.md)",
        "[a]",
        "<div>",
    ],
)
def test_what_only_looks_like_a_link_is_none(written: str) -> None:
    """Code, images, escapes, other places, and the page itself."""
    assert read(written) == []


def test_a_link_knows_its_line_and_its_sentence() -> None:
    """The sentence ends with the item or the row, and has no marks."""
    text = (
        "# T\n\n```\ncode\n```\n\nOther. See [the *Guide*](g.md) at once. More.\n- next [x](x.md)\n"
    )

    guide, item = read(text)

    assert (guide.line, guide.sentence) == (7, "see the guide at once.")
    assert (item.line, item.sentence) == (8, "- next x")


@pytest.mark.parametrize(
    "text",
    ["[" * 500_000 + "](", "[a](" * 200_000, "[[a|" * 200_000, "`[a](b.md) " * 90_000 + "``"],
)
def test_a_hostile_text_has_few_links(text: str) -> None:
    """And is read to its end."""
    assert len(read(text)) <= MOST_LINKS


def test_a_million_links_are_not_kept() -> None:
    """A file has a bounded number of them."""
    assert len(read("[a](b.md) " * 100_000)) == MOST_LINKS


@pytest.mark.parametrize(
    ("target", "file"),
    [
        ("a/b.md", "a/b.md"),
        ("a/b", "a/b.md"),
        ("a/b.html", "a/b.md"),
        ("a", "a/_index.md"),
        (".", "README.md"),
        ("/site/docs/a/b", "a/b.md"),
        ("/a", "a/_index.md"),
        ("[[b", "a/b.md"),
        ("[[The Page", "z/the_page.md"),
        ("guide/a/b", "a/b.md"),
        ("A/b.md", "a/b.md"),
        ("A/B", "a/b.md"),
        ("Z/The_Page.md", "z/the_page.md"),
        ("TWICE.md", None),
        ("/A/b", "a/b.md"),
        ("/site/docs/A/b", None),
        ("a/twice.md", None),
        ("[[the-page.md", "z/the_page.md"),
        ("c/later\va/b", "a/b.md"),
        ("a/b\vz/the_page", "a/b.md"),
        ("c/none\va/none", None),
        ("c.md", None),
        ("a/z", None),
        ("z/a", None),
        ("c/page", "c/page.mdx"),
        ("c/old.html", "c/old.html"),
        ("/etc/passwd", None),
    ],
)
def test_a_target_is_compared_with_names(target: str, file: str | None) -> None:
    """With and without an ending, for a folder its own page, and then without regard to case."""
    names = {"a/b.md", "a/_index.md", "README.md", "z/the_page.md", "c/page.mdx", "c/old.html"}
    names |= {"Twice.md", "twice.md"}

    assert NamedFiles(names).file_of(target) == file


@pytest.mark.parametrize("written", ["[[{}]]", "[it]({}/)", "[it](../{}/)", "[it](a/../{}.MD)"])
def test_a_page_is_found_however_a_link_to_it_is_written(tmp_path: Path, written: str) -> None:
    """As wikis do, for a site where each page is a folder, or where case makes no difference."""
    manual = Searchable(tmp_path, tmp_path / "cache")
    manual.write("target.md", DRAIN, modified=LONG_AGO)
    text = f"# One\nBefore frost, winterize the gizmo: {written.format('target')}.\n"
    manual.write("one.md", text, modified=LONG_AGO)

    found = manual.ask(QUESTION, "gizmo")

    assert "link_text" in rows_by_path(found)["target.md"]["signals"]


def test_a_target_never_leaves_the_manual() -> None:
    """What goes up beyond it leads nowhere."""
    assert written_target("a", "../../x.md") == ("", "")
    assert written_target("", "/../x.md") == ("", "")


@pytest.fixture(name="manual")
def _manual(tmp_path: Path) -> Searchable:
    made = Searchable(tmp_path, tmp_path / "cache")
    made.write("target.md", DRAIN, modified=LONG_AGO)
    for number in range(12):
        text = f"# Note {number}\nThe gizmo is part {number} of the assembly line.\n"
        made.write(f"notes/{number}.md", text, modified=LONG_AGO)
    return made


def link_to(manual: Searchable, target: str) -> None:
    """Describe a page on two others."""
    for name in ("one", "two"):
        text = f"# {name}\nBefore frost, [winterize the gizmo]({target}).\n"
        manual.write(f"{name}.md", text, modified=LONG_AGO)


def paths(found: Found) -> list[str]:
    """The files that were found, best first."""
    return [row["ref"]["path"] for row in found.lists["candidates"]]


def rows_by_path(found: Found) -> dict[str, dict[str, Any]]:
    """The rows that were found, by file."""
    return {row["ref"]["path"]: row for row in found.lists["candidates"]}


def test_a_page_is_found_by_what_links_to_it_say(manual: Searchable) -> None:
    """Not by its own words alone; the row tells why it is there."""
    link_to(manual, "target.md")

    found = manual.ask(QUESTION, "gizmo")
    before = manual.ask(QUESTION, "gizmo", settings=WITHOUT)

    row = rows_by_path(found)["target.md"]
    assert "link_text" in row["signals"]
    assert any(part.startswith("link_text=") for part in row["rank_explain"])
    assert "target.md" not in paths(before)[: paths(found).index("target.md") + 1]


def test_without_weight_links_do_nothing(manual: Searchable) -> None:
    """No row has anything of them."""
    link_to(manual, "target.md")

    found = manual.ask(QUESTION, "gizmo", settings=WITHOUT)

    assert not any("link_text" in row["signals"] for row in found.lists["candidates"])


def test_links_go_with_their_file_and_wait_for_their_target(manual: Searchable) -> None:
    """The answer depends on the files as they are: as an index built from nothing gives it."""
    link_to(manual, "later.md")
    manual.ask(QUESTION, "gizmo")

    manual.write("later.md", DRAIN, modified=LONG_AGO)
    found = manual.ask(QUESTION, "gizmo")
    anew = Searchable(manual.root.parent, None).ask(QUESTION, "gizmo")
    for name in ("one", "two"):
        (manual.root / "m" / f"{name}.md").unlink()
    after = manual.ask(QUESTION, "gizmo")

    assert "link_text" in rows_by_path(found)["later.md"]["signals"]
    assert [(row["ref"], row["score"]) for row in found.lists["candidates"]] == [
        (row["ref"], row["score"]) for row in anew.lists["candidates"]
    ]
    assert not any("link_text" in row["signals"] for row in after.lists["candidates"])


def test_a_fragment_leads_to_its_section(manual: Searchable) -> None:
    """Although another one of its page has more of the question itself."""
    text = "# Manual\nWords.\n\n## Frost & Ice\nStore each gizmo.\n\n## Sun\nGizmo, gizmo, gizmo.\n"
    manual.write("parts.md", text, modified=LONG_AGO)
    link_to(manual, "parts.md#frost--ice")

    found = manual.ask(QUESTION, "gizmo")

    first = next(row for row in found.lists["candidates"] if row["ref"]["path"] == "parts.md")
    assert first["ref"]["start_line"] == 4


def gain_of_links(found: Found, path: str) -> float:
    """What links add to a file's first row."""
    told = next(
        part for part in rows_by_path(found)[path]["rank_explain"] if part.startswith("link_text=")
    )
    return float(told.partition("=")[2])


FACT = "the reserve pump starts when pressure falls below eleven bar"
ASKED = "does the reserve pump start overnight when pressure falls below eleven bar"


@pytest.fixture(name="pumps")
def _pumps(manual: Searchable) -> Searchable:
    """A page that others call "pressure", and one sentence that is the question itself."""
    manual.write("pressure.md", "# Chapter 9\nBar, pump and pressure.\n", modified=LONG_AGO)
    for name in ("one", "two"):
        text = f"# {name}\nRead about [pressure](pressure.md) first.\n"
        manual.write(f"{name}.md", text, modified=LONG_AGO)
    manual.write("fact.md", f"# Chapter 4\n{FACT.capitalize()}.\n", modified=LONG_AGO)
    return manual


def test_links_are_all_but_silent_where_one_page_has_the_sentence(pumps: Searchable) -> None:
    """And speak up again when another page says the same: it is no mark of either then."""
    alone = pumps.ask(ASKED, "pressure")
    text = f"# Supplement\nAs is known, {FACT}.\n"
    pumps.write("again.md", text, modified=LONG_AGO)
    shared = pumps.ask(ASKED, "pressure")

    assert paths(alone)[0] == "fact.md"
    assert 0 < gain_of_links(alone, "pressure.md") < gain_of_links(shared, "pressure.md") / 3
    assert {paths(shared)[0], paths(shared)[1]} == {"fact.md", "again.md"}


def test_a_text_that_is_the_question_is_heard_whatever_a_sentence_holds(manual: Searchable) -> None:
    """As where the one sentence that holds it is that which has the link."""
    manual.write("valve.md", "# Chapter 2\nParts of the relief.\n", modified=LONG_AGO)
    for number in range(3):
        text = f"# Page {number}\nThe details of relief number {number}, and of another valve.\n"
        manual.write(f"{number}.md", text, modified=LONG_AGO)
    text = "# Start\nDetails are in [relief valve](valve.md).\n"
    manual.write("start.md", text, modified=LONG_AGO)

    found = manual.ask("relief valve details", "relief")
    before = manual.ask("relief valve details", "relief", settings=WITHOUT)

    assert paths(found)[0] == "valve.md"
    assert paths(before).index("valve.md") == 4


def test_of_two_parts_that_are_led_to_alike_the_text_decides(manual: Searchable) -> None:
    """Neither stands behind the other for how many links it happens to have."""
    text = "# Manual\nWords.\n\n## Frost\nGizmo.\n\n## Ice\nHow to winterize the gizmo at home.\n"
    manual.write("parts.md", text, modified=LONG_AGO)
    for name, part in (("one", "frost"), ("two", "ice")):
        said = f"# {name}\nBefore it is cold, [winterize the gizmo](parts.md#{part}).\n"
        manual.write(f"{name}.md", said, modified=LONG_AGO)

    found = manual.ask(QUESTION, "gizmo")

    first = next(row for row in found.lists["candidates"] if row["ref"]["path"] == "parts.md")
    assert first["ref"]["start_line"] == 7
