"""Sections on the real process: what a section is, as finds and reads show it."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.interaction.manual_calls import Json, Reader, Workspace

PAGE = """---
title: frontmatterword
---

preambleword before any heading.

# Alpha

alphaword here.

## Beta

betaword here.

### Gamma

gammaword here.

Setext One
==========

setextword here.

Setext Two
----------

deepword here.

```sh
# fenceword is no heading
```

<div>
# htmlword is no heading
</div>

## Emptyheading
# Last

lastword here.
"""


@pytest.fixture(name="page")
def _page(workspace: Workspace) -> None:
    workspace.write("m/page.md", PAGE)


def line_of(text: str) -> int:
    """The line of the page that begins so."""
    return next(n for n, line in enumerate(PAGE.splitlines(), 1) if line.startswith(text))


@pytest.mark.requirement(
    "manuals:sections:node",
    "manuals:sections:markdown",
    "manuals:sections:front-matter",
    "manuals:sections:title-only",
)
@pytest.mark.usefixtures("page")
@pytest.mark.parametrize(
    ("word", "begins"),
    [
        ("frontmatterword", "---"),
        ("preambleword", "preambleword"),
        ("alphaword", "# Alpha"),
        ("betaword", "## Beta"),
        ("gammaword", "### Gamma"),
        ("setextword", "Setext One"),
        ("deepword", "Setext Two"),
        ("fenceword", "Setext Two"),
        ("htmlword", "Setext Two"),
        ("emptyheading", "## Emptyheading"),
        ("lastword", "# Last"),
    ],
)
def test_a_word_is_found_in_its_own_section(reader: Reader, word: str, begins: str) -> None:
    """Up to the next heading of any level: no other section holds it."""
    rows = reader.rows(reader.find(word))
    first = rows[0]["ref"]

    around = {line_of(begins), line_of(begins) - 1}  # a blank line may go with what follows it
    assert first["path"] == "page.md"
    assert first["start_line"] in around
    assert word in first_section(reader, first).lower()


def first_section(reader: Reader, ref: Json) -> str:
    """The text of the section a hit points at."""
    text: str = reader.read(ref["path"], ref["start_line"])["text"]
    return text


@pytest.mark.requirement("manuals:sections:context")
@pytest.mark.usefixtures("page")
def test_ancestors_are_context(reader: Reader) -> None:
    """A question that names the chapter and the detail finds the detail."""
    assert reader.places("Alpha gammaword", "gammaword")[0] == ("page.md", line_of("### Gamma"))
    assert reader.rows(reader.find("alpha beta gamma", "gamma"))[0]["ref"]["start_line"] == line_of(
        "### Gamma"
    )


@pytest.mark.requirement("manuals:sections:reading-covers-children")
@pytest.mark.usefixtures("page")
def test_reading_covers_the_children_too(reader: Reader) -> None:
    """Up to the next heading of the same or a higher rank."""
    text = reader.read("page.md", line_of("# Alpha"))["text"]

    assert text.startswith("# Alpha")
    assert "gammaword" in text
    assert "Setext One" not in text


@pytest.mark.requirement("manuals:sections:titles")
@pytest.mark.usefixtures("page")
def test_titles_are_shown(reader: Reader, workspace: Workspace) -> None:
    """Of the section itself; text without a heading is called by its front matter or its file."""
    workspace.write("m/plain.md", "plainword without any heading\n")

    titles = [
        reader.find(word)["inline_hits"]["items"][0]["title"]
        for word in ("setextword", "preambleword", "plainword")
    ]

    assert titles == ["Setext One", "frontmatterword", "plain.md"]


CONFIG = json.dumps(
    {
        "errors": {
            "E-1042": {"title": "Disk full", "action": "free " * 150},
            "E-1107": {"title": "Wrong key", "action": "renew " * 150},
        },
        "hosts": [
            {"name": "kaede", "note": "east " * 150},
            {"name": "momiji", "note": "west " * 150},
        ],
    },
    indent=2,
)


def json_paths(reader: Reader, found: Json) -> list[tuple[str, str | None]]:
    """Where in the JSON file the hits are, best first."""
    rows = reader.rows(found, "fusion_debug")
    return [(row["ref"]["path"], row["ref"]["json_path"]) for row in rows]


@pytest.mark.requirement("manuals:sections:json")
def test_json_is_found_by_its_nodes(reader: Reader, workspace: Workspace) -> None:
    """Objects and array items, each with its path and its line."""
    workspace.write("m/config.json", CONFIG)

    code = reader.find("E-1107")
    host = reader.find("momiji")

    path, where = json_paths(reader, code)[0]
    assert path == "config.json"
    assert where is not None
    assert "E-1107" in where or where.endswith("errors")
    assert "[1]" in str(json_paths(reader, host)[0][1])
    line = host["inline_hits"]["items"][0]["ref"]["start_line"]
    assert CONFIG.splitlines()[line - 1 : line + 2][1].strip().startswith('"name": "momiji"')


@pytest.mark.requirement("manuals:sections:json")
def test_small_json_nodes_are_merged(reader: Reader, workspace: Workspace) -> None:
    """Up to a readable size: five words are not five hits."""
    workspace.write("m/small.json", '{"a": {"x": "kaede"}, "b": {"x": "kaede"}, "c": ["kaede"]}')

    assert reader.places("kaede") == [("small.json", 1)]


@pytest.mark.requirement("manuals:sections:broken-json")
def test_json_that_does_not_parse_is_one_text(reader: Reader, workspace: Workspace) -> None:
    """Found and read all the same."""
    workspace.write("m/broken.json", '{\n  "a": "kaede",\n  oops\n')

    found = reader.find("kaede")

    assert json_paths(reader, found) == [("broken.json", None)]
    assert found["complete"] is True
    assert reader.read("broken.json")["text"].startswith("{\n")


@pytest.mark.requirement("manuals:sections:deep-json")
def test_json_nested_deeper_than_any_stack_is_searched(
    reader: Reader, workspace: Workspace
) -> None:
    """Ten thousand levels: an answer, not a crash."""
    deep = '{"a":' * 10_000 + '"kaede"' + "}" * 10_000
    workspace.write("m/deep.json", deep)

    assert [path for path, _ in reader.places("kaede")] == ["deep.json"]
    assert reader.read("deep.json")["text"] == deep[:12_000]
    assert reader.use("toc", manual_id="m", path_prefix="deep.json", depth="deep")["items"]


@pytest.mark.requirement("manuals:sections:unreadable", "manuals:find:complete")
def test_what_cannot_be_read_is_counted_and_listed(reader: Reader, workspace: Workspace) -> None:
    """Encoding and size; the rest is found, and `complete` is false."""
    workspace.write("m/good.md", "# kaede\n")
    workspace.write("m/bytes.md", b"\xff\xfe\xfa\x80\x81 kaede \xff")
    with workspace.write("m/big.md", b"# kaede\n").open("ab") as big:
        big.truncate(16 * 1024 * 1024 + 1)

    found = reader.find("kaede")

    assert [hit["ref"]["path"] for hit in found["inline_hits"]["items"]] == ["good.md"]
    assert (found["complete"], found["unscanned"]) == (False, 2)
    assert reader.rows(found, "unscanned") == [
        {"path": "big.md", "reason": "too_large"},
        {"path": "bytes.md", "reason": "encoding"},
    ]
    assert {"gap": "file_unread", "path": "big.md", "reason": "too_large"} in reader.rows(
        found, "gaps"
    )


@pytest.mark.requirement("manuals:sections:unreadable")
# Seconds of work, and only the path and the answer, both short, are on the wire.
@pytest.mark.transports("line")
def test_a_file_of_just_16_mib_is_searched(reader: Reader, workspace: Workspace) -> None:
    """The bound itself is allowed."""
    heading = b"# kaede\n"
    workspace.write("m/big.md", heading + b" " * (16 * 1024 * 1024 - len(heading)))

    found = reader.find("kaede")

    assert (found["candidates"], found["complete"]) == (1, True)


@pytest.mark.requirement("manuals:sections:unreadable")
@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may read all")
def test_a_file_that_may_not_be_read_is_listed(reader: Reader, workspace: Workspace) -> None:
    """With that reason."""
    workspace.write("m/closed.md", "# kaede\n").chmod(0)

    found = reader.find("kaede")

    assert (found["complete"], found["unscanned"]) == (False, 1)
    assert reader.rows(found, "unscanned") == [{"path": "closed.md", "reason": "permission"}]


@pytest.mark.requirement("manuals:sections:encodings")
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp932", "euc_jp"])
def test_japanese_encodings_are_searched(
    reader: Reader, workspace: Workspace, encoding: str
) -> None:
    """And the line of a hit is that of the file, whatever its line ends."""
    text = "# 序文\r\n紙の話です。\r\n\r\n## 紙詰まりの直し方\r\n右の扉を開けます。\r\n"
    workspace.write("m/a.md", text.encode(encoding))

    assert reader.places("紙詰まり")[0] == ("a.md", 4)
    assert reader.read("a.md", 4)["text"] == text[text.index("## ") :]
