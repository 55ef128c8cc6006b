"""The examples of a team's server: whatever they name exists, and they fit together."""

from __future__ import annotations

import configparser
import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from tebiki.app import faces
from tebiki.cli.arguments import read_arguments
from tebiki.cli.commands import commands_of
from tebiki.config.schema import BY_KEY, SETTINGS
from tebiki.config.sources import Given, load
from tebiki.web.addresses import ListenAddress, place_of

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "examples" / "http"
DOCKERFILES = (ROOT / "Dockerfile", FOLDER / "Dockerfile")
FILES = (*sorted(FOLDER.iterdir()), ROOT / "Dockerfile", ROOT / "docs" / "http.md")
KNOWN_VARIABLES = {row.env for row in SETTINGS} | {BY_KEY["openai.api_key_env"].default, "PATH"}

# As Docker has them; a word that is none of them is a mistake.
INSTRUCTIONS = {
    *("FROM", "WORKDIR", "COPY", "RUN", "ENV", "USER"),
    *("EXPOSE", "HEALTHCHECK", "ENTRYPOINT", "CMD"),
}
SERVICE_KEYS = {
    *("image", "restart", "read_only", "cap_drop", "security_opt", "stop_grace_period", "tmpfs"),
    *("environment", "secrets", "volumes", "ports"),
}


def instructions(path: Path) -> list[tuple[str, str]]:
    """What a Dockerfile says, line by line; lines that go on are one."""
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    joined = "\n".join(lines).replace("\\\n", " ")
    pairs = [line.split(maxsplit=1) for line in joined.splitlines() if line.strip()]
    return [(word, rest) for word, rest in pairs]


def compose() -> Any:
    """The compose file."""
    return YAML(typ="safe").load(FOLDER / "compose.yaml")


def unit() -> configparser.ConfigParser:
    """The systemd unit."""
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # names have capitals
    parser.read(FOLDER / "tebiki.service")
    return parser


def container_variables(path: Path) -> dict[str, str]:
    """What a Dockerfile sets."""
    words = [
        word for name, rest in instructions(path) if name == "ENV" for word in shlex.split(rest)
    ]
    return dict(word.split("=", 1) for word in words)


def unit_variables() -> dict[str, str]:
    """What the unit sets."""
    words = shlex.split(unit()["Service"]["Environment"])
    return dict(word.split("=", 1) for word in words)


def commands() -> list[list[str]]:
    """Every call of ours that an example makes, without its name."""
    found = [shlex.split(unit()["Service"]["ExecStart"])[1:]]
    for path in DOCKERFILES:
        said = dict(instructions(path))
        entry = json.loads(said["ENTRYPOINT"])
        found.append(entry[1:] + json.loads(said.get("CMD", "[]")))
        assert entry[0] == "tebiki"
    return found


@pytest.mark.requirement("http:examples:real")
@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_every_flag_exists(words: list[str]) -> None:
    """Read by the command itself, which refuses what it does not know."""
    arguments = read_arguments(faces.TEBIKI, words)

    assert arguments.stdio or arguments.http


@pytest.mark.requirement("http:examples:real")
@pytest.mark.parametrize(
    "variables",
    [
        *map(container_variables, DOCKERFILES),
        compose()["services"]["tebiki"]["environment"],
        unit_variables(),
    ],
    ids=["Dockerfile", "http/Dockerfile", "compose", "systemd"],
)
def test_every_variable_exists_and_is_understood(
    variables: dict[str, str | None], tmp_path: Path
) -> None:
    """A wrong name would be ignored, and a wrong value only warned about."""
    given = {name: value for name, value in variables.items() if value is not None}

    loaded = load(Given(), str(tmp_path / "none.yaml"), {"HOME": str(tmp_path), **given})

    assert set(variables) <= KNOWN_VARIABLES
    assert loaded.warnings == ()


