"""The same files give the same answer, whatever they were when the index was begun."""

from __future__ import annotations

import random
from itertools import combinations
from typing import TYPE_CHECKING

import pytest

from tests.manuals.searchable import LONG_AGO, Searchable

if TYPE_CHECKING:
    from pathlib import Path

FIRST_OF_EACH = 90
MOST_ASKED = 400
"""In the middle of a large file, which comes after all the small ones."""


@pytest.fixture
def manual(tmp_path: Path) -> Searchable:
    """A manual whose index is kept."""
    return Searchable(tmp_path, tmp_path / "cache")


WORDS = ("alpha", "beta", "gamma", "申請", "期限", "通知", "設定", "delta", "ログ", "承認")


def told(manual: Searchable, query: str, term: str) -> list[tuple[str, float]]:
    """What is found, and with which score."""
    found = manual.ask(query, term)
    return [(row["ref"]["path"], row["score"]) for row in found.lists["candidates"]]


def told_anew(tmp_path: Path, query: str, term: str) -> list[tuple[str, float]]:
    """The same over an index that is built from nothing."""
    return told(Searchable(tmp_path, None), query, term)


def write_alpha_and_beta(manual: Searchable) -> None:
    """More sections of each than a first pass proposes, hardly one better than another."""
    for number in range(FIRST_OF_EACH):
        text = f"# x\nalpha thing number{number}\n"
        manual.write(f"a{number:03}.md", text, modified=LONG_AGO)
    for number in range(FIRST_OF_EACH + 20):
        text = f"# x\nbeta thing number{number} other\n"
        manual.write(f"b{number:03}.md", text, modified=LONG_AGO)


@pytest.mark.requirement("manuals:determinism:same-answer")
def test_removed_sections_do_not_make_a_word_common(manual: Searchable, tmp_path: Path) -> None:
    """A word is as rare as it is now: not as it was when most of the manual had it."""
    write_alpha_and_beta(manual)
    manual.write("big.md", "".join(f"# big{n}\nalpha text{n}\n" for n in range(150)))
    manual.ask("alpha")
    (manual.root / "m" / "big.md").unlink()

    assert told(manual, "alpha beta", "thing") == told_anew(tmp_path, "alpha beta", "thing")


@pytest.mark.requirement("manuals:determinism:same-answer")
def test_an_edited_file_is_as_good_as_a_new_one(manual: Searchable, tmp_path: Path) -> None:
    """Again and again."""
    write_alpha_and_beta(manual)
    for version in range(4):
        text = "".join(f"# big{n}\nalpha text{n} version{version}\n" for n in range(15))
        manual.write("log.md", text)

        assert told(manual, "alpha beta", "thing") == told_anew(tmp_path, "alpha beta", "thing")


@pytest.mark.requirement("manuals:determinism:same-answer")
def test_of_equals_the_first_by_name_are_found(manual: Searchable, tmp_path: Path) -> None:
    """Not the ones that were written first."""
    for number in range(200):
        manual.write(f"{number:03}.md", f"# x\n申請の案内\n番号{number:03}です\n")
    manual.ask("申請")
    manual.write("000.md", "# y\n別\n")
    manual.ask("申請")
    manual.write("000.md", "# x\n申請の案内\n番号000です\n")

    found = told(manual, "申請の案内", "申請")

    assert found == told_anew(tmp_path, "申請の案内", "申請")
    assert found[0][0] == "000.md"


@pytest.mark.requirement("manuals:determinism:same-answer")
def test_any_number_of_equals_is_parted_in_the_same_way(manual: Searchable, tmp_path: Path) -> None:
    """More of them than could be told apart by their names in good time."""
    texts = [f"# x{n}\n申請の案内\n番号{n:03}です\n" for n in range(900)]
    manual.write("b.md", "".join(texts[:600]))
    manual.ask("申請")
    manual.write("a.md", "".join(texts[600:]))
    manual.ask("申請")
    manual.write("b.md", "".join(texts[1:600]))

    found = manual.ask("申請の案内", "申請").lists

    assert found == Searchable(tmp_path, None).ask("申請の案内", "申請").lists


