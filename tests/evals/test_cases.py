"""Question sets as files: what a line may hold, and what is said about one that is wrong."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from typing import TYPE_CHECKING, Any

import pytest

from tebiki.errors import InvalidArguments
from tebiki.evals.cases import Case, dataset_in
from tebiki.manuals.ranking.derived_terms import derive_terms

if TYPE_CHECKING:
    from pathlib import Path

ROW = {"query": "when does the fan stop", "manual_id": "oven", "expected_paths": ["cooling.md"]}


def read(folder: Path, *rows: Any) -> tuple[Case, ...]:
    """The cases of a file with these lines."""
    file = folder / "set.jsonl"
    text = "\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows)
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    return dataset_in(file).cases


def test_everything_a_case_can_say(tmp_path: Path) -> None:
    """Only three fields are needed; what others mean to the user is left alone."""
    whole = {
        **ROW,
        "case_id": "a",
        "facet": "code",
        "required_terms": ["fan", "stop", "third"],
        "forbidden_paths": ["heating.md"],
        "expected_refs": [{"path": "cooling.md", "start_line": 3, "title": "Cooling"}],
        "lang": "en",
    }

    first, second = read(tmp_path, whole, "", ROW)

    assert (first.case_id, first.facet, first.required_terms) == ("a", "code", ("fan", "stop"))
    assert first.refs == {("cooling.md", 3)}
    assert first.forbidden == {"heating.md"}
    assert (second.case_id, second.line, second.facet) == ("3", 3, None)
    assert second.required_terms == derive_terms(second.query)


@pytest.mark.requirement("eval:sets:hash")
def test_the_hash_is_that_of_the_bytes(tmp_path: Path) -> None:
    """Anybody can check it."""
    read(tmp_path, ROW)
    file = tmp_path / "set.jsonl"

    assert dataset_in(file).sha256 == hashlib.sha256(file.read_bytes()).hexdigest()


def test_paths_are_the_same_in_every_normal_form(tmp_path: Path) -> None:
    """A set made on macOS fits manuals on Linux, and one with backslashes too."""
    names = ["ガイド.md", "folder/ダ.md"]
    forms = [
        {**ROW, "expected_paths": [unicodedata.normalize(form, name) for name in names]}
        for form in ("NFC", "NFD")
    ]
    forms.append({**ROW, "expected_paths": [names[0], "folder\\ダ.md"]})

    assert {case.paths for case in read(tmp_path, *forms)} == {frozenset(names)}


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("{", "line 2: not JSON"),
        ("[]", "line 2: must be an object"),
        ("\udcff", "line 2: not JSON"),
        ({**ROW, "query": 5}, "line 2: query must be a string"),
        ({"case_id": "x"}, "line 2: query is required"),
        ({**ROW, "required_terms": "期限"}, "line 2: required_terms must be a list"),
        ({**ROW, "expected_refs": 5}, "line 2: expected_refs must be a list"),
        ({**ROW, "expected_refs": [{"path": "a.md"}]}, "expected_refs[0].start_line is required"),
        (
            {**ROW, "expected_refs": [{"path": "a.md", "start_line": "3"}]},
            "expected_refs[0].start_line must be an integer",
        ),
        ({**ROW, "query": " "}, "line 2: query must be a string that is not blank"),
        ({**ROW, "query": "x" * 2001}, "line 2: query must be"),
        ({"query": "a", "expected_paths": ["b"]}, "line 2: manual_id is required"),
        ({**ROW, "expected_paths": []}, "line 2: expected_paths must be a list of at least 1"),
        ({**ROW, "expected_paths": ["a", 3]}, "line 2: expected_paths[1] must be a string"),
        ({**ROW, "forbidden_paths": "a.md"}, "line 2: forbidden_paths must be a list"),
        ({**ROW, "forbiden_paths": ["a"]}, "forbiden_paths is not a field; did you mean"),
        (
            {**ROW, "expected_refs": [{"path": "a.md", "start_line": 0}]},
            "line 2: expected_refs[0].start_line must be",
        ),
        ({**ROW, "case_id": "1"}, "line 2: case_id is also that of line 1"),
    ],
)
def test_a_wrong_line_is_named_with_its_field(tmp_path: Path, row: Any, said: str) -> None:
    """So that it can be put right."""
    with pytest.raises(InvalidArguments) as refused:
        read(tmp_path, ROW, row)

    assert str(refused.value).startswith("set.jsonl, line 2: ")
    assert said in str(refused.value)


def test_no_file_and_no_case_are_refused(tmp_path: Path) -> None:
    """Nothing can be measured by nothing."""
    with pytest.raises(InvalidArguments, match="has no cases"):
        read(tmp_path, "", "")
    with pytest.raises(InvalidArguments, match="cannot be read"):
        dataset_in(tmp_path / "none.jsonl")


@pytest.mark.parametrize(
    ("question", "term"),
    [
        ("what does E-1042 mean when copying", "e-1042"),
        ("Can a member delete snapshots?", "snapshots"),
        ("留め置き印刷の方法は？", "印刷"),
        ("ファクスを送信できますか", "ファクス"),
        ("受信したファクスは何日保存されるか", "受信"),
        ("何人", "何人"),
        ("？", "？"),
        ("varを使わない理由", "var"),
        ("what is the difference of PUT", "put"),
        ("理由は？", "理由"),
        ("==と===の違いは？", "==="),
        ("何ですか？？ -- 保存", "保存"),
    ],
)
def test_terms_are_taken_by_their_looks(question: str, term: str) -> None:
    """Signs and codes first, then the longest word that is no grammar; what is asked of it last."""
    assert derive_terms(question) == (term,)


@pytest.mark.parametrize(
    ("question", "terms"),
    [
        ("ぶどうとすももの違い", ("ぶどう", "すもも")),
        ("かぼちゃとズッキーニの違い", ("かぼちゃ", "ズッキーニ")),
        ("difference between a lease and a lock", ("lease", "lock")),
        ("製品Aと製品Bの違い", ("製品",)),
    ],
)
def test_of_what_is_compared_one_word_each_is_taken(question: str, terms: tuple[str, ...]) -> None:
    """A word in hiragana as a whole; what both are called is one word."""
    assert derive_terms(question) == terms
