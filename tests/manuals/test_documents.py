"""Sections of files, and the files of a manual: nothing is left out without a word."""

from __future__ import annotations

import os
import unicodedata
from typing import TYPE_CHECKING, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tebiki.errors import Forbidden, InvalidArguments, NotFound
from tebiki.files.paths import Root
from tebiki.manuals.documents import walking
from tebiki.manuals.documents.file_types import ENDINGS, NAMES, USUAL_TYPES, FileTypes
from tebiki.manuals.documents.folders import MOST_BYTES, Skipped
from tebiki.manuals.documents.parting import of_markdown, sections_of
from tebiki.manuals.documents.walking import FileStat, contents
from tests.manuals.conftest import SAMPLES

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.manuals.conftest import Write

FILE = """\
---
title: Guide
---
before

# One
own
## Child
deep
### Empty
# Two
last"""


def test_a_section_is_a_heading_with_its_own_text() -> None:
    """Its ancestors are its trail, the document's title first."""
    sections = sections_of("a.md", FILE.encode())

    assert [(s.start_line, s.end_line, s.level, s.title, s.trail) for s in sections] == [
        (1, 3, 0, "Guide", ()),
        (4, 5, 0, "", ("Guide",)),
        (6, 7, 1, "One", ("Guide",)),
        (8, 9, 2, "Child", ("Guide", "One")),
        (10, 10, 3, "Empty", ("Guide", "One", "Child")),
        (11, 12, 1, "Two", ("Guide",)),
    ]
    assert sections[2].text == "# One\nown\n"
    assert "".join(section.text for section in sections) == FILE


def test_a_trail_skips_no_level_that_is_not_there() -> None:
    """A level may be missing; a higher heading ends the lower ones."""
    sections = sections_of("a.md", b"### a\n# b\n### c\n## d\n")

    assert [section.trail for section in sections] == [(), (), ("b",), ("b",)]


@pytest.mark.parametrize(
    ("data", "first"),
    [
        ("\ufeff# 見出し\n".encode(), "見出し"),
        ("# 見出しです\r\n本文\r\n".encode("cp932"), "見出しです"),
        ("# 見出しです\n本文\n".encode("euc-jp"), "見出しです"),
        ("# 見出し\n".encode("utf-16"), "見出し"),
    ],
)
def test_every_known_encoding_is_read(data: bytes, first: str) -> None:
    """A byte order mark hides no heading."""
    assert sections_of("a.md", data)[0].title == first


def test_other_bytes_are_told() -> None:
    """The caller counts the file as skipped."""
    with pytest.raises(InvalidArguments):
        sections_of("a.md", b"\xff\x00\xfe\x81 nothing")


def test_an_empty_file_has_no_sections() -> None:
    """Of either kind."""
    assert sections_of("a.md", b"") == []
    assert sections_of("a.json", b"") == []


def test_json_has_lines_and_paths() -> None:
    """Sections of JSON are named by their keys."""
    long = "x" * 900
    data = f'{{\n "a": "{long}",\n "b": {{\n  "c": "{long}",\n  "d": "{long}"\n }}\n}}\n'

    sections = sections_of("A.JSON", data.encode())

    assert [(s.start_line, s.end_line, s.title, s.trail, s.json_path) for s in sections] == [
        (1, 2, "a", (), "$.a"),
        (3, 4, "c", ("b",), "$.b.c"),
        (5, 7, "d", ("b",), "$.b.d"),
    ]


def test_unparsable_json_is_one_text() -> None:
    """It can still be found."""
    (section,) = sections_of("a.json", b'{"a": 1,\n "E-1042"')

    assert (section.text, section.json_path) == ('{"a": 1,\n "E-1042"', None)
    assert (section.start_line, section.end_line) == (1, 2)


def manual_files(root: Path, manual_id: str) -> list[FileStat | Skipped]:
    """Walk a manual to its end."""
    return walking.files_of(walking.walk_manual(Root(root), manual_id, lambda: False))


def test_a_walk_finds_files_and_tells_what_it_leaves_out(root: Path, write: Write) -> None:
    """Sorted, any letter case, devices and links of any name with a reason."""
    write("m/b.MD", "b")
    write("m/a/c.json", "{}")
    write("m/a/picture.png", "no")
    write("m/large.md", b"x" * 100)
    (root / "m" / "link.md").symlink_to("b.MD")
    (root / "m" / "folder-link").symlink_to("a")
    (root / "m" / "v1.2").symlink_to("a")
    os.mkfifo(root / "m" / "pipe.md")

    walked = list(manual_files(root, "m"))

    assert [file.path for file in walked if isinstance(file, FileStat)] == [
        "a/c.json",
        "b.MD",
        "large.md",
    ]
    assert [file for file in walked if isinstance(file, Skipped)] == [
        Skipped("folder-link", "symlink"),
        Skipped("link.md", "symlink"),
        Skipped("pipe.md", "special"),
        Skipped("v1.2", "symlink"),
    ]


