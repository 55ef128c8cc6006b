"""`tebiki eval`: measured on real manuals, compared, held against bars, written to a page."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import Finished, run_command
from tests.support.server_process import ServerProcess

SAMPLES = Path(__file__).parents[2] / "samples"
FAN = {
    "query": "when does the fan stop",
    "manual_id": "oven",
    "expected_paths": ["more/cooling.md"],
    "required_terms": ["fan"],
    "facet": "question",
}
HEAT = {
    "case_id": "heat",
    "query": "heater degrees",
    "manual_id": "oven",
    "expected_paths": ["guide.md", "gone.md"],
    "expected_refs": [{"path": "guide.md", "start_line": 5}],
    "forbidden_paths": ["more/cooling.md"],
}
MOON = {"query": "lunar eclipse", "manual_id": "oven", "expected_paths": ["guide.md"]}


@pytest.fixture(name="home")
def _home(tmp_path: Path) -> Path:
    """A workspace with one manual and a set of three questions."""
    folder = tmp_path / "manuals" / "oven"
    (folder / "more").mkdir(parents=True)
    (folder / "guide.md").write_text("# Guide\n\nStart.\n\n## Heating\n\nThe heater: 40 degrees.\n")
    (folder / "more" / "cooling.md").write_text("# Cooling\n\nThe fan stops after 10 minutes.\n")
    write(tmp_path, FAN, HEAT, MOON)
    return tmp_path


def write(home: Path, *rows: dict[str, Any]) -> None:
    """Make these the questions."""
    (home / "set.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))


def evaluate(home: Path, *words: str) -> Finished:
    """Run the command on the set."""
    return run_command(home, "eval", "--dataset", "set.jsonl", *words, face="tebiki")


def measures(home: Path, *words: str) -> dict[str, Any]:
    """What a program reads."""
    done = evaluate(home, "--json", *words)
    assert (done.code, done.stderr) == (0, "")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.requirement("eval:sets:samples")
def test_the_samples_reach_their_bars(tmp_path: Path) -> None:
    """As they are shipped, with the thresholds beside them."""
    env = {"MANUALS_ROOT": str(SAMPLES / "manuals")}
    words = ("eval", "--dataset", str(SAMPLES / "questions.jsonl"), "--enforce-thresholds")

    done = run_command(tmp_path, *words, face="tebiki", env=env)

    assert (done.code, done.stderr) == (0, "")
    assert "every bar was reached" in done.stdout


@pytest.mark.requirement("eval:measures:rates")
def test_measures_are_those_of_the_answers(home: Path) -> None:
    """Two of three questions are answered by the first section."""
    found = measures(home)

    values = found["measures"]
    assert (values["hit"], values["mrr"], values["section_mrr"]) == (2 / 3, 2 / 3, 1)
    assert values["recall"] == (1 + 1 / 2 + 0) / 3
    assert (values["forbidden"], values["error"]) == (0, 0)
    assert [case["rank"] for case in found["cases"]] == [1, 1, 0]
    assert [case["case_id"] for case in found["cases"]] == ["1", "heat", "3"]
    assert found["dataset"]["cases"] == 3
    assert found["by_facet"]["question"]["hit"] == 1
    assert found["settings"] == {}


@pytest.mark.requirement("eval:measures:pages")
def test_a_page_counts_once_however_many_of_its_sections_come_first(home: Path) -> None:
    """A wrong file with two sections before the right one costs two places, and one page."""
    folder = home / "manuals" / "oven"
    (folder / "grill.md").write_text("# Grill\n\n## Spit\n\nSpit.\n\n## Spit speed\n\nSpit.\n")
    (folder / "motor.md").write_text("# Motor\n\nIt turns at one speed, as all it drives.\n")
    write(home, {"query": "spit speed", "manual_id": "oven", "expected_paths": ["motor.md"]})

    values = measures(home, "--k", "10")["measures"]

    assert values["page_hit"] == values["hit"] == 1
    assert (values["page_mrr"], values["mrr"] < 1 / 2) == (1 / 2, True)


@pytest.mark.requirement("eval:signals:worth")
def test_what_links_are_worth_is_told(home: Path) -> None:
    """On a set whose page is found by what others call it; other signals are told beside them."""
    folder = home / "manuals" / "oven"
    for name in ("one", "two"):
        text = f"# {name}\n\nBefore frost, [winterize the oven](more/storing.md) at once.\n"
        (folder / f"{name}.md").write_text(text)
    text = "# Chapter 7\n\nDrain all tanks and hoses, then store each oven upright, dry and dark.\n"
    (folder / "more" / "storing.md").write_text(text)
    for number in range(12):
        text = f"# Note {number}\n\nThe oven is part {number} of the assembly line.\n"
        (folder / f"note-{number}.md").write_text(text)
    asked = {"query": "how to winterize the oven", "manual_id": "oven", "required_terms": ["oven"]}
    write(home, {**asked, "expected_paths": ["more/storing.md"]}, FAN)

    told = measures(home, "--signals")["signals"]
    shown = evaluate(home, "--signals", "--report", "out.html").stdout

    links = next(one for one in told if one["signal"] == "links")
    assert links["setting"] == "manuals.find.link_weight"
    assert links["gains"]["page_mrr"] > 0
    assert (links["better"], links["worse"]) == (1, 0)
    assert "p50_ms" not in links["gains"]
    assert len(told) == 11
    assert "what each signal adds" in shown
    assert "What each signal adds" in (home / "out.html").read_text(encoding="utf-8")


@pytest.mark.requirement("eval:signals:worth")
def test_a_signal_that_is_off_is_not_told(home: Path) -> None:
    """It adds nothing, whatever it would add."""
    (home / "off.yaml").write_text("manuals: {find: {link_weight: 0}}")

    told = measures(home, "--signals", "--config", "off.yaml")["signals"]

    assert "links" not in [one["signal"] for one in told]


@pytest.mark.requirement("eval:measures:tokens")
def test_tokens_are_those_a_model_gets(home: Path) -> None:
    """The answer, and then what is read until it is the right one."""
    first, *_, last = measures(home)["cases"]

    compact = json.dumps(found_by_a_model(home), separators=(",", ":"))
    assert first["tokens"] == -(-len(compact) // 4)
    assert first["tokens_to_right"] > first["tokens"]
    assert last["tokens_to_right"] is None


def found_by_a_model(home: Path) -> Any:
    """What `manual_find` answers over the wire."""
    arguments = {"query": FAN["query"], "manual_id": "oven", "required_terms": ["fan"]}
    env = {"WORKSPACE_ROOT": str(home)}
    with ServerProcess(home, "--toolsets=manuals", face="tebiki", env=env) as server:
        # One after the other: calls run side by side, and a find needs the list before it.
        server.call("list", "manual_ls", {})
        return server.call("find", "manual_find", arguments)["result"]["structuredContent"]


@pytest.mark.requirement("eval:measures:why")
def test_missed_files_are_explained(home: Path) -> None:
    """Why the search lost them, or that the set names no file."""
    moon, heat = measures(home)["troubles"]

    assert (moon["case_id"], moon["kind"]) == ("3", "missed")
    assert "shares no word" in moon["missed"][0]["why"]
    assert (heat["case_id"], heat["kind"]) == ("heat", "partly")
    assert "is the path in expected_paths right?" in heat["missed"][0]["why"]
    assert "shares no word" in evaluate(home).stdout


@pytest.mark.requirement("eval:measures:normal-forms")
def test_a_path_is_found_in_any_normal_form(home: Path) -> None:
    """The file is in one, the set in the other."""
    name = unicodedata.normalize("NFC", "ガイド.md")
    (home / "manuals" / "oven" / name).write_text("# 案内\n\n換気扇の掃除。\n")
    write(
        home,
        {
            "query": "換気扇の掃除",
            "manual_id": "oven",
            "expected_paths": [unicodedata.normalize("NFD", name)],
        },
    )

    assert measures(home)["measures"]["hit"] == 1


@pytest.mark.requirement("eval:measures:no-trace")
def test_nothing_is_noted_or_left_behind(home: Path) -> None:
    """Measuring must not tune what it measures."""
    before = {path for path in home.rglob("*") if ".cache" not in path.parts}
    evaluate(home)

    assert {path for path in home.rglob("*") if ".cache" not in path.parts} == before


@pytest.mark.requirement("eval:bars:enforced")
@pytest.mark.parametrize(
    ("bars", "code"),
    [(("hit=0.6", "p95_ms=60000"), 0), (("hit=0.9",), 1), (("section_mrr=1",), 0)],
)
def test_below_the_bar_is_exit_1(home: Path, bars: tuple[str, ...], code: int) -> None:
    """Only when bars are enforced."""
    flags = [word for bar in bars for word in ("--threshold", bar)]

    assert evaluate(home, *flags, "--enforce-thresholds").code == code
    assert evaluate(home, *flags).code == 0


@pytest.mark.requirement("eval:bars:enforced")
def test_bars_stand_beside_the_set_and_flags_above_them(home: Path) -> None:
    """In a file of the same name."""
    (home / "set.json").write_text('{"thresholds": {"hit": 0.9}}')

    below = evaluate(home, "--enforce-thresholds")
    assert below.code == 1
    assert "below the bar: hit@5 is 0.6667, not ≥ 0.9" in below.stdout
    assert evaluate(home, "--enforce-thresholds", "--threshold", "hit=0.5").code == 0


@pytest.mark.requirement("eval:compare:two")
def test_two_configurations_beside_each_other(home: Path) -> None:
    """Each with its settings, every measure with the difference."""
    (home / "a.yaml").write_text("")
    (home / "b.yaml").write_text("manuals: {find: {per_file_candidate_cap: 1}}")

    found = measures(home, "--compare", "a.yaml", "b.yaml")

    before, after = found["sides"]
    assert (before["name"], before["settings"]) == ("a.yaml", {})
    assert after["settings"]["manuals.find.per_file_candidate_cap"] == 1
    assert found["differences"]["ndcg"] == after["measures"]["ndcg"] - before["measures"]["ndcg"]
    told = evaluate(home, "--compare", "a.yaml", "b.yaml").stdout
    assert "a.yaml  b.yaml  difference" in told


@pytest.mark.requirement("eval:compare:two")
def test_a_configuration_that_changes_an_order_is_seen(tmp_path: Path) -> None:
    """On the samples, with a part of the ranking off."""
    (tmp_path / "a.yaml").write_text("")
    off = {"lexical_coverage_weight": 0, "lexical_phrase_weight": 0, "exploration_enabled": False}
    (tmp_path / "b.yaml").write_text(json.dumps({"manuals": {"find": off}}))
    words = ("--dataset", str(SAMPLES / "questions.jsonl"), "--compare", "a.yaml", "b.yaml")
    env = {"MANUALS_ROOT": str(SAMPLES / "manuals")}

    done = run_command(tmp_path, "eval", *words, "--json", face="tebiki", env=env)

    found = json.loads(done.stdout)
    assert found["differences"]["mrr"] != 0
    assert any(one["rank_before"] != one["rank_after"] for one in found["changed"])


@pytest.mark.requirement("eval:compare:two")
@pytest.mark.parametrize("mode", ["--compare-sem-cache", "--compare-query-decomp"])
def test_one_part_off_and_on(home: Path, mode: str) -> None:
    """The cache changes no answer; sub-questions are a setting."""
    found = measures(home, mode)

    off, on = found["sides"]
    assert (off["name"].endswith("off"), on["name"].endswith("on")) == (True, True)
    assert found["changed"] == []
    if mode == "--compare-query-decomp":
        assert off["settings"] == {"manuals.find.query_decomp_enabled": False}


@pytest.mark.requirement("eval:report:page")
def test_the_page_is_written_and_holds_what_is_hostile(home: Path) -> None:
    """A question with markup is shown, not obeyed."""
    write(home, FAN, {**MOON, "case_id": "<img src=x>", "query": "</title><script>x()</script>"})

    done = evaluate(home, "--report", "out.html")

    text = (home / "out.html").read_text(encoding="utf-8")
    assert done.stdout.endswith("The report is out.html\n")
    assert "<script" not in text
    assert "<img" not in text
    assert "&lt;script&gt;x()" in text
    assert text.count("<svg") == 4


@pytest.mark.requirement("eval:sets:mistakes")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--report", "set.jsonl"), ".html"),
        (("--report", "none/out.html"), "no folder"),
        (("--threshold", "hits=1"), "hits is no measure; choose from hit"),
        (("--threshold", "hit=x"), "must be a number"),
        (("--threshold", "hit"), "MEASURE=NUMBER"),
        (("--enforce-thresholds",), "set.json"),
        (("--compare", "a.yaml", "b.yaml"), "no such file"),
        (("--compare", "a.yaml", "b.yaml", "--config", "c.yaml"), "leave --config out"),
        (("--compare-sem-cache", "--compare-query-decomp"), "not allowed"),
        (("--k", "0"), "from 1 to 100"),
        (("--dataset", "none.jsonl"), "cannot be read"),
    ],
)
def test_mistakes_are_told_before_anything_is_measured(
    home: Path, words: tuple[str, ...], said: str
) -> None:
    """One line on stderr, exit 2."""
    done = evaluate(home, *words)

    assert (done.code, done.stdout) == (2, "")
    assert said in done.stderr


@pytest.mark.requirement("eval:sets:mistakes")
def test_a_set_that_claims_a_terabyte_is_refused(home: Path) -> None:
    """Before memory is used up, and so is a file of bars."""
    for name in ("huge.jsonl", "set.json"):
        with (home / name).open("wb") as file:
            file.truncate(1 << 40)

    told = [evaluate(home, "--dataset", "huge.jsonl"), evaluate(home, "--enforce-thresholds")]

    assert [done.code for done in told] == [2, 2]
    assert "has more than" in told[0].stderr
    assert "set.json is not JSON" in told[1].stderr


@pytest.mark.requirement("eval:sets:mistakes")
def test_a_manual_that_is_not_there_is_named_with_its_line(home: Path) -> None:
    """It is the set that is wrong."""
    write(home, FAN, {**MOON, "manual_id": "stove"})

    done = evaluate(home)

    assert done.code == 2
    assert "set.jsonl, line 2: manual_id 'stove'" in done.stderr


@pytest.mark.requirement("eval:bars:enforced")
@pytest.mark.parametrize("content", ["[]", '{"thresholds": 3}', "{", '{"thresholds": {"hit": -1}}'])
def test_a_broken_file_of_bars_is_refused(home: Path, content: str) -> None:
    """By its name."""
    (home / "set.json").write_text(content)

    done = evaluate(home, "--enforce-thresholds")

    assert done.code == 2
    assert "set.json" in done.stderr
