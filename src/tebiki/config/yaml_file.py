"""One YAML file as a layer: YAML 1.2 scalars, checked values, and the line of each.

Imported only when a file exists. A key is never printed: a value that looks like one is refused
before anything else is said about it.
"""

from __future__ import annotations

import difflib
import re
from itertools import chain
from typing import TYPE_CHECKING, Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, SequenceNode

from tebiki.config.layers import Layer, Origin, Written
from tebiki.config.schema import BY_KEY, NULLABLE_SECTIONS, REMOVED, section_keys
from tebiki.errors import BadSetting
from tebiki.named_tuples import NamedTuple
from tebiki.values.keys import KEY_LIKE, SHORTEST_SECRET
from tebiki.values.numerals import LONGEST_INTEGER
from tebiki.values.shapes import NotOfShape, quote_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ruamel.yaml.nodes import Node

MOST_BYTES = 1024 * 1024
"""Of a settings file: every setting with a comment takes a hundredth of it."""

MOST_LEVELS = 100
"""Of brackets inside each other; the parser takes the square of their number."""

MOST_VALUES = 10_000
"""In a file that uses aliases, each counted where it stands."""

KEY_NAMES = frozenset({"api_key", "apikey", "api-key", "openai_api_key"})
SECTIONS = frozenset(
    ".".join(key.split(".")[:depth]) for key in BY_KEY for depth in range(1, key.count(".") + 1)
)


class YamlEntry(NamedTuple):
    """One key of the file: its dotted name, its plain value and its line."""

    key: str
    value: Any
    origin: Origin


def read_yaml(path: str, warnings: list[str], key: str | None) -> Layer:
    """Read a configuration file; `key` is the one in the environment, which must not be in it.

    Raises:
        BadSetting: no YAML, no mapping, a key in it, or a value that is not allowed.
    """
    document = _parse(path)
    layer: Layer = {}
    if document is None:
        return layer
    if not isinstance(document, CommentedMap):
        raise BadSetting(f"{path}: must be a mapping of settings, got {_kind(document)}")
    for entry in _entries(document, path, ""):
        _refuse_secrets(entry, key)
        _take(entry, layer, warnings)
    return layer


def _parse(path: str) -> Any:
    try:
        text = _text_of(path)
        _refuse_depth(text)
        if "*" in text:
            _refuse_growth(YAML(typ="rt", pure=True).compose(text))
        return YAML(typ="rt", pure=True).load(text)
    except MarkedYAMLError as broken:
        mark = broken.problem_mark or broken.context_mark
        where = f":{mark.line + 1}" if mark is not None else ""
        raise BadSetting(f"{path}{where}: not YAML: {broken.problem}") from broken
    except (YAMLError, OSError, ValueError, TypeError, RecursionError) as broken:
        reason = str(broken).splitlines()[0] if str(broken) else type(broken).__name__
        raise BadSetting(f"{path}: cannot be read: {reason}") from broken


