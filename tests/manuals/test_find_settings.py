"""Each setting of a find does what it is for, shown by what the find answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from tebiki.app.settings import library_settings
from tebiki.config.sources import Given, load
from tebiki.manuals.ranking.settings import FindSettings
from tests.manuals import usual
from tests.manuals.searchable import Searchable

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tebiki.manuals.report.answer import Found

DEFAULTS = usual.FIND
QUIET = DEFAULTS._replace(manual_find_exploration_enabled=False)
SHOWN: set[str] = set()
"""Settings that a test below is about."""

Test = TypeVar("Test", bound="Callable[..., None]")


def about(*names: str) -> Callable[[Test], Test]:
    """Note which settings a test is about, by their names in the environment."""
    SHOWN.update(name.casefold() for name in names)
    return lambda test: test


def parts(row: dict[str, Any]) -> dict[str, float]:
    """The parts of a row's score."""
    pairs = (told.split("=") for told in row["rank_explain"])
    return {name: float(value) for name, value in pairs}


def rows(found: Found) -> list[dict[str, Any]]:
    """The candidates of a find."""
    return list(found.lists["candidates"])


def paths(found: Found) -> list[str]:
    """Their files, best first."""
    return [row["ref"]["path"] for row in rows(found)]


@pytest.fixture(name="manual")
def _manual(tmp_path: Path) -> Searchable:
    return Searchable(tmp_path, None)


APART = "これは別のことで、特に何も述べていない文です。" * 3
SHELVES = ("赤い箱と青い棚", "赤い箱。青い棚。", "赤い箱。" * 9)
SWAPPED = f"書類。{APART}期限。{APART}" * 3
NEAR = ("期限 書類", "期限の書類。", SWAPPED)
FAR = ("期限 書類", "期限を守るためには、あらかじめ書類を。", SWAPPED)
DAYS = ("期限 30日", "期限は30日。", "期限。計30日。" * 9)
WEIGHTS = [
    ("LEXICAL_COVERAGE_WEIGHT", "coverage", SHELVES),
    ("SPARSE_QUERY_COVERAGE_WEIGHT", "sparse_coverage", SHELVES),
    ("LEXICAL_PHRASE_WEIGHT", "phrase", ("受付窓口", "受付窓口へ。", "窓口と受付。" * 9)),
    ("LEXICAL_NUMBER_CONTEXT_BONUS", "number_context", DAYS),
    ("LEXICAL_PROXIMITY_BONUS_NEAR", "proximity_near", NEAR),
    ("LEXICAL_PROXIMITY_BONUS_FAR", "proximity_far", FAR),
]


@pytest.mark.requirement("manuals:ranking:bonuses", "config:all:act")
@about(*(row[0] for row in WEIGHTS))
@pytest.mark.parametrize(("name", "part", "texts"), WEIGHTS)
def test_a_weight_weighs_its_part(
    manual: Searchable, name: str, part: str, texts: tuple[str, str, str]
) -> None:
    """Nothing at 0, twice as much at twice the weight, and the whole order when it is heavy."""
    query, with_it, without = texts
    manual.write("with.md", f"# 一\n{with_it}\n")
    manual.write("without.md", f"# 二\n{without}\n")
    key = name.casefold()
    usual = getattr(DEFAULTS, key)

    def weighed(weight: float) -> FindSettings:
        change: dict[str, Any] = {key: weight}
        return QUIET._replace(**change)

    def part_at(weight: float) -> float:
        found = manual.ask(query, settings=weighed(weight))
        (row,) = (row for row in rows(found) if row["ref"]["path"] == "with.md")
        return parts(row).get(part, 0.0)

    assert part_at(0.0) == 0
    assert part_at(usual) > 0
    assert part_at(2 * usual) == pytest.approx(2 * part_at(usual), abs=0.001)
    assert paths(manual.ask(query, settings=weighed(99.0)))[0] == "with.md"


