"""Tables that fit a screen without breaking inside words."""

import re

import pytest

from balance.text_columns import table

HEADS = ["lineup", "players", "pair_a", "pair_b", "policy", "win_points", "low", "high", "games"]
ROW = [
    "one:search:16,learned",
    "4",
    "age-of-boredom",
    "animal-rights-activists",
    "learned",
    "1.012",
    "0.87",
    "1.15",
    "480",
]
RIGHT = [False, True, False, False, False, True, True, True, True]


@pytest.mark.parametrize("width", [80, 100, 120])
def test_words_are_broken_after_hyphens_only(width):
    text = table(HEADS, [ROW], RIGHT, width)
    assert max(map(len, text.splitlines())) <= width
    found = set(re.findall(r"[^\W_]+", text))
    assert found == set(re.findall(r"[^\W_]+", " ".join([*HEADS, *ROW])))


def test_texts_break_before_numbers_do():
    row = ["one:field+skilled+casual,learned", "2.1 (1.9 to 2.3)"]
    text = table(["lineup", "mean of all games"], [row], [False, True], 42)
    first, second = text.splitlines()[-2:]
    assert first.split(maxsplit=1) == ["one:field+skilled+", "2.1 (1.9 to 2.3)"]
    assert second == "casual,learned"


def test_what_cannot_be_broken_becomes_a_block():
    text = table(["id", "hash"], [["1", "f" * 64]], [True, False], 40)
    assert text == f"id    1\nhash  {'f' * 34}\n      {'f' * 30}\n"