def test_what_is_too_large_is_told(root: Path, write: Write) -> None:
    """By the walk, and by reading when it grew since."""
    os.truncate(write("m/large.md", b""), MOST_BYTES + 1)
    os.truncate(write("m/just.md", b""), MOST_BYTES)

    assert [file for file in manual_files(root, "m") if isinstance(file, Skipped)] == [
        Skipped("large.md", "too_large")
    ]
    assert len(contents(Root(root), "m", "just.md")) == MOST_BYTES
    assert contents(Root(root), "m", "large.md") == Skipped("large.md", "too_large")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_told(root: Path, write: Write) -> None:
    """Files when they are opened, folders when they are walked."""
    write("m/secret.md", "x").chmod(0)
    (root / "m" / "closed").mkdir(mode=0)

    assert Skipped("closed", "permission") in list(manual_files(root, "m"))
    assert contents(Root(root), "m", "secret.md") == Skipped("secret.md", "permission")
    (root / "m" / "closed").chmod(0o700)


def test_reading_tells_links_and_devices(root: Path, write: Write) -> None:
    """A file may have become one since the walk."""
    write("m/a.md", "x")
    (root / "m" / "link.md").symlink_to("a.md")
    os.mkfifo(root / "m" / "pipe.md")

    assert contents(Root(root), "m", "a.md") == b"x"
    assert contents(Root(root), "m", "link.md") == Skipped("link.md", "symlink")
    assert contents(Root(root), "m", "pipe.md") == Skipped("pipe.md", "special")
    with pytest.raises(NotFound):
        contents(Root(root), "m", "gone.md")


def test_paths_are_nfc_and_lead_to_the_file(root: Path, write: Write) -> None:
    """Whatever form the disk has."""
    name = unicodedata.normalize("NFD", "プログラム.md")
    write(f"m/{name}", "x")

    (file,) = manual_files(root, "m")

    assert file.path == "プログラム.md"
    assert contents(Root(root), "m", file.path) == b"x"


@pytest.mark.parametrize("names", [("\u00c5.md", "A\u030a.md", "\u212b.md"), ("K.md", "\u212a.md")])
def test_names_that_read_the_same_stand_for_one_file(
    root: Path, write: Write, names: tuple[str, ...]
) -> None:
    """The one that the path leads to; its stat is its own, and the others are told."""
    for size, name in enumerate(names, 1):
        write(f"m/{name}", "x" * size)
    if len(list((root / "m").iterdir())) != len(names):
        pytest.skip("this system takes them for one name")

    found = manual_files(root, "m")

    (file,) = [one for one in found if isinstance(one, FileStat)]
    assert file.path == names[0]
    assert file.size == len(cast("bytes", contents(Root(root), "m", file.path)))
    assert {one for one in found if isinstance(one, Skipped)} == {
        Skipped(name, "same_name") for name in names[1:]
    }


def test_of_two_names_in_other_forms_one_is_chosen_as_in_reading(root: Path, write: Write) -> None:
    """Neither is in the form that paths have."""
    write("m/A\u030a.md", "x")
    write("m/\u212b.md", "xx")
    write("m/\u212b/a.md", "in a folder")
    if len(list((root / "m").iterdir())) != 3:
        pytest.skip("this system takes them for one name")

    walk = walking.walk_manual(Root(root), "m", lambda: False)

    data = cast("bytes", contents(Root(root), "m", "\u00c5.md"))
    assert walk.files["\u00c5.md"][0] == len(data)
    assert walk.files.keys() == {"\u00c5.md", "\u00c5/a.md"}
    assert walk.skipped == (Skipped("\u212b.md", "same_name"),)


def test_a_file_too_large_keeps_its_name(root: Path, write: Write) -> None:
    """What reads like it is not taken for it, or would not be read when it is gone."""
    write("m/\u00dc.md", "x" * (MOST_BYTES + 1))
    write("m/U\u0308.md", "x")
    if len(list((root / "m").iterdir())) != 2:
        pytest.skip("this system takes them for one name")

    both = walking.walk_manual(Root(root), "m", lambda: False)
    (root / "m" / "\u00dc.md").unlink()
    alone = walking.walk_manual(Root(root), "m", lambda: False)

    assert both.files == {}
    assert sorted(both.skipped) == [
        Skipped("U\u0308.md", "same_name"),
        Skipped("\u00dc.md", "too_large"),
    ]
    assert (list(alone.files), alone.skipped) == (["\u00dc.md"], ())


