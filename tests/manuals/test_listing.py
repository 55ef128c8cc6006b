"""Listing: ids that can be read, fresh from disk, and no way out of the manuals."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

import pytest

from tebiki.errors import Forbidden, InvalidArguments, NotFound, TebikiError
from tebiki.files.paths import Root
from tebiki.manuals.listing import ls, resolve_manual
from tebiki.tools import manual_forms as forms
from tests.manuals.libraries import library_at

if TYPE_CHECKING:
    from pathlib import Path

    from tebiki.manuals.library import Library
    from tests.manuals.conftest import Write

TRICKS = [
    pytest.param("a" + "\u0301\u0316" * 500_000, id="a million marks"),
    "/",
    "//",
    "..",
    ".",
    "",
    " ",
    "m/",
    "/m",
    "./m",
    "m/..",
    "m/../m",
    "../m",
    "m\\..",
    "\\",
]


def test_the_manuals_are_the_folders(root: Path, write: Write) -> None:
    """Never links, never files."""
    write("beta/x.md", "x")
    write("file.md", "x")
    (root / "linked").symlink_to("beta")

    for identifier in (None, "manuals"):
        assert forms.listing_form(ls(Root(root), identifier)) == {
            "id": "manuals",
            "items": [
                {"id": "beta", "name": "beta", "kind": "dir"},
                {"id": "m", "name": "m", "kind": "dir"},
            ],
        }


def test_a_listing_is_one_level_sorted_by_name(root: Path, write: Write) -> None:
    """Folders and files together; only files that are searched."""
    for path in ("m/b.JSON", "m/a.md", "m/c/deep.md", "m/.hidden/x.md", "m/d.txt"):
        write(path, "x")
    (root / "m" / "z.md").symlink_to("a.md")

    items = forms.listing_form(ls(Root(root), "m"))["items"]

    assert items == [
        {"id": "m/.hidden", "name": ".hidden", "kind": "dir"},
        {"id": "m/a.md", "name": "a.md", "kind": "file", "path": "a.md", "file_type": "md"},
        {"id": "m/b.JSON", "name": "b.JSON", "kind": "file", "path": "b.JSON", "file_type": "json"},
        {"id": "m/c", "name": "c", "kind": "dir"},
    ]


def test_ids_lead_down_and_paths_start_at_the_manual(root: Path, write: Write) -> None:
    """A folder's id is listed by the folder above."""
    write("m/操作/基本/印刷.md", "x")

    (inner,) = ls(Root(root), "m/操作").items
    (file,) = ls(Root(root), inner.id).items

    assert inner.id == "m/操作/基本"
    assert (file.id, file.path) == ("m/操作/基本/印刷.md", "操作/基本/印刷.md")


def test_a_file_cannot_be_listed(root: Path, write: Write) -> None:
    """Its id says what to do instead."""
    write("m/a.md", "x")

    with pytest.raises(InvalidArguments) as refusal:
        ls(Root(root), "m/a.md")

    assert refusal.value.remedy == "read"


@pytest.mark.parametrize("identifier", ["other", "m/missing", "m/a/b", "M", "file.md"])
def test_unknown_ids_are_not_found(root: Path, write: Write, identifier: str) -> None:
    """A file beside the manuals is none."""
    write("file.md", "x")

    with pytest.raises(NotFound):
        ls(Root(root), identifier)


@pytest.mark.parametrize("identifier", TRICKS)
def test_ids_are_never_read_as_paths(root: Path, write: Write, identifier: str) -> None:
    """Neither by the listing nor by the other tools."""
    write("m/a.md", "x")

    with pytest.raises((NotFound, InvalidArguments)):
        ls(Root(root), identifier)
    with pytest.raises((NotFound, InvalidArguments)):
        resolve_manual(Root(root), identifier)


def test_links_lead_nowhere(root: Path, tmp_path: Path) -> None:
    """A manual that is a link is not there; a folder that is one is forbidden."""
    (tmp_path / "outside").mkdir()
    (root / "linked").symlink_to(tmp_path / "outside")
    (root / "m" / "inner").symlink_to(tmp_path / "outside")

    with pytest.raises(NotFound):
        ls(Root(root), "linked")
    with pytest.raises(Forbidden):
        ls(Root(root), "m/inner")


def test_the_root_id_is_refused_with_the_ids_there_are(root: Path) -> None:
    """So that the next call can be right."""
    with pytest.raises(InvalidArguments) as refusal:
        resolve_manual(Root(root), "manuals")

    assert refusal.value.details == {"manual_id": "manuals", "candidate_ids": ["m"]}


def test_a_missing_root_is_an_empty_list(tmp_path: Path) -> None:
    """And has no manual."""
    root = Root(tmp_path / "nowhere")

    assert ls(root).items == ()
    with pytest.raises(NotFound):
        resolve_manual(root, "m")


def test_names_match_across_normal_forms(root: Path, write: Write) -> None:
    """Either form finds the folder, and NFC comes back."""
    nfd = unicodedata.normalize("NFD", "ガイド")
    write(f"{nfd}/プ/a.md", "x")

    for manual_id in ("ガイド", nfd):
        assert ls(Root(root), manual_id).id == "ガイド"
        assert resolve_manual(Root(root), manual_id) == "ガイド"
    assert ls(Root(root), unicodedata.normalize("NFD", "ガイド/プ")).id == "ガイド/プ"


def test_names_that_read_the_same_are_listed_once(root: Path, write: Write) -> None:
    """As what is read by that name."""
    nfd = unicodedata.normalize("NFD", "ガ")
    for path in ("ガ/ガ.md", f"ガ/{nfd}.md", f"{nfd}/b.md"):
        write(path, "x")
    write(f"m/{nfd}.md", "x")
    (root / "m" / "ガ.md").symlink_to("elsewhere")

    assert [item.id for item in ls(Root(root)).items] == ["m", "ガ"]
    assert [item.id for item in ls(Root(root), "ガ").items] == ["ガ/ガ.md"]
    assert ls(Root(root), "m").items == ()


def test_a_folder_called_like_the_root_is_no_manual(root: Path, write: Write) -> None:
    """No tool would take its id."""
    write("manuals/a.md", "x")

    assert [item.id for item in ls(Root(root)).items] == ["m"]


def test_every_listing_is_fresh(library: Library, write: Write) -> None:
    """What was made since is seen."""
    before = library.ls("m").items
    write("m/new.md", "x")

    assert before == ()
    assert [item.name for item in library.ls("m").items] == ["new.md"]


@pytest.mark.parametrize("identifier", [None, "m"])
def test_a_listing_opens_the_other_tools(root: Path, identifier: str | None) -> None:
    """Whichever it was, if it succeeded."""
    library = library_at(root, discovered=False)
    with pytest.raises(TebikiError):
        library.ls("missing")
    with pytest.raises(InvalidArguments):
        library.toc("m")

    library.ls(identifier)

    assert library.toc("m").total_files == 0
