"""Every regular expression of the package reads a text once, however the text is made.

Patterns are gathered from the source: each call of `re` is found by its syntax tree, and what it is
given is evaluated in its module. A pattern that is made from what a caller gives stands in
`MADE_FROM_ARGUMENTS` with an example. Each is used in the ways in which the package uses it.

Work is bounded by CPU time of this process, not by a clock on the wall. A pattern that takes the
square of the length needs many times the bound, one that is linear a hundredth of it, so neither a
slow machine nor a busy one changes the verdict. The collector of garbage, which takes as long in a
process that holds much, waits meanwhile.
"""

from __future__ import annotations

import ast
import gc
import importlib
import re
import signal
import sys
from functools import cache
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import pytest

from tebiki.manuals.index.values import LONGEST_HEADING
from tebiki.manuals.limits import LONGEST_QUERY
from tebiki.manuals.text.query import SCRIPT_RUNS
from tebiki.observability.redact import BEARER, URL_USER
from tebiki.values.keys import KEY_LIKE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SOURCE = Path(__file__).parents[2] / "src"
USERS = ("compile", "sub", "subn", "match", "search", "fullmatch", "split", "findall", "finditer")
LENGTH = 20_000
CPU_SECONDS = 0.1
CPU_SECONDS_OF_BOUNDED = 0.4
"""What a pattern may take whose text has a bound of its own."""

BOUNDED = {
    "tebiki.manuals.index.values": LONGEST_HEADING,
    "tebiki.manuals.text.query": LONGEST_QUERY,
}
"""Modules whose patterns never see a longer text."""

OF_ANY_LENGTH = {SCRIPT_RUNS().pattern}
"""Those of them that do: headings are taken apart like questions."""

MADE_FROM_ARGUMENTS: dict[str, tuple[str, ...]] = {
    "tebiki.config.yaml_file": (rf"{re.escape('a-key-of-mine')}|{KEY_LIKE}",),
    "tebiki.manuals.index.exact_cut": (f"(?={re.escape('aaaa')})",),
    "tebiki.manuals.ranking.scoring": (rf"(?<![0-9]){re.escape('0.0')}(?![0-9])",),
    "tebiki.manuals.ranking.plan": ("(?<![a-z0-9])aaaaa[a-z]{0,3} aaaaa[a-z]{0,3}(?![a-z0-9])",),
    "tebiki.manuals.text.folding": (".*",),
    "tebiki.observability.redact": (BEARER, URL_USER, KEY_LIKE),
    "tebiki.clients.changes": (r"\$\{[^}]*\}",),
}
"""What the patterns that depend on arguments look like, by module."""

PIECES = (
    *("<", ">", "a", "A", "0", "-", "_", ".", ",", ":", "/", "\\", '"', "'", "(", "[", "](", "]["),
    *("{", "#", "*", "`", "=", "&", "@", "|", "%", "+", "!", "~", "<a", "<!--", '="', "a-", "a."),
    *("0.", "0,", "aA", "http", "://", "sk-", "\x1b[", "\x1b]", "\x9b0", "\\u0041", "あ", "漢"),
    *("ア", "。", "é", " ", "\t", "\n", "\r", "\0", "- ", "1. ", "bearer "),
)
"""What the patterns are made of; repeated they make every one of them begin again and again."""


class Found(NamedTuple):
    """A pattern, and where it stands."""

    place: str
    pattern: str | bytes
    flags: int = 0
    uses: frozenset[str] = frozenset(("search",))


@cache
def trees() -> dict[str, ast.Module]:
    """Every module by its name."""
    names = {
        path: ".".join(path.relative_to(SOURCE).with_suffix("").parts)
        for path in sorted(SOURCE.rglob("*.py"))
    }
    return {
        name.removesuffix(".__init__"): ast.parse(path.read_text(encoding="utf-8"))
        for path, name in names.items()
    }


def calls() -> Iterator[tuple[str, ast.Call]]:
    """Every call that takes a pattern, with its module."""
    for module, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and node.args and _is_maker(node.func):
                yield module, node


def _is_maker(called: ast.expr) -> bool:
    """Tell the calls of `re`, and those of our own that compile late."""
    if isinstance(called, ast.Attribute):
        is_of_re = isinstance(called.value, ast.Name) and called.value.id == "re"
        return is_of_re and called.attr in USERS
    return isinstance(called, ast.Name) and called.id in ("lazy_pattern", "_pattern")


