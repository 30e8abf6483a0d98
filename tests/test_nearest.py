import pytest
from hypothesis import given
from hypothesis import strategies as st

from balance.nearest import nearest, unknown

TWISTS = ["unions", "mad-broker", "rigged-investments", "lingering-evil", "Café Noir", "Профсоюзы"]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("unons", "unions"),
        ("UNIONS", "unions"),
        ("rigged", "rigged-investments"),
        ("broker", "mad-broker"),
        ("evil", "lingering-evil"),
        ("Rigged Investments", "rigged-investments"),
        ("cafe noir", "Café Noir"),
        ("профсоюз", "Профсоюзы"),
    ],
)
def test_the_nearest_name_comes_first(typed, meant):
    assert nearest(typed, TWISTS)[0] == meant


@pytest.mark.parametrize("typed", ["", "zzzzzz", "---", "u"])
def test_nothing_similar_suggests_nothing(typed):
    assert nearest(typed, TWISTS) == []


def test_at_most_as_many_as_asked_for():
    assert nearest("card", ["card 1", "card 2", "card 3", "card 4"], limit=2) == ["card 1", "card 2"]


def test_the_message_names_what_was_wrong_and_what_is_right():
    assert unknown("twist", "unons", TWISTS) == "unknown twist 'unons'; did you mean 'unions'?"


def test_the_message_lists_several():
    assert unknown("card", "card", ["card 1", "card 2"]).endswith("did you mean 'card 1' or 'card 2'?")


def test_the_message_without_suggestion_ends_after_the_word():
    assert unknown("twist", "zzz", TWISTS) == "unknown twist 'zzz'"


@given(st.text(), st.lists(st.text()))
def test_any_word_gives_one_printable_line_of_bounded_length(word, words):
    message = unknown("twist", word, [w[:60] for w in words])
    assert message.isprintable() or any(c in message for c in word)
    assert "\n" not in message
    assert "\x1b" not in message
    assert set(nearest(word, words)) <= set(words)
