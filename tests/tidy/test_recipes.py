"""The commands that the documents show are run, in order, in a copy of the samples."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from ruamel.yaml import YAML

from tebiki.config.sources import Given, load
from tests.support.command import run_command
from tests.support.server_process import CANARY

if TYPE_CHECKING:
    from simulator import Simulator

ROOT = Path(__file__).parents[2]
COOKBOOK = (ROOT / "docs" / "cookbook.md").read_text(encoding="utf-8")
RECIPES = re.findall(r"^## (\d+)\. .*?(?=^## |\Z)", COOKBOOK, re.MULTILINE | re.DOTALL)
AT_THE_TERMINAL = re.compile(r"## At the terminal\n.*?```sh\n(.*?)```", re.DOTALL)


@pytest.fixture(name="home")
def _home(tmp_path: Path) -> Path:
    """A workspace like the samples."""
    for folder in ("manuals", "papers"):
        shutil.copytree(ROOT / "samples" / folder, tmp_path / folder)
    return tmp_path


def run_all(home: Path, simulator: Simulator, block: str) -> None:
    """Run every line; each must find or do something."""
    env = {"OPENAI_API_KEY": CANARY, "OPENAI_BASE_URL": simulator.base_url}
    for line in block.splitlines():
        program, *words = shlex.split(line)
        if program == "cd":
            home = home.joinpath(*words)
            continue
        done = run_command(home, *words, face=program, env=env, fresh=True)
        assert done.code == 0, f"{line}\n{done.stdout}{done.stderr}"
        assert done.stdout.strip(), line


@pytest.mark.requirement("docs:readme:commands")
def test_there_are_eleven_recipes() -> None:
    """Numbered from 1."""
    assert [str(number) for number in range(1, 12)] == RECIPES


@pytest.mark.requirement("docs:readme:commands")
@pytest.mark.parametrize("number", RECIPES)
def test_a_recipe_works(home: Path, simulator: Simulator, number: str) -> None:
    """As a person would type it; recipe 10 looks at what recipe 1 spent."""
    parts = re.split(r"^## \d+\. ", COOKBOOK, flags=re.MULTILINE)
    wanted = [parts[1], parts[10]] if number == "10" else [parts[int(number)]]
    blocks = [block for part in wanted for block in re.findall(r"```sh\n(.*?)```", part, re.DOTALL)]

    assert blocks
    run_all(home, simulator, "".join(blocks))


def test_the_readme_s_commands_work(tmp_path: Path, simulator: Simulator) -> None:
    """In the order they stand there, from the top of a checkout."""
    shutil.copytree(ROOT / "samples", tmp_path / "samples")
    found = AT_THE_TERMINAL.search((ROOT / "README.md").read_text(encoding="utf-8"))
    assert found
    run_all(tmp_path, simulator, found.group(1))


def test_the_settings_shown_are_settings(tmp_path: Path) -> None:
    """Without a warning."""
    for block in re.findall(r"```yaml\n(.*?)```", COOKBOOK, re.DOTALL):
        config = tmp_path / "config.yaml"
        config.write_text(block, encoding="utf-8")
        assert YAML(typ="safe").load(block)
        assert load(Given(str(config)), "", {}).warnings == ()
