"""The vault at its edges, on the real process: normal forms, encodings, locks, a moved root."""

from __future__ import annotations

import sys
import unicodedata
from typing import TYPE_CHECKING

import pytest

from tests.interaction.vault_calls import use, write

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.talk import Talk


@pytest.fixture(autouse=True)
def _first_note(notes: Path) -> None:
    """There is a note already."""
    write(notes, "a.md", b"inside")


@pytest.mark.requirement("vault:paths:normal-forms")
def test_a_name_is_one_in_both_normal_forms(vault: Talk, notes: Path) -> None:
    """Found by either, and not created a second time."""
    composed, decomposed = (unicodedata.normalize(form, "ガイド.md") for form in ("NFC", "NFD"))
    (notes / composed).write_text("x", encoding="utf-8")

    read = [use(vault, "read", path=path, full=True)["text"] for path in (composed, decomposed)]
    again = use(vault, "create", path=decomposed, content="y")

    assert read == ["x", "x"]
    assert again["code"] == "conflict"


@pytest.mark.requirement("vault:writing:encoding")
def test_text_that_the_encoding_cannot_hold(vault: Talk, notes: Path) -> None:
    """`invalid_parameter`, and the note stays as it was."""
    before = "手引きを読む。".encode("cp932")
    (notes / "b.md").write_bytes(before)

    refused = use(vault, "replace", path="b.md", find="手引き", replace="🎐")

    assert refused["code"] == "invalid_parameter"
    assert (notes / "b.md").read_bytes() == before


@pytest.mark.requirement("vault:locks:wait")
def test_locks_live_in_the_system_area(vault: Talk, notes: Path) -> None:
    """And leave nothing beside the notes."""
    use(vault, "replace", path="a.md", find="inside", replace="changed")

    assert sorted(path.name for path in notes.iterdir()) == [".system", "a.md"]
    assert list((notes / ".system" / "locks").glob("*.lock"))


@pytest.mark.requirement("wire:errors:file-codes", "vault:paths:outside")
@pytest.mark.skipif(sys.platform == "win32", reason="making links needs a privilege there")
def test_a_root_replaced_by_a_link_is_out_of_scope(
    vault: Talk, notes: Path, tmp_path: Path
) -> None:
    """While the server runs: nothing of the other folder is read or written."""
    assert use(vault, "read", path="a.md", full=True)["text"] == "inside"
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.md").write_bytes(b"canary")
    notes.rename(tmp_path / "gone")
    notes.symlink_to(other)

    outcomes = [
        use(vault, "read", path="a.md", full=True),
        use(vault, "create", path="b.md", content="x"),
    ]

    assert [outcome["code"] for outcome in outcomes] == ["out_of_scope", "out_of_scope"]
    assert [path.name for path in other.iterdir()] == ["a.md"]
