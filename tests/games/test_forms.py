"""Forms of any game: every mistake of an entry, with its place and the nearest right name."""

from typing import Annotated, ClassVar

from pydantic import Field

from balance.games.forms import Form, Keys, read, text, whole, word
from balance.games.tomlfile import Problems, RawEntry


class Toy(Form):
    """A form inside a form."""

    colour: Annotated[str, word(["red", "green"])]
    weight: int = 1


class Box(Form):
    """A form with everything a form can have."""

    stand_ins: ClassVar = {"name": "?"}

    name: Annotated[str, text(9)]
    size: Annotated[int, whole(1, 5)] = 1
    prices: Annotated[dict[str, int], Keys({"coin": whole(0, 9), "card": whole(0, 2)})] = Field(
        default_factory=dict
    )
    toys: tuple[Toy, ...] = ()


def mistakes(**fields):
    problems = Problems()
    box = read(Box, RawEntry("box", "b", "mine.toml", fields, {"toys": "other.toml"}), problems)
    return box, [(p.file, p.entry, p.field, p.message) for p in problems.found]


def test_what_is_right_is_read():
    box, found = mistakes(name="Chest", prices={"coin": 3}, toys=[{"colour": "red"}])
    assert found == []
    assert (box.prices, box.toys[0].colour, box.toys[0].weight) == ({"coin": 3}, "red", 1)


def test_every_mistake_is_noted_with_file_entry_and_field():
    toys = [{"colour": "red"}, {"color": "red"}, {"colour": "gren", "weight": "much"}, 3]
    box, found = mistakes(size=6, prices={"cion": 1, "card": 3}, toys=toys, nmae="Chest")
    assert found == [
        ("mine.toml", "box 'b'", "name", "missing; a printable single line of at most 9 characters"),
        ("mine.toml", "box 'b'", "size", "expected a whole number 1..5, found 6"),
        ("mine.toml", "box 'b'", "prices.card", "expected a whole number 0..2, found 3"),
        (
            "mine.toml", "box 'b'", "prices.cion",
            "unknown field 'cion'; did you mean 'coin'? (allowed: coin, card)",
        ),
        ("other.toml", "box 'b'", "toys.2.colour", "missing; one of red, green"),
        (
            "other.toml", "box 'b'", "toys.2.color",
            "unknown field 'color'; did you mean 'colour'? (allowed: colour, weight)",
        ),
        (
            "other.toml", "box 'b'", "toys.3.colour",
            "unknown word 'gren'; did you mean 'green'? (allowed: red, green)",
        ),
        (
            "other.toml", "box 'b'", "toys.3.weight",
            "Input should be a valid integer, unable to parse string as an integer",
        ),
        ("other.toml", "box 'b'", "toys.4", "expected a table like { key = value }, found 3"),
        (
            "mine.toml", "box 'b'", "nmae",
            "unknown field 'nmae'; did you mean 'name'? (allowed: name, size, prices, toys)",
        ),
    ]  # fmt: skip
    assert (box.name, box.size) == ("?", 1)
