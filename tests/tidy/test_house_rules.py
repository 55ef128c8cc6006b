"""The house rules as tests: sizes, names, docstrings, broad excepts, who may do what."""

from __future__ import annotations

import ast
import gc
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "tebiki"
BESIDE = ("tests", "simulator", "demo", "bench", "docs", "distribution")
"""Folders beside the package: the same house, with more room."""

LONGEST_FILE = 400
LONGEST_FILE_BESIDE = 700
LONGEST_FUNCTION = 60
BANNED_STEMS = {"utils", "util", "helpers", "helper", "common", "misc", "base", "manager", "core"}
ENGINES = (
    *("answers", "websearch", "vault", "manuals", "files", "responses", "clients", "importer"),
)
WIRE_METHODS = {"as_json", "compact", "next_steps"}
TOOLS = [path.stem for path in (ROOT / "tests" / "snapshots" / "tools").glob("*.json")]
MAY_CATCH_EVERYTHING = {"server/error_map.py", "cli/main.py"}
MAY_READ_ENVIRONMENT = {"config/sources.py"}
MAY_START_A_PROCESS = {
    "importer/children.py",
    "system/child_process.py",
    # git, for a person who publishes a commit: no shell, and nothing a client sends.
    "cli/git_commits.py",
}
MAY_IMPORT_OPENAI = {"responses/client.py", "responses/failures.py"}
MAY_TAKE_THE_DEAR_NAMED_TUPLE = {"named_tuples.py", "state/store.py"}

Function = (ast.FunctionDef, ast.AsyncFunctionDef)


class Source(NamedTuple):
    """A file, read and parsed once for all rules."""

    name: str
    text: str
    tree: ast.Module
    nodes: list[ast.AST]

    @classmethod
    def read(cls, path: Path, root: Path) -> Source:
        """Parse a file, named as seen from a folder."""
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        return cls(path.relative_to(root).as_posix(), text, tree, list(ast.walk(tree)))

    def imports(self) -> Iterator[str]:
        """The modules it names, wherever it does."""
        for node in self.nodes:
            if isinstance(node, ast.Import):
                yield from (name.name for name in node.names)
            elif isinstance(node, ast.ImportFrom):
                yield node.module or ""


@cache
def package() -> list[Source]:
    """The package's files."""
    return [Source.read(path, PACKAGE) for path in sorted(PACKAGE.rglob("*.py"))]


@cache
def everything() -> list[Source]:
    """Those and the files beside them."""
    beside = (path for folder in BESIDE for path in sorted((ROOT / folder).rglob("*.py")))
    gc.disable()  # none of the million nodes is garbage; looking for some takes twice the time
    try:
        return [*package(), *(Source.read(path, ROOT) for path in beside)]
    finally:
        gc.enable()


def test_files_are_short() -> None:
    """At most 400 lines in the package, 700 beside it."""
    all_files, ours = everything(), len(package())
    limits = [LONGEST_FILE] * ours + [LONGEST_FILE_BESIDE] * (len(all_files) - ours)

    assert [
        one.name
        for one, limit in zip(all_files, limits, strict=True)
        if one.text.count("\n") > limit
    ] == []


def test_files_say_what_they_are() -> None:
    """Each opens with what lives in it."""
    assert [one.name for one in everything() if not ast.get_docstring(one.tree)] == []


def test_no_file_is_named_for_a_drawer() -> None:
    """A drawer takes anything."""
    assert [one.name for one in everything() if Path(one.name).stem in BANNED_STEMS] == []


def test_functions_are_short() -> None:
    """At most 60 lines each."""
    long = [
        f"{one.name}: {node.name}"
        for one in package()
        for node in one.nodes
        if isinstance(node, Function) and (node.end_lineno or 0) - node.lineno >= LONGEST_FUNCTION
    ]

    assert long == []


def test_only_two_places_catch_everything() -> None:
    """The error map and the command line's last boundary."""
    catching = {
        one.name
        for one in package()
        for node in one.nodes
        if isinstance(node, ast.ExceptHandler)
        if node.type is None
        or any(
            isinstance(name, ast.Name) and name.id in {"Exception", "BaseException"}
            for name in ast.walk(node.type)
        )
    }

    assert catching <= MAY_CATCH_EVERYTHING


def test_one_place_reads_the_environment() -> None:
    """Everything else is told."""
    reading = {
        one.name
        for one in package()
        for node in one.nodes
        if isinstance(node, ast.Attribute) and ast.unparse(node) in {"os.environ", "os.getenv"}
    }

    assert reading == MAY_READ_ENVIRONMENT


def test_only_the_responses_room_imports_openai() -> None:
    """And there only the client and the translation of its failures."""
    importing = {
        one.name for one in package() if any(name.startswith("openai") for name in one.imports())
    }

    assert importing == MAY_IMPORT_OPENAI


