"""Files made to hurt: each is a row in the report, and the file beside it is imported."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.support import documents
from tests.support.command import run_command
from tests.support.documents import docx, flate_bomb, paragraph, pdf, row, xlsx, zipped
from tests.support.launching import clean_environment

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

BOMB = '<!DOCTYPE w [<!ENTITY a "aaaaaaaaaa">' + "".join(
    f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefgh", "bcdefghi", strict=True)
)
DOCUMENT = "word/document.xml"


def _entity_bomb() -> bytes:
    return zipped({DOCUMENT: BOMB + "]><w>&i;</w>"})


def _outside_entity() -> bytes:
    declared = '<!DOCTYPE w [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
    return zipped({DOCUMENT: f"{declared}<w:document xmlns:w='{documents.WORD}'>&x;</w:document>"})


def _zip_bomb() -> bytes:
    return zipped({DOCUMENT: b"<w>" + b" " * (300 * 1024 * 1024)})


def _far_cell() -> bytes:
    far = '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
    return xlsx({"s": row(1, ["a"]) + far})


HOSTILE: dict[str, tuple[Callable[[], bytes], set[str]]] = {
    "encrypted.pdf": (documents.encrypted_pdf, {"encrypted"}),
    "truncated.pdf": (lambda: pdf(["whole"])[:60], {"broken"}),
    "truncated.docx": (lambda: docx(paragraph("a"))[:200], {"broken"}),
    "empty.pdf": (lambda: b"", {"broken"}),
    "picture.pdf": (lambda: b"\x89PNG\r\n\x1a\n" + bytes(100), {"broken"}),
    "words.docx": (lambda: b"plain words", {"broken"}),
    "binary.txt": (lambda: bytes(range(256)) * 4, {"broken"}),
    "entities.docx": (_entity_bomb, {"broken"}),
    "outside.docx": (_outside_entity, {"broken"}),
    "bomb.docx": (_zip_bomb, {"too_large"}),
    "bomb.xlsx": (lambda: zipped({"xl/workbook.xml": bytes(300 * 1024 * 1024)}), {"too_large"}),
    "far.xlsx": (_far_cell, {"too_large", "crashed"}),
    "old.doc": (lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", {"unsupported"}),
    "locked.xlsx": (
        lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"),
        {"encrypted"},
    ),
    "deep.html": (lambda: b"<div>" * 200_000 + b"x", {"too_large"}),
    "deep.docx": (lambda: docx("<w:x>" * 100_000 + "</w:x>" * 100_000), {"broken", "crashed"}),
    "nested.zip": (lambda: zipped({"a.zip": zipped({"b.zip": zipped({})})}), {"unsupported"}),
    "broken.zip": (lambda: b"PK\x03\x04" + bytes(50), {"broken"}),
    "broken.epub": (lambda: zipped({"META-INF/container.xml": "<container/>"}), {"broken"}),
    "broken.pptx": (lambda: zipped({"ppt/presentation.xml": "<p>"}), {"broken"}),
}


def imported(home: Path, *words: str) -> dict[str, dict[str, Any]]:
    """Import the folder `sources`; the rows by the name of the file."""
    env = {"XDG_STATE_HOME": str(home / "state")}
    command = ("manuals", "import", "sources", "--into", "m", "--json", *words)
    done = run_command(home, *command, face="tebiki", env=env)
    assert done.stderr == ""
    rows: list[dict[str, Any]] = json.loads(done.stdout)["files"]
    return {os.path.relpath(one["source"], home / "sources"): one for one in rows}


@pytest.mark.requirement("people:import:hostile")
def test_every_bad_file_is_a_row_and_the_rest_is_imported(tmp_path: Path) -> None:
    """With a reason; nothing is written but the good one."""
    sources = tmp_path / "sources"
    sources.mkdir()
    for name, (make, _) in HOSTILE.items():
        (sources / name).write_bytes(make())
    (sources / "good.txt").write_text("good", encoding="utf-8")

    rows = imported(tmp_path)

    assert rows.pop("good.txt")["status"] == "imported"
    nested = rows.pop("nested.zip/a.zip")
    rows["nested.zip"] = nested
    assert {name: rows[name]["status"] for name in HOSTILE} == dict.fromkeys(HOSTILE, "unread")
    wrong = {
        name: rows[name]["reason"]
        for name, (_, reasons) in HOSTILE.items()
        if rows[name]["reason"] not in reasons
    }
    assert wrong == {}
    assert [file.name for file in (tmp_path / "manuals").rglob("*.*")] == ["good.txt.md"]


@pytest.mark.requirement("people:import:hostile")
def test_a_page_that_unpacks_to_gigabytes_ends_its_child_alone(tmp_path: Path) -> None:
    """A Flate bomb is a row, whichever bound it meets, and costs the parent no memory."""
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "bomb.pdf").write_bytes(flate_bomb(2_000))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    row_of_it = imported(tmp_path)["bomb.pdf"]

    assert row_of_it["status"] in {"unread", "partial"}
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100 * 1024


@pytest.mark.requirement("people:import:hostile")
def test_what_claims_a_terabyte_is_not_even_hashed(tmp_path: Path) -> None:
    """Neither a source nor what lies where its text would go; the rest is imported."""
    sources = tmp_path / "sources"
    sources.mkdir()
    names = ["a.txt", "b.html", "c.pdf", "d.zip"]
    for path in (*(sources / name for name in names), tmp_path / "manuals/m/taken.txt.md"):
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            file.truncate(1 << 40)
    for name in ("taken.txt", "good.txt"):
        (sources / name).write_text("good", encoding="utf-8")

    rows = imported(tmp_path)

    reasons = [rows[name]["reason"] for name in names]
    assert reasons == ["too_large"] * 3 + ["broken"]  # of a zip file only the end is read
    assert (rows["taken.txt"]["reason"], rows["good.txt"]["status"]) == ("not_ours", "imported")


@pytest.mark.requirement("people:import:hostile")
def test_ten_thousand_pages_are_read(tmp_path: Path) -> None:
    """Within the time that so many may take."""
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "long.pdf").write_bytes(pdf([f"Page {n}" for n in range(10_000)]))

    row_of_it = imported(tmp_path)["long.pdf"]

    assert (row_of_it["status"], row_of_it["pages"]) == ("imported", 10_000)
    written = (tmp_path / "manuals" / "m" / "long.pdf.md").read_text(encoding="utf-8")
    assert written.count("<!-- page ") == 10_000


@pytest.mark.requirement("people:import:hostile")
def test_wrong_endings_do_not_matter_where_the_bytes_tell(tmp_path: Path) -> None:
    """A Word document named .pdf is one still."""
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "a.pdf").write_bytes(docx(paragraph("本文です")))

    assert imported(tmp_path)["a.pdf"]["status"] == "imported"
    assert "本文です" in (tmp_path / "manuals" / "m" / "a.pdf.md").read_text(encoding="utf-8")


PROBE = """
import os, socket, sys, threading
from tebiki.importer.confinement import confine
confine()
tried = {}
def attempt(name, act):
    try:
        act()
    except (OSError, ValueError) as refused:
        tried[name] = type(refused).__name__
    else:
        tried[name] = "done"
