"""`tebiki manuals`: what a person types and reads."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from tests.support.command import Finished, run_command

if TYPE_CHECKING:
    from pathlib import Path

GUIDE = "# Guide\n\nStart here.\n\n## Heating\n\nThe heater runs at 40 degrees.\n"
COOLING = "# Cooling\n\nThe fan stops after 10 minutes.\n"


@pytest.fixture(name="home")
def _home(tmp_path: Path) -> Path:
    """A workspace with one manual."""
    folder = tmp_path / "manuals" / "oven"
    (folder / "more").mkdir(parents=True)
    (folder / "guide.md").write_text(GUIDE)
    (folder / "more" / "cooling.md").write_text(COOLING)
    return tmp_path


def manuals(home: Path, *words: str) -> Finished:
    """Run one action."""
    return run_command(home, "manuals", *words, face="tebiki")


@pytest.mark.requirement("people:manuals:lists")
def test_ls_shows_manuals_then_files(home: Path) -> None:
    """Ids that the other actions take."""
    assert manuals(home, "ls").stdout == "oven/\n"
    assert manuals(home, "ls", "oven").stdout == "oven/guide.md\noven/more/\n"
    assert manuals(home, "ls", "oven/more/").stdout == "oven/more/cooling.md\n"


@pytest.mark.requirement("people:commands:exit-codes")
def test_no_manuals_is_nothing_found(tmp_path: Path) -> None:
    """With what to do."""
    done = manuals(tmp_path, "ls")
    assert (done.code, "MANUALS_ROOT" in done.stdout) == (1, True)


@pytest.mark.requirement("people:commands:exit-codes")
def test_an_empty_folder_is_nothing_found(home: Path) -> None:
    """The manual is there, so no setting is to be changed."""
    (home / "manuals" / "oven" / "empty").mkdir()

    assert manuals(home, "ls", "oven/empty") == (1, "Nothing in oven/empty.\n", "")


@pytest.mark.requirement("people:manuals:lists")
def test_toc_shows_files_and_headings(home: Path) -> None:
    """Headings below a prefix, with their lines."""
    assert manuals(home, "toc", "oven").stdout == "guide.md\nmore/cooling.md\n"
    deep = manuals(home, "toc", "oven", "guide.md", "--headings").stdout
    assert deep == "guide.md\n      1  Guide\n      5  Heating\n"


@pytest.mark.requirement("manuals:cli:find", "people:manuals:find")
def test_find_lists_places_and_sentences(home: Path) -> None:
    """The best first, each with where it is and why it was found."""
    done = manuals(home, "find", "oven", "when does the fan stop", "--require", "fan")

    assert done.code == 0
    first, place, sentence, *_, summary = done.stdout.splitlines()
    assert first.startswith(" 1. Cooling  (")
    assert place.strip() == "oven/more/cooling.md:1"
    assert sentence.strip() == "The fan stops after 10 minutes."
    assert summary.endswith("everything searched")


@pytest.mark.requirement("manuals:ranking:parts-add-up", "people:manuals:why")
def test_why_shows_the_parts_of_each_score(home: Path) -> None:
    """They are those of the full form, and add up to the score."""
    find = ("find", "oven", "fan", "--require", "fan")
    why = manuals(home, *find, "--why").stdout
    (row, *_) = json.loads(manuals(home, *find, "--full").stdout)["candidates"]

    parts = [part.partition("=") for part in row["rank_explain"]]
    assert all(f"      {name}={value}" in why for name, _, value in parts)
    assert sum(float(value) for _, _, value in parts) == pytest.approx(row["score"], abs=1e-3)


@pytest.mark.requirement("manuals:cli:find", "people:commands:json")
def test_find_speaks_json(home: Path) -> None:
    """The short form a model gets."""
    done = manuals(home, "find", "oven", "fan", "--require", "fan", "--json")
    answer = json.loads(done.stdout)
    assert answer["inline_hits"]["items"][0]["ref"]["path"] == "more/cooling.md"
    assert answer["complete"] is True


@pytest.mark.requirement("people:commands:exit-codes")
def test_nothing_found_is_exit_1(home: Path) -> None:
    """Whatever is asked."""
    done = manuals(home, "find", "oven", "zzzz", "--require", "zzzz")
    assert done.code == 1
    assert '"zzzz" is nowhere in oven.' in done.stdout


@pytest.mark.requirement("people:manuals:read")
def test_read_and_scan_print_the_text_itself(home: Path) -> None:
    """A section, and a whole file."""
    assert manuals(home, "read", "oven/guide.md:6").stdout == GUIDE[GUIDE.index("## H") :]
    assert manuals(home, "scan", "oven/guide.md").stdout == GUIDE


@pytest.mark.requirement("people:manuals:read")
def test_read_says_where_it_was_cut(home: Path) -> None:
    """The text alone would look whole."""
    (home / "manuals/oven/long.md").write_text("# Long\n" + "0123456789\n" * 1200)
    done = manuals(home, "read", "oven/long.md:5")
    assert done.stdout.count("\n") == 1091
    assert "tebiki manuals scan oven/long.md:1092" in done.stderr
    assert manuals(home, "read", "oven/guide.md").stderr == ""


@pytest.mark.requirement("people:manuals:index")
def test_index_tells_what_there_is(home: Path) -> None:
    """And what was left out."""
    (home / "manuals" / "oven" / "bad.md").write_bytes(b"\xff\xfe\x00\xd8")
    done = manuals(home, "index")
    assert done.code == 0
    assert done.stdout.startswith("oven: 2 files, 3 sections\n")
    assert "left out: bad.md (encoding: its bytes are no text" in done.stdout


@pytest.mark.requirement("people:manuals:watch")
def test_a_manual_that_is_not_watched_is_told(home: Path) -> None:
    """With the reason, here that nobody wants it; not a word where all is well."""
    doctor = ("doctor", "--offline", "--toolsets", "manuals")
    usual = manuals(home, "index")
    off = {"MANUALS_WATCH": "off"}

    told = [
        run_command(home, "manuals", "index", face="tebiki", env=off),
        run_command(home, *doctor, face="tebiki", env=off),
    ]

    words = "servers look at every file at each find: manuals.watch is off"
    assert all(words in " ".join(done.stdout.split()) for done in told)
    assert words not in usual.stdout


@pytest.mark.requirement("people:commands:plurals")
def test_one_file_is_no_files(tmp_path: Path) -> None:
    """Nor is one section sections."""
    (tmp_path / "manuals" / "oven").mkdir(parents=True)
    (tmp_path / "manuals" / "oven" / "a.md").write_text("# A\n\nThe fan.\n", encoding="utf-8")

    said = [
        manuals(tmp_path, "index").stdout,
        manuals(tmp_path, "find", "fan").stdout,
        run_command(tmp_path, "doctor", "--offline", "--toolsets", "manuals", face="tebiki").stdout,
    ]

    assert "oven: 1 file, 1 section" in said[0]
    assert "oven: 1 file, 1 section" in said[2]
    assert not re.search(r"\b1 (?:files|sections)\b", "".join(said))


@pytest.mark.requirement("people:manuals:why-not")
@pytest.mark.parametrize(
    ("place", "query", "code", "said"),
    [
        ("oven/more/cooling.md:2", "fan", 0, "found, at place 1"),
        ("oven/guide.md:6", "fan", 1, "shares no word"),
        ("oven/bad.md", "fan", 1, "left out: encoding"),
    ],
)
def test_why_not_tells_how_far_a_section_came(
    home: Path, place: str, query: str, code: int, said: str
) -> None:
    """In words, with its score if it got one."""
    (home / "manuals" / "oven" / "bad.md").write_bytes(b"\xff\xfe\x00\xd8")
    done = manuals(home, "why-not", place, query, "--require", query)
    assert done.code == code
    assert said in done.stdout


@pytest.mark.requirement("people:manuals:why-not")
def test_why_not_names_the_cap_and_the_copy(home: Path) -> None:
    """Each stage has its own words."""
    folder = home / "manuals" / "oven"
    many = "".join(f"## Part {n}\n\nThe fan of part {n} turns left.\n\n" for n in range(12))
    (folder / "many.md").write_text(many)
    (folder / "same.md").write_text(COOLING.replace("# Cooling", "# Cooling again"))
    capped = [
        manuals(
            home, "why-not", f"oven/many.md:{line}", "fan turns left", "--require", "fan"
        ).stdout
        for line in (1, 45)
    ]
    copied = manuals(home, "why-not", "oven/same.md", "when does the fan stop", "--require", "fan")
    original = manuals(
        home, "why-not", "oven/more/cooling.md", "when does the fan stop", "--require", "fan"
    )

    assert "found, at place" in capped[0]
    assert "8 sections of its file are better" in capped[1]
    assert "almost word for word" in copied.stdout + original.stdout


@pytest.mark.requirement("people:commands:wrong-usage")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("find", "x", "--manual", "ovn"), "there is no manual ovn (did you mean oven?)"),
        (("toc", "none"), "there is no manual none; there are: oven"),
        (("read", "oven/guide.md:99"), "line is 99; the file has lines 1 to 7"),
        (("toc", "oven", "--headings"), "--headings needs a PREFIX"),
        (("find", "oven"), "oven is a manual; what is the question?"),
        (("find", "oven", " "), "the question is blank"),
        (("find", "x", "--require", " "), "--require needs a word"),
        (("find", "x", *("--require", "a", "--require", "b", "--require", "c")), "2 times"),
        (("read", "oven"), "MANUAL/PATH"),
        (("read", "/etc/passwd"), "/etc/passwd: say MANUAL/PATH"),
        (("find", "oven", "x", "--require", "x", "--time-ms", "0"), "at least 1"),
        (("find", "oven", "x", "--require", "x", "--limit", "-1"), "at least 1, got -1"),
    ],
)
def test_mistakes_cost_nothing(home: Path, words: tuple[str, ...], said: str) -> None:
    """One line on stderr, exit 2."""
    done = manuals(home, *words)
    assert (done.code, done.stdout) == (2, "")
    assert said in done.stderr