def test_the_package_imports_nothing_that_lies_beside_it() -> None:
    """What is installed has no tests and no stand-in for the API."""
    importing = {
        one.name for one in package() if any(name.split(".")[0] in BESIDE for name in one.imports())
    }

    assert importing == set()


def test_engines_name_no_tool_and_have_no_form_for_the_wire() -> None:
    """What a client reads is put into words in `tools`; `answer` is a word as well as a tool."""
    named = re.compile(rf"\b({'|'.join(name for name in TOOLS if '_' in name)})\b")
    engines = [one for one in package() if one.name.split("/")[0] in ENGINES]

    assert [(one.name, found[0]) for one in engines if (found := named.search(one.text))] == []
    assert [
        f"{one.name}: {node.name}"
        for one in engines
        for node in one.nodes
        if isinstance(node, Function) and node.name in WIRE_METHODS
    ] == []


def test_every_remedy_has_words_on_the_wire_and_at_a_terminal() -> None:
    """An engine says what would help; who asks is told by what."""
    from tebiki.cli import failing
    from tebiki.tools import manual_forms

    known = {
        node.value.value
        for one in package()
        for node in one.nodes
        if isinstance(node, ast.keyword) and node.arg == "remedy"
        if isinstance(node.value, ast.Constant)
    }

    assert known == set(manual_forms.REMEDIES) == set(failing.REMEDIES)


def test_named_tuples_are_the_cheap_ones() -> None:
    """Those of `typing` cost a first find milliseconds; only a generic one has to be of them."""
    dear = {
        one.name
        for one in package()
        for node in one.nodes
        if isinstance(node, ast.ImportFrom)
        and node.module == "typing"
        and any(name.name == "NamedTuple" for name in node.names)
    }

    assert dear == MAY_TAKE_THE_DEAR_NAMED_TUPLE


def test_no_shell_and_three_places_that_start_a_process() -> None:
    """Command injection cannot happen where no command is run; this Python itself is no command."""
    shell = re.compile(r"\b(os\.system|os\.popen|pty|create_subprocess_shell|shell=)")
    process = re.compile(r"\b(subprocess|create_subprocess_exec|os\.exec\w+|os\.posix_spawnp?)\b")

    assert [one.name for one in package() if shell.search(one.text)] == []
    assert {one.name for one in package() if process.search(one.text)} == MAY_START_A_PROCESS


def test_only_render_prints() -> None:
    """Everything else returns values."""
    printing = {
        one.name
        for one in package()
        for node in one.nodes
        if (isinstance(node, ast.Name) and node.id == "print")
        or (isinstance(node, ast.Attribute) and ast.unparse(node) in {"sys.stdout", "sys.stderr"})
    }

    assert printing == {"cli/render.py"}


def test_nothing_is_left_for_later() -> None:
    """No reminders in the sources: what is not done is an issue."""
    mark = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")

    assert [one.name for one in package() if mark.search(one.text)] == []


def test_no_public_class_name_stands_twice() -> None:
    """A name leads to one thing, whichever room one reads in."""
    places: dict[str, list[str]] = {}
    for one in package():
        for node in one.tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(one.name)

    assert {name: files for name, files in places.items() if len(files) > 1} == {}


def test_every_public_name_is_explained() -> None:
    """A docstring for each public class and function of the package."""
    bare = [
        f"{one.name}: {node.name}"
        for one in package()
        for node in one.tree.body
        if isinstance(node, (ast.ClassDef, *Function))
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


def test_no_property_is_judged_by_a_clock() -> None:
    """Deadlines and numbers of examples are settled in one place, for a loaded machine too."""
    own = [
        path.name
        for path in sorted((ROOT / "tests").rglob("*.py"))
        if re.search(r"^@settings\(|\bdeadline=\d", path.read_text(encoding="utf-8"), re.MULTILINE)
    ]

    assert own == []


def test_the_map_names_what_is_there() -> None:
    """Each file and folder that ARCHITECTURE names exists, and each room stands on a floor."""
    text = (ROOT / "docs" / "ARCHITECTURE.md").read_text(encoding="utf-8")
    known = [f"/{source.name}" for source in everything()]
    named = set(re.findall(r"`([\w./]+(?:\.py|/))`", text))
    floors = re.search(r"## The floors.*?```text\n(.*?)```", text, re.DOTALL)
    assert floors is not None
    rooms = {source.name.split("/")[0].removesuffix(".py") for source in package()}

    absent = [
        name
        for name in sorted(named)
        if not (ROOT / name).exists() and not any(f"/{name}" in path for path in known)
    ]

    assert absent == []
    assert rooms - set(re.findall(r"\w+", floors[1])) == {"__init__"}
