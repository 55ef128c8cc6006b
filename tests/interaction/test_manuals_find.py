"""`manual_find` on the real process: what a find takes and what it gives."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.talk import MODERN_META

if TYPE_CHECKING:
    from tests.interaction.conftest import OpenManuals
    from tests.interaction.manual_calls import Json, Reader, Workspace


@pytest.fixture(name="many")
def _many(workspace: Workspace) -> None:
    """Twelve sections about paper in as many files."""
    for number in range(12):
        workspace.write(f"m/f{number:02}.md", f"# Paper {number}\n\nThe paper of tray {number}.\n")


@pytest.mark.requirement(
    "wire:results:twice",
    "manuals:find:compact",
    "manuals:find:complete",
    "manuals:hits:manual-once",
)
@pytest.mark.usefixtures("many")
def test_the_answer_is_compact(open_manuals: OpenManuals) -> None:
    """These keys and no others, five hits, the manual named once."""
    reader = open_manuals()

    found = reader.find("paper tray", "paper")

    assert list(found) == [
        "trace_id",
        "candidates",
        "status",
        "failure_reason",
        "next_actions",
        "inline_hits",
        "complete",
        "unscanned",
    ]
    hits = found["inline_hits"]
    assert {key: hits[key] for key in hits if key != "items"} == {
        "trace_id": found["trace_id"],
        "manual_id": "m",
        "kind": "integrated_top",
        "offset": 0,
        "limit": 5,
        "total": found["candidates"],
    }
    assert len(hits["items"]) == 5
    for hit in hits["items"]:
        assert set(hit) == {"ref", "title", "score", "matched_tokens"}
        assert set(hit["ref"]) == {"path", "start_line"}
        assert hit["matched_tokens"]
        assert all(isinstance(token, str) for token in hit["matched_tokens"])
    assert found["failure_reason"] is None
    assert found["next_actions"] == []
    assert (found["complete"], found["unscanned"]) == (True, 0)


@pytest.mark.requirement("manuals:ranking:best-first")
@pytest.mark.usefixtures("many")
def test_scores_fall(reader: Reader) -> None:
    """Best first."""
    rows = reader.rows(reader.find("paper of tray 7", "tray"))

    scores = [row["score"] for row in rows]
    assert scores == sorted(scores, reverse=True)
    assert rows[0]["ref"]["path"] == "f07.md"


@pytest.mark.requirement("manuals:find:inline-limit")
@pytest.mark.usefixtures("many")
@pytest.mark.parametrize(("limit", "shown"), [(1, 1), (5, 5), (6, 5), (10**9, 5), (2.0, 2)])
def test_hits_shown_at_once(reader: Reader, limit: float, shown: int) -> None:
    """At most five, whatever is asked."""
    hits = reader.find("paper tray", inline_hits={"limit": limit})["inline_hits"]

    assert hits["limit"] == len(hits["items"]) == shown


@pytest.mark.requirement("wire:arguments:null-is-absent")
@pytest.mark.usefixtures("many")
def test_null_and_absent_are_the_same(reader: Reader) -> None:
    """For every optional argument, at every depth."""
    plain = reader.find("paper tray")
    nulls = reader.find(
        "paper tray",
        expand_scope=None,
        only_unscanned_from_trace_id=None,
        include_claim_graph=None,
        use_cache=None,
        budget=None,
        inline_hits=None,
    )
    inner = reader.find(
        "paper tray",
        budget={"max_candidates": None, "time_ms": None},
        inline_hits={"limit": None},
    )

    assert without_trace(plain) == without_trace(nulls) == without_trace(inner)


def without_trace(found: Json) -> Json:
    """An answer without what differs between two calls."""
    hits = {key: value for key, value in found["inline_hits"].items() if key != "trace_id"}
    return {**found, "trace_id": None, "inline_hits": hits}


@pytest.mark.requirement("manuals:cut-off:bounds", "manuals:find:counts-agree")
@pytest.mark.usefixtures("many")
@pytest.mark.parametrize("most", [1, 3, 5])
def test_max_candidates_is_a_bound(reader: Reader, most: int) -> None:
    """On all rows, not only those shown."""
    found = reader.find("paper tray", budget={"max_candidates": most})

    assert found["candidates"] == len(reader.rows(found)) <= most
    assert len(reader.rows(found, "integrated_top")) == found["candidates"]


@pytest.mark.requirement("manuals:cut-off:bounds")
def test_never_more_than_fifty(reader: Reader, workspace: Workspace) -> None:
    """Whatever the budget says."""
    for number in range(80):
        workspace.write(f"m/f{number:02}.md", f"# Paper {number}\n\nThe paper of tray {number}.\n")

    assert reader.find("paper", budget={"max_candidates": 1000})["candidates"] <= 50


@pytest.mark.requirement("manuals:find:expand-scope")
@pytest.mark.usefixtures("many")
def test_a_scope_is_echoed_but_never_wider(reader: Reader, workspace: Workspace) -> None:
    """`expand_scope` changes nothing."""
    workspace.write("n/a.md", "# Paper\n\nThe paper of another manual, tray and all.\n")

    narrow = reader.find("paper tray")
    asked = reader.find("paper tray", expand_scope=True)

    assert without_trace(narrow) == without_trace(asked)


@pytest.mark.requirement("manuals:find:nothing-found")
@pytest.mark.usefixtures("many")
def test_nothing_found_is_an_answer(reader: Reader) -> None:
    """With no hits and a reason."""
    found = reader.find("zzyzx")

    assert (found["candidates"], found["inline_hits"]["items"]) == (0, [])
    assert found["status"] == "required_none_matched"
    assert "zzyzx" in found["failure_reason"]
    assert found["complete"] is True


@pytest.mark.requirement("manuals:find:nothing-found")
def test_an_empty_manual_can_be_asked(reader: Reader, workspace: Workspace) -> None:
    """There is just nothing in it."""
    (workspace.root / "m").mkdir(parents=True)

    found = reader.find("paper")

    assert (found["candidates"], found["complete"], found["unscanned"]) == (0, True, 0)


@pytest.mark.requirement("wire:modern:no-handshake")
@pytest.mark.usefixtures("many")
def test_a_modern_call_is_answered_in_its_era(reader: Reader) -> None:
    """The same object, stamped."""
    arguments = {"query": "paper", "manual_id": "m", "required_terms": ["paper"]}

    # Over HTTP each era has listed for itself.
    reader.server.call(0, "manual_ls", {}, _meta=MODERN_META)
    result = reader.server.call(1, "manual_find", arguments, _meta=MODERN_META)["result"]

    assert result["resultType"] == "complete"
    assert result["structuredContent"]["candidates"] > 0


BAD: dict[str, tuple[Json, str]] = {
    "no query": ({"query": None}, "query is required"),
    "blank query": ({"query": " \u3000\n"}, "query"),
    "long query": ({"query": "x" * 2001}, "2000"),
    "query number": ({"query": 5}, "query must be a string"),
    "no terms": ({"required_terms": None}, "required_terms is required"),
    "empty terms": ({"required_terms": []}, "required_terms"),
    "three terms": ({"required_terms": ["a", "b", "c"]}, "required_terms"),
    "blank term": ({"required_terms": ["a", " "]}, "required_terms"),
    "empty term": ({"required_terms": [""]}, "required_terms"),
    "term number": ({"required_terms": ["a", 5]}, "required_terms[1]"),
    "terms as text": ({"required_terms": "a"}, "required_terms"),
    "terms as object": ({"required_terms": {"0": "a"}}, "required_terms"),
    "flag as text": ({"expand_scope": "true"}, "expand_scope must be true or false"),
    "flag as number": ({"include_claim_graph": 1}, "include_claim_graph must be true or false"),
    "cache as number": ({"use_cache": 0}, "use_cache must be true or false"),
    "trace number": ({"only_unscanned_from_trace_id": 5}, "only_unscanned_from_trace_id"),
    "time zero": ({"budget": {"time_ms": 0}}, "budget.time_ms must be an integer of at least 1"),
    "time text": ({"budget": {"time_ms": "100"}}, 'got "100"'),
    "time fraction": ({"budget": {"time_ms": 1.5}}, "got 1.5"),
    "time flag": ({"budget": {"time_ms": True}}, "got true"),
    "no candidates": ({"budget": {"max_candidates": 0}}, "budget.max_candidates"),
    "negative candidates": ({"budget": {"max_candidates": -1}}, "got -1"),
    "budget number": ({"budget": 5}, "budget must be an object"),
    "budget key": ({"budget": {"max_candidate": 5}}, "did you mean max_candidates?"),
    "inline zero": ({"inline_hits": {"limit": 0}}, "inline_hits.limit"),
    "inline flag": ({"inline_hits": {"limit": True}}, "got true"),
    "inline as flag": ({"inline_hits": True}, "inline_hits must be an object"),
    "unknown key": ({"required_term": ["a"]}, "did you mean required_terms?"),
    "compact": ({"compact": False}, '"compact"'),
}


@pytest.mark.requirement(
    "wire:errors:files",
    "manuals:find:query",
    "manuals:find:required-terms",
    "manuals:find:strict-booleans",
    "manuals:find:budget",
    "manuals:find:inline-limit",
)
@pytest.mark.usefixtures("many")
def test_bad_input_names_what_is_wrong(reader: Reader, subtests: pytest.Subtests) -> None:
    """`invalid_parameter`, the parameter and the bound."""
    usual: Json = {"query": "paper", "manual_id": "m", "required_terms": ["paper"]}

    for case, (changed, words) in BAD.items():
        with subtests.test(case):
            refused = reader.use("find", **(usual | changed))

            assert refused["code"] == "invalid_parameter"
            assert words in refused["message"]


@pytest.mark.requirement("manuals:find:query", "manuals:find:required-terms")
@pytest.mark.usefixtures("many")
@pytest.mark.parametrize(
    "accepted",
    [
        {"query": "paper " * 333 + "xx"},
        {"query": "紙" * 2000},
        {"required_terms": ["paper", "ＰＡＰＥＲ", "Paper "]},
        {"required_terms": ["tray", "paper", "TRAY"]},
        {"budget": {"time_ms": 5000.0, "max_candidates": 1e6}},
        {"budget": {}},
        {"query": "paper \ud800 \udfff"},
        {"query": "\0\x07 paper ' \" \\ * ? ( ) [ ] : AND OR NOT ^ ~ \u202e"},
    ],
)
def test_odd_but_right_input_is_taken(reader: Reader, accepted: dict[str, Any]) -> None:
    """Terms count after normalising; signs mean nothing to the engine below."""
    usual: Json = {"query": "paper", "manual_id": "m", "required_terms": ["paper"]}

    assert "code" not in reader.use("find", **(usual | accepted))


@pytest.mark.requirement("manuals:find:trace-ids")
@pytest.mark.usefixtures("many")
def test_trace_ids_are_short_random_and_new_each_time(open_manuals: OpenManuals) -> None:
    """No two alike, in any process; nothing about the question in them."""
    readers = [open_manuals(), open_manuals()]

    ids = [reader.find("paper tray")["trace_id"] for reader in readers for _ in range(20)]

    assert len(set(ids)) == 40
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{12,24}", identifier) for identifier in ids)
    assert len({identifier[:4] for identifier in ids}) > 30


@pytest.mark.requirement("manuals:find:few-tokens")
@pytest.mark.usefixtures("many")
def test_the_answer_costs_few_tokens(reader: Reader) -> None:
    """Five hits in at most 400 tokens, a character of Japanese counted as one."""
    arguments = {"query": "paper tray", "manual_id": "m", "required_terms": ["paper"]}

    text = reader.server.call(1, "manual_find", arguments)["result"]["content"][0]["text"]

    words = re.findall(r"[぀-ヿ一-鿿]|[A-Za-z]+|\d{1,3}|[^\sA-Za-z\d]{1,2}", text)
    assert len(words) <= 400