@pytest.mark.requirement("manuals:determinism:same-answer")
def test_words_of_removed_files_correct_nothing(manual: Searchable, tmp_path: Path) -> None:
    """A misspelt word is taken for one that the manual has."""
    manual.write("a.md", "# t\nzorbaak\n")
    manual.write("b.md", "# Live\nThe zorbmak is here.\n")
    for number in range(5):
        manual.write(f"o{number}.md", f"# t{number}\nfiller {number}\n")
    manual.ask("zorbaak")
    (manual.root / "m" / "a.md").unlink()

    found = told(manual, "zorbxak", "zorbxak")

    assert found == told_anew(tmp_path, "zorbxak", "zorbxak")
    assert [path for path, _ in found] == ["b.md"]


@pytest.mark.requirement("manuals:determinism:same-answer")
def test_a_file_that_was_left_off_does_not_count(manual: Searchable, tmp_path: Path) -> None:
    """What a stopped build had added of it is not there, and makes no word more common."""
    write_alpha_and_beta(manual)
    padded = (f"# big{n}\nalpha text{n} {f'pad{n} ' * 60}\n" for n in range(300))
    manual.write("z.md", "".join(padded), modified=LONG_AGO)
    asked = 0

    def stop() -> bool:
        nonlocal asked
        asked += 1
        return asked > MOST_ASKED

    late = manual.index.refresh(stop).unreached
    whole = manual.index.refresh(lambda: False)
    anew = Searchable(tmp_path, None).index.refresh(lambda: False)

    assert late == ("z.md",)
    assert whole.unreached == ()
    assert whole.postings.frequency("alpha") == anew.postings.frequency("alpha")


@pytest.mark.requirement("manuals:determinism:same-answer")
def test_what_was_longer_once_is_as_good_as_a_new_one(manual: Searchable, tmp_path: Path) -> None:
    """How long sections are on average does not count those that are gone."""
    chance = random.Random(20261116)  # noqa: S311

    def section(number: int, most: int) -> str:
        words = " ".join(chance.choices(WORDS, k=chance.randint(3, most)))
        return f"# {chance.choice(WORDS)} {number}\n\n{words}\n\n"

    texts = {f"{n:02}.md": "".join(section(n, 40) for n in range(12)) for n in range(28)}
    for path, text in texts.items():
        manual.write(path, text)
    manual.ask("alpha")
    for path in chance.sample(sorted(texts), 8):
        manual.write(path, texts[path] + "".join(section(n, 400) for n in range(24)))
        manual.ask("alpha")
        manual.write(path, texts[path])
        manual.ask("alpha")
    anew = Searchable(tmp_path, None)
    for _ in range(30):
        asked = chance.sample(WORDS, 3)
        query, terms = " ".join(asked), asked[:2]

        assert manual.ask(query, *terms).lists == anew.ask(query, *terms).lists


@pytest.mark.requirement("manuals:determinism:same-answer")
def test_files_that_come_later_are_as_good_as_the_first(manual: Searchable, tmp_path: Path) -> None:
    """In how many goes an index was written is no matter, though nothing was ever removed."""
    write_alpha_and_beta(manual)
    for number in range(12):
        manual.write(f"later{number}.md", f"# later{number}\nalpha beta {'thing ' * number}\n")
        manual.ask("alpha")

    assert told(manual, "alpha beta", "thing") == told_anew(tmp_path, "alpha beta", "thing")


@pytest.mark.requirement("manuals:determinism:same-answer")
def test_files_that_were_merged_are_as_good_as_new_ones(manual: Searchable, tmp_path: Path) -> None:
    """The engine makes one of eight goes, and keeps of a long section only about how long it is."""
    chance = random.Random(1)  # noqa: S311

    def section(number: int) -> str:
        words = " ".join(chance.choices(WORDS, k=chance.randint(41, 150)))
        return f"# {chance.choice(WORDS)} {number}\n\n{words}\n\n"

    for number in range(8):
        manual.write(f"{number}.md", "".join(section(n) for n in range(30)), modified=LONG_AGO)
        manual.ask("alpha")
    anew = Searchable(tmp_path, None)
    for asked in combinations(WORDS[:7], 3):
        query, terms = " ".join(asked), asked[:2]

        assert manual.ask(query, *terms).lists == anew.ask(query, *terms).lists
