"""The vault at its edges, on the real process: normal forms, encodings, locks, a moved root."""

from __future__ import annotations

import sys
import unicodedata
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.interaction.conftest import Connect
    from tests.talk import Talk


@pytest.fixture(name="root")
def _root(tmp_path: Path) -> Path:
    """The vault's folder, with a note."""
    root = tmp_path / "notes"
    root.mkdir()
    (root / "a.md").write_bytes(b"inside")
    return root


@pytest.fixture(name="server")
def _server(connect: Connect, root: Path) -> Talk:
    return connect("--toolsets=vault", face="tebiki", env={"VAULT_ROOT": str(root)})


def use(server: Talk, tool: str, **arguments: Any) -> dict[str, Any]:
    """Call a vault tool and return its object, success or failure."""
    result = server.call(f"{tool} {arguments}", f"vault_{tool}", arguments)["result"]
    content: dict[str, Any] = result["structuredContent"]
    return content


@pytest.mark.requirement("vault:paths:normal-forms")
def test_a_name_is_one_in_both_normal_forms(server: Talk, root: Path) -> None:
    """Found by either, and not created a second time."""
    composed, decomposed = (unicodedata.normalize(form, "ガイド.md") for form in ("NFC", "NFD"))
    (root / composed).write_text("x", encoding="utf-8")

    read = [use(server, "read", path=path, full=True)["text"] for path in (composed, decomposed)]
    again = use(server, "create", path=decomposed, content="y")

    assert read == ["x", "x"]
    assert again["code"] == "conflict"


@pytest.mark.requirement("vault:writing:encoding")
def test_text_that_the_encoding_cannot_hold(server: Talk, root: Path) -> None:
    """`invalid_parameter`, and the note stays as it was."""
    before = "手引きを読む。".encode("cp932")
    (root / "b.md").write_bytes(before)

    refused = use(server, "replace", path="b.md", find="手引き", replace="🎐")

    assert refused["code"] == "invalid_parameter"
    assert (root / "b.md").read_bytes() == before


@pytest.mark.requirement("vault:locks:wait")
def test_locks_live_in_the_system_area(server: Talk, root: Path) -> None:
    """And leave nothing beside the notes."""
    use(server, "replace", path="a.md", find="inside", replace="changed")

    assert sorted(path.name for path in root.iterdir()) == [".system", "a.md"]
    assert list((root / ".system" / "locks").glob("*.lock"))


@pytest.mark.requirement("wire:errors:file-codes", "vault:paths:outside")
@pytest.mark.skipif(sys.platform == "win32", reason="making links needs a privilege there")
def test_a_root_replaced_by_a_link_is_out_of_scope(
    server: Talk, root: Path, tmp_path: Path
) -> None:
    """While the server runs: nothing of the other folder is read or written."""
    assert use(server, "read", path="a.md", full=True)["text"] == "inside"
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.md").write_bytes(b"canary")
    root.rename(tmp_path / "gone")
    root.symlink_to(other)

    outcomes = [
        use(server, "read", path="a.md", full=True),
        use(server, "create", path="b.md", content="x"),
    ]

    assert [outcome["code"] for outcome in outcomes] == ["out_of_scope", "out_of_scope"]
    assert [path.name for path in other.iterdir()] == ["a.md"]
