"""What an index went through is no matter of an answer: neither of its rows nor of their scores."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

import pytest

from tebiki.manuals.request import FindRequest
from tests.manuals.index_contract import generated
from tests.manuals.libraries import library_at

if TYPE_CHECKING:
    from pathlib import Path

    from tebiki.manuals.library import Library

FILES, EDITED = 60, 8
QUESTIONS = ("alpha beta 申請", "printer network", "設定 期限", "beta 期限 network")


def answer(library: Library, question: str) -> str:
    """All of an answer."""
    request = FindRequest(question, "m", (question.partition(" ")[0],))
    found = library._finder.find(request, use_cache=False)
    return json.dumps(found.to_json(), ensure_ascii=False, sort_keys=True, default=sorted)


@pytest.mark.parametrize("seed", [0, 1, 5, 7])
def test_of_many_sections_that_are_as_good_the_same_are_looked_at(
    tmp_path: Path, seed: int
) -> None:
    """Their links are read of some only, and an index that was edited has them in another order."""
    folder = tmp_path / "m"
    folder.mkdir()
    for name, text in generated(seed, FILES).items():
        (folder / name).write_text(text, encoding="utf-8")
    edited = library_at(tmp_path)
    for question in QUESTIONS:
        answer(edited, question)
    later = generated(seed + 100, FILES)
    for number in random.Random(seed).sample(range(FILES), EDITED):  # noqa: S311
        (folder / f"f{number}.md").write_text(later[f"f{number}.md"], encoding="utf-8")

    answers = [answer(edited, question) for question in QUESTIONS]

    new = library_at(tmp_path)
    assert answers == [answer(new, question) for question in QUESTIONS]
