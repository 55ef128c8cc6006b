"""Whether two sentences differ in a number, and in nothing else that would make them two facts.

Pure functions over folded text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.manuals.text.amounts import MEASURES, PLACE, whole_amounts
from tebiki.manuals.text.folding import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tebiki.manuals.text.amounts import Amounts

UPPER = lazy_pattern(
    r"以内|以下|まで|未満|最大|\bwithin\b|\bat most\b|\bup to\b|\bmaximum\b|less than|no more than"
)
FROM_TO = lazy_pattern(
    r".{0,12}(?:から|[~-]|(?<![a-z])(?:to|until|till|through)(?![a-z]))[^0-9]{0,4}"
)
"""What stands between the two numbers of a range, with the unit of the first."""

LOWER = lazy_pattern(r"以上|超え|最低|最小|\bat least\b|\bminimum\b|\bmore than\b|no less than")


def name_other_numbers(one: str, other: str) -> bool:
    """Tell whether one denies of a number what the other says of another: version 2, version 3."""
    mine, yours = whole_amounts(one).every, whole_amounts(other).every
    return bool(mine and yours) and {a.value for a in mine} != {b.value for b in yours}


def numbers_differ(one: str, other: str) -> bool:
    """In one place, or one unit, only: a year and an amount that both differ are two facts."""
    mine, yours = whole_amounts(one), whole_amounts(other)
    if not mine.every or not yours.every:
        return False
    if mine.rest == yours.rest:
        values = zip(mine.every, yours.every, strict=True)
        differing = [place for place, (a, b) in enumerate(values) if a.value != b.value]
        return len(differing) == 1 or _are_ranges_of_one(differing, mine, yours)
    if not _differ_in_one_unit(mine.by_unit(), yours.by_unit()):
        return False
    # At least so many, at most so many: both can hold.
    return sorted([_bounds(one), _bounds(other)]) != [(False, True), (True, False)]


def _are_ranges_of_one(differing: list[int], mine: Amounts, yours: Amounts) -> bool:
    """Tell whether what differs is one range at both ends: 9時から17時, 10時から16時.

    Of two that have nothing in common, each is of another time: 2001 to 2005, 2010 to 2012.
    """
    if len(differing) != len(("from", "to")) or differing[1] != differing[0] + 1:
        return False
    between = mine.rest.split(PLACE)[differing[1]]
    if FROM_TO().fullmatch(between) is None:
        return False
    (start, end), (first, last) = (
        [amounts.every[place].value for place in differing] for amounts in (mine, yours)
    )
    return start < last and first < end


def _differ_in_one_unit(mine: Mapping[str, set[float]], yours: Mapping[str, set[float]]) -> bool:
    shared = mine.keys() & yours.keys()
    differing = sum(not mine[unit] & yours[unit] for unit in shared)
    my_others, your_others = sorted(mine.keys() - shared), sorted(yours.keys() - shared)
    if not (my_others and your_others):
        return differing == 1
    if differing or len(my_others) > 1 or len(your_others) > 1:
        return False
    # One may say in minutes what the other says in hours; 1日につき, 1年につき are two facts.
    (my_unit,), (your_unit,) = my_others, your_others
    (kind, times), (other, by) = (MEASURES.get(unit, (unit, 1)) for unit in (my_unit, your_unit))
    values = {value * times for value in mine[my_unit]}
    return kind == other and values.isdisjoint({value * by for value in yours[your_unit]})


def _bounds(folded: str) -> tuple[bool, bool]:
    """Tell whether a sentence says at most how many, and at least."""
    return UPPER().search(folded) is not None, LOWER().search(folded) is not None
