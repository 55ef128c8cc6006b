"""The READMEs say only what is so: their commands run, their links lead somewhere."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import japanese
import pytest
from ruamel.yaml import YAML

from tebiki.cli.plain import cells
from tebiki.config.sources import Given, load
from tests.support.command import run_command
from tests.support.launching import clean_environment

ROOT = Path(__file__).parents[2]
READMES = ["README.md", "README.ja.md"]
PAGES = [
    *READMES,
    "CONTRIBUTING.md",
    "SECURITY.md",
    "llms-install.md",
    *(f"docs/{page.name}" for page in sorted((ROOT / "docs").glob("*.md"))),
]


STUMBLES = ("misses nothing", "told as a", "parted by", "holds out against", "searched anew")
"""Claims that are not true, and words that readers stumbled over."""


def text_of(name: str) -> str:
    """A page's text."""
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(name: str, language: str) -> list[str]:
    """The code blocks of one language."""
    return re.findall(rf"```{language}\n(.*?)```", text_of(name), re.DOTALL)


@pytest.mark.parametrize("name", READMES)
def test_a_readme_is_short(name: str) -> None:
    """Under 150 lines."""
    assert text_of(name).count("\n") < 150


def test_both_readmes_show_the_same_examples() -> None:
    """One is the other in another language."""
    for language in ("sh", "text", "toml", "json", "yaml"):
        assert blocks("README.md", language) == blocks("README.ja.md", language)


def test_a_changed_description_asks_for_a_new_translation() -> None:
    """So the Japanese table cannot say something else than the English one."""
    known = tomllib.loads(text_of("docs/tools.ja.toml"))
    sentences = {name: entry["english"] for name, entry in known.items()}

    assert [row[1] for row in japanese.rows(sentences)] == [
        entry["japanese"] for entry in known.values()
    ]
    for changed in ({"answer": "Else."}, {"new_tool": "New."}):
        with pytest.raises(ValueError, match=f"new translation of {next(iter(changed))}"):
            japanese.rows(sentences | changed)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_reads_well(name: str) -> None:
    """None of the phrases that did not."""
    assert [words for words in STUMBLES if words in text_of(name)] == []


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name: str) -> None:
    """Every relative link names a file."""
    targets = re.findall(r"\]\((?!https?://)([^)#]+)\)", text_of(name))

    missing = [target for target in targets if not ((ROOT / name).parent / target).exists()]
    assert missing == []


@pytest.mark.parametrize("name", [*READMES, "CONTRIBUTING.md"])
def test_make_targets_exist(name: str) -> None:
    """What a page tells to make can be made."""
    makefile = text_of("Makefile")
    wanted = {
        words[1]
        for block in blocks(name, "sh")
        for line in block.splitlines()
        if (words := shlex.split(line, comments=True)) and words[0] == "make"
    }

    assert wanted
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in wanted)


@pytest.mark.requirement("answers:done:smoke")
def test_the_demo_runs() -> None:
    """What `make demo` runs, to its end, without a key."""
    done = subprocess.run(
        [sys.executable, "-m", "demo"],
        cwd=ROOT,
        env=clean_environment(ROOT),
        capture_output=True,
        check=False,
        timeout=120,
    )

    shown = done.stdout.decode()
    assert done.returncode == 0, done.stderr.decode()
    assert done.stderr == b""
    for word in ("initialize", "answer_detailed", "chatgpt_o3_search", "vault_replace", "Done."):
        assert word in shown
    assert max(map(cells, shown.splitlines())) <= 80


def test_snippets_are_what_they_say(tmp_path: Path) -> None:
    """JSON parses, TOML parses, the YAML is a configuration without a warning."""
    for block in blocks("README.md", "json"):
        json.loads(block)
    for block in blocks("README.md", "toml"):
        tomllib.loads(block)
    for block in blocks("README.md", "yaml"):
        config = tmp_path / "config.yaml"
        config.write_text(block, encoding="utf-8")
        assert YAML(typ="safe").load(block)
        assert load(Given(str(config)), "", {}).warnings == ()


@pytest.mark.requirement("docs:readme:commands")
@pytest.mark.parametrize("words", [["--show-config", "--origins"], ["--version"], ["--help"]])
def test_commands_in_the_text_work(tmp_path: Path, words: list[str]) -> None:
    """As a person would type them."""
    assert run_command(tmp_path, *words, face="tebiki", fresh=True).code == 0
