"""The made-up manuals: the same bytes everywhere, Zipfian, in two languages."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

from bench.corpus import MANUAL_ID, Corpus, questions

ROOT = Path(__file__).parents[2]
SECTIONS = 1000
DIGEST = "182ca50afa8bb8936198c209b8400a547234a9766183f4988a8d4b887e55ee20"
"""Of the paths and bytes of 1,000 sections; a change makes all older figures incomparable."""

PROGRAM = """
from tests.bench.test_corpus import SECTIONS, digest
print(digest(SECTIONS))
"""


def digest(sections: int) -> str:
    """One number for all files of a manual."""
    summed = hashlib.sha256()
    for path, content in Corpus(sections).contents():
        summed.update(path.encode() + b"\0" + content)
    return summed.hexdigest()


def test_the_bytes_are_fixed() -> None:
    """Whatever the version of Python, and whatever hashes its process makes."""
    elsewhere = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=ROOT,
        env=os.environ | {"PYTHONHASHSEED": "1234", "PYTHONPATH": "."},
        check=True,
        capture_output=True,
        text=True,
    )

    assert digest(SECTIONS) == elsewhere.stdout.strip() == DIGEST


def test_the_questions_are_fixed() -> None:
    """One in four is English, and each is asked in words of the manual."""
    asked = questions(40)

    assert asked == questions(80)[:40]
    assert sum(one.query.isascii() for one in asked) == 10
    assert all(term in one.query for one in asked for term in one.terms)


def test_as_many_sections_as_asked_for_are_written(tmp_path: Path) -> None:
    """Spread over the files, one heading each; the size is that on disk."""
    size = Corpus(107).write(tmp_path)

    files = sorted((tmp_path / MANUAL_ID).rglob("*.md"))
    assert len(files) == Corpus(107).files == 5
    assert sum(file.stat().st_size for file in files) == size
    assert sum(len(re.findall(rb"^#+ ", file.read_bytes(), re.MULTILINE)) for file in files) == 107


def test_words_follow_the_law_of_zipf() -> None:
    """The n-th word comes 1/n as often as the first: tenfold rank, a tenth of the times."""
    english = b" ".join(content for _, content in Corpus(20_000).contents() if content.isascii())
    # Words of the patterns themselves come from no dice.
    fixed = set(b"the of a is used to when fails and try again every has that before".split())
    counts = Counter(word for word in re.findall(rb"[a-z]+", english.lower()) if word not in fixed)
    ranked = [count for _, count in counts.most_common(1000)]

    for rank in (1, 10, 100):
        assert 7 < ranked[rank - 1] / ranked[10 * rank - 1] < 14, rank


def test_a_manual_may_be_in_japanese_alone_and_in_small_files() -> None:
    """For measures that speak of Japanese text, or of many files."""
    contents = dict(Corpus(60, most_files=100, sections_per_file=1, english_every=0).contents())

    assert len(contents) == 60
    assert not any(content.isascii() for content in contents.values())
