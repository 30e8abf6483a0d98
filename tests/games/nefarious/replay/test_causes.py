"""Why nobody wins a game: states after the last round, and what is said of them."""

import pytest

from balance import games

GAME = games.get("nefarious")
CELL = GAME.compile(GAME.load_catalog(), "ascora-2011", 2, ())
DEAR = max(CELL.cards, key=lambda card: card.cost)


def ended(*seats, closed=False):
    state = {
        "event": "state",
        "seats": [{"money": money, "hand": hand, "vp": vp} for money, hand, vp in seats],
    }
    return [*([{"event": "no_more_draws"}] if closed else []), state, {"event": "end", "stalled": True}]


@pytest.mark.parametrize(
    ("events", "cause"),
    [
        (ended((9, [], 3), (0, [], 5), closed=True), "the deck is closed, and all hands are empty"),
        (ended((9, [], 3), (0, [], 5)), "cards can still be drawn, and all hands are empty"),
        (
            ended((0, [DEAR.id], 3), (99, [], 5), closed=True),
            "the deck is closed, and nobody can pay a card in hand",
        ),
        (
            ended((0, [DEAR.id], 3), (99, [DEAR.id], 5)),
            "cards can still be drawn, and cards that could be paid stay in the hand",
        ),
        (ended((0, [], 21), (0, [], 21), closed=True), "the leaders are tied at the goal"),
    ],
)
def test_the_cause_of_a_stall(events, cause):
    assert GAME.stall_cause(CELL, events) == cause


def test_a_game_that_nobody_wins_is_opened():
    catalog = GAME.load_catalog()
    cell = GAME.compile(catalog, "ascora-2011", 6, ("forgotten-epiphanies", "parallel-universe"))
    stalled = (
        events
        for index in range(20)
        if (events := GAME.replay(cell, 0, index, ["adaptive"] * 6))[-1]["stalled"]
    )
    assert GAME.stall_cause(cell, next(stalled)).startswith("the deck is closed, and ")
