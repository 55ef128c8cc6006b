"""The example of several servers: what it names exists, and its parts fit together."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from tebiki.app.forwarding import check_forwarding
from tebiki.app.shared_index import opensearch_settings
from tebiki.app.shared_state import remote_store
from tebiki.config.schema import BY_KEY
from tebiki.config.sources import Given, load
from tebiki.manuals.index.opensearch import client
from tebiki.state.redis_store import PREFIX
from tests.cluster.releases import RELEASES, USUAL

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "examples" / "cluster"
SECRETS = {"STATE_PASSWORD": "p" * 64, "NOTES_SECRET": "s" * 64}


@pytest.mark.parametrize("name", ["owner.yaml", "replica.yaml"])
def test_the_settings_lead_to_a_server(name: str, tmp_path: Path) -> None:
    """Known settings, and nothing missing but the secrets that the environment has."""
    given = Given(config_path=str(FOLDER / name))

    loaded = load(given, "none.yaml", {"HOME": str(tmp_path), **SECRETS})

    assert loaded.warnings == ()
    check_forwarding(loaded)
    remote_store(loaded).close()
    assert dict(loaded.secrets).keys() == {"state.password_env", "vault.owner_secret_env"}


def test_the_services_fit_together() -> None:
    """Names by which they know each other, and what they are given."""
    compose: Any = YAML(typ="safe").load(FOLDER / "compose.yaml")
    services = compose["services"]
    balancer = (FOLDER / "haproxy.cfg").read_text()

    assert set(re.findall(r"server (\w+) \w+:8765", balancer)) == {"owner", "replica"}
    for name in ("owner", "replica"):
        assert f"/etc/tebiki/{name}.yaml" in services[name]["command"]
        assert set(SECRETS) <= set(services[name]["environment"])
    aliases = services["balancer"]["networks"]["default"]["aliases"]
    assert f"https://{aliases[0]}:8444" in (FOLDER / "replica.yaml").read_text()
    assert f"~{PREFIX}:*" in (FOLDER / "users.acl.example").read_text()


@pytest.mark.parametrize("name", ["owner.yaml", "replica.yaml"])
def test_the_nodes_are_those_that_the_servers_ask(name: str, tmp_path: Path) -> None:
    """All of them, with what we need of each, and of the release that `make cluster` runs."""
    given = Given(config_path=str(FOLDER / name))
    loaded = load(given, "none.yaml", {"HOME": str(tmp_path), **SECRETS})
    compose: Any = YAML(typ="safe").load(FOLDER / "compose.yaml")
    services = compose["services"]
    nodes = [name for name, one in services.items() if "opensearch" in one["image"]]
    release = RELEASES[USUAL].runner.removesuffix(".0")

    asked = opensearch_settings(loaded)

    assert asked.addresses == tuple(f"http://{node}:9200" for node in nodes)
    assert asked.replicas == len(nodes) - 1
    assert set(nodes) <= set(services[name.removesuffix(".yaml")]["depends_on"])
    for node in nodes:
        told = services[node]["environment"]
        assert told["node.name"] == node
        assert told["discovery.seed_hosts"].split(",") == nodes
        assert told["cluster.initial_cluster_manager_nodes"].split(",") == nodes
        assert int(told[client.MOST_CLAUSES]) >= client.FEWEST_CLAUSES
        assert services[node]["image"].endswith(f":{release}")
        assert services[node]["volumes"][0].partition(":")[0] in compose["volumes"]
        # They ask for no password, so nobody else may reach them.
        assert services[node]["networks"] == ["search"]
        assert "ports" not in services[node]
    assert compose["networks"]["search"]["internal"]


def test_every_reason_of_an_incomplete_find_is_told() -> None:
    """By the table of the guide, and no other."""
    guide = (ROOT / "docs" / "cluster.md").read_text()
    kinds = (client.Away, client.Incomplete, client.StateMoved, client.RequestRefused)

    told = set(re.findall(r"^\| `(\w+)` \|", guide, re.MULTILINE))

    assert told == {kind.reason for kind in kinds}
    assert f"{client.MOST_CLAUSES}: {client.FEWEST_CLAUSES}" in guide


@pytest.mark.parametrize("path", [*FOLDER.iterdir(), ROOT / "docs" / "cluster.md"])
def test_every_setting_that_is_spoken_of_exists(path: Path) -> None:
    """In comments too."""
    text = path.read_text()
    keys = set(re.findall(r"\b(?:http|state|vault|budget)\.[a-z]+_[a-z_]+", text))
    keys |= set(re.findall(r"\bmanuals\.opensearch\.[a-z_]+", text))

    assert keys <= {*BY_KEY, "http.daily_"}
