"""How a page is read by its geometry: which type is a heading's, what runs up its edge."""

from __future__ import annotations

from tebiki.importer.blocks import Block, TextBlock
from tebiki.importer.layout.running_heads import running_heads
from tebiki.importer.layout.runs import Run, line_of
from tebiki.importer.layout.titles import sizes_of, titles_by_size
from tebiki.importer.layout.turned_text import part_turned
from tebiki.importer.readers.odd_signs import are_odd, odd_signs

WIDTH = 600.0


def run(text: str, x: float, y: float, size: float = 10.0, *, is_bold: bool = False) -> Run:
    """A piece of text whose left top is there."""
    starts = [x + size * at / 2 for at in range(len(text))]
    box = (x, y, x + size * len(text) / 2, y + size)
    return Run(box, text, starts, size, is_bold=is_bold)


def page(*lines: tuple[float, str]) -> list[Run]:
    """Lines one below the other, by the size of their type."""
    return [run(text, 50, 40 + 14 * at, size) for at, (size, text) in enumerate(lines)]


def test_paragraphs_in_larger_type_than_the_code_are_no_headings() -> None:
    """A manual may be half code; Latin letters make a Japanese line a little larger."""
    code = [(8.0, "\\def\\example{this is a line of code that goes on}")] * 30
    text = [(9.5 + at % 2 / 2, "ここでは本文が何行も続いていきます") for at in range(12)]
    lines = [line_of([one]) for one in page(*code, (14.0, "概要"), *text, (14.0, "使い方"), *text)]

    sizes = sizes_of(lines)

    assert [title.text for title in titles_by_size(lines, sizes)] == ["概要", "使い方"]


def test_a_sentence_in_large_type_is_no_heading() -> None:
    """Nor is an address."""
    text = [(10.0, "ここでは本文が何行も続いていきます")] * 9
    odd = [(14.0, "第2節 この節です。次に"), (14.0, "https://example.org/"), (14.0, "第3章 設定")]
    lines = [line_of([one]) for one in page(*text, *odd)]

    assert [one.text for one in titles_by_size(lines, sizes_of(lines))] == ["第3章 設定"]


def test_bold_lines_with_a_number_or_a_letter_are_headings() -> None:
    """As journals set them, in the size of the text; a bold word is none."""
    texts = ("I. INTRODUCTION", "plain text", "A. Methods", "Note", "2.1 Results", "plain text")
    lines = [
        line_of([run(text, 50, 40 + 14 * at, is_bold=not text.startswith("plain"))])
        for at, text in enumerate(texts)
    ]

    found = [title.text for title in titles_by_size(lines, sizes_of(lines))]

    assert found == ["I. INTRODUCTION", "A. Methods", "2.1 Results"]


def test_bold_lines_in_slightly_larger_type_are_headings() -> None:
    """The deepest ones are; a bold word in the type of the text is none."""
    text = [run("ordinary text that goes on and on", 50, 40 + 14 * at) for at in range(9)]
    runs = [
        *text,
        run("Result", 50, 180, 10.5, is_bold=True),
        run("plain text", 50, 194),
        run("Note", 50, 208, is_bold=True),
    ]
    lines = [line_of([one]) for one in runs]

    assert [one.text for one in titles_by_size(lines, sizes_of(lines))] == ["Result"]


def test_short_headings_below_each_other_are_several() -> None:
    """A long one that was broken is one, and so are lines that share a middle."""
    text = [(10.0, "ordinary text that goes on and on and on")] * 9
    short = page(*text, (16.0, "Examples"), (16.0, "See also"))
    long = page(*text, (16.0, "A heading that does not end"), (16.0, "here"))
    centred = [
        *page(*text),
        run("Manual of", 100, 300, 16),
        run("a machine that is large", 44, 318, 16),
    ]

    found = [
        [one.text for one in titles_by_size(lines, sizes_of(lines))]
        for lines in ([line_of([one]) for one in runs] for runs in (short, long, centred))
    ]

    assert found == [
        ["Examples", "See also"],
        ["A heading that does not end here"],
        ["Manual of a machine that is large"],
    ]


