"""A vault in a folder of its own, with a tree beside it that nothing may touch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tebiki.vault.vault import Vault

if TYPE_CHECKING:
    from pathlib import Path

NOON = 1_770_000_000.0


@pytest.fixture(name="root")
def _root(tmp_path: Path) -> Path:
    """A root that is there and empty."""
    root = tmp_path / "vault"
    root.mkdir()
    return root


@pytest.fixture(name="vault")
def _vault(root: Path) -> Vault:
    """The vault under test."""
    return Vault(root, lambda: NOON)


@pytest.fixture(name="outside")
def _outside(tmp_path: Path) -> Path:
    """A folder beside the root, whose name begins with the root's."""
    outside = tmp_path / "vault-outside"
    outside.mkdir()
    (outside / "secret.md").write_bytes(b"CANARY\n")
    return outside
