"""How columns and tables without upright lines are told from each other, by their geometry."""

from __future__ import annotations

from tebiki.importer.layout.columns import regions_of, usual_gutters
from tebiki.importer.layout.open_tables import lines_and_tables
from tebiki.importer.layout.ruled_tables import Table
from tebiki.importer.layout.running_heads import running_heads
from tebiki.importer.layout.runs import Rule, Run

LEADING = 13.0


def run(text: str, x: float, y: float, size: float = 10.0) -> Run:
    """A piece of text whose left top is there; each sign is half as wide as it is high."""
    starts = [x + size * at / 2 for at in range(len(text))]
    return Run((x, y, x + size * len(text) / 2, y + size), text, starts, size)


def tables_in(runs: list[Run], rules: list[Rule] | None = None) -> list[list[list[str]]]:
    """The cells of the tables that are seen."""
    found = lines_and_tables(runs, {}, rules or [])
    return [one.rows for one in found if isinstance(one, Table)]


def test_cells_of_several_lines_are_one_row_each() -> None:
    """The space between rows is wider than that between the lines of a cell."""
    runs: list[Run] = []
    y = 100.0
    for key, lines in (("name", ["what it", "does"]), ("size", ["how large", "it is", "now"])):
        runs.append(run(key, 50, y))
        for line in lines:
            runs.append(run(line, 150, y))
            y += LEADING
        y += 8
    runs += [run("end", 50, y), run("nothing", 150, y)]

    assert tables_in(runs) == [
        [["name", "what it does"], ["size", "how large it is now"], ["end", "nothing"]]
    ]


def test_level_lines_part_rows() -> None:
    """However close their lines are."""
    left, right = ["alpha", "more", "beta", "also", "gamma"], ["one", "two", "three", "four", "x"]
    runs = [
        run(text, x, 100 + LEADING * at)
        for x, texts in ((50, left), (150, right))
        for at, text in enumerate(texts)
    ]
    rules = [Rule(40, y, 260, y) for y in (98, 124.5, 150.5, 163.5 + LEADING)]
    rules.insert(2, Rule(40, 137.5, 260, 137.5))

    assert tables_in(runs, rules) == [
        [["alpha more", "one two"], ["beta", "three"], ["also", "four"], ["gamma", "x"]]
    ]


def test_rows_of_one_line_stay_rows_below_a_head_that_stands_apart() -> None:
    """A wide step below the head does not make one row of the rest."""
    runs = [run("key", 50, 88), run("value", 150, 88)]
    for at in range(5):
        runs += [run(f"k{at}", 50, 110 + LEADING * at), run(f"v{at}", 150, 110 + LEADING * at)]

    assert tables_in(runs)[0][1:] == [[f"k{at}", f"v{at}"] for at in range(5)]


def test_a_head_at_the_left_of_numbers_at_the_right_is_theirs() -> None:
    """No line has both, so that they are one column."""
    runs = [run("item", 50, 100), run("yen", 150, 100)]
    for at in range(4):
        y = 100 + LEADING * (at + 1)
        runs += [run(f"i{at}", 50, y), run("980", 200, y)]

    assert tables_in(runs) == [[["item", "yen"], *([f"i{at}", "980"] for at in range(4))]]


def columns(count: int, *, is_short: bool, offset: float) -> list[Run]:
    """Two columns, the right one's lines at heights of their own."""
    runs: list[Run] = []
    for at in range(count):
        line = "a line that is as long as its column is wide"
        if is_short:
            line = "short" if at % 4 else "a line that is longer"
        runs.append(run(line, 50, 100 + LEADING * at))
        runs.append(run(f"r{line}", 320, 100 + offset + LEADING * at))
    return runs


def test_columns_of_short_lines_are_known_by_their_heights() -> None:
    """Lists and code do not fill their lines; cells would stand beside each other."""
    apart = columns(14, is_short=True, offset=5)
    beside = columns(14, is_short=True, offset=0)

    assert [len(one.runs) for one in regions_of(apart, usual_gutters([apart])[0])] == [14, 14]
    assert usual_gutters([beside]) == [None]


def test_a_page_that_does_not_show_its_columns_has_those_of_the_others() -> None:
    """The last one has a few lines only."""
    full, last = columns(20, is_short=False, offset=5), columns(3, is_short=True, offset=5)

    gutters = usual_gutters([full, full, last])

    assert gutters[2] == gutters[0] is not None
    assert usual_gutters([last]) == [None]


def left_of(pages: list[list[Run]]) -> list[list[str]]:
    """What is left of each page."""
    heads = running_heads([(runs, 0.0, 800.0) for runs in pages])
    return [
        [one.text for one in runs if id(one) not in out]
        for runs, out in zip(pages, heads, strict=True)
    ]


def text_of_a_page() -> list[Run]:
    """Lines in the middle of a page."""
    return [run("some text that stands here", 50, 300 + LEADING * at) for at in range(5)]


def test_numbers_in_the_margins_are_those_of_pages_if_they_go_up_with_them() -> None:
    """The first column of a table that goes on does not, nor does its head."""
    rows = [["x", "y"], ["8", "apples"]], [["4", "pears"], ["9", "plums"]], [["2", "figs"]]
    pages = [
        [
            *(
                run(text, 50 + 150 * n, 40 + 20 * m)
                for m, r in enumerate(rows[at])
                for n, text in enumerate(r)
            ),
            *text_of_a_page(),
            run(f"{at + 5}", 300, 770),
        ]
        for at in range(3)
    ]

    assert [left[:-5] for left in left_of(pages)] == [
        [text for row in one for text in row] for one in rows
    ]


def test_pages_may_be_counted_in_roman_numbers_and_by_chapter() -> None:
    """Front matter and appendices are."""
    for numbers in (("iv", "v", "vi"), ("A-1", "A-2", "A-3"), ("3 / 40", "4 / 40", "5 / 40")):
        pages = [[*text_of_a_page(), run(number, 300, 770)] for number in numbers]

        assert all(len(left) == 5 for left in left_of(pages))
