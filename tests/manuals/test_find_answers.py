"""What a find tells: status, completeness, lists and next steps, all of them true."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tebiki.errors import InvalidArguments
from tebiki.manuals.client_memory import FindAnswer
from tebiki.manuals.request import FindRequest, Leftover, check
from tebiki.tools import manual_forms as forms
from tests.manuals import usual
from tests.manuals.searchable import Searchable, find

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(name="manual")
def _manual(tmp_path: Path) -> Searchable:
    manual = Searchable(tmp_path, None)
    for number in range(30):
        manual.write(f"{number:02}.md", f"# 節{number}\n共通語 の説明 その{number}\n")
    manual.write("rare.md", "# 珍しい\n珍語 についての共通語の説明\n")
    return manual


@pytest.mark.parametrize(
    ("terms", "status", "reason"),
    [
        (("珍語",), "required_effective", None),
        (("無い語",), "required_none_matched", "無い語"),
        (("珍語", "無い語"), "term_dropped_or_weakened", "無い語"),
        (("共通語",), "term_dropped_or_weakened", "共通語"),
    ],
)
def test_status_is_what_the_texts_say(
    manual: Searchable, terms: tuple[str, ...], status: str, reason: str | None
) -> None:
    """And the reason names the term."""
    found = manual.ask("珍語の説明", *terms)
    assert found.status == status
    assert (reason or "") in (found.failure_reason or "")
    assert (reason is None) == (found.failure_reason is None)


@pytest.mark.requirement("manuals:gates:too-common")
def test_the_guard_is_told(manual: Searchable) -> None:
    """Too common is dropped, too rare only reported."""
    found = manual.ask("説明", "共通語")
    (row,) = found.applied["required_terms_df_filtered"]
    assert (row["reason"], row["dropped"]) == ("too_common", True)
    assert found.applied["required_terms"] == []


def test_a_term_that_the_guard_dropped_is_not_said_to_be_nowhere(manual: Searchable) -> None:
    """No pass was made with it, so none was empty."""
    applied = manual.ask("説明", "共通語").applied
    assert not applied["required_terms_relaxed"]
    assert applied["required_terms_relax_reason"] is None
    assert applied["selected_gate"] == "g0"
    assert applied["gate_selection_reason"] == "no_required_term_left_after_df_guard"


@pytest.mark.requirement("manuals:gates:empty")
def test_an_empty_gate_falls_back(manual: Searchable) -> None:
    """To g0, and says so."""
    found = manual.ask("珍語の説明", "無い語")
    assert found.applied["required_terms_relaxed"]
    assert found.applied["required_terms_relax_reason"] == "zero_candidates_with_required_terms"
    assert found.applied["selected_gate"] == "g0"
    assert found.lists["candidates"]


@pytest.mark.requirement("manuals:gates:always-run")
def test_two_terms_make_three_passes(manual: Searchable) -> None:
    """Beside g0."""
    gates = [row["gate"] for row in manual.ask("説明", "珍語", "節3").lists["gate_runs"]]
    assert gates == ["g0", "g_req:A", "g_req:B", "g_req:A+B"]


def test_time_is_a_real_deadline(manual: Searchable) -> None:
    """Nothing is said to be missing that was not looked for."""
    ticks = iter(range(1000))
    found = find(
        FindRequest("珍語", "m", ("珍語",), time_ms=1000),
        manual.index,
        usual.FIND,
        clock=lambda: float(next(ticks)),
    )
    assert not found.complete
    assert found.failure_reason == "time_budget"
    assert found.status != "required_none_matched"
    assert found.unscanned > 0


def test_what_was_left_can_be_searched_alone(manual: Searchable) -> None:
    """Only those files."""
    found = manual.ask("説明", "共通語", only=Leftover(frozenset(["05.md"])))
    assert {row["ref"]["path"] for row in found.lists["candidates"]} == {"05.md"}
    assert found.summary["scanned_files"] == 1


def test_nodes_are_counted_of_the_files_that_were_scanned(manual: Searchable) -> None:
    """Of the whole manual, of those left by another find, and of those that a cap allowed."""
    manual.write("05.md", "# 節5\n共通語 の説明\n## 一\n説明\n## 二\n説明\n")
    whole = manual.ask("説明", "共通語").summary
    assert (whole["scanned_files"], whole["scanned_nodes"]) == (31, 33)
    rest = manual.ask("説明", "共通語", only=Leftover(frozenset(["05.md", "06.md"]))).summary
    assert (rest["scanned_files"], rest["scanned_nodes"]) == (2, 4)
    none = manual.ask("説明", "共通語", only=Leftover(frozenset())).summary
    assert (none["scanned_files"], none["scanned_nodes"]) == (0, 0)
    capped = usual.FIND._replace(manual_find_scan_hard_cap=3)
    cut = manual.ask("説明", "共通語", settings=capped).summary
    assert cut["scanned_files"] <= cut["scanned_nodes"] < whole["scanned_nodes"]


def test_a_cap_is_told(manual: Searchable) -> None:
    """Complete is false, and the files are listed."""
    settings = usual.FIND._replace(manual_find_scan_hard_cap=3)
    found = manual.ask("説明", "共通語", settings=settings)
    assert not found.complete
    assert found.failure_reason == "candidate_cap"
    assert found.unscanned == len(found.lists["unscanned"]) > 0


@pytest.mark.requirement("manuals:claims:counts")
def test_counts_agree_with_lists(manual: Searchable) -> None:
    """Summary and lists are one."""
    found = manual.ask("珍語の説明", "無い語")
    assert found.summary["gap_count"] == len(found.lists["gaps"])
    assert found.summary["conflict_count"] == len(found.lists["conflicts"])
    assert found.summary["candidates"] == len(found.lists["integrated_top"])


@pytest.mark.requirement("manuals:claims:exhaustive")
def test_exhaustive_wording_scans_first(manual: Searchable) -> None:
    """And every step can be called."""
    steps = manual.ask("珍語をすべて教えて", "珍語").next_actions
    assert steps[0]["type"] == "scan"
    assert steps[0]["params"] == {"manual_id": "m", "path": "rare.md", "start_line": 1}
    assert all(step["params"] for step in steps)


@pytest.mark.parametrize("count", [1, 2, 5, 50])
def test_max_candidates_is_kept(manual: Searchable, count: int) -> None:
    """However many there are."""
    assert len(manual.ask("説明", "共通語", max_candidates=count).lists["candidates"]) <= count


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (FindRequest("", "m", ("a",)), "query is blank"),
        (FindRequest("x" * 2001, "m", ("a",)), "query has more than 2000"),
        (FindRequest("x", "m", ()), "required_terms takes 1 to 2"),
        (FindRequest("x", "m", (" ",)), "required_terms takes 1 to 2"),
        (FindRequest("x", "m", ("a", "b", "c")), "required_terms takes at most 2"),
        (FindRequest("x", "m", ("a", "b" * 501)), "required_terms has more than 500"),
        (FindRequest("x", "m", ("a",), max_candidates=0), r"budget.max_candidates is 0; .* 1\."),
        (FindRequest("x", "m", ("a",), time_ms=-5), r"budget.time_ms is -5; .* at least 1\."),
    ],
)
def test_bad_requests_are_refused(request_: FindRequest, words: str) -> None:
    """Before anything is read, by the name of the parameter, with what it takes."""
    with pytest.raises(InvalidArguments, match=words):
        check(request_)


def test_a_term_of_one_kanji_or_of_kana_is_found(manual: Searchable) -> None:
    """Inside longer words too."""
    assert manual.ask("説明", "珍").status == "required_effective"
    assert manual.ask("珍語", "について").status == "required_effective"


def test_totals_are_of_the_whole_manual(tmp_path: Path) -> None:
    """However many sections are scored: all with every term, and all with any of them."""
    manual = Searchable(tmp_path, None)
    sections = [
        f"# 節{n}\n申請の説明{n}。{'期限もある。' if n % 4 == 0 else ''}\n" for n in range(200)
    ]
    manual.write("a.md", "\n".join(sections))
    manual.write("b.md", "\n".join(f"# 話{n}\n期限と別の話{n}。\n" for n in range(100)))
    applied = manual.ask("申請の期限", "申請", "期限").applied
    assert applied["required_strict_candidates"] == 50
    assert applied["required_filtered_candidates"] == 300
    counts = {row["term"]: row["matched_docs"] for row in applied["required_terms_match_stats"]}
    assert counts == {"申請": 200, "期限": 150}


def test_a_term_is_counted_where_it_stands_in_the_text(tmp_path: Path) -> None:
    """Its words apart, or its letters inside another word, are not the term."""
    manual = Searchable(tmp_path, None)
    manual.write("a.md", "# 一\nPod失敗ポリシーの説明。\n")
    manual.write("b.md", "# 二\nPodの説明。失敗ポリシーは別。\n")
    manual.write("c.md", "# 三\nStart the cartridge.\n")
    assert manual.ask("説明", "Pod失敗ポリシー").applied["required_strict_candidates"] == 1
    found = manual.ask("start", "art")
    assert found.applied["required_strict_candidates"] == 0
    assert found.status == "required_none_matched"
    assert found.failure_reason == "required_terms_not_found_in_manual_scope:art"


@pytest.mark.requirement("manuals:gates:empty", "manuals:status:fallback")
def test_terms_that_are_elsewhere_fall_back(manual: Searchable) -> None:
    """They occur in the manual, and no section of the narrowed search has them."""
    found = manual.ask("説明", "珍語", only=Leftover(frozenset(["05.md"])))
    assert found.status == "required_fallback"
    assert found.failure_reason == "zero_candidates_with_required_terms:珍語"
    assert found.applied["required_terms_relaxed"]
    assert (found.applied["selected_gate"], found.complete) == ("g0", True)
    (chosen,) = (row for row in found.lists["gate_runs"] if row["selected"])
    assert chosen["gate"] == "g0"
    assert found.lists["candidates"]


@pytest.mark.requirement("manuals:status:weakened")
def test_a_term_absent_from_the_top_is_told(tmp_path: Path) -> None:
    """It is in the manual, and none of the first hits has it."""
    manual = Searchable(tmp_path, None)
    for number in range(9):
        manual.write(
            f"{number}.md", f"# 蓄電池の交換{number}\n蓄電池の交換の手順{number}を示す。\n"
        )
    manual.write("far.md", "# 雑記\n" + "関わりのない話。" * 300 + "目録。\n")
    found = manual.ask("蓄電池の交換の手順", "蓄電池", "目録")
    assert found.status == "term_dropped_or_weakened"
    assert found.failure_reason == "required_terms_not_in_top_5:目録"


def test_a_gate_tells_every_field(manual: Searchable) -> None:
    """The same ones for each pass, sub-questions too."""
    manual.write("x.md", "# 例外\n珍語は対象です。ただし節3を除きます。\n")
    runs = manual.ask("珍語と共通語の違い", "珍語", "節3").lists["gate_runs"]
    assert [row["gate"] for row in runs[-2:]] == ["sub_question"] * 2
    for row in runs:
        assert row.keys() == {
            "gate",
            "required_terms",
            "query",
            "candidates_count",
            "file_bias_ratio",
            "exception_hits",
            "top_score",
            "scoring_mode",
            "cutoff_reason",
            "weight",
            "weight_reason",
            "selected",
        }
        assert 0 <= row["file_bias_ratio"] <= 1
    by_gate = {row["gate"]: row for row in runs[:-2]}
    assert by_gate["g_req:A"]["exception_hits"] == by_gate["g_req:A+B"]["exception_hits"] == 1
    assert by_gate["g_req:A+B"]["candidates_count"] == 1


def test_an_unreadable_file_is_not_passed_over(manual: Searchable) -> None:
    """A link is listed and harmless; bytes that are no text make the answer incomplete."""
    (manual.root / "m" / "link.md").symlink_to(manual.root / "m" / "rare.md")
    linked = manual.ask("珍語", "珍語")
    assert (linked.complete, linked.unscanned) == (True, 1)
    assert linked.lists["unscanned"] == [{"path": "link.md", "reason": "symlink"}]
    (manual.root / "m" / "bad.md").write_bytes(b"\xff\xfe\xfa\x00\xd8")
    broken = manual.ask("珍語", "珍語")
    assert (broken.complete, broken.unscanned) == (False, 2)


@pytest.mark.requirement("manuals:full:next-actions")
def test_next_steps_can_be_called(manual: Searchable) -> None:
    """A read has its ref, a find its terms, hits their trace."""
    answer = FindAnswer("trace-1", "m", manual.ask("珍語の説明", "珍語", "無い語"))
    steps = {step["type"]: step["params"] for step in forms.full_find_form(answer)["next_actions"]}
    assert steps["manual_read"] == {"ref": {"manual_id": "m", "path": "rare.md", "start_line": 1}}
    assert steps["manual_hits"]["trace_id"] == "trace-1"
    assert steps["manual_find"]["required_terms"] == ["珍語"]
    again = manual.ask(steps["manual_find"]["query"], *steps["manual_find"]["required_terms"])
    assert again.status == "required_effective"


@pytest.mark.requirement("manuals:claims:exhaustive")
@pytest.mark.parametrize(
    ("query", "scans"),
    [
        ("珍語を網羅的に知りたい", True),
        ("漏れなく珍語を", True),
        ("漏れ無く珍語を", True),
        ("list every 珍語", True),
        ("all of 珍語", True),
        ("珍語の説明", False),
        ("the ball of 珍語", False),
    ],
)
def test_only_exhaustive_wording_scans_first(
    manual: Searchable, query: str, *, scans: bool
) -> None:
    """Never inside a word."""
    assert (manual.ask(query, "珍語").next_actions[0]["type"] == "scan") == scans


@pytest.mark.requirement("manuals:status:none-matched")
def test_a_term_that_may_be_in_an_unread_file_is_not_said_to_be_nowhere(tmp_path: Path) -> None:
    """Only a search that could read everything tells that a term does not occur."""
    manual = Searchable(tmp_path, None)
    manual.write("a.md", "# Wick\n")
    assert manual.ask("wick", "lantern").status == "required_none_matched"

    (manual.root / "m" / "b.md").write_bytes(b"\xff\xfe\xfa\x80\x81\x82\xff")
    found = manual.ask("wick", "lantern")
    assert found.status == "term_dropped_or_weakened"
    assert found.failure_reason == "required_terms_not_found_in_readable_files:lantern"


@pytest.mark.parametrize(("query", "term"), [("{}", "word"), ("word", "{}")])
def test_single_letters_in_a_long_row_are_a_word_too(tmp_path: Path, query: str, term: str) -> None:
    """Each is too short for a token, and all of them are too long for one."""
    manual = Searchable(tmp_path, None)
    row = "-".join("ab" * 30)
    manual.write("a.md", f"# Row\n\nA word and {row}.\n")
    assert manual.ask(query.format(row), term.format(row)).status == "required_effective"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_text_is_found_whatever_its_lines_end_with(tmp_path: Path, end: str) -> None:
    """A heading's own line is parted from the text below it by any of them."""
    manual = Searchable(tmp_path, None)
    where = manual.root / "m" / "a.md"
    where.write_bytes(
        end.join(["# Head", "A zebra.", "", "Second", "===", "A giraffe.", ""]).encode()
    )
    for word, line in (("zebra", 1), ("giraffe", 4)):
        found = manual.ask(word)
        assert found.status == "required_effective"
        assert [row["ref"]["start_line"] for row in found.lists["candidates"]] == [line]


