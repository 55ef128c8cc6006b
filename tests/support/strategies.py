"""Hypothesis strategies that several properties share."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

Values = st.SearchStrategy[Any]

MOST_LEVELS = 4
"""Of objects and lists inside each other; written out, for `st.recursive` takes twice as long."""

_plain: Values = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)


def _nested(levels: int) -> Values:
    if levels == 0:
        return _plain
    inner = _nested(levels - 1)
    lists, objects = st.lists(inner, max_size=4), st.dictionaries(st.text(), inner, max_size=4)
    return _plain | lists | objects


json_values: Values = _nested(MOST_LEVELS)
"""Any JSON value."""

json_objects: st.SearchStrategy[dict[str, Any]] = st.dictionaries(
    st.text(), json_values, max_size=3
)
"""Any JSON object."""
