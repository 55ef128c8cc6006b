"""Settings for any values: precedence holds for any subset of layers, shapes never coerce."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tebiki.config.layers import Layer, Origin, Written, merge
from tebiki.config.schema import SETTINGS
from tebiki.config.sources import environment_layer
from tebiki.values.shapes import Flag, Integer, ListOf, NotOfShape, Number, Shape, Text
from tests.support.strategies import json_values

if TYPE_CHECKING:
    from tebiki.config.setting import Setting

LAYERS = ("yaml", "env", "cli")
SHAPES: list[Shape] = [
    Text(),
    Text(choices=("low", "high")),
    Text(not_blank=True, longest=5),
    Integer(),
    Integer(least=1, most=10),
    Number(),
    Number(least=0),
    Flag(),
    ListOf(Text()),
    ListOf(Integer(least=0)),
]


@pytest.mark.requirement("config:layers:precedence")
@given(st.sampled_from(SETTINGS), st.dictionaries(st.sampled_from(LAYERS), st.integers()))
def test_the_highest_layer_wins(setting: Setting, values: dict[str, int]) -> None:
    """Whatever subset of the layers holds a value; what it covers is kept in order."""
    layers: list[Layer] = [
        {setting.key: Written(values[name], Origin(name))} if name in values else {}
        for name in LAYERS
    ]

    resolved = dict(merge(layers).items())[setting.key]

    present = [name for name in LAYERS if name in values]
    expected = values[present[-1]] if present else setting.default
    assert resolved.value == expected
    assert resolved.origin.layer == (present[-1] if present else "default")
    assert [written.origin.layer for written in resolved.shadowed] == [
        *reversed(present[:-1]),
        *(["default"] if present else []),
    ]


@pytest.mark.requirement("config:environment:bad-value")
@given(
    st.dictionaries(
        # One of them does stop it: tests/config/test_loading.py.
        st.sampled_from([row.env for row in SETTINGS if row.env and not row.stops_from_env]),
        st.text(),
    )
)
def test_no_environment_can_break_the_start(environ: dict[str, str]) -> None:
    """A variable is taken or warned about; what is taken is of its setting's shape."""
    warnings: list[str] = []

    layer = environment_layer(environ, warnings)

    shapes = {setting.key: setting.shape for setting in SETTINGS}
    for key, written in layer.items():
        assert shapes[key].read(written.value) == written.value
    assert len(warnings) <= len(environ)


@pytest.mark.requirement("wire:arguments:no-coercion")
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@given(value=json_values)
def test_a_shape_takes_a_value_as_it_is_or_refuses_it(shape: Shape, value: Any) -> None:
    """No silent coercion: what is read is equal to what was given, and stays so."""
    taken = taken_or_refusal(shape, value)

    json.dumps(shape.schema())
    if isinstance(taken, NotOfShape):
        assert str(taken).startswith("must be ")
    else:
        assert taken == value
        assert isinstance(taken, bool) == isinstance(value, bool)
        assert shape.read(taken) == taken


def taken_or_refusal(shape: Shape, value: Any) -> Any:
    """What a shape makes of a value: the value it took, or its refusal."""
    try:
        return shape.read(value)
    except NotOfShape as refused:
        return refused


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@given(text=st.text())
def test_text_is_read_or_refused(shape: Shape, text: str) -> None:
    """Any text: a value of the shape, or a refusal."""
    try:
        taken = shape.from_text(text)
    except NotOfShape:
        return

    assert shape.read(taken) == taken
