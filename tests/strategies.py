"""Hypothesis strategies that several properties share."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

json_values: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=6,
)
"""Any JSON value."""

json_objects: st.SearchStrategy[dict[str, Any]] = st.dictionaries(
    st.text(), json_values, max_size=3
)
"""Any JSON object."""