@pytest.mark.requirement("manuals:ranking:bonuses")
@about("LEXICAL_LENGTH_PENALTY_WEIGHT")
def test_the_length_penalty_lowers_long_sections(manual: Searchable) -> None:
    """Only sections that are too long."""
    manual.write("long.md", "# 期限\n" + "期限の説明。" * 1500 + "\n")
    manual.write("short.md", "# 別\n期限は窓口で聞く。\n")
    free = manual.ask("期限", settings=QUIET._replace(lexical_length_penalty_weight=0.0))
    heavy = manual.ask("期限", settings=QUIET._replace(lexical_length_penalty_weight=99.0))
    assert paths(free) == ["long.md", "short.md"]
    assert paths(heavy) == ["short.md", "long.md"]
    assert parts(rows(heavy)[1])["length_penalty"] < 0
    assert "length_penalty" not in parts(rows(heavy)[0])


@pytest.fixture(name="crowded")
def _crowded(manual: Searchable) -> Searchable:
    manual.write("many.md", "".join(f"# 節{n}\n申請の期限と書類 {n}\n\n" for n in range(30)))
    for number in range(12):
        manual.write(f"other/{number:02}.md", f"# 他{number}\n申請 {number} 番の案内。\n")
    return manual


def explored(found: Found) -> list[str]:
    """Files of the rows that exploration brought."""
    return [row["ref"]["path"] for row in rows(found) if "exploration" in row["signals"]]


@pytest.mark.requirement("manuals:exploration:share")
@about("MANUAL_FIND_EXPLORATION_ENABLED")
def test_exploration_can_be_turned_off(crowded: Searchable) -> None:
    """Then no row is marked."""
    assert explored(crowded.ask("申請の期限と書類", "申請"))
    assert not explored(crowded.ask("申請の期限と書類", "申請", settings=QUIET))


@pytest.mark.requirement("manuals:exploration:share")
@about("MANUAL_FIND_EXPLORATION_RATIO", "MANUAL_FIND_EXPLORATION_MIN_CANDIDATES")
def test_exploration_takes_its_share(crowded: Searchable) -> None:
    """A larger ratio, more rows from outside the favourites; never fewer than the minimum."""
    counts = {}
    for ratio, least in ((0.0, 0), (0.0, 3), (0.5, 0), (0.2, 1)):
        settings = DEFAULTS._replace(
            manual_find_exploration_ratio=ratio,
            manual_find_exploration_min_candidates=least,
        )
        found = crowded.ask("申請の期限と書類", "申請", settings=settings, max_candidates=10)
        counts[ratio, least] = len(explored(found))
        assert len(rows(found)) <= 10
    # The file's cap leaves 8 favourites, and the share is of those.
    assert counts == {(0.0, 0): 0, (0.0, 3): 3, (0.5, 0): 4, (0.2, 1): 2}


@pytest.mark.requirement("manuals:exploration:share")
@about("MANUAL_FIND_EXPLORATION_SCORE_SCALE")
def test_exploration_scales_its_scores(crowded: Searchable) -> None:
    """Half the scale, half the score."""

    def scores(scale: float) -> dict[tuple[str, int], float]:
        settings = DEFAULTS._replace(manual_find_exploration_score_scale=scale)
        found = crowded.ask("申請の期限と書類", "申請", settings=settings)
        return {
            (row["ref"]["path"], row["ref"]["start_line"]): row["score"]
            for row in rows(found)
            if "exploration" in row["signals"]
        }

    full, half = scores(0.8), scores(0.4)
    assert full.keys() == half.keys() != set()
    assert all(half[key] == pytest.approx(full[key] / 2, abs=0.001) for key in full)


@pytest.mark.requirement("config:all:act")
@about("MANUAL_FIND_PER_FILE_CANDIDATE_CAP")
def test_a_file_gives_no_more_than_its_cap(crowded: Searchable) -> None:
    """Of the favourites."""
    for cap in (1, 3):
        settings = QUIET._replace(manual_find_per_file_candidate_cap=cap)
        found = crowded.ask("申請の期限と書類", "申請", settings=settings)
        assert paths(found).count("many.md") == cap


@pytest.mark.requirement("manuals:cap:incomplete")
@about("MANUAL_FIND_SCAN_HARD_CAP")
def test_the_hard_cap_counts_scored_sections(crowded: Searchable) -> None:
    """What it leaves out makes the answer incomplete; the default leaves nothing out."""
    cut = crowded.ask("申請", settings=QUIET._replace(manual_find_scan_hard_cap=3))
    assert len(rows(cut)) == 3
    assert (cut.complete, cut.failure_reason) == (False, "candidate_cap")
    assert cut.unscanned == len(cut.lists["unscanned"]) > 0
    whole = crowded.ask("申請", settings=QUIET)
    assert (whole.complete, whole.unscanned) == (True, 0)


