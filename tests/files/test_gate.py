"""The path gate on a real file system, with folder handles and with the means of other systems."""

from __future__ import annotations

import errno
import os
import socket
import unicodedata
from typing import TYPE_CHECKING

import pytest

from tebiki.errors import Conflict, Forbidden, InvalidPath, NotFound, OutOfScope, TebikiError
from tebiki.files.handles import Kind, LookedAtFolder, open_top
from tebiki.files.names import TOP, parse
from tebiki.files.paths import Purpose, Root

if TYPE_CHECKING:
    from pathlib import Path

NFC, NFD = (unicodedata.normalize(form, "プログラム.md") for form in ("NFC", "NFD"))


@pytest.fixture(params=[open_top, LookedAtFolder], name="root")
def _root(request: pytest.FixtureRequest, tmp_path: Path) -> Root:
    """A read-only root, by both means."""
    (tmp_path / "docs" / "sub").mkdir(parents=True)
    (tmp_path / "docs" / "a.md").write_bytes(b"inside")
    (tmp_path / "docs" / "sub" / "b.md").write_bytes(b"below")
    (tmp_path / "docs-evil").mkdir()
    (tmp_path / "docs-evil" / "a.md").write_bytes(b"CANARY")
    return Root(tmp_path / "docs", open_top=request.param)


def read(root: Root, path: str) -> bytes:
    """A file's bytes, through the gate."""
    with root.regular_file(root.parse(path)) as file:
        return file.read()


def test_files_are_found(root: Root) -> None:
    """At the top and below."""
    assert read(root, "a.md") == b"inside"
    assert read(root, "sub\\b.md") == b"below"


def test_a_root_without_areas_is_never_written(root: Root) -> None:
    """The gate of the manuals."""
    for purpose in (Purpose.CREATE, Purpose.REPLACE, Purpose.UNDO):
        with pytest.raises(Forbidden):
            root.parse("new.md", purpose)


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("missing.md", NotFound),
        ("missing/a.md", NotFound),
        ("sub", NotFound),
        ("a.md/b", NotFound),
        (".", InvalidPath),
        ("../docs-evil/a.md", InvalidPath),
    ],
)
def test_what_is_no_file_is_told(root: Root, path: str, error: type[TebikiError]) -> None:
    """With the relative path only."""
    with pytest.raises(error) as refusal:
        read(root, path)

    assert "docs" not in str(refusal.value)


@pytest.mark.parametrize(
    "target", ["../docs-evil/a.md", "a.md", "nowhere", "link.md", "../docs-evil", "sub"]
)
def test_symlink_escape_is_forbidden_wherever_it_points(
    root: Root, tmp_path: Path, target: str
) -> None:
    """Outside, inside, dangling, itself, folders."""
    (tmp_path / "docs" / "link.md").symlink_to(target)

    with pytest.raises(Forbidden):
        read(root, "link.md")
    with pytest.raises(Forbidden):
        read(root, "link.md/a.md")


def test_symlink_chain_is_forbidden(root: Root, tmp_path: Path) -> None:
    """A link to a link to a folder outside."""
    (tmp_path / "docs" / "one").symlink_to("two")
    (tmp_path / "docs" / "two").symlink_to(tmp_path / "docs-evil")

    with pytest.raises(Forbidden):
        read(root, "one/a.md")


@pytest.mark.requirement("vault:paths:outside")
def test_a_root_that_is_a_link_is_followed_once(tmp_path: Path) -> None:
    """And what is put in its place later is not."""
    real, other = tmp_path / "real", tmp_path / "other"
    for folder in (real, other):
        folder.mkdir()
        (folder / "a.md").write_bytes(folder.name.encode())
    (tmp_path / "link").symlink_to(real)
    root = Root(tmp_path / "link")
    (tmp_path / "link").unlink()
    (tmp_path / "link").symlink_to(other)

    assert read(root, "a.md") == b"real"

    real.rename(tmp_path / "gone")
    real.symlink_to(other)
    with pytest.raises(OutOfScope):
        read(root, "a.md")


def test_root_missing_means_no_access(tmp_path: Path) -> None:
    """An empty listing and nothing to read, never another folder."""
    root = Root(tmp_path / "missing")

    assert root.listing() == (TOP, [])
    with pytest.raises(NotFound):
        read(root, "a.md")
    assert not (tmp_path / "missing").exists()


def test_a_file_as_root_is_refused(tmp_path: Path) -> None:
    """It has no files below it."""
    (tmp_path / "file").write_bytes(b"x")

    with pytest.raises(NotFound):
        Root(tmp_path / "file").listing()


def test_a_fifo_never_blocks(root: Root, tmp_path: Path) -> None:
    """It is looked at, not opened."""
    os.mkfifo(tmp_path / "docs" / "pipe.md")

    with pytest.raises(InvalidPath):
        read(root, "pipe.md")


