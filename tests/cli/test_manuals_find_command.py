"""`tebiki manuals find`: how a person asks, and what is said before, within and after the hits."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any

import pytest

from tebiki.cli.find_words import LEGEND
from tebiki.cli.manuals import parser
from tebiki.cli.plain import cells
from tebiki.errors import Forbidden
from tebiki.manuals.library import Library
from tests.manuals.libraries import USUAL, still_clocks
from tests.support.command import Finished, run_command
from tests.support.terminal import run_at_terminal

if TYPE_CHECKING:
    from pathlib import Path

    from tebiki.manuals.client_memory import FindAnswer
    from tebiki.manuals.request import FindRequest

GUIDE = """# 手引き

## 保守

### 清掃

給紙ローラーの清掃は毎月一回行います。柔らかい布に水を含ませ、固く絞ってからローラーの表面を拭き取ってください。洗剤や
シンナーを使うと表面が傷みます。

| 部品 | 交換の目安 | 備考 |
| --- | --- | --- |
| 転写ベルト | 十二万枚 | 印刷が薄くなったら |
| 給紙ローラー | 二十万枚 | 紙詰まりが増えたら |
"""
COOLING = (
    "# Cooling\n\n## Fan\n\nThe fan stops after 10 minutes. It starts by itself. Never block it.\n"
)
HEATING = "# Heating\n\nThe heater runs at 40 degrees.\n"


@pytest.fixture(name="home")
def _home(tmp_path: Path) -> Path:
    """A workspace with two manuals."""
    for name, text in (("oven/cooling.md", COOLING), ("oven/heating.md", HEATING)):
        (tmp_path / "manuals" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "manuals" / name).write_text(text, encoding="utf-8")
    (tmp_path / "manuals" / "printer").mkdir()
    (tmp_path / "manuals" / "printer" / "手引き.md").write_text(GUIDE, encoding="utf-8")
    return tmp_path


def find(home: Path, *words: str) -> Finished:
    """Search."""
    return run_command(home, "manuals", "find", *words, face="tebiki")


@pytest.mark.requirement("people:manuals:derived-terms")
def test_find_derives_the_required_word_and_says_which(home: Path) -> None:
    """By the rule of `eval`; one that was named is not told again."""
    derived = find(home, "oven", "when does the heater run")
    named = find(home, "oven", "when does the heater run", "--require", "heater")

    assert (derived.code, named.code) == (0, 0)
    first, *rest = derived.stdout.splitlines()
    assert '"heater"' in first
    assert rest == named.stdout.splitlines()


@pytest.mark.requirement("people:manuals:derived-terms")
def test_programs_are_told_that_the_word_was_derived(home: Path) -> None:
    """In the short form and in the full one."""
    short = json.loads(find(home, "oven", "heater", "--json").stdout)
    full = json.loads(find(home, "oven", "heater", "--full").stdout)

    assert (short["required_terms"], short["required_terms_derived"]) == (["heater"], True)
    assert full["applied"]["required_terms_source"] == "derived"


@pytest.mark.requirement("people:manuals:plain-words")
@pytest.mark.parametrize(
    "words",
    [
        ("oven", "when", "does", "the", "fan", "stop"),
        ("oven", "--limit", "1", "when", "does", "the", "fan", "stop"),
        ("--manual", "oven", "when", "does", "the", "fan", "stop"),
        ("oven", "when does the fan stop", "--limit", "1"),
    ],
)
def test_a_question_needs_no_quotes(home: Path, words: tuple[str, ...]) -> None:
    """Flags may stand anywhere among its words."""
    done = find(home, *words)

    assert done.code == 0
    assert "oven/cooling.md:3" in done.stdout


@pytest.mark.requirement("people:manuals:plain-words")
def test_the_first_word_is_the_manual_only_if_it_is_an_id(home: Path) -> None:
    """With one manual nobody has to name it; with two the error lists them and guesses."""
    unclear = find(home, "ovens", "fan")
    (home / "manuals" / "printer" / "手引き.md").unlink()
    (home / "manuals" / "printer").rmdir()
    alone = find(home, "fan", "stop")
    of_the_question = find(home, "--manual", "oven", "oven", "fan")

    assert (unclear.code, unclear.stdout) == (2, "")
    assert "did you mean oven?" in unclear.stderr
    assert "oven, printer" in unclear.stderr
    assert alone.code == 0
    assert "oven/cooling.md:3" in alone.stdout
    assert "oven/cooling.md:3" in of_the_question.stdout


@pytest.mark.requirement("people:manuals:missing-term")
@pytest.mark.parametrize("form", [(), ("--json",), ("--full",)])
def test_a_required_word_that_is_nowhere_is_said_first_and_is_exit_1(
    home: Path, form: tuple[str, ...]
) -> None:
    """What is nearest is shown all the same."""
    done = find(home, "oven", "fan", "--require", "zebra", *form)

    assert done.code == 1
    if not form:
        first, second, hit, *_ = done.stdout.splitlines()
        assert first == '"zebra" is nowhere in oven.'
        assert second == "The nearest without:"
        assert hit.startswith(" 1. ")
    else:
        assert json.loads(done.stdout)["failure_reason"].endswith(":zebra")


@pytest.mark.requirement("people:manuals:find-json")
@pytest.mark.parametrize("limit", [1, 2])
def test_json_has_as_many_hits_as_asked_for_each_with_its_excerpt(home: Path, limit: int) -> None:
    """And the headings above it."""
    many = "".join(f"## Part {n}\n\nThe fan of part {n} turns.\n\n" for n in range(4))
    (home / "manuals" / "oven" / "many.md").write_text(f"# Parts\n\n{many}", encoding="utf-8")

    hits = json.loads(find(home, "oven", "fan", "--limit", str(limit), "--json").stdout)

    items = hits["inline_hits"]["items"]
    assert len(items) == limit
    assert all("fan" in item["excerpt"].lower() for item in items)
    assert all(item["trail"] for item in items)


@pytest.mark.requirement("people:manuals:find")
def test_hits_show_the_headings_above_them(home: Path) -> None:
    """Down to their own."""
    assert " 1. Cooling > Fan  (" in find(home, "oven", "fan").stdout
    assert " 1. 手引き > 保守 > 清掃  (" in find(home, "printer", "清掃").stdout


@pytest.mark.requirement("people:manuals:excerpts")
def test_an_excerpt_is_whole_sentences(home: Path) -> None:
    """From the one that was found on."""
    text = find(home, "oven", "when does the fan stop").stdout

    assert "    The fan stops after 10 minutes. It starts by itself. Never block it.\n" in text


@pytest.mark.requirement("people:manuals:disagree")
def test_what_disagrees_is_shown_with_its_places(home: Path) -> None:
    """Below the hits, each passage by itself; of many pairs no more than hits were asked for."""
    for number in range(4):
        text = f"# Hood\n\n## Lamp\n\nThe lamp of the hood burns for {number + 2} hours.\n"
        (home / "manuals" / "oven" / f"hood{number}.md").write_text(text, encoding="utf-8")

    lines = find(home, "oven", "how long does the lamp of the hood burn", "--limit", "2").stdout
    shown = lines.partition("everything searched\n")[2].splitlines()

    assert shown.count("These disagree:") == 2
    places, passages = shown[1:5:2], shown[2:6:2]
    assert all(place.startswith("    oven/hood") and place.endswith(".md:3") for place in places)
    assert len(set(passages)) == 2
    assert shown[-1].endswith("more pairs disagree; --full has all of them")


@pytest.mark.requirement("people:manuals:excerpts")
def test_a_row_of_a_table_comes_with_its_header(home: Path) -> None:
    """The header says what the cells are, and is no answer itself."""
    lines = find(home, "printer", "転写ベルト 交換の目安").stdout.splitlines()

    assert "    部品 | 交換の目安 | 備考" in lines
    assert "    転写ベルト | 十二万枚 | 印刷が薄くなったら" in lines


@pytest.mark.requirement("people:manuals:excerpts")
def test_a_bar_within_a_cell_is_shown_as_it_was_meant(home: Path) -> None:
    """Import writes it with a backslash, so that it ends no cell."""
    table = "# Filters\n\n| mesh | use |\n| --- | --- |\n| 11\\|x | coarse \\| fine zeolite |\n"
    (home / "manuals" / "oven" / "filters.md").write_text(table, encoding="utf-8")

    lines = find(home, "oven", "zeolite").stdout.splitlines()

    assert "    11|x | coarse | fine zeolite" in lines


@pytest.mark.requirement("people:manuals:excerpts")
@pytest.mark.parametrize("line", ["=====", "---"])
def test_a_heading_that_is_underlined_is_no_sentence(home: Path, line: str) -> None:
    """The trail above shows it; a line below an item draws no heading."""
    text = f"Filter\n{line}\n\nWash the filter by hand.\n\n- Filter mats\n---\n"
    (home / "manuals" / "oven" / "filter.md").write_text(text, encoding="utf-8")

    shown = find(home, "oven", "filter").stdout

    assert "    Wash the filter by hand.\n" in shown
    assert "    Filter mats\n" in find(home, "oven", "filter", "mats").stdout


@pytest.mark.requirement("people:manuals:excerpts")
@pytest.mark.parametrize("width", [40, 60])
def test_excerpts_are_wrapped_to_the_terminal(home: Path, width: int) -> None:
    """Wide signs count twice, no line begins with a full stop, and nothing is lost."""
    done = run_at_terminal(home, "manuals", "find", "printer", "洗剤", "シンナー", width=width)

    lines = [line for line in done.screen if line.startswith("    ")]
    assert max(cells(line) for line in done.screen) <= width
    assert not any(line.strip().startswith(("。", "、")) for line in lines)
    assert "洗剤やシンナーを使うと表面が傷みます。" in "".join(line.strip() for line in lines)


@pytest.mark.requirement("people:manuals:why")
def test_why_explains_every_part_it_shows(home: Path) -> None:
    """In words, below the hits."""
    text = find(home, "oven", "when does the fan stop", "--why").stdout

    shown = {line.strip().partition("=")[0] for line in text.splitlines() if "=" in line}
    assert shown
    assert shown <= LEGEND.keys()
    assert all(LEGEND[name] in text for name in shown)


@pytest.mark.requirement("people:manuals:root")
def test_a_folder_of_manuals_can_be_named(home: Path) -> None:
    """Before any setting, for every action."""
    elsewhere = home / "else" / "where"
    elsewhere.mkdir(parents=True)

    done = run_command(elsewhere, "manuals", "ls", "--manuals", "../../manuals", face="tebiki")

    assert done == (0, "oven/\nprinter/\n", "")


@pytest.mark.requirement("people:manuals:find-all")
def test_all_manuals_are_asked_at_once(home: Path) -> None:
    """By manual, the ones that have the word first; each says how much of it was searched."""
    done = find(home, "--all", "給紙ローラーの清掃", "--limit", "1")

    lines = done.stdout.splitlines()
    assert (done.code, done.stderr) == (0, "")
    assert lines[0] == 'Looking for "給紙", taken from the question (--require TERM names another)'
    assert lines[1] == "printer"
    assert "    printer/手引き.md:5" in lines
    oven = lines.index("oven")
    assert "nowhere in oven" in lines[oven + 1]
    assert lines[oven + 2] == "Nothing to show, everything searched"
    assert sum(line.endswith("everything searched") for line in lines) == 2


@pytest.mark.requirement("people:manuals:find-all")
def test_programs_get_all_manuals_with_their_completeness(home: Path) -> None:
    """A file that cannot be read makes its manual incomplete, and the whole."""
    (home / "manuals" / "oven" / "bad.md").write_bytes(b"\xff\xfe\xfa\x00\xd8")

    done = find(home, "--all", "fan", "--json", "--limit", "1")

    told = json.loads(done.stdout)
    rows = {row["manual_id"]: row for row in told["manuals"]}
    assert (done.code, told["complete"], list(rows)) == (0, False, ["oven", "printer"])
    assert (rows["oven"]["found"], rows["oven"]["complete"]) == (True, False)
    assert (rows["printer"]["found"], rows["printer"]["complete"]) == (False, True)
    assert len(rows["oven"]["inline_hits"]["items"]) == 1
    assert rows["printer"]["required_terms"] == ["fan"]


@pytest.mark.requirement("people:manuals:find-all")
def test_every_word_of_a_question_to_all_is_of_the_question(home: Path) -> None:
    """Even one that is the id of a manual; and naming one besides is a mistake."""
    asked = json.loads(find(home, "--all", "oven", "fan", "--require", "fan", "--full").stdout)
    both = find(home, "--all", "fan", "--manual", "oven")

    assert [row["manual_id"] for row in asked["manuals"]] == ["oven", "printer"]
    assert (both.code, "leave --manual out" in both.stderr) == (2, True)


@pytest.mark.requirement("people:manuals:find-all")
def test_what_is_in_no_manual_is_exit_1(home: Path) -> None:
    """The nearest of each are shown all the same."""
    done = find(home, "--all", "fan", "--require", "zebra")

    assert done.code == 1
    assert done.stdout.count('"zebra" is nowhere in') == 2
    assert "oven/cooling.md" in done.stdout


@pytest.mark.requirement("people:manuals:find-all", "people:manuals:why")
def test_why_explains_the_hits_of_all_manuals_once(home: Path) -> None:
    """Below the last of them."""
    text = find(home, "--all", "fan", "--why").stdout

    assert text.count("The parts of a score:") == 1
    assert "base=" in text.partition("The parts of a score:")[0]


class OneFails(Library):
    """A library of which one manual cannot be searched."""

    def find(self, request: FindRequest, **more: Any) -> FindAnswer:
        """Search, or fail."""
        if request.manual_id == "oven":
            raise Forbidden("oven may not be listed")
        return super().find(request, **more)


@pytest.mark.requirement("people:manuals:find-all")
@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_manual_that_fails_does_not_hide_the_others(
    home: Path, capsys: pytest.CaptureFixture[str], form: tuple[str, ...]
) -> None:
    """It is told of in its place; where nothing else was found, the failure is the outcome."""
    ids = map(str, itertools.count())
    library = OneFails(home / "manuals", USUAL, still_clocks(), lambda: next(ids), log=print)
    library.ls()

    typed = parser().parse_args(["find", "--all", "清掃", *form])
    code = typed.action(library, typed)
    told = capsys.readouterr().out

    assert code == 0
    assert "oven may not be listed" in told
    assert "手引き.md" in told
    nothing = parser().parse_args(["find", "--all", "清掃", "--require", "zebra", *form])
    with pytest.raises(Forbidden):
        nothing.action(library, nothing)


@pytest.mark.requirement("people:manuals:derived-terms")
def test_words_taken_from_a_question_are_shown_as_typed(home: Path) -> None:
    """With their capitals, wherever they are said; folded is how the index has them."""
    taken = find(home, "printer", "what does Error ZX-900 mean")
    named = find(home, "printer", "what is it", "--require", "ZX-900")

    assert taken.stdout.splitlines()[:2] == [
        'Looking for "ZX-900", taken from the question (--require TERM names another)',
        '"ZX-900" is nowhere in printer.',
    ]
    assert named.stdout.startswith('"ZX-900" is nowhere in printer.')


@pytest.mark.requirement("people:manuals:why")
@pytest.mark.parametrize(
    "words", [("find", "printer", "給紙", "--why"), ("why-not", "printer/手引き.md:5", "給紙")]
)
def test_what_the_parts_of_a_score_mean_fits_a_narrow_terminal(
    home: Path, words: tuple[str, ...]
) -> None:
    """Broken between words, below each other."""
    done = run_at_terminal(home, "manuals", *words, width=50)

    lines = done.screen[done.screen.index("The parts of a score:") :]
    assert max(map(cells, lines)) <= 50
    assert any(line.startswith(" " * 22) for line in lines)


@pytest.mark.requirement("people:commands:wrong-usage")
def test_a_flag_may_stand_before_a_word_that_may_be_left_out(home: Path) -> None:
    """`toc MANUAL --headings PREFIX` is how it is read aloud."""
    behind = run_command(
        home, "manuals", "toc", "printer", "手引き.md", "--headings", face="tebiki"
    )
    between = run_command(
        home, "manuals", "toc", "printer", "--headings", "手引き.md", face="tebiki"
    )

    assert (between.code, between.stderr) == (0, "")
    assert between.stdout == behind.stdout != ""
