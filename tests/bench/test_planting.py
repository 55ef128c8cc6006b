"""Planted contradictions: the same everywhere, of every kind, and really contradicting."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.planting import HEADINGS, KINDS, PLACES, kanji_number, plants_in

SAMPLES = Path(__file__).parents[2] / "samples" / "manuals"
MANUALS = ("kaede-fukugouki", "lantern-backup")


@pytest.mark.parametrize("name", MANUALS)
def test_plants_are_fixed_and_of_every_kind(name: str) -> None:
    """The same manual gives the same plants; each says something else in another file."""
    plants = plants_in(SAMPLES / name, 180)

    assert plants == plants_in(SAMPLES / name, 180)
    assert {plant.kind for plant in plants} == set(KINDS)
    assert {plant.heading for plant in plants} == set(HEADINGS)
    assert {plant.place for plant in plants} == set(PLACES)
    assert all(plant.against != plant.said.text for plant in plants)
    assert all(plant.path != plant.said.path for plant in plants)


def test_a_plant_is_written_below_its_heading(tmp_path: Path) -> None:
    """What a file had before stays in front of it."""
    plant = next(
        one for one in plants_in(SAMPLES / "lantern-backup", 180) if one.place == "appended"
    )
    (tmp_path / plant.path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / plant.path).write_text("# Before\n", encoding="utf-8")

    plant.write(tmp_path)

    text = (tmp_path / plant.path).read_text(encoding="utf-8")
    assert text == f"# Before\n\n## {plant.title}\n\n{plant.against}\n"


@pytest.mark.parametrize(
    ("number", "written"), [(3, "三"), (10, "十"), (61, "六十一"), (105, "百五"), (2001, "二千一")]
)
def test_numbers_in_kanji(number: int, written: str) -> None:
    """As they are read aloud."""
    assert kanji_number(number) == written
