"""What may be a path, and what may not: one rule for every system."""

from __future__ import annotations

import pytest

from tebiki.errors import Forbidden, InvalidPath
from tebiki.files.names import fold_name, is_nameable, parse


@pytest.mark.requirement("vault:paths:relative")
@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a.md", ("a.md",)),
        ("a/b/c.md", ("a", "b", "c.md")),
        ("a\\b.md", ("a", "b.md")),
        ("./a//b/./c.md", ("a", "b", "c.md")),
        ("a/", ("a",)),
        (".", ()),
        (".hidden", (".hidden",)),
        ("a b/c d.md", ("a b", "c d.md")),
        ("日記/会議.md", ("日記", "会議.md")),
        ("family \U0001f468\u200d\U0001f469.md", ("family \U0001f468\u200d\U0001f469.md",)),
        ("a..b.md", ("a..b.md",)),
        ("console.md", ("console.md",)),
        ("x" * 255, ("x" * 255,)),
    ],
)
def test_a_relative_path_is_taken_apart(text: str, parts: tuple[str, ...]) -> None:
    """Backslashes part names too; dots and empty parts are dropped."""
    assert parse(text).parts == parts


@pytest.mark.requirement("vault:paths:refused")
@pytest.mark.parametrize(
    "text",
    [
        "",
        "/etc/passwd",
        "\\\\server\\share\\a",
        "\\a",
        "C:\\a",
        "c:a",
        "..",
        "../a",
        "a/../b",
        "a\\..\\b",
        "a/..",
        "a\0b",
        "a\nb",
        "a\x7f",
        "a\x9f",
        "a\u202eb.md",
        "a\u2066b",
        "a\u200fb",
        "a\u061cb",
        "a\u200bb",
        "a\ufeffb",
        "a\u2028b",
        pytest.param("a" + "\u0301\u0316" * 500_000, id="a million marks"),
        "a\ud800b",
        "x" * 256,
        "あ" * 86,
        "a/" * 1500 + "a",
        "CON",
        "con.md",
        "NUL.tar.gz",
        "a/aux/b",
        "Com1",
        "lpt9.txt",
        "COM¹.md",
        "CONIN$",
        "nul .txt",
        "a./b",
        "a.md.",
        "a ",
        "a /b",
        "...",
        "note.md:stream",
        "note.md::$DATA",
    ],
)
def test_unicode_path_tricks_and_other_refusals(text: str) -> None:
    """Nothing that could mean something else on some system; the text is not repeated."""
    with pytest.raises(InvalidPath) as refusal:
        parse(text)

    assert not is_nameable(text)
    shown = str(refusal.value)
    assert shown.isprintable()
    assert "etc" not in shown


@pytest.mark.parametrize("name", [".tebiki-tmp-0", ".TEBIKI-TMP-x", "a/．tebiki-tmp-x"])
def test_names_of_unfinished_writes_are_reserved(name: str) -> None:
    """In any case and width."""
    with pytest.raises(Forbidden):
        parse(name)


@pytest.mark.parametrize("name", [".System", ".SYSTEM", "．ｓｙｓｔｅｍ", ".ſystem"])
def test_reserved_names_are_compared_folded(name: str) -> None:
    """Compatibility characters and case do not count."""
    assert fold_name(name) == ".system"
