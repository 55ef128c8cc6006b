"""Any string as a path: it stays inside the root, or it is refused."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tebiki.errors import Forbidden, InvalidPath, TebikiError
from tebiki.files.names import is_nameable, parse
from tebiki.vault.vault import Vault
from tests.support.examples import examples

if TYPE_CHECKING:
    from collections.abc import Callable

CANARY = "CANARY"
PARTS = st.sampled_from(
    [
        *("..", ".", "", "a", "a.md", "sub", "link", "dangling", "deep", "outside", "secret.md"),
        *(".system", "daily", "2026-01-01.md", "C:", "~", "con", "%2e%2e", "．．", "‥", "\0", "x "),
        *("etc", "passwd", "vault", "vault-outside", "locks", "loop", "pipe"),
    ]
)
SEPARATORS = st.sampled_from(["/", "\\", "//", "/./", "∕", "／"])
crafted = st.builds(
    lambda head, pairs: head + "".join(part + separator for part, separator in pairs),
    st.sampled_from(["", "/", "\\\\", "C:\\", "./"]),
    st.lists(st.tuples(PARTS, SEPARATORS), max_size=6),
)
paths = st.text(max_size=60) | crafted | crafted.map(lambda path: path.rstrip("/\\"))


def build(top: Path) -> Path:
    """A root with links to a tree of canaries beside it."""
    root, outside = top / "vault", top / "vault-outside"
    for folder in (root / "sub", outside / "deep"):
        folder.mkdir(parents=True)
    for folder in (outside, outside / "deep", top):
        for name in ("secret.md", "a.md", "a"):
            (folder / name).write_text(CANARY)
    (root / "a.md").write_text("inside")
    (root / "link").symlink_to(outside)
    (root / "sub" / "link").symlink_to(outside / "secret.md")
    (root / "dangling").symlink_to(outside / "new.md")
    (root / "loop").symlink_to("loop")
    os.mkfifo(root / "pipe")
    return root


def beside(top: Path) -> dict[str, bytes]:
    """Every file that is not below the root."""
    return {
        str(path): path.read_bytes()
        for path in top.rglob("*")
        if path.is_file() and not path.is_relative_to(top / "vault")
    }


def answer_of(call: Callable[[], object]) -> str:
    """What a call says, be it a refusal."""
    try:
        return str(call())
    except TebikiError as refusal:
        return str(refusal)


CALLS: tuple[Callable[[Vault, str], object], ...] = (
    lambda vault, path: vault.ls(path),
    lambda vault, path: vault.read(path, full=True),
    lambda vault, path: vault.scan(path),
    lambda vault, path: vault.replace(path, CANARY, "changed"),
    lambda vault, path: vault.create(path, "created"),
    lambda vault, path: vault.append(path, "appended"),
    lambda vault, path: vault.move(path, "moved.md"),
    lambda vault, path: vault.move("moved.md", path),
    lambda vault, path: vault.remove(path),
)


@pytest.mark.requirement("vault:paths:outside")
@examples(150)
@given(st.lists(paths, min_size=1, max_size=8))
@example(["link/secret.md", "sub/link", "dangling", "../vault-outside/a.md", "link\\..\\a.md"])
@example(["loop", "pipe", "loop/a", "vault-outside", "．．/a.md", "/etc/passwd"])
def test_any_string_stays_inside_or_is_refused(strings: list[str]) -> None:
    """Whatever is asked of every tool, no canary is read, changed, or joined by a new file."""
    with tempfile.TemporaryDirectory() as name:
        top = Path(name)
        vault = Vault(build(top), lambda: 0.0)
        before = beside(top)
        for path in strings:
            for call in CALLS:
                answer = answer_of(lambda call=call, path=path: call(vault, path))  # type: ignore[misc]
                assert CANARY not in answer
                assert name not in answer
        assert beside(top) == before


@given(paths)
def test_a_parsed_path_only_goes_down(text: str) -> None:
    """No part could be more than a name, and parsing what is shown gives the same again."""
    try:
        path = parse(text)
    except TebikiError:
        assert answer_of(lambda: parse(text)).isprintable()
        return
    for part in path.parts:
        assert part not in {"", ".", ".."}
        assert not set(part) & set("/\\:\0")
    assert not path.parts or parse(str(path)) == path


NAMES = st.text(
    st.sampled_from("aAcC0_.-~ :/nulom") | st.characters(), max_size=300
) | st.sampled_from(
    ["con", "NUL.md", "com1.json", "a" * 255, "a" * 256, "aux-1.md", ".md", "a.", "..", "a..b"]
)


@given(NAMES)
def test_a_name_can_be_given_if_it_is_read_as_itself(name: str) -> None:
    """By the short way that most names take as by the long one."""
    try:
        is_read = parse(name).parts == (name,)
    except (InvalidPath, Forbidden):
        is_read = False

    assert is_nameable(name) == is_read