def left_after_heads(pages: list[list[Run]]) -> list[list[str]]:
    """What is left of pages once their running heads are taken away."""
    left_out = running_heads([(runs, 0.0, 800.0) for runs in pages])
    return [
        [one.text for one in runs if id(one) not in out]
        for runs, out in zip(pages, left_out, strict=True)
    ]


def test_chapters_that_begin_alike_are_no_running_heads() -> None:
    """They differ in their numbers only, which a running head does too; what is above is one."""
    below = [run("The text of the page", 50, 200 + 20 * at) for at in range(9)]
    pages = [
        [
            run("Handbook", 50, 20),
            run(f"{at}", 300, 20),
            run(f"Chapter {at}", 50, 40, 20.0),
            run(f"Its code is QX-{700 + 13 * at}.", 50, 70),
            *below,
        ]
        for at in range(1, 6)
    ]

    assert left_after_heads(pages) == [
        [f"Chapter {at}", f"Its code is QX-{700 + 13 * at}.", *(one.text for one in below)]
        for at in range(1, 6)
    ]


def test_a_large_running_head_is_one_with_what_is_below_it() -> None:
    """As forms have it: a title that is the same everywhere, and a line of numbers."""
    text = [run(f"line {at}", 50, 200 + 20 * at) for at in range(9)]
    pages = [
        [run("Procedure", 50, 20, 20.0), run(f"Sheet {at} of 5", 50, 50), *text]
        for at in range(1, 6)
    ]

    assert left_after_heads(pages) == [[one.text for one in text]] * 5


def test_what_runs_up_or_down_an_edge_is_read_as_one() -> None:
    """Turned letters from the bottom up, a Japanese tab from the top down."""
    up = [run(sign, 20, 300 - 5 * at) for at, sign in enumerate("draft")]
    tab = [run(sign, 570, 100 + 11 * at) for at, sign in enumerate("保守点検")]
    text = page((10.0, "A line of text"), (10.0, "and another one"))

    left, turned = part_turned([*text, *up, *tab], WIDTH)

    assert left == text
    assert [one.text for one in turned] == ["draft", "保守点検"]


def test_marks_and_numbers_below_each_other_stay_in_their_rows() -> None:
    """Cells of a table, numbers of lines, and Japanese that runs down inside the page."""
    marks = [run("○", 300, 100 + 20 * at) for at in range(6)]
    numbers = [run(str(at), 30, 100 + 12 * at) for at in range(1, 9)]
    cell = [run(sign, 200, 100 + 11 * at) for at, sign in enumerate("仕様項目")]

    left, turned = part_turned([*marks, *numbers, *cell], WIDTH)

    assert (left, turned) == ([*marks, *numbers, *cell], [])


def test_a_font_that_does_not_say_what_its_signs_are_is_known_by_their_scripts() -> None:
    """Of any one script a text may be; of many at once it is none."""
    garbage = odd_signs("专业名称：᧗制理论与᧗制工〻 ࢟导师 关键䇽 ৲㘳文献 第一ㄐ")

    assert garbage.signs == 7
    assert are_odd([garbage])
    for text in ("ქართული ენა", "ተማሪ", "普通の日本語の文。", "Plain English.", "தமிழ்"):
        assert not are_odd([odd_signs(text)]), text


def pages_of_text(before: TextBlock, after: TextBlock) -> list[str]:
    """What stands on two pages of which the one ends and the other begins so."""
    from tebiki.importer.readers.pdf import _add_page

    blocks: list[Block] = []
    _add_page(blocks, 1, [before])
    _add_page(blocks, 2, [after])
    return [block.text for block in blocks if isinstance(block, TextBlock)]


def test_a_paragraph_goes_on_in_its_own_type_and_from_a_full_line() -> None:
    """The title of the next slide does not, nor does what follows a line of a title page."""
    whole = pages_of_text(
        TextBlock("a paragraph that goes over to", 10.0), TextBlock("the next page", 10.1)
    )
    larger = pages_of_text(
        TextBlock("Department of Computer Science", 18.0), TextBlock("研究の背景", 24.0)
    )
    short = pages_of_text(
        TextBlock("Department of Computer Science", 18.0, is_full=False), TextBlock("背景", 18.0)
    )

    assert (len(whole), len(larger), len(short)) == (1, 2, 2)
