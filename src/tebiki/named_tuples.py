"""Named tuples that cost a tenth as much to define; nothing else lives here.

`typing.NamedTuple` compiles the annotation of each field, even where annotations are only text, as
they are in all our modules; and `collections.namedtuple` compiles a function for each class. There
are some hundred and fifty on the way to a first find: of them one function a number of fields is
compiled, and given other names.
Type checkers are shown the one of `typing`; a generic one has to be that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__all__ = ["NamedTuple"]

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import NamedTuple
else:
    from _collections import _tuplegetter
    from functools import cache
    from types import CodeType, FunctionType

    @cache
    def _constructor_of(count: int) -> CodeType:
        """What makes a tuple of so many arguments, named by their numbers."""
        names = "".join(f"_{place}, " for place in range(count))
        return eval(f"lambda _cls, {names}: new(_cls, ({names}))").__code__  # noqa: S307

    def _constructor(name: str, fields: tuple[str, ...], defaults: tuple[Any, ...]) -> FunctionType:
        code = _constructor_of(len(fields)).replace(
            co_name="__new__", co_qualname=f"{name}.__new__", co_varnames=("_cls", *fields)
        )
        return FunctionType(code, {"new": tuple.__new__}, "__new__", defaults)

    def _make(cls: type, values: Iterable[Any]) -> Any:
        """Make one of the values in their order."""
        made = tuple.__new__(cls, values)
        if len(made) != len(cls._fields):
            raise TypeError(f"Expected {len(cls._fields)} arguments, got {len(made)}")
        return made

    def _replace(self: Any, /, **changes: Any) -> Any:
        """The same with other values for some fields."""
        made = self._make(map(changes.pop, self._fields, self))
        if changes:
            raise ValueError(f"Got unexpected field names: {list(changes)!r}")
        return made

    def _show(self: Any) -> str:
        told = map("{}={!r}".format, self._fields, self)
        return f"{type(self).__name__}({', '.join(told)})"

    def _getnewargs(self: Any) -> tuple[Any, ...]:
        return tuple(self)

    def _asdict(self: Any) -> dict[str, Any]:
        """The values by the names of their fields."""
        return dict(zip(self._fields, self, strict=True))

    _COMMON = {
        "__slots__": (),
        "__repr__": _show,
        "__getnewargs__": _getnewargs,
        "__replace__": _replace,
        "_make": classmethod(_make),
        "_replace": _replace,
        "_asdict": _asdict,
    }

    class _Definition(type):
        """Turns the body of a class into a named tuple of its annotated names."""

        def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> type:
            if not bases:
                return super().__new__(cls, name, bases, body)
            (_,) = bases  # a second one would be lost
            fields = tuple(body.get("__annotations__", ()))
            optional = tuple(field for field in fields if field in body)
            if optional != fields[len(fields) - len(optional) :]:
                raise TypeError(f"{name}: fields with a default come last")
            defaults = {field: body.pop(field) for field in optional}
            own = {
                "_fields": fields,
                "_field_defaults": defaults,
                "__match_args__": fields,
                "__new__": _constructor(name, fields, tuple(defaults.values())),
            }
            getters = {field: _tuplegetter(place, "") for place, field in enumerate(fields)}
            return type(name, (tuple,), {**_COMMON, **own, **getters, **body})

    class NamedTuple(metaclass=_Definition):
        """The base of each of them: `class Point(NamedTuple)`, as with `typing`."""