def _text_of(path: str) -> str:
    with open(path, "rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise ValueError(f"it has more than {MOST_BYTES} bytes, which no settings need")
    return data.decode("utf-8-sig")


def _refuse_depth(text: str) -> None:
    """Refuse brackets inside each other that no settings need, wherever they stand."""
    depth = 0
    for bracket in re.findall(r"[\[\]{}]", text):
        depth = depth + 1 if bracket in "[{" else max(0, depth - 1)
        if depth > MOST_LEVELS:
            raise ValueError(f"more than {MOST_LEVELS} brackets are open at once")


def _refuse_growth(top: Node | None) -> None:
    """Refuse a document whose aliases make more of it than anybody wrote.

    An alias to a list of aliases doubles with every line. The parser keeps each list once; whoever
    walks it sees all of them.
    """
    sizes: dict[int, int] = {}

    def size(node: Any) -> int:
        if id(node) not in sizes:
            sizes[id(node)] = MOST_VALUES + 1  # for an alias to what it stands in
            pairs = node.value if isinstance(node, (SequenceNode, MappingNode)) else ()
            inner = chain.from_iterable(pairs) if isinstance(node, MappingNode) else pairs
            sizes[id(node)] = min(1 + sum(map(size, inner)), MOST_VALUES + 1)
        return sizes[id(node)]

    if top is not None and size(top) > MOST_VALUES:
        raise ValueError(f"its aliases (*name) make more than {MOST_VALUES} values of it")


def _entries(mapping: CommentedMap, path: str, prefix: str) -> Iterator[YamlEntry]:
    """Every leaf and every known section that holds something else, in the file's order."""
    for name, value in mapping.items():
        key = f"{prefix}{_word(name)}"
        # A key that came by a merge (`<<`) has no place of its own.
        line = mapping.lc.data[name][0] if name in (mapping.lc.data or {}) else mapping.lc.line
        if isinstance(value, CommentedMap) and key not in BY_KEY:
            yield from _entries(value, path, f"{key}.")
        else:
            yield YamlEntry(key, _plain(value), Origin("yaml", f"{path}:{line + 1}"))


def _plain(value: Any) -> Any:
    """Turn the parser's own number, string and list types into Python's."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, dict):
        return {_word(name): _plain(entry) for name, entry in value.items()}
    if isinstance(value, list):
        return [_plain(entry) for entry in value]
    for kind in (int, float, str):
        if isinstance(value, kind):
            return kind(value)
    return str(value)


def _refuse_secrets(entry: YamlEntry, key: str | None) -> None:
    secret = KEY_LIKE
    if key is not None and len(key) >= SHORTEST_SECRET:
        secret = f"{re.escape(key)}|{KEY_LIKE}"
    is_named = entry.key.rpartition(".")[2].lower() in KEY_NAMES and entry.value is not None
    if is_named or re.search(secret, f"{entry.key} {_all_text(entry.value)}"):
        raise BadSetting(
            f"{re.sub(secret, '…', entry.key)} ({entry.origin}) holds what looks like an API key; "
            "keys are read from the environment only, never from a file: remove it here"
        )


def _all_text(value: Any) -> str:
    """Every string inside a value, for a search that must not miss one."""
    if isinstance(value, dict):
        return " ".join(f"{name} {_all_text(entry)}" for name, entry in value.items())
    if isinstance(value, list):
        return " ".join(map(_all_text, value))
    return _word(value)


def _word(value: Any) -> str:
    """A scalar as text. A hexadecimal number may be longer than Python writes in decimal digits."""
    is_endless = isinstance(value, int) and value.bit_length() > LONGEST_INTEGER
    return hex(value) if is_endless else str(value)


def _take(entry: YamlEntry, layer: Layer, warnings: list[str]) -> None:
    section, _, name = entry.key.rpartition(".")
    if entry.key in BY_KEY:
        _take_setting(entry, layer)
    elif section == "model_profiles" and name in NULLABLE_SECTIONS and entry.value is None:
        for key in section_keys(entry.key):
            layer[key] = Written(None, entry.origin)
    elif entry.key in SECTIONS:
        if entry.value is not None:
            raise BadSetting(
                f"{entry.key} must be a mapping, got {quote_value(entry.value)} ({entry.origin})"
            )
    else:
        warnings.append(_describe_unknown(entry))


def _take_setting(entry: YamlEntry, layer: Layer) -> None:
    if entry.value is None:
        # An empty value keeps what is below, as an empty section does.
        return
    try:
        value = BY_KEY[entry.key].shape.read(entry.value)
    except NotOfShape as refused:
        raise BadSetting(f"{entry.key}{refused.where} {refused} ({entry.origin})") from refused
    layer[entry.key] = Written(value, entry.origin)


def _describe_unknown(entry: YamlEntry) -> str:
    for removed, advice in REMOVED.items():
        if entry.key == removed or entry.key.startswith(f"{removed}."):
            return f"{entry.key} ({entry.origin}) was removed: {advice}"
    nearest = difflib.get_close_matches(entry.key, [*BY_KEY, *SECTIONS], n=1, cutoff=0.5)
    hint = f"; did you mean {nearest[0]}?" if nearest else ""
    return f"{entry.key} ({entry.origin}) is not a setting and is ignored{hint}"


def _kind(value: object) -> str:
    return "a list" if isinstance(value, list) else f"the value {quote_value(_plain(value))}"
