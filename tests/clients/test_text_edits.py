"""The edits themselves, letter by letter, in JSON and TOML."""

from __future__ import annotations

import pytest

from tebiki.clients import json_edits, toml_edits
from tebiki.clients.jsonc import NotReadable, read

ENTRY = {"command": "t", "args": ["-x"]}


def laid_out(unit: str, depth: int, end: str = "\n") -> str:
    """The entry on lines of its own."""
    inner = end + unit * (depth + 1)
    return f'{{{inner}"command": "t",{inner}"args": ["-x"]{end}{unit * depth}}}'


NESTED = '{"command": "t", "args": ["-x"]}'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"s": {}}', f'{{"s": {{"n": {NESTED}}}}}'),
        ('{"a":1}', f'{{"a":1, "s": {{"n": {NESTED}}}}}'),
        ('{"s":{"o":1},"b":2}', f'{{"s":{{"o":1, "n": {NESTED}}},"b":2}}'),
        (
            "{}",
            '{\n  "s": {\n    "n": {\n      "command": "t",\n      "args": ["-x"]\n    }\n  }\n}',
        ),
        (
            '{\n\t"s": {\n\t\t"o": {} // last\n\t}, /* b */\n}\n',
            '{\n\t"s": {\n\t\t"o": {}, // last\n\t\t"n": '
            + laid_out("\t", 2)
            + "\n\t}, /* b */\n}\n",
        ),
        (
            '{\r\n  "s": {\r\n    "o": 1,\r\n  }\r\n}',
            '{\r\n  "s": {\r\n    "o": 1,\r\n    "n": '
            + laid_out("  ", 2, "\r\n")
            + ",\r\n  }\r\n}",
        ),
        (
            '{\n  "s": {\n    // none yet\n  }\n}',
            '{\n  "s": {\n    // none yet\n    "n": ' + laid_out("  ", 2) + "\n  }\n}",
        ),
    ],
)
def test_an_entry_goes_into_json(before: str, after: str) -> None:
    """In the style of what is there, and out again without a trace of ours."""
    assert json_edits.put(before, "s", "n", ENTRY) == after

    taken = json_edits.drop(after, "s", "n")
    assert '"n"' not in taken
    kept = json_edits.value_of(before, comments=True)
    assert json_edits.value_of(taken, comments=True) == {"s": {}} | kept


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"s": {"a": 1, "n": 2, "b": 3}}', '{"s": {"a": 1, "b": 3}}'),
        ('{"s": {"a": 1, "n": 2}}', '{"s": {"a": 1}}'),
        ('{"s": {"n": 2}}', '{"s": {}}'),
        ('{"s": {\n "a": 1, // one\n "n": 2 // two\n}}', '{"s": {\n "a": 1 // one\n // two\n}}'),
        ('{"s": {\n  "n": {\n    "x": 1\n  },\n  "b": 3\n}}', '{"s": {\n  "b": 3\n}}'),
        ('{"s": {"a": 1}}', '{"s": {"a": 1}}'),
        ('{"x": 1}', '{"x": 1}'),
    ],
)
def test_an_entry_comes_out_of_json(before: str, after: str) -> None:
    """With its comma and its line."""
    assert json_edits.drop(before, "s", "n") == after


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "a key must be a string"),
        ('{"a" 1}', "a colon is missing"),
        ('{"a": }', "a value is missing"),
        ('{"a": 1 "b": 2}', "a comma is missing"),
        ('{"a": nope}', "not a value"),
        ('{"a": 01}', "not a value"),
        ('{"a": "\n"}', "a malformed string"),
        ('{"a": "', "a malformed string"),
        ("{} {}", "more text after the end"),
        ("{,}", "a key must be a string"),
        ('{"a": 1} /* open', "an unterminated comment"),
        ('\n\n{"a": 1,, "b": 2}', "line 3: a key must be a string"),
        ("[" * 100_000, "too many levels"),
    ],
)
def test_what_is_not_json(text: str, words: str) -> None:
    """Each fault with its line, in both readings."""
    with pytest.raises(NotReadable, match=words):
        read(text, comments=True)
    with pytest.raises(NotReadable):
        read(text, comments=False)


@pytest.mark.parametrize("text", ["a = [", f"a = {'9' * 5000}", "a = 1\na = 2"])
def test_what_is_not_toml(text: str) -> None:
    """A number that Python does not read is one of the faults."""
    with pytest.raises(NotReadable):
        toml_edits.value_of(text)


@pytest.mark.parametrize("text", ['{"a": 1,}', "[1, ]", "{} // end", "/* x */ {}"])
def test_comments_and_last_commas_only_where_the_client_reads_them(text: str) -> None:
    """A file its client cannot read is not made worse."""
    read(text, comments=True)
    with pytest.raises(NotReadable, match="which this client does not read"):
        read(text, comments=False)


@pytest.mark.parametrize("text", ['{"s": {"n": 1, "n": 2}}', '{"s": {}, "s": {}}'])
def test_a_name_that_stands_twice(text: str) -> None:
    """Which of them counts is the client's secret."""
    with pytest.raises(NotReadable, match="twice"):
        json_edits.put(text, "s", "n", ENTRY)


TABLE = '[s.n]\ncommand = "t"\nargs = ["-x"]\n'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", TABLE),
        ("a = 1", f"a = 1\n\n{TABLE}"),
        ("[s.o]\nx = 1\n# end\n", f"[s.o]\nx = 1\n# end\n\n{TABLE}"),
        ("[s.n]\ncommand = 'old'\n\n# next\n[b]\n", f"{TABLE}\n# next\n[b]\n"),
        ("[ s . 'n' ] # mine\nargs = [\n'[s.n]', # ]\n]\n[b]\n", f"{TABLE}[b]\n"),
        ("[s.n.tools.a]\nx = 1\n[s.n]\ny = 1\n", f"[s.n.tools.a]\nx = 1\n{TABLE}"),
        ("[s.n]\ny = 1\n\n[s.n.env]\nA = 'b'\n\n[b]\n", f"{TABLE}\n[b]\n"),
        ("a = '''\n[s.n]\n'''\n", f"a = '''\n[s.n]\n'''\n\n{TABLE}"),
        ('a = """\n[s.n]\n\\""""""\n[b]\n', f'a = """\n[s.n]\n\\""""""\n[b]\n\n{TABLE}'),
        ("a = 1\r\n[b]\r\n", "a = 1\r\n[b]\r\n\r\n" + TABLE.replace("\n", "\r\n")),
    ],
)
def test_an_entry_goes_into_toml(before: str, after: str) -> None:
    """At the end, or where it was; nothing else moves."""
    assert toml_edits.put(before, "s", "n", ENTRY) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (TABLE, ""),
        (f"a = 1\n\n{TABLE}", "a = 1\n"),
        (f"{TABLE}\n# next\n[b]\nx = 1\n", "\n# next\n[b]\nx = 1\n"),
        (f"[a]\n{TABLE}[s.n.env]\nA = 'b'\n[s.n.tools.x]\ny = 1\n[b]\n", "[a]\n[b]\n"),
        ("[s.nn]\nx = 1\n[[s]]\n", "[s.nn]\nx = 1\n[[s]]\n"),
    ],
)
def test_an_entry_comes_out_of_toml(before: str, after: str) -> None:
    """With the tables below it."""
    assert toml_edits.drop(before, "s", "n") == after
