"""`tebiki manuals import`: what people have becomes a manual, again and again."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.support import documents
from tests.support.command import Finished, run_command
from tests.support.launching import clean_environment

CORPUS = Path(__file__).parents[2] / "bench" / "import_corpus"


@pytest.fixture(name="home")
def _home(tmp_path: Path) -> Path:
    """A folder with one file of each kind, in Japanese names."""
    source = tmp_path / "sources" / "保守"
    source.mkdir(parents=True)
    (source / "手引き.pdf").write_bytes((CORPUS / "ja-merged-cells.pdf").read_bytes())
    (source / "text.txt").write_bytes("一行目\n# 二行目".encode("cp932"))
    (tmp_path / "sources" / "slides.pptx").write_bytes(documents.pptx([("Title", "Words")]))
    (tmp_path / "sources" / "photo.jpg").write_bytes(b"\xff\xd8")
    return tmp_path


def run(home: Path, *words: str) -> Finished:
    """Import into the manual `m`."""
    env = {"XDG_STATE_HOME": str(home / "state"), "XDG_CACHE_HOME": str(home / "cache")}
    return run_command(home, "manuals", "import", *words, "--into", "m", face="tebiki", env=env)


def report(home: Path, *words: str) -> dict[str, Any]:
    """What an import tells a program."""
    told: dict[str, Any] = json.loads(run(home, *words, "--json").stdout)
    return told


def statuses(home: Path, *words: str) -> dict[str, str]:
    """What became of each file, by its name."""
    return {Path(row["source"]).name: row["status"] for row in report(home, *words)["files"]}


def text(home: Path, path: str) -> str:
    """What was written."""
    return (home / "manuals" / "m" / path).read_text(encoding="utf-8")


@pytest.mark.requirement("people:import:kinds", "people:import:marks")
def test_a_folder_becomes_a_manual_that_is_searched(home: Path) -> None:
    """Paths are mirrored, front matter tells the source, pages and slides are marked."""
    done = run(home, "sources")

    assert done.code == 0, done.stdout + done.stderr
    assert "m: 3 imported" in done.stdout
    assert "passed over: 1 jpg" in done.stdout
    written = text(home, "保守/手引き.pdf.md")
    head, body = written.split("---\n")[1:3]
    assert 'title: "定格の一覧"' in head
    assert 'source: "保守/手引き.pdf"' in head
    assert "pages: 1" in head
    assert body.startswith("\n<!-- page 1 -->\n\n# 定格の一覧\n")
    assert "| 据置 | KF-100 | 100V | 230V | 12.5kg |" in body
    assert "<!-- slide 1 -->\n\n## Title\n\n- Words" in text(home, "slides.pptx.md")
    assert "一行目\n\\# 二行目" in text(home, "保守/text.txt.md")
    found = run_command(
        home, "manuals", "find", "m", "KF-200 の質量", "--json", face="tebiki", env={}
    )
    assert "保守/手引き.pdf.md" in found.stdout


@pytest.mark.requirement("people:import:idempotent")
def test_what_has_not_changed_is_left_alone(home: Path) -> None:
    """Not a byte and not a time; what changed is read again, by `--refresh` too."""
    run(home, "sources")
    files = sorted((home / "manuals").rglob("*.md"))
    before = [(file.read_bytes(), file.stat().st_mtime_ns) for file in files]

    assert set(statuses(home, "sources").values()) == {"unchanged"}
    assert [(file.read_bytes(), file.stat().st_mtime_ns) for file in files] == before

    (home / "sources" / "保守" / "text.txt").write_text("新しい", encoding="utf-8")
    (home / "sources" / "new.txt").write_text("more", encoding="utf-8")
    assert statuses(home, "--refresh") == {
        "text.txt": "imported",
        "new.txt": "imported",
        "slides.pptx": "unchanged",
        "手引き.pdf": "unchanged",
    }
    assert "新しい" in text(home, "保守/text.txt.md")


@pytest.mark.requirement("people:import:idempotent")
def test_a_dry_run_writes_nothing(home: Path) -> None:
    """It tells what would be done."""
    assert report(home, "sources", "--dry-run")["counts"] == {"imported": 3}
    told = run(home, "sources", "--dry-run").stdout
    assert "m: 3 to import (dry run: nothing was written)" in told
    assert "imported " not in told
    assert not (home / "manuals").exists()


@pytest.mark.requirement("people:import:edited")
def test_what_a_person_wrote_is_not_overwritten(home: Path) -> None:
    """An edited text only by --force, a file that is not ours never."""
    own = home / "manuals" / "m" / "slides.pptx.md"
    own.parent.mkdir(parents=True)
    own.write_text("mine", encoding="utf-8")
    run(home, "sources")
    edited = home / "manuals" / "m" / "保守" / "text.txt.md"
    edited.write_text("edited", encoding="utf-8")
    (home / "sources" / "保守" / "text.txt").write_text("新しい", encoding="utf-8")

    done = report(home, "sources")

    rows = {Path(row["source"]).name: row for row in done["files"]}
    assert (rows["text.txt"]["status"], rows["text.txt"]["reason"]) == ("kept", "edited")
    assert (rows["slides.pptx"]["status"], rows["slides.pptx"]["reason"]) == ("kept", "not_ours")
    assert edited.read_text(encoding="utf-8") == "edited"
    assert run(home, "sources").code == 1

    assert statuses(home, "sources", "--force")["text.txt"] == "imported"
    assert "新しい" in edited.read_text(encoding="utf-8")
    assert own.read_text(encoding="utf-8") == "mine"


@pytest.mark.requirement("people:import:edited")
def test_without_a_record_nothing_is_overwritten(home: Path) -> None:
    """Whose text it is, nobody knows any more."""
    run(home, "sources")
    for file in (home / "state").rglob("*.jsonl"):
        file.unlink()
    (home / "sources" / "保守" / "text.txt").unlink()

    assert set(statuses(home, "sources", "--force", "--prune").values()) == {"kept"}
    assert "一行目" in text(home, "保守/text.txt.md")


@pytest.mark.requirement("people:import:prune")
def test_what_vanished_is_removed_only_on_demand(home: Path) -> None:
    """And only the text that was written; edits stay."""
    (home / "sources" / "b.txt").write_text("b", encoding="utf-8")
    run(home, "sources")
    (home / "sources" / "保守" / "text.txt").unlink()
    (home / "sources" / "b.txt").unlink()
    kept = home / "manuals" / "m" / "b.txt.md"
    kept.write_text("edited", encoding="utf-8")

    told = statuses(home, "--refresh")
    assert (told["text.txt"], told["b.txt"]) == ("vanished", "vanished")
    assert "一行目" in text(home, "保守/text.txt.md")

    told = statuses(home, "--refresh", "--prune")
    assert (told["text.txt"], told["b.txt"]) == ("removed", "kept")
    assert not (home / "manuals" / "m" / "保守" / "text.txt.md").exists()
    assert kept.read_text(encoding="utf-8") == "edited"


@pytest.mark.requirement("people:import:prune")
def test_nothing_is_removed_while_a_source_folder_is_missing(home: Path) -> None:
    """It may be a disk that is not connected."""
    run(home, "sources")
    (home / "sources").rename(home / "elsewhere")

    done = run(home, "--refresh", "--prune", "--json")

    told = json.loads(done.stdout)
    assert done.code == 1
    assert "missing or cannot be read" in told["prune_refused"]
    assert set(told["counts"]) == {"vanished"}
    assert "一行目" in text(home, "保守/text.txt.md")


@pytest.mark.requirement("people:import:prune")
@pytest.mark.skipif(os.geteuid() == 0, reason="root may look into every folder")
def test_nothing_is_removed_while_a_folder_below_cannot_be_looked_into(home: Path) -> None:
    """What is in it has not vanished: nobody knows."""
    run(home, "sources")
    hidden = home / "sources" / "保守"
    hidden.chmod(0)
    try:
        told = statuses(home, "--refresh", "--prune")
    finally:
        hidden.chmod(0o755)

    assert told == {"保守": "unread", "slides.pptx": "unchanged"}
    assert "一行目" in text(home, "保守/text.txt.md")


@pytest.mark.requirement("people:import:originals")
def test_originals_keep_their_bytes_and_times(home: Path) -> None:
    """They are only read."""
    files = [file for file in (home / "sources").rglob("*") if file.is_file()]
    before = [(file.read_bytes(), file.stat().st_mtime_ns, file.stat().st_mode) for file in files]
    for file in files:
        os.chmod(file, 0o444)

    run(home, "sources")

    after = [(file.read_bytes(), file.stat().st_mtime_ns) for file in files]
    assert after == [row[:2] for row in before]


@pytest.mark.requirement("people:import:zip")
def test_a_zip_file_is_looked_into(home: Path) -> None:
    """Names in CP932 are read, names that lead out are refused, nothing is written elsewhere."""
    plain = documents.zipped({"xxxxxx/a.txt": "一", "../out.txt": "二", "/abs.txt": "三"})
    name = "保守点".encode("cp932")
    (home / "b.zip").write_bytes(plain)
    link = zipfile.ZipInfo("link.txt")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(home / "b.zip", "a") as archive:
        archive.writestr(link, "/etc/passwd")
    packed = (home / "b.zip").read_bytes().replace(b"xxxxxx", name)
    (home / "b.zip").write_bytes(packed)

    rows = report(home, "b.zip")["files"]

    assert [(row["status"], row.get("output"), row.get("reason")) for row in rows] == [
        ("unread", None, "unsafe_name"),
        ("unread", None, "unsafe_name"),
        ("unread", None, "unsupported"),
        ("imported", "保守点/a.txt.md", None),
    ]
    assert not list(home.rglob("out.txt*"))
    assert "一" in text(home, "保守点/a.txt.md")
    assert set(statuses(home, "b.zip").values()) == {"unchanged", "unread"}


@pytest.mark.requirement("people:import:report")
def test_two_sources_for_one_place_are_told(home: Path) -> None:
    """The first one has it."""
    for folder in ("one", "two"):
        (home / folder).mkdir()
        (home / folder / "a.txt").write_text(folder, encoding="utf-8")

    rows = report(home, "one", "two")["files"]

    assert sorted((row["status"], row.get("reason")) for row in rows) == [
        ("imported", None),
        ("unread", "name_taken"),
    ]
    assert "one" in text(home, "a.txt.md")


@pytest.mark.requirement("people:import:report")
def test_a_name_cannot_look_like_a_row(home: Path) -> None:
    """Whatever is in it, each file is one line; what is no file is counted."""
    (home / "odd").mkdir()
    (home / "odd" / "a\nimported  b\u202e.txt").write_text("text", encoding="utf-8")
    os.mkfifo(home / "odd" / "pipe.pdf")

    lines = run(home, "odd").stdout.splitlines()

    assert [line.split()[0] for line in lines] == ["imported", "m:", "passed"]
    assert lines[0].endswith("a imported b.txt -> a_imported b_.txt.md")
    assert lines[-1] == "passed over: 1 other"


@pytest.mark.requirement("people:import:report")
def test_pages_that_are_pictures_are_named(home: Path) -> None:
    """The rest of the file is there; a file of nothing else is unread."""
    (home / "s.pdf").write_bytes((CORPUS / "ja-scanned-page.pdf").read_bytes())

    (row,) = report(home, "s.pdf")["files"]

    assert (row["status"], row["reason"], row["unread_pages"]) == ("partial", "pages", [2])
    assert "unread_pages: [2]" in text(home, "s.pdf.md")


@pytest.mark.requirement("people:import:split")
def test_a_long_text_is_several_files_that_are_each_searched(home: Path) -> None:
    """Cut between paragraphs; when it is shorter again, the rest goes."""
    long = home / "long.txt"
    long.write_text("a line of a long text\n\n" * 500_000, encoding="utf-8")

    (row,) = report(home, "long.txt")["files"]

    names = ["long.txt.md", "long.txt.part2.md"]
    manual = home / "manuals" / "m"
    assert (row["status"], row["parts"]) == ("imported", 2)
    assert sorted(file.name for file in manual.iterdir()) == names
    texts = [text(home, name) for name in names]
    assert sum(part.count("a line of a long text") for part in texts) == 500_000
    assert max(len(part.encode()) for part in texts) < 16 * 1024 * 1024
    assert "part: 2 of 2" in texts[1]
    assert statuses(home, "long.txt") == {"long.txt": "unchanged"}

    long.write_text("short", encoding="utf-8")
    assert statuses(home, "long.txt") == {"long.txt": "imported"}
    assert [file.name for file in manual.iterdir()] == ["long.txt.md"]


@pytest.mark.requirement("people:import:kinds")
def test_a_file_without_text_keeps_no_other_from_being_found(home: Path) -> None:
    """Its import has a head and nothing below it, in which no section begins."""
    for name, content in (("blank", documents.pdf([""])), ("page", b"<html>")):
        (home / f"{name}.pdf").write_bytes(content)
    report = json.loads(run(home, "blank.pdf", "page.pdf", "sources", "--json").stdout)
    assert report["counts"]["partial"] == 2

    found = run_command(home, "manuals", "find", "m", "Words", face="tebiki")

    assert (found.code, found.stderr) == (0, "")
    assert "m/slides.pptx.md:" in found.stdout
    assert "everything searched" in found.stdout


@pytest.mark.requirement("people:import:usage")
def test_wrong_usage_is_told(home: Path) -> None:
    """In one line, without a path of the machine."""
    for words in (["nothing.pdf"], [], ["--refresh"]):
        done = run(home, *words)

        assert done.code == 2, words
        assert done.stderr.count("\n") == 1
        assert str(home) not in done.stderr
    for name in ("../m", ".m", "a/b", "/m", "manuals"):
        done = run_command(home, "manuals", "import", "sources", "--into", name, face="tebiki")
        assert done.code == 2, name


@pytest.mark.requirement("people:import:extra")
def test_without_the_extra_it_is_told_what_to_install(home: Path) -> None:
    """Before anything is looked at."""
    without = (
        "import sys; sys.modules['python_calamine'] = None; "
        "from tebiki.__main__ import tebiki; sys.exit(tebiki())"
    )
    words = ["manuals", "import", "sources", "--into", "m"]

    done = subprocess.run(
        [sys.executable, "-c", without, *words],
        cwd=home,
        env=clean_environment(home),
        capture_output=True,
        check=False,
        text=True,
    )

    assert done.returncode == 2
    assert "pip install 'tebiki[import]'" in done.stderr
    assert not (home / "manuals").exists()


@pytest.mark.requirement("people:import:pages", "people:import:idempotent", "people:import:prune")
def test_a_mixed_folder_is_found_by_page_edited_refreshed_and_pruned(home: Path) -> None:
    """From the import to the last trace, with the real libraries, in a manual that `add` made."""
    env = {
        "XDG_STATE_HOME": str(home / "state"),
        "XDG_CACHE_HOME": str(home / "cache"),
        "XDG_CONFIG_HOME": str(home / "settings"),
    }

    def tebiki(*words: str) -> Finished:
        return run_command(home, "manuals", *words, face="tebiki", env=env)

    (home / "elsewhere").mkdir()
    book = home / "sources" / "book.pdf"
    book.write_bytes((CORPUS / "ja-word.pdf").read_bytes())
    assert tebiki("add", str(home / "elsewhere"), "--as", "office").code == 0
    assert tebiki("import", "sources", "--into", "office").code == 0

    found = json.loads(tebiki("find", "office", "給紙ローラーの交換", "--json").stdout)
    hit = found["inline_hits"]["items"][0]
    assert hit["ref"]["path"] == "book.pdf.md"
    page = hit["page"]
    assert f"office/book.pdf.md:{hit['ref']['start_line']} (page {page})" in (
        tebiki("find", "office", "給紙ローラーの交換").stdout
    )
    text = (home / "elsewhere" / "book.pdf.md").read_text(encoding="utf-8")
    on_page = text.split(f"<!-- page {page} -->")[1].split("<!-- page ")[0]
    assert hit["excerpt"].split("。")[0] in on_page
    read = tebiki("read", f"office/book.pdf.md:{hit['ref']['start_line']}")
    assert f"(page {page}" in read.stderr
    toc = json.loads(tebiki("toc", "office", "book.pdf.md", "--headings", "--json").stdout)
    assert {row["page"] for row in toc["items"][0]["headings"]} > {1, 2}
    slides = json.loads(tebiki("find", "office", "Words", "--json").stdout)
    assert slides["inline_hits"]["items"][0]["slide"] == 1

    (home / "sources" / "保守" / "text.txt").write_text("改訂された手順\n", encoding="utf-8")
    book.unlink()
    refreshed = json.loads(tebiki("import", "--into", "office", "--refresh", "--json").stdout)
    assert refreshed["counts"] == {"imported": 1, "unchanged": 2, "vanished": 1}
    assert "保守/text.txt.md" in tebiki("find", "office", "改訂された手順", "--json").stdout
    assert tebiki("import", "--into", "office", "--refresh", "--prune").code == 0
    assert not (home / "elsewhere" / "book.pdf.md").exists()
    gone = json.loads(tebiki("find", "office", "給紙ローラーの交換", "--json").stdout)
    assert all(row["ref"]["path"] != "book.pdf.md" for row in gone["inline_hits"]["items"])
