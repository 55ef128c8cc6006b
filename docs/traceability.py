"""The promises of `tests/requirements` and the tests that show them, read without running anything.

A promise is one line of a manifest: an id and a sentence, under the place it comes from.
A test shows a promise by carrying its id: `@pytest.mark.requirement("area:topic:name")`.
Here both are read and set beside each other for `build/docs/requirements.md`.
What may be wrong with them is told by `tests/requirements/test_manifest.py`.
"""

from __future__ import annotations

import ast
import tomllib
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MARK = "pytest.mark.requirement"
HEAD = """\
What tebiki promises to whoever uses it, where each promise comes from, and the tests that show it.
The promises are kept in `tests/requirements`; [CONTRIBUTING.md](../../CONTRIBUTING.md) tells how.
A source is a page of this repository, or a rule of the specification that tebiki was built to. The
specification is not part of the repository, so its rules are named in words.
"""
UP = "../../"
"""From the page's folder to the root of the checkout."""
SPECIFICATION = "specification: "
"""How a source begins that is no page."""


class Requirement(NamedTuple):
    """One promise; `deferred` is the reason why no test here can show it."""

    id: str
    sentence: str
    source: str
    deferred: str | None = None


class Area(NamedTuple):
    """The promises of one manifest."""

    title: str
    requirements: tuple[Requirement, ...]


class FoundTest(NamedTuple):
    """A test, and the ids it carries; the file is named as seen from the tests' folder."""

    file: str
    name: str
    ids: tuple[str, ...]


def areas(folder: Path) -> list[Area]:
    """Every manifest of a folder, by name.

    Raises:
        ValueError: one of them defers what it does not promise.
    """
    return [_area(path) for path in sorted(folder.glob("*.toml"))]


def _area(path: Path) -> Area:
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    deferred: dict[str, str] = content.get("deferred", {})
    found = tuple(
        Requirement(name, sentence, source, deferred.get(name))
        for source, promises in content["promises"].items()
        for name, sentence in promises.items()
    )
    unknown = deferred.keys() - {requirement.id for requirement in found}
    if unknown:
        raise ValueError(f"{path.name} defers {', '.join(sorted(unknown))}, and promises no such")
    return Area(content["title"], found)


def found_tests(folder: Path) -> list[FoundTest]:
    """Every test below a folder, in the order of files and lines."""
    return [
        FoundTest(path.relative_to(folder).as_posix(), node.name, tuple(_ids(node)))
        for path in sorted(folder.rglob("test_*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and node.name.startswith("test_")
    ]


def _ids(test: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    """The ids of a test's marks; what is no plain text is given as it is written."""
    for mark in test.decorator_list:
        if isinstance(mark, ast.Call) and ast.unparse(mark.func) == MARK:
            for argument in mark.args:
                value = argument.value if isinstance(argument, ast.Constant) else None
                yield value if isinstance(value, str) else ast.unparse(argument)


def requirements_page(tests: Path, note: str) -> str:
    """`build/docs/requirements.md`: each promise with its source and its tests."""
    shown: dict[str, list[FoundTest]] = {}
    for test in found_tests(tests):
        for name in test.ids:
            shown.setdefault(name, []).append(test)
    parts = [f"# Requirements\n\n{note}\n{HEAD}"]
    for area in areas(tests / "requirements"):
        parts.append(f"\n## {area.title}\n\n| id | promise | source | shown by |\n")
        parts.append("| --- | --- | --- | --- |\n")
        parts += [_row(requirement, shown) for requirement in area.requirements]
    return "".join(parts)


def _row(requirement: Requirement, shown: dict[str, list[FoundTest]]) -> str:
    links = [_link(test) for test in shown.get(requirement.id, ())]
    reason = f"not shown here: {requirement.deferred}" if requirement.deferred else ""
    cells = (
        f"`{requirement.id}`",
        requirement.sentence.replace("|", "\\|"),
        _source(requirement.source),
        ", ".join(links) or reason,
    )
    return f"| {' | '.join(cells)} |\n"


def _source(source: str) -> str:
    return source if source.startswith(SPECIFICATION) else f"[{source}]({UP}{source})"


def _link(test: FoundTest) -> str:
    stem = test.file.removesuffix(".py").rpartition("/")[2].removeprefix("test_")
    return f"[{stem}::{test.name.removeprefix('test_')}]({UP}tests/{test.file})"
