"""The house rules as tests: sizes, names, docstrings, broad excepts, who may do what."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "tebiki"
SOURCES = sorted(PACKAGE.rglob("*.py"))
EVERYTHING = sorted(
    path
    for folder in ("src", "tests", "demo", "bench", "docs")
    for path in (ROOT / folder).rglob("*.py")
)

LONGEST_FILE = 400
LONGEST_FUNCTION = 60
BANNED_STEMS = {"utils", "util", "helpers", "helper", "common", "misc", "base", "manager", "core"}
MAY_CATCH_EVERYTHING = {"server/error_map.py", "cli/main.py"}
MAY_READ_ENVIRONMENT = {"config/sources.py"}
MAY_IMPORT_OPENAI = {"responses/client.py", "responses/failures.py"}
MAY_TAKE_THE_DEAR_NAMED_TUPLE = {"named_tuples.py", "state/store.py"}


def relative(path: Path) -> str:
    """A file's name as the rules write it."""
    return path.relative_to(PACKAGE).as_posix()


def tree(path: Path) -> ast.Module:
    """A file, parsed."""
    return ast.parse(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", EVERYTHING, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_file_is_short_and_says_what_it_is(path: Path) -> None:
    """At most 400 lines, opened by a docstring, not named for a drawer."""
    text = path.read_text(encoding="utf-8")

    limit = LONGEST_FILE if path in SOURCES else 700
    assert text.count("\n") <= limit
    assert ast.get_docstring(ast.parse(text)), "a module opens with what lives in it"
    assert path.stem not in BANNED_STEMS


@pytest.mark.parametrize("path", SOURCES, ids=relative)
def test_functions_are_short(path: Path) -> None:
    """At most 60 lines each."""
    long = [
        f"{node.name}: {(node.end_lineno or 0) - node.lineno + 1} lines"
        for node in ast.walk(tree(path))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and (node.end_lineno or 0) - node.lineno >= LONGEST_FUNCTION
    ]

    assert long == []


def test_only_two_places_catch_everything() -> None:
    """The error map and the command line's last boundary."""
    catching = set()
    for path in SOURCES:
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.ExceptHandler):
                names = {
                    name.id for name in ast.walk(node.type or node) if isinstance(name, ast.Name)
                }
                if node.type is None or names & {"Exception", "BaseException"}:
                    catching.add(relative(path))

    assert catching <= MAY_CATCH_EVERYTHING


def test_one_place_reads_the_environment() -> None:
    """Everything else is told."""
    reading = {
        relative(path)
        for path in SOURCES
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Attribute) and ast.unparse(node) in {"os.environ", "os.getenv"}
    }

    assert reading == MAY_READ_ENVIRONMENT


def test_only_the_responses_room_imports_openai() -> None:
    """And there only the client and the translation of its failures."""
    importing = {
        relative(path)
        for path in SOURCES
        for node in ast.walk(tree(path))
        if (isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "openai")
        or (isinstance(node, ast.Import) and any(n.name.startswith("openai") for n in node.names))
    }

    assert importing == MAY_IMPORT_OPENAI


def test_named_tuples_are_the_cheap_ones() -> None:
    """Those of `typing` cost a first find milliseconds; only a generic one has to be of them."""
    dear = {
        relative(path)
        for path in SOURCES
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ImportFrom)
        and node.module == "typing"
        and any(name.name == "NamedTuple" for name in node.names)
    }

    assert dear == MAY_TAKE_THE_DEAR_NAMED_TUPLE


def test_no_shell_and_no_subprocess() -> None:
    """Command injection cannot happen where no command is run."""
    running = [
        relative(path)
        for path in SOURCES
        if re.search(r"\b(subprocess|os\.system|os\.popen|pty)\b", path.read_text(encoding="utf-8"))
    ]

    assert running == []


def test_only_render_prints() -> None:
    """Everything else returns values."""
    printing = {
        relative(path)
        for path in SOURCES
        for node in ast.walk(tree(path))
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "print"
        )
        or (isinstance(node, ast.Attribute) and ast.unparse(node) in {"sys.stdout", "sys.stderr"})
    }

    assert printing == {"cli/render.py"}


@pytest.mark.parametrize("path", SOURCES, ids=relative)
def test_nothing_is_left_for_later(path: Path) -> None:
    """No reminders in the sources: what is not done is an issue."""
    marks = re.findall(r"\b(TODO|FIXME|XXX|HACK)\b", path.read_text(encoding="utf-8"))

    assert marks == []


def test_every_public_name_is_explained() -> None:
    """A docstring for each public class and function of the package."""
    bare = [
        f"{relative(path)}: {node.name}"
        for path in SOURCES
        for node in tree(path).body
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
        and not node.name.startswith("_")
        and not ast.get_docstring(node)
    ]

    assert bare == []


@pytest.mark.requirement("config:table:single-source")
def test_generated_documents_are_fresh() -> None:
    """What is made from code is made again whenever the code changes."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "docs" / "generate.py"), "--check"],
        capture_output=True,
        check=False,
        text=True,
    )

    assert done.returncode == 0, done.stdout + done.stderr
