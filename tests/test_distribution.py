"""What people install besides the wheel: the registry entry, the bundle, the container's list."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from distribution import bundle
from tebiki import __version__
from tebiki.config.schema import SETTINGS

ROOT = Path(__file__).parents[1]


@pytest.mark.requirement("distribution:registry:one-version")
def test_the_registry_entry_says_this_version_and_known_variables() -> None:
    """Nothing in it stands only there."""
    entry = json.loads((ROOT / "server.json").read_text(encoding="utf-8"))
    (package,) = entry["packages"]

    known = {setting.env for setting in SETTINGS} | {"OPENAI_API_KEY"}
    assert {entry["version"], package["version"]} == {__version__}
    assert {variable["name"] for variable in package["environmentVariables"]} <= known
    assert f"mcp-name: {entry['name']}" in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.requirement("distribution:registry:one-version")
def test_the_bundle_holds_the_sources_and_is_the_same_each_time(tmp_path: Path) -> None:
    """And nothing of the machine it was built on."""
    first, second = tmp_path / "a.mcpb", tmp_path / "b.mcpb"
    bundle.build(first)
    bundle.build(second)

    assert first.read_bytes() == second.read_bytes()
    with zipfile.ZipFile(first) as archive:
        names = archive.namelist()
        manifest = json.loads(archive.read("manifest.json"))
    assert "src/tebiki/__main__.py" in names
    assert not [name for name in names if "__pycache__" in name or name.startswith("/")]
    assert manifest["server"]["entry_point"] in names
    assert manifest["user_config"]["openai_api_key"]["sensitive"] is True