@pytest.mark.requirement("manuals:find:complete")
def test_a_file_that_was_searched_in_part_is_unscanned(tmp_path: Path) -> None:
    """`complete` and `unscanned` say the same of one file with many sections."""
    manual = Searchable(tmp_path, None)
    manual.write("a.md", "".join(f"# Part {number}\n\nOne part.\n" for number in range(20)))
    capped = usual.FIND._replace(manual_find_scan_hard_cap=3)
    found = manual.ask("one part", "part", settings=capped)
    assert (found.complete, found.unscanned, found.failure_reason) == (False, 1, "candidate_cap")


def test_nodes_on_one_line_are_told_apart(tmp_path: Path) -> None:
    """All of them begin on line 1, and each is a section of its own."""
    manual = Searchable(tmp_path, None)
    text = "common words about billing " * 50
    manual.write("a.json", json.dumps([{"text": f"{text} unique{n}x"} for n in range(50)]))

    found = manual.ask("common words about billing", "unique37x")

    assert found.status == "required_effective"
    assert found.lists["candidates"][0]["ref"]["json_path"] == "$[37].text"
    assert found.summary["candidates"] > 1


@pytest.mark.parametrize("number", [0, 6, 30, 59])
def test_small_members_on_one_line_are_told_apart(tmp_path: Path, number: int) -> None:
    """Kept together by sixes, each group is a section, and the rows say which one they mean."""
    manual = Searchable(tmp_path, None)
    text = "common words about billing " * 5
    manual.write("a.json", json.dumps({f"key{n}": f"{text} unique{n}x" for n in range(60)}))

    found = manual.ask("common words about billing", f"unique{number}x")

    assert found.status == "required_effective"
    assert f"unique{number}x" in found.lists["candidates"][0]["matched_tokens"]
    keys = [row["candidate_key"] for row in found.lists["fusion_debug"]]
    assert len(set(keys)) == len(keys) > 1


@pytest.mark.parametrize(
    "heading",
    [
        "# [Text](https://example.com/secretpage)",
        "# [Text][secretpage]",
        '# Text <a name="secretpage"></a>',
        "# <https://example.com/secretpage> Text",
        '# [Text](x.md "secretpage")\r',
        "[Text](secretpage)\n=====",
        f"# Text {'[](x)' * 500} <i id=secretpage>",
    ],
)
def test_what_a_headings_markup_holds_is_found(tmp_path: Path, heading: str) -> None:
    """The title is without it, and the body begins below the heading."""
    manual = Searchable(tmp_path, None)
    manual.write("a.md", f"{heading}\nhi\n")
    manual.write("b.md", "# Text\nhi\n")
    assert manual.paths("secretpage") == ["a.md"]
    assert manual.ask("secretpage").status == "required_effective"