def test_a_socket_is_no_file(root: Root, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor is a device, which takes more rights to make."""
    monkeypatch.chdir(tmp_path / "docs")  # a socket's path must be short
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("s.md")
        with pytest.raises(InvalidPath):
            read(root, "s.md")


@pytest.mark.parametrize(("stored", "asked"), [(NFC, NFD), (NFD, NFC)])
def test_names_match_across_normal_forms(
    root: Root, tmp_path: Path, stored: str, asked: str
) -> None:
    """For files and for folders."""
    (tmp_path / "docs" / stored).mkdir()
    (tmp_path / "docs" / stored / stored).write_bytes(b"found")

    assert read(root, f"{asked}/{asked}") == b"found"
    with root.place(root.parse(f"{asked}/{asked}")) as place:
        assert place.shown == f"{stored}/{stored}"


def test_a_name_with_its_exact_twin_is_itself(root: Root, tmp_path: Path) -> None:
    """Where both forms exist, each is found by its own."""
    for name in (NFC, NFD):
        (tmp_path / "docs" / name).write_bytes(name.encode())

    assert read(root, NFC) == NFC.encode()
    assert read(root, NFD) == NFD.encode()


def test_a_compatible_ascii_name_is_found_by_its_other_spelling(root: Root, tmp_path: Path) -> None:
    """The Kelvin sign normalises to K."""
    (tmp_path / "docs" / "\u212a.md").write_bytes(b"kelvin")

    assert read(root, "K.md") == b"kelvin"


def test_a_listing_tells_kinds_and_hides_unfinished_writes(root: Root, tmp_path: Path) -> None:
    """Links and special files are told, for those who must count them."""
    (tmp_path / "docs" / "link").symlink_to("a.md")
    os.mkfifo(tmp_path / "docs" / "pipe")
    (tmp_path / "docs" / "con.md").write_bytes(b"")
    (tmp_path / "docs" / ".tebiki-tmp-0").write_bytes(b"")

    _, entries = root.listing()

    found = sorted(entries, key=lambda entry: entry.name)
    assert [(entry.name, entry.kind, entry.nameable) for entry in found] == [
        ("a.md", Kind.FILE, True),
        ("con.md", Kind.FILE, False),
        ("link", Kind.LINK, True),
        ("pipe", Kind.SPECIAL, True),
        ("sub", Kind.FOLDER, True),
    ]


def test_a_root_that_cannot_be_listed_is_named(tmp_path: Path) -> None:
    """Its path is empty, and the message must not be."""

    class Broken(LookedAtFolder):
        def kinds(self) -> list[tuple[str, Kind]]:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    with pytest.raises(Conflict, match=r"^root folder could not be used"):
        Root(tmp_path, open_top=Broken).listing()


def test_names_that_are_no_unicode_cannot_be_named(root: Root, tmp_path: Path) -> None:
    """They are told as such and not passed on."""
    os.close(os.open(os.fsencode(tmp_path / "docs") + b"/\xff.md", os.O_CREAT | os.O_WRONLY))

    _, entries = root.listing()

    assert [entry.nameable for entry in entries if entry.name.startswith("\udcff")] == [False]


@pytest.mark.skipif("os.geteuid() == 0", reason="root may read everything")
def test_a_file_without_permission_is_forbidden(root: Root, tmp_path: Path) -> None:
    """As the system says."""
    (tmp_path / "docs" / "a.md").chmod(0)

    with pytest.raises(Forbidden):
        read(root, "a.md")


def test_making_folders_stops_at_a_file_and_at_a_link(root: Root, tmp_path: Path) -> None:
    """What is there is never replaced."""
    (tmp_path / "docs" / "link").symlink_to(tmp_path / "docs-evil")

    with pytest.raises(Conflict), root.folder(parse("a.md/x"), make=True):
        pass
    with pytest.raises(Forbidden), root.folder(parse("link/x"), make=True):
        pass
    assert os.listdir(tmp_path / "docs-evil") == ["a.md"]


def test_a_folder_swapped_for_a_link_is_noticed_without_handles(tmp_path: Path) -> None:
    """The weaker means look again at every step."""
    (tmp_path / "top" / "sub").mkdir(parents=True)
    (tmp_path / "evil").mkdir()
    (tmp_path / "evil" / "a.md").write_bytes(b"CANARY")
    folder = LookedAtFolder(str(tmp_path / "top")).enter("sub")
    (tmp_path / "top" / "sub").rename(tmp_path / "away")
    (tmp_path / "top" / "sub").symlink_to(tmp_path / "evil")

    for step in (
        lambda: folder.open("a.md", os.O_RDONLY),
        lambda: folder.look("a.md"),
        folder.kinds,
        lambda: folder.make("new"),
        lambda: folder.rename("a.md", "b.md"),
        lambda: folder.remove("a.md"),
    ):
        with pytest.raises(OutOfScope):
            step()
    assert os.listdir(tmp_path / "evil") == ["a.md"]
