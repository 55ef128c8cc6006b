"""Any settings file keeps everything else: whatever stands in it, an entry goes in and out."""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tebiki.clients import json_edits, toml_edits
from tests.support.strategies import json_values

ENTRY = {"command": "tebiki", "args": ["--stdio"], "env": {"VAULT_ROOT": "/notes"}}
SECTION, NAME = "servers", "tebiki"

keys = st.text() | st.sampled_from([SECTION, "a", "other"])
gaps = st.sampled_from(["", "", " ", "\n", "\r\n", "\t\n  ", ' // { , "\n', "/* } , ] */", "\n\n"])
names = st.text(min_size=1).filter(lambda name: name != NAME)
settings = st.builds(
    lambda others, servers: {**others, **servers},
    st.dictionaries(keys.filter(lambda key: key != SECTION), json_values, max_size=4),
    st.one_of(
        st.just({}),
        st.dictionaries(names, json_values, max_size=3).map(lambda value: {SECTION: value}),
        st.dictionaries(names, json_values, max_size=3).map(
            lambda value: {SECTION: {**value, NAME: {"command": "old"}}}
        ),
    ),
)


@st.composite
def written_jsonc(draw: st.DrawFn, value: Any) -> str:
    """A value as someone wrote it: any white space, comments, commas after the last item."""
    gap = draw(gaps)
    if isinstance(value, (dict, list)):
        opening, closing = ("{", "}") if isinstance(value, dict) else ("[", "]")
        items = list(value.items()) if isinstance(value, dict) else value
        parts = []
        for item in items:
            key = ""
            if isinstance(value, dict):
                key = f"{json.dumps(item[0])}{draw(gaps)}:"
                item = item[1]  # noqa: PLW2901 -- the pair is done with
            parts.append(f"{draw(gaps)}{key}{draw(written_jsonc(item))}")
        text = f"{draw(gaps)},".join(parts)
        text += draw(st.sampled_from(["", ","])) if parts else ""
        return f"{gap}{opening}{text}{draw(gaps)}{closing}{draw(gaps)}"
    return f"{gap}{json.dumps(value, ensure_ascii=draw(st.booleans()))}{draw(gaps)}"


@pytest.mark.requirement("setup:clients:written")
@given(st.data(), settings)
def test_jsonc_keeps_everything_else(data: st.DataObject, value: dict[str, Any]) -> None:
    """The value changes in one place, and each old piece of text is still there, in order."""
    text = data.draw(written_jsonc(value))
    before = json_edits.value_of(text, comments=True)

    after = json_edits.put(text, SECTION, NAME, ENTRY)
    taken = json_edits.drop(after, SECTION, NAME)

    wanted = json_edits.value_of(json.dumps(ENTRY), comments=False)
    servers = before.get(SECTION, {})
    assert json_edits.value_of(after, comments=True) == before | {SECTION: servers | {NAME: wanted}}
    kept = {key: item for key, item in servers.items() if key != NAME}
    assert json_edits.value_of(taken, comments=True) == before | {SECTION: kept}
    if NAME not in servers:
        assert _is_within(text, after)


@given(settings, st.sampled_from([None, 0, 2, 4, "\t"]))
def test_json_stays_json(value: dict[str, Any], indent: int | str | None) -> None:
    """A client that reads no comments gets none, nor a comma too many."""
    text = json.dumps(value, indent=indent)

    after = json_edits.put(text, SECTION, NAME, ENTRY)

    servers = value.get(SECTION, {}) | {NAME: ENTRY}
    assert json.loads(after) == value | {SECTION: servers}
    taken = json.loads(json_edits.drop(after, SECTION, NAME))
    assert taken[SECTION] == {key: item for key, item in servers.items() if key != NAME}


bare_keys = st.from_regex(r"[a-z0-9_-]{1,6}", fullmatch=True)
toml_keys = bare_keys | st.text(
    st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=5
).map(lambda key: json.dumps(key, ensure_ascii=False).replace("\x7f", ""))
toml_values = st.recursive(
    st.sampled_from(
        [
            "1",
            "-0.5",
            "true",
            "inf",
            "1979-05-27T07:32:00Z",
            '"x # [servers.tebiki]"',
            "'\\'",
            '"""\n[servers.tebiki]\n# " \\""""',
            "'''\n[[servers]]\n'''''",
        ]
    ),
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda items: "[ # ]\n" + " , # [x]\n".join(items) + "\n]")
        | st.lists(inner, max_size=2).map(
            lambda items: (
                "{ " + ", ".join(f"k{at} = {item}" for at, item in enumerate(items)) + " }"
            )
        )
    ),
    max_leaves=4,
)
toml_lines = st.builds("{} = {}{}".format, toml_keys, toml_values, st.sampled_from(["", " # c"]))
toml_headers = st.builds(
    "{}[{}]{}".format,
    st.sampled_from(["", "  "]),
    st.one_of(
        toml_keys,
        st.lists(toml_keys, min_size=2, max_size=3).map(" . ".join),
        toml_keys.map(lambda key: f"[{key}]"),
        toml_keys.map(lambda key: f"servers.{key}"),
        st.sampled_from(["servers", "servers.tebiki", "servers.tebiki.env", "servers.tebiki.a.b"]),
    ),
    st.sampled_from(["", " # [x]"]),
)


@st.composite
def toml_texts(draw: st.DrawFn) -> str:
    """A valid file of any kind of line."""
    wild = st.lists(
        st.one_of(toml_lines, toml_headers, st.sampled_from(["", "# note", " \t"])), max_size=10
    )
    lines: list[str] = []
    for line in draw(wild):
        # A line that does not go with those before it is left out.
        if _is_toml("\n".join([*lines, line])):
            lines.append(line)
    end = draw(st.sampled_from(["\n", "\r\n"]))
    return end.join("\n".join(lines).split("\n")) + draw(st.sampled_from(["", end]))


@given(toml_texts())
@example("[servers.tebiki]\na = 1")
@example("[servers.tebiki]\na = { k = 1 }\n")
@example("[servers.tebiki]\nb = 1\n[servers.tebiki.a.b]\nc = 1\n")
def test_toml_keeps_everything_else(text: str) -> None:
    """Wherever it can be edited at all, only our table changes: the keys below its header."""
    before = tomllib.loads(text)
    servers = before.get(SECTION, {})

    after = toml_edits.put(text, SECTION, NAME, ENTRY)

    if not isinstance(servers, dict) or not _is_toml(after):
        return  # an inline table or an array: refused by whoever asked
    apart = {}
    if re.search(rf"^[ \t]*\[{SECTION}\.{NAME}\.a\.b\]", text, re.MULTILINE):
        apart = {"a": servers[NAME]["a"]}
    assert tomllib.loads(after) == before | {SECTION: servers | {NAME: {**ENTRY, **apart}}}
    taken = tomllib.loads(toml_edits.drop(after, SECTION, NAME))
    others = {key: item for key, item in servers.items() if key != NAME}
    assert taken.get(SECTION, {}) == others
    assert {**taken, SECTION: 0} == {**before, SECTION: 0}
    assert toml_edits.put(after, SECTION, NAME, {**ENTRY, **apart}) == after
    if NAME not in servers:
        assert after.startswith(text)


def _is_toml(text: str) -> bool:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return True


def _is_within(text: str, after: str) -> bool:
    """Whether a text became another by nothing but additions."""
    rest = iter(after)
    return all(letter in rest for letter in text)
