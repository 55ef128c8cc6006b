"""Every promise has a test that shows it, and every test of what is seen from outside a promise."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from traceability import SPECIFICATION, Area, FoundTest, Requirement, areas, found_tests

TESTS = Path(__file__).parents[1]
OUTSIDE = ("cli", "config", "hosts", "interaction", "snapshots", "web")
"""The suites that test what is seen from outside: each of their tests shows a promise.

Tests elsewhere may carry marks too, where they show what a process cannot be made to show.
"""
ID = re.compile(r"[a-z]+:[a-z0-9-]+:[a-z0-9-]+")


def troubles(manifests: list[Area], tests: list[FoundTest]) -> list[str]:
    """What is wrong between promises and tests, each with what to do."""
    promised = [requirement for area in manifests for requirement in area.requirements]
    known = {requirement.id for requirement in promised}
    shown = {name for test in tests for name in test.ids}
    return [
        *_of_ids(promised),
        *(
            f"{requirement.id}: no test carries it; mark the test that shows it, or write one"
            for requirement in promised
            if requirement.id not in shown and requirement.deferred is None
        ),
        *(
            f"{requirement.id}: deferred, and a test carries it; take one of them away"
            for requirement in promised
            if requirement.id in shown and requirement.deferred is not None
        ),
        *(
            f"{test.file}::{test.name}: carries {name}, which is no promise of tests/requirements"
            for test in tests
            for name in test.ids
            if name not in known
        ),
        *(
            f"{test.file}::{test.name}: carries no id; mark it with the promise it shows"
            for test in tests
            if not test.ids and test.file.partition("/")[0] in OUTSIDE
        ),
    ]


def _of_ids(promised: list[Requirement]) -> list[str]:
    counts = Counter(requirement.id for requirement in promised)
    return [
        *(
            f"{name}: stands {count} times; ids are unique"
            for name, count in counts.items()
            if count > 1
        ),
        *(
            f"{name}: no id; write area:topic:name in small letters, digits and hyphens"
            for name in counts
            if not ID.fullmatch(name)
        ),
    ]


def test_promises_and_tests_agree() -> None:
    """By the manifests and the marks as they are."""
    found = troubles(areas(TESTS / "requirements"), found_tests(TESTS))

    assert not found, "\n".join(["", *found])


def test_a_source_can_be_opened_or_names_its_rule() -> None:
    """A number of something that is kept elsewhere tells a reader nothing."""
    sources = {one.source for area in areas(TESTS / "requirements") for one in area.requirements}
    pages = {source for source in sources if not source.startswith(SPECIFICATION)}

    assert [page for page in pages if not (TESTS.parent / page).is_file()] == []
    assert [source for source in sources - pages if re.search(r"[§\d]", source)] == []


@pytest.mark.parametrize("suite", OUTSIDE)
def test_a_suite_of_the_outside_is_there(suite: str) -> None:
    """A renamed folder would slip out of the rule."""
    assert list((TESTS / suite).rglob("test_*.py"))


GOOD = Requirement("wire:ids:unchanged", "Ids come back unchanged.", "specification: ids")
LATE = Requirement(
    "wire:ids:later", "Ids last.", "specification: ids", deferred="no test could wait"
)
SHOWS = FoundTest("interaction/test_ids.py", "test_ids", (GOOD.id,))


@pytest.mark.parametrize(
    ("promised", "tests", "words"),
    [
        ([GOOD], [SHOWS], None),
        ([GOOD, LATE], [SHOWS], None),
        ([GOOD], [SHOWS, FoundTest("manuals/test_x.py", "test_x", ())], None),
        ([GOOD], [], "no test carries it"),
        ([GOOD, GOOD], [SHOWS], "stands 2 times"),
        ([GOOD, LATE], [SHOWS._replace(ids=(GOOD.id, LATE.id))], "deferred, and a test"),
        ([GOOD], [SHOWS, SHOWS._replace(ids=("wire:ids:new",))], "is no promise"),
        ([GOOD], [SHOWS, FoundTest("cli/test_x.py", "test_x", ())], "carries no id"),
        ([GOOD._replace(id="Wire:x")], [SHOWS._replace(ids=("Wire:x",))], "no id; write"),
    ],
)
def test_each_kind_of_trouble_is_told(
    promised: list[Requirement], tests: list[FoundTest], words: str | None
) -> None:
    """One line each, and nothing where there is none."""
    found = troubles([Area("The wire", tuple(promised))], tests)

    assert len(found) == (0 if words is None else 1)
    assert words is None or words in found[0]


def test_marks_are_read_from_the_text(tmp_path: Path) -> None:
    """In classes too, several to a test; a name in the place of a text is no known id."""
    (tmp_path / "test_a.py").write_text(
        "import missing_module\n"
        "@pytest.mark.requirement('a:b:c', 'a:b:d')\n"
        "@pytest.mark.requirement('a:b:e')\n"
        "def test_one(): ...\n"
        "class TestMore:\n"
        "    @pytest.mark.requirement(NAME)\n"
        "    async def test_two(self): ...\n"
        "def not_a_test(): ...\n"
    )

    assert found_tests(tmp_path) == [
        FoundTest("test_a.py", "test_one", ("a:b:c", "a:b:d", "a:b:e")),
        FoundTest("test_a.py", "test_two", ("NAME",)),
    ]


MANIFEST = """\
title = "The wire"
[promises."specification: ids"]
"wire:ids:unchanged" = "Ids come back unchanged."
"wire:ids:later" = "Ids last."
[deferred]
"wire:ids:later" = "no test could wait"
"""


def test_a_manifest_is_read_with_its_sources(tmp_path: Path) -> None:
    """And with what it defers, which it has to promise."""
    path = tmp_path / "wire.toml"
    path.write_text(MANIFEST, encoding="utf-8")

    assert areas(tmp_path) == [Area("The wire", (GOOD, LATE))]
    path.write_text(f'{MANIFEST}"wire:ids:gone" = "gone"\n', encoding="utf-8")
    with pytest.raises(ValueError, match=r"wire\.toml defers wire:ids:gone"):
        areas(tmp_path)