@pytest.mark.requirement("config:all:act")
@about("MANUAL_FIND_FILE_PRESCAN_ENABLED")
def test_the_prescan_finds_by_headings(manual: Searchable) -> None:
    """Sections that only their heading speaks for, when one long file fills the first pass."""
    log = (f"## 記録{n}\n蓄電池の交換と点検を記す{n}。\n\n" for n in range(100))
    manual.write("log.md", "".join(log))
    for number in range(80):
        manual.write(f"{number:02}.md", f"# 蓄電池{number}\nここでは作業{number}の全体を扱う。\n")
    blind = QUIET._replace(manual_find_file_prescan_enabled=False)
    question = ("蓄電池の交換と点検", "点検")
    assert set(paths(manual.ask(*question, settings=blind))) == {"log.md"}
    assert set(paths(manual.ask(*question, settings=QUIET))) > {"log.md"}


COMPARING = "有給休暇と病気休職の違い"


@pytest.fixture(name="compared")
def _compared(manual: Searchable) -> Searchable:
    manual.write("a.md", "# 有給休暇\n年に二十日まで取れる。\n")
    manual.write("b.md", "# 病気休職\n医師の診断書が要る。\n")
    for number in range(9):
        manual.write(f"c{number}.md", f"# 違い{number}\n第{number}の休暇と休職の違いを述べる。\n")
    return manual


def sub_questions(found: Found) -> list[str]:
    """The parts that a comparing question was taken into."""
    return [row["query"] for row in found.lists["gate_runs"] if row["gate"] == "sub_question"]


@pytest.mark.requirement("manuals:comparisons:taken-apart")
@about("MANUAL_FIND_QUERY_DECOMP_ENABLED", "MANUAL_FIND_QUERY_DECOMP_MAX_SUB_QUERIES")
def test_a_comparison_is_taken_apart(compared: Searchable) -> None:
    """Into no more parts than allowed, or not at all."""
    assert sub_questions(compared.ask(COMPARING, "休暇")) == ["有給休暇", "病気休職"]
    one = DEFAULTS._replace(manual_find_query_decomp_max_sub_queries=1)
    assert sub_questions(compared.ask(COMPARING, "休暇", settings=one)) == ["有給休暇"]
    off = DEFAULTS._replace(manual_find_query_decomp_enabled=False)
    found = compared.ask(COMPARING, "休暇", settings=off)
    assert sub_questions(found) == []
    assert not any("query_decomp_rrf" in row["signals"] for row in rows(found))


@pytest.mark.requirement("manuals:comparisons:base-weight")
@about("MANUAL_FIND_QUERY_DECOMP_BASE_WEIGHT")
def test_the_base_weight_is_what_the_whole_question_keeps(compared: Searchable) -> None:
    """At 1 the parts change nothing; at 0 they alone decide."""
    off = QUIET._replace(manual_find_query_decomp_enabled=False)
    alone = compared.ask(COMPARING, "休暇", settings=off)
    kept = QUIET._replace(manual_find_query_decomp_base_weight=1.0)
    assert paths(compared.ask(COMPARING, "休暇", settings=kept)) == paths(alone)
    given_up = QUIET._replace(manual_find_query_decomp_base_weight=0.0)
    found = compared.ask(COMPARING, "休暇", settings=given_up)
    assert rows(found) != rows(alone)
    assert set(paths(found)[:2]) == {"a.md", "b.md"}
    assert rows(found)[0]["score"] == pytest.approx(rows(found)[1]["score"], rel=0.2)


def test_the_base_weight_is_a_share() -> None:
    """With more than all of it the parts would count against what they find."""
    variable = "MANUAL_FIND_QUERY_DECOMP_BASE_WEIGHT"
    loaded = load(Given(), "", {variable: "3"})
    assert library_settings(loaded.settings, noted=False).finder.find == DEFAULTS
    assert variable in " ".join(loaded.warnings)