@cache
def uses() -> dict[str, set[str]]:
    """How each name is used that a pattern may have, wherever it is used."""
    found: dict[str, set[str]] = {}
    for tree in trees().values():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in USERS:
                used = node.value.func if isinstance(node.value, ast.Call) else node.value
                name = used.attr if isinstance(used, ast.Attribute) else getattr(used, "id", "")
                found.setdefault(name, set()).add(node.attr)
    return found


def _uses(module: str, call: ast.Call) -> frozenset[str]:
    if not _is_compile(call) and isinstance(call.func, ast.Attribute):
        return frozenset((call.func.attr,))
    names = [
        target.id
        for node in ast.walk(trees()[module])
        if isinstance(node, ast.Assign) and node.value is call
        for target in node.targets
        if isinstance(target, ast.Name)
    ]
    return frozenset(uses().get(names[0], ())) if names else frozenset()


@cache
def found() -> tuple[tuple[Found, ...], tuple[str, ...]]:
    """All patterns, and the modules with one that is made from what a caller gives."""
    patterns, made = [], []
    for module, call in calls():
        try:
            namespace = vars(importlib.import_module(module))
            pattern: Any = _value(call.args[0], namespace)
            given = next((k.value for k in call.keywords if k.arg == "flags"), None)
            given = given or (call.args[1] if _is_compile(call) and len(call.args) > 1 else None)
            flags: Any = 0 if given is None else _value(given, namespace)
        except NameError:
            made.append(module)
            continue
        place = f"{module}:{call.lineno}"
        used = _uses(module, call) or frozenset(("match", "search"))
        patterns.append(Found(place, pattern, int(flags), used))
    examples = MADE_FROM_ARGUMENTS.items()
    patterns += [Found(module, pattern) for module, given in examples for pattern in given]
    return tuple(patterns), tuple(made)


def _is_compile(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "compile"


def _value(expression: ast.expr, namespace: dict[str, object]) -> object:
    code = compile(ast.Expression(expression), "<pattern>", "eval")
    return eval(code, dict(namespace))  # noqa: S307  (our own source, which is imported anyway)


def test_every_pattern_is_looked_at() -> None:
    """Those that depend on arguments have an example; there are no examples of what is gone."""
    patterns, made = found()

    assert len(patterns) > 60
    assert set(made) == set(MADE_FROM_ARGUMENTS)


@pytest.mark.skipif(sys.platform == "win32", reason="no timer of CPU time")
@pytest.mark.parametrize("one", found()[0], ids=lambda one: one.place)
def test_a_pattern_reads_a_text_once(one: Found) -> None:
    """Repeated pieces, alone, before an end that does not fit, and one kind after another."""
    pattern = re.compile(one.pattern, one.flags)

    bound = BOUNDED.get(one.place.partition(":")[0])
    is_bounded = bound is not None and one.pattern not in OF_ANY_LENGTH
    seconds = CPU_SECONDS_OF_BOUNDED if is_bounded else CPU_SECONDS
    for text in _texts(one.pattern, bound if is_bounded and bound else LENGTH):
        for use in ("match", "fullmatch"):
            if use in one.uses:
                _within_bounds(getattr(pattern, use), text, seconds)
        if one.uses - {"match", "fullmatch"}:
            _within_bounds(lambda given: all(True for _ in pattern.finditer(given)), text, seconds)


def _texts(pattern: str | bytes, length: int) -> Iterator[str | bytes]:
    own = {chr(sign) if isinstance(sign, int) else sign for sign in pattern}
    pieces = [piece for piece in PIECES if own & set(piece) or piece in ("a", "0", " ", "あ")]
    for piece in pieces:
        repeated = piece * (length // len(piece))
        yield from (
            _as(pattern, text) for text in (repeated, f"{repeated}\x01", f"x{repeated}\x01")
        )
    for one, other in product(pieces[:8], repeat=2):
        yield _as(pattern, one * (length // 2) + other * (length // 2) + "\x01")


def _as(pattern: str | bytes, text: str) -> str | bytes:
    return text if isinstance(pattern, str) else text.encode()


class TooMuchWork(Exception):
    """The CPU time was used up."""


def _within_bounds(use: Callable[[Any], object], text: str | bytes, seconds: float) -> None:
    def stop(*_: object) -> NoReturn:
        raise TooMuchWork(text[:8], text[-8:])

    gc.disable()
    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        use(text)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
        gc.enable()