def _rewrite(folder: Path) -> None:
    (folder / "a.md").write_text("other text")


def _add(folder: Path) -> None:
    (folder / "c.md").write_text("c")


def _add_a_folder(folder: Path) -> None:
    (folder / "inner").mkdir()
    (folder / "inner" / "c.md").write_text("c")


def _remove(folder: Path) -> None:
    (folder / "a.md").unlink()


def _swap_for_a_link(folder: Path) -> None:
    (folder / "a.md").unlink()
    (folder / "a.md").symlink_to("b.md")


def _swap_for_a_folder(folder: Path) -> None:
    (folder / "a.md").unlink()
    (folder / "a.md").mkdir()


def _swap_the_folder_for_a_link(folder: Path) -> None:
    folder.rename(folder.with_name("moved"))
    folder.symlink_to("moved")


def _grow(folder: Path) -> None:
    os.truncate(folder / "a.md", MOST_BYTES + 1)


@pytest.mark.parametrize(
    "change",
    [
        lambda _folder: None,
        _rewrite,
        _add,
        _add_a_folder,
        _remove,
        _swap_for_a_link,
        _swap_for_a_folder,
        _swap_the_folder_for_a_link,
        _grow,
    ],
)
def test_who_knows_the_last_walk_finds_the_same_as_who_does_not(
    root: Path, write: Write, change: Callable[[Path], None]
) -> None:
    """Every file is looked at, whatever the last walk found."""
    write("m/top.md", "t")
    write("m/f/a.md", "A")
    write("m/f/b.md", "b")
    last = walking.walk_manual(Root(root), "m", lambda: False)
    change(root / "m" / "f")

    again = walking.walk_manual(Root(root), "m", lambda: False, last)

    assert last.folders.keys() == {"", "f/"}
    assert again == walking.walk_manual(Root(root), "m", lambda: False)
    assert (again == last) is (change.__name__ == "<lambda>")


def test_files_are_found_however_deep_they_are(root: Path, write: Write) -> None:
    """Below the folders that are held open at once too, and links there are not followed."""
    deep = "/".join("f" * (walking.MOST_HELD + 3))
    paths = {f"{deep[:length]}/a.md" for length in range(1, len(deep) + 1, 2)}
    for path in paths:
        write(f"m/{path}", "text")
    (root / "m" / deep / "link").symlink_to(root / "m")

    walk = walking.walk_manual(Root(root), "m", lambda: False)

    assert walk.files.keys() == paths
    assert walk.skipped == (Skipped(f"{deep}/link", "symlink"),)


def test_a_manual_that_is_a_link_or_missing_is_not_walked(root: Path) -> None:
    """Links lead nowhere."""
    (root / "linked").symlink_to("m")

    with pytest.raises(Forbidden):
        list(manual_files(root, "linked"))
    with pytest.raises(NotFound):
        list(manual_files(root, "missing"))


@pytest.mark.parametrize(("manual", "files"), [("kaede-fukugouki", 17), ("lantern-backup", 16)])
def test_the_samples_are_read_whole(manual: str, files: int) -> None:
    """All of them readable."""
    walked = list(manual_files(SAMPLES, manual))

    assert len(walked) == files
    for file in walked:
        data = contents(Root(SAMPLES), manual, file.path)
        assert isinstance(data, bytes)
        assert sections_of(file.path, data)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    ("rest", "titles"),
    [
        ("\n\n# One\ntext\n", ["T", "One"]),
        (" \n\n", ["T"]),
        ("\nwords\n# One\n", ["T", "", "One"]),
        ("\nwords\n", ["T", ""]),
        ("# One\n", ["T", "One"]),
        ("", ["T"]),
    ],
)
def test_blank_lines_after_front_matter_are_no_section(
    rest: str, titles: list[str], end: str
) -> None:
    """They belong to what stands above them."""
    text = f"---\ntitle: T\n---\n{rest}".replace("\n", end)
    sections = of_markdown("a.md", text)
    assert [section.title for section in sections] == titles
    assert "".join(section.text for section in sections) == text


@given(st.from_regex(r"[A-Za-z0-9_-]{4,101}\.[a-zA-Z]{1,4}", fullmatch=True))
def test_a_usual_name_is_taken_for_what_a_closer_look_says(name: str) -> None:
    """The short way and the long way are one."""
    facts = NAMES[name]

    for types in (USUAL_TYPES, FileTypes(ENDINGS.values())):
        is_plain = types.has(name) and facts.is_nameable and facts.normal == name
        assert types.plain[name] is is_plain