@pytest.mark.requirement("config:all:act")
@about("MANUAL_FIND_QUERY_DECOMP_RRF_K")
def test_a_small_k_prefers_first_places(compared: Searchable) -> None:
    """The first answers to the parts stand further above the later ones."""

    def lead(k: int) -> float:
        settings = QUIET._replace(manual_find_query_decomp_rrf_k=k)
        scores = [row["score"] for row in rows(compared.ask(COMPARING, "休暇", settings=settings))]
        return float(scores[0] / scores[3])

    assert lead(1) > lead(60) > 1


def gap_kinds(found: Found) -> set[str]:
    """What kinds of gaps a find tells."""
    return {row["gap"] for row in found.lists["gaps"]}


@about("ADAPTIVE_CANDIDATE_LOW_BASE")
def test_few_candidates_are_a_gap(manual: Searchable) -> None:
    """Fewer than the base."""
    manual.write("a.md", "# 期限\n期限は30日です。\n\n# 延長\n期限は延長できます。\n")
    low = QUIET._replace(adaptive_candidate_low_base=2)
    assert "few_candidates" not in gap_kinds(manual.ask("期限", settings=low))
    high = QUIET._replace(adaptive_candidate_low_base=3)
    assert "few_candidates" in gap_kinds(manual.ask("期限", settings=high))


@about("ADAPTIVE_FILE_BIAS_BASE")
def test_one_file_that_dominates_is_a_gap(crowded: Searchable) -> None:
    """From the share on that the base says."""
    question = ("申請の案内", "申請")
    usual = crowded.ask(*question, settings=QUIET)
    ratio = usual.summary["file_bias_ratio"]
    assert 0 < ratio < 1
    below = QUIET._replace(adaptive_file_bias_base=ratio - 0.01)
    above = QUIET._replace(adaptive_file_bias_base=ratio + 0.01)
    assert "one_file_dominates" in gap_kinds(crowded.ask(*question, settings=below))
    assert "one_file_dominates" not in gap_kinds(crowded.ask(*question, settings=above))


@pytest.mark.requirement("config:all:act")
@about("COVERAGE_MIN_RATIO", "MARGINAL_GAIN_MIN")
def test_a_find_is_ready_when_the_evidence_covers_enough(manual: Searchable) -> None:
    """Or when the last piece of evidence brought less than the least gain."""
    manual.write("a.md", "# 甲\n申請の期限と窓口を示す。\n")
    manual.write("b.md", "# 乙\n窓口は三階です。\n")
    manual.write("c.md", "# 丙\n期限は延びない。\n")
    for number in range(30):
        manual.write(f"{number}.md", f"# 別{number}\n関わりのない話{number}。\n")

    def status(*, coverage: float, gain: float) -> str:
        settings = QUIET._replace(coverage_min_ratio=coverage, marginal_gain_min=gain)
        found = manual.ask("申請 期限 窓口 割引率", "申請", settings=settings)
        assert found.lists["gaps"] == []
        return str(found.summary["integration_status"])

    assert status(coverage=0.99, gain=0.0) == "needs_followup"
    assert status(coverage=0.30, gain=0.0) == "ready"
    assert status(coverage=0.99, gain=0.9) == "ready"


@pytest.mark.requirement("config:all:act")
@about("MANUAL_FIND_LINK_WEIGHT")
def test_links_weigh_as_much_as_they_are_set_to(manual: Searchable) -> None:
    """Twice the weight is twice the part; none leaves it out."""
    manual.write("a.md", "# 甲\n[冬の支度](b.md)を見る。\n")
    manual.write("b.md", "# 乙\n支度は早く。\n")

    def part(weight: float) -> float:
        settings = QUIET._replace(manual_find_link_weight=weight)
        found = manual.ask("冬の支度", "支度", settings=settings)
        row = next(row for row in rows(found) if row["ref"]["path"] == "b.md")
        return parts(row).get("link_text", 0.0)

    assert part(0.0) == 0.0
    assert part(2.0) == pytest.approx(2 * part(1.0), rel=1e-3)
    assert part(1.0) > 0


@pytest.mark.requirement("config:all:act")
def test_every_setting_is_shown_here() -> None:
    """A new one needs a test."""
    assert set(FindSettings._fields) == SHOWN