@pytest.mark.requirement("http:examples:real")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_setting_and_command_that_is_spoken_of_exists(path: Path) -> None:
    """In comments too."""
    text = path.read_text(encoding="utf-8")

    keys = set(re.findall(r"\b(?:http|budget|ledger)\.[a-z_]+(?:\.[a-z_]+)?", text))
    variables = set(re.findall(r"\b(?:TEBIKI|OPENAI|LOG)_[A-Z_]+", text))
    spoken = set(re.findall(r"\btebiki (token|doctor|[a-z]+) (?:new|ls|rm|--offline)", text))

    sections = {key.rpartition(".")[0] for key in BY_KEY}
    files = {"http.lock", "http.md"}
    assert keys - files <= set(BY_KEY) | sections
    assert variables <= KNOWN_VARIABLES
    assert spoken <= {command.name for command in commands_of(faces.TEBIKI)}


@pytest.mark.parametrize("path", DOCKERFILES, ids=["stdio", "http"])
def test_a_dockerfile_is_sound(path: Path) -> None:
    """Known words, nothing as root at the end, commands without a shell, sources that exist."""
    said = instructions(path)
    names = [name for name, _ in said]

    assert set(names) <= INSTRUCTIONS
    assert said[0][0] == "FROM"
    assert dict(said)["USER"] == "tebiki"
    assert names.index("USER") < names.index("ENTRYPOINT")
    assert all(":" in rest and ":latest" not in rest for name, rest in said if name == "FROM")
    json.loads(dict(said)["HEALTHCHECK"].partition("CMD ")[2])
    for name, rest in said:
        sources = shlex.split(rest)[:-1] if name == "COPY" and "--from" not in rest else []
        assert all((ROOT / source).exists() for source in sources)


def test_the_containers_parts_fit_together() -> None:
    """One port, one user; whatever is named is declared, and whoever is waited for has the time."""
    said = dict(instructions(FOLDER / "Dockerfile"))
    document = compose()
    service = document["services"]["tebiki"]
    bind = place_of(json.loads(said["ENTRYPOINT"])[-1], ListenAddress("", 0))
    named = {mount.split(":")[0] for mount in service["volumes"] if mount[0] not in "./~"}

    assert set(service) <= SERVICE_KEYS
    assert said["EXPOSE"] == str(bind.port)
    assert f"http://127.0.0.1:{bind.port}/readyz" in said["HEALTHCHECK"]
    assert [ports.rsplit(":", 1)[1] for ports in service["ports"]] == [said["EXPOSE"]]
    assert all(ports.startswith("127.0.0.1:") for ports in service["ports"])
    assert set(service["secrets"]) == set(document["secrets"])
    assert named == set(document["volumes"])
    users = re.findall(r"uid=(\d+)", str(service["tmpfs"]))
    assert users == re.findall(r"--uid (\d+)", (FOLDER / "Dockerfile").read_text())
    token_file = service["environment"]["TEBIKI_HTTP_TOKEN_FILE"]
    assert token_file.removeprefix("/run/secrets/") in document["secrets"]
    assert int(service["stop_grace_period"].removesuffix("s")) * 1000 > _shutdown_ms()


def test_the_units_parts_fit_together() -> None:
    """What it writes lies where it may, and running calls have their time."""
    service = unit()["Service"]
    state = f"/var/lib/{service['StateDirectory']}"

    assert service["WorkingDirectory"] == state
    assert unit_variables()["TEBIKI_HTTP_TOKEN_FILE"].startswith(f"{state}/")
    assert int(service["TimeoutStopSec"]) * 1000 > _shutdown_ms()
    assert place_of(shlex.split(service["ExecStart"])[2], ListenAddress("", 0)).is_loopback


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd here")
def test_systemd_finds_nothing_wrong(tmp_path: Path) -> None:
    """With a program that exists in the place of ours."""
    text = (FOLDER / "tebiki.service").read_text()
    path = tmp_path / "tebiki.service"
    path.write_text(text.replace("/opt/tebiki/bin/tebiki --http", f"{sys.executable} --http"))

    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(path)],  # noqa: S607  (wherever it is)
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")


def _shutdown_ms() -> int:
    default: int = BY_KEY["http.shutdown_ms"].default
    return default