attempt("socket", socket.socket)
attempt("write", lambda: open(sys.argv[1] + "/new", "w"))
attempt("truncate", lambda: os.open(sys.argv[1] + "/kept", os.O_WRONLY | os.O_TRUNC))
attempt("remove", lambda: os.unlink(sys.argv[1] + "/kept"))
attempt("start", lambda: os.execv("/bin/true", ["true"]))
attempt("fork", os.fork)
attempt("thread", lambda: threading.Thread(target=int).start())
attempt("read", lambda: open(sys.argv[1] + "/kept").read())
os.write(1, repr(tried).encode())
"""


@pytest.mark.requirement("people:import:hostile")
@pytest.mark.skipif(sys.platform != "linux", reason="the filter of calls is Linux's")
def test_a_confined_process_can_only_read(tmp_path: Path) -> None:
    """No network, no file written, truncated or removed, no program started."""
    (tmp_path / "kept").write_text("kept", encoding="utf-8")

    done = subprocess.run(
        [sys.executable, "-c", PROBE, str(tmp_path)], capture_output=True, check=True
    )

    tried = eval(done.stdout)  # noqa: S307 -- what the lines above wrote
    assert tried.pop("read") == tried.pop("thread") == "done"
    assert set(tried.values()) == {"PermissionError"}, tried
    assert (tmp_path / "kept").read_text(encoding="utf-8") == "kept"
    assert not (tmp_path / "new").exists()


@pytest.mark.requirement("people:import:killed")
def test_a_kill_leaves_whole_files_and_the_next_run_goes_on(tmp_path: Path) -> None:
    """Whatever is there is whole, ours, and not read again."""
    sources = tmp_path / "sources"
    sources.mkdir()
    for number in range(30):
        (sources / f"{number:02}.txt").write_text(f"text {number} " * 2_000, encoding="utf-8")
    environment = clean_environment(tmp_path) | {"XDG_STATE_HOME": str(tmp_path / "state")}
    words = [sys.executable, "-m", "tebiki", "manuals", "import", "sources", "--into", "m"]
    process = subprocess.Popen(words, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL)
    manual = tmp_path / "manuals" / "m"
    while process.poll() is None and len(list(manual.glob("*.md"))) < 5:
        pass
    process.send_signal(signal.SIGKILL)
    process.wait()

    whole = {file.name for file in manual.glob("*.md")}
    assert all(
        file.read_text(encoding="utf-8").count("text") == 2_000 for file in manual.glob("*.md")
    )
    rows = imported(tmp_path)

    assert {one["status"] for one in rows.values()} <= {"imported", "unchanged"}
    unchanged = {f"{name}.md" for name, one in rows.items() if one["status"] == "unchanged"}
    assert unchanged == whole
    assert len(list(manual.glob("*.md"))) == 30
