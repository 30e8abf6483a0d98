"""Every registered game keeps the contract; and for each thing that is checked, a game that breaks it."""

from dataclasses import replace

import numpy as np
import pytest

from balance import games
from balance.errors import UsageError
from balance.games.contract import Column, Holdings, ItemColumns, Measures, Table
from tests.games import tiny
from tests.games.conformance import CellName, ConformanceError, check_game, sample_cells
from tests.games.tiny import FACTS, TABLES, Tiny

games.register(tiny.GAME)


@pytest.mark.slow
@pytest.mark.parametrize("name", games.names())
def test_every_registered_game_keeps_the_contract(name):
    report = check_game(games.get(name))
    assert report.cells >= 5
    assert report.rounds > report.games > report.cells
    assert report.failures == []


def test_the_tiny_game_in_all_its_cells():
    cells = [
        CellName(edition, players, moods)
        for edition in FACTS.editions
        for players in (2, 3)
        for moods in ((), *((mood,) for mood in tiny.GAME.variants(tiny.load_catalog(), edition)))
    ]
    report = check_game(tiny.GAME, games_per_cell=25, cells=cells, seed=3)
    assert (report.cells, report.games) == (14, 14 * 25)


def test_the_sample_has_every_edition_number_of_players_and_variant():
    cells = sample_cells(games.get("nefarious"))
    catalog = games.get("nefarious").load_catalog()
    assert {(cell.edition, cell.players) for cell in cells} == {
        (edition.id, players) for edition in catalog.editions for players in range(2, 7)
    }
    assert {variant for cell in cells for variant in cell.variants} == {twist.id for twist in catalog.twists}
    assert {len(cell.variants) for cell in cells} == {0, 1, 2}
    assert {len(cell.variants) for cell in sample_cells(tiny.GAME)} == {0, 1}


def test_a_failure_names_game_and_cell():
    class Hasty(Tiny):
        def transcript(self, cell, events):
            return ""

    with pytest.raises(ConformanceError) as caught:
        check_game(Hasty(), games_per_cell=1, cells=[CellName("brisk", 3, ("windy",))])
    assert str(caught.value).splitlines() == [
        "the game 'tiny' does not keep the contract:",
        "brisk, 3 players, windy: game 0: the transcript is empty",
    ]


# --- games that break it ----------------------------------------------------------------------------------


def with_facts(**changed):
    class Changed(Tiny):
        facts = replace(FACTS, **changed)

    return Changed()


def with_table(name, **changed):
    return with_facts(tables=tuple(replace(t, **changed) if t.name == name else t for t in TABLES))


class Twins(Tiny):
    """Two policies of one number."""

    def policy_number(self, name):
        return min(0, super().policy_number(name))


def with_items(**columns):
    return with_facts(item_columns=ItemColumns(**columns))


def without_role(name, role):
    columns = tuple(c for c in FACTS.table(name).columns if c.role != role)
    return with_table(name, columns=columns)


@pytest.mark.parametrize(
    ("game", "failure"),
    [
        (with_facts(players=(3, 2)), "expected the fewest and the most"),
        (with_facts(default_edition="huge"), "default edition 'huge' is none"),
        (with_facts(round_limit=0), "random play may never end"),
        (with_facts(policies=("random", "random")), "policies names something twice"),
        (with_facts(actions=()), "actions is empty"),
        (with_facts(default_lineup="mirror:genius"), "default lineups: unknown policy 'genius'"),
        (with_facts(field=("random", "genius")), "the policy 'genius' is not known: unknown policy"),
        (Twins(), "the policy 'thrifty' has the number of 'random'"),
        (
            with_facts(holdings=Holdings("buys", (("bought", ("mask",)),))),
            "holdings are called like the table buys",
        ),
        (
            with_facts(holdings=Holdings("hands", (("bought", ("coins",)),))),
            "the mask of holdings 'bought' needs columns of seats of type uint64, found ['coins']",
        ),
        (with_facts(item="hat"), "no kind 'hat'"),
        (with_facts(items=""), "the word 'items' is empty"),
        (with_facts(tables=TABLES[1:]), "the table games is missing"),
        (with_facts(tables=(*TABLES, TABLES[0])), "tables names something twice"),
        (without_role("games", "outcome"), "games has no column with the role outcome"),
        (without_role("seats", "score"), "seats has no column with the role score"),
        (without_role("buys", "game"), "buys does not point to its game"),
        (
            with_facts(tables=(*TABLES, Table("x", "y", (Column("a", "int8", "wish", "b"),)))),
            "x.a has the unknown role 'wish'",
        ),
        (
            with_facts(tables=(*TABLES, Table("x", "y", (Column("a", "float64", "game", "b"),)))),
            "x.a has the type 'float64'",
        ),
        (with_table("buys", meaning=""), "has no meaning written down"),
        (
            with_facts(holdings=Holdings("hands", (("opening", ("a",)), ("drawn", ("a", "b"))))),
            "masks of holdings with different numbers of words",
        ),
        (with_items(cost="price"), "the listing of charms has no column price"),
        (with_items(paid="points"), "no table with the role item has a column points"),
        (with_facts(measures=Measures(half_score="gold")), "the table seats has no column gold"),
        (with_facts(measures=Measures(lead_changes="swaps")), "the table games has no column swaps"),
    ],
)
def test_facts_that_do_not_fit(game, failure):
    with pytest.raises(ConformanceError) as caught:
        check_game(game)
    assert any(f.startswith("facts: ") and failure in f for f in caught.value.failures), caught.value


def edited(edit):
    """The tiny game, with what `play` returns edited."""

    class Edited(Tiny):
        def play(self, cell, seed, indices, policies, replicates=None):
            batch = super().play(cell, seed, indices, policies, replicates)
            return edit(batch, indices) or batch

    return Edited()


def put(table, column, values):
    """Set a column, to a value or an array."""

    def edit(batch, indices):
        batch[table][column] = batch[table][column].copy()
        batch[table][column][:] = values

    return edited(edit)


def retyped(batch, indices):
    batch["seats"]["points"] = batch["seats"]["points"].astype("int32")


def reordered(batch, indices):
    batch["seats"] = dict(reversed(batch["seats"].items()))


def shortened(batch, indices):
    batch["laps"]["points"] = batch["laps"]["points"][:-1]


def dropped(batch, indices):
    del batch["laps"]


def swapped(batch, indices):
    batch["seats"] = {name: values[::-1] for name, values in batch["seats"].items()}


def rerolled(batch, indices):
    """Coins depend on the place in the batch."""
    batch["seats"]["coins"] = (batch["seats"]["coins"] + np.arange(len(batch["seats"]["coins"]))).astype(
        "int16"
    )


@pytest.mark.parametrize(
    ("game", "failure"),
    [
        (edited(retyped), "seats.points is 1-d int32, declared int16"),
        (edited(reordered), "the columns of seats are ['times_buy'"),
        (edited(shortened), "the columns of laps have different lengths"),
        (edited(dropped), "the tables are ['games', 'seats', 'buys']"),
        (edited(swapped), "seats does not have one row per game and seat"),
        (edited(swapped), "the rows of seats are not in the order of the games"),
        (put("seats", "seat", 7), "seats.seat has 7, not within 0..1"),
        (put("games", "rounds", 41), "games.rounds has 41, not within 1..40"),
        (put("games", "winner_seat", 2), "games.winner_seat has 2, not within 0..1"),
        (put("games", "winner_seat", -1), "stalled False, winner -1"),
        (put("games", "stalled", True), "stalled True"),
        (put("games", "game_index", 5), "asked for [0, 11]"),
        (put("seats", "won", False), "seats and games name different winners"),
        (put("seats", "policy", 0), "the policies in seats are not those that were given"),
        (put("buys", "paid", 0), "buys: row 0: paid is 0, from the log"),
        (edited(rerolled), "alone is another one than in a batch"),
        (edited(rerolled), "is another one when the batch is in another order"),
    ],
)
def test_columns_that_do_not_fit(game, failure):
    with pytest.raises(ConformanceError) as caught:
        check_game(game, games_per_cell=2, cells=[CellName("classic", 2)])
    assert any(failure in f for f in caught.value.failures), caught.value


class DeafToSeeds(Tiny):
    def _race(self, cell, seed, index, policies, replicate):
        return super()._race(cell, min(seed, 1), index, policies, replicate)


class Endless(Tiny):
    """Runs past the limit: nobody can win."""

    def compile(self, *args, **more):
        cell = super().compile(*args, **more)
        return replace(cell, goal=10_000)

    def play(self, *args, **more):
        batch = super().play(*args, **more)
        batch["games"]["rounds"] = batch["games"]["rounds"] + np.int16(1)
        return batch


class Liar(Tiny):
    """Its log tells other things than were played."""

    lie = staticmethod(lambda events: events)

    def replay(self, *args, **more):
        return self.lie(super().replay(*args, **more))


def lying(lie):
    game = Liar()
    game.lie = lie
    return game


@pytest.mark.parametrize(
    ("game", "failure"),
    [
        (DeafToSeeds(), "another seed gives the same games"),
        (Endless(), "games.rounds has 41, not within 1..40"),
        (lying(lambda events: events[1:]), "the log goes from ['round'] to ['end']"),
        (lying(lambda events: events[:-1]), "not from setup to end"),
        (lying(lambda events: [e for e in events if e.get("round") != 2]), "the rounds of the log are [1, 3"),
        (lying(lambda events: [dict(reversed(e.items())) for e in events]), "does not begin with its kind"),
        (lying(lambda events: [{**events[0], "x": (1,)}, *events[1:]]), "after a way through JSON"),
        (lying(lambda events: [e for e in events if e["event"] != "buy"]), "rows were played, 0 follow from"),
        (lying(lambda events: [*events[:-1], {**events[-1], "winner": None}]), "winner_seat is"),
    ],
)
def test_games_that_do_not_fit_their_log(game, failure):
    with pytest.raises(ConformanceError) as caught:
        check_game(game, games_per_cell=3, cells=[CellName("brisk", 3)])
    assert any(failure in f for f in caught.value.failures), caught.value


class TooPolite(Tiny):
    """Takes whatever it is given."""

    def compile(self, catalog, edition, players, variants=()):
        known = [v for v in variants if v in self.variants(catalog, FACTS.default_edition)]
        return super().compile(catalog, "classic", min(3, max(2, players)), known[:1])

    def _race(self, cell, seed, index, policies, replicate):
        seats = [name if name in FACTS.policies else "random" for name in (*policies, *["random"] * 3)]
        return super()._race(cell, max(0, seed) % 2**63, index % 2**32, seats[: cell.players], replicate)

    def play(self, cell, seed, indices, policies, replicates=None):
        return super().play(cell, seed, indices, np.zeros((len(indices), cell.players), int), replicates)

    def policy_number(self, name):
        return FACTS.policies.index(name) if name in FACTS.policies else 0

    def policy_name(self, number):
        return FACTS.policies[number % len(FACTS.policies)]

    def load_catalog(self, overlays=()):
        return super().load_catalog()

    def find(self, catalog, name):
        raise LookupError(name)

    def variants(self, catalog, edition):
        return super().variants(catalog, "classic")


class Silent(Tiny):
    """Refuses without a word."""

    def compile(self, *args, **more):
        try:
            return super().compile(*args, **more)
        except UsageError:
            raise UsageError("") from None


def test_wrong_input_that_is_accepted_or_crashes():
    with pytest.raises(ConformanceError) as caught:
        check_game(TooPolite(), cells=[])
    told = [f.removeprefix("wrong input: ") for f in caught.value.failures if f.startswith("wrong input: ")]
    assert "a name that is not in the catalog ends in LookupError: no-such-name-at-all" in told
    accepted = {f.removesuffix(" is accepted") for f in told if f.endswith(" is accepted")}
    assert accepted == {
        "an unknown edition",
        "the variants of an unknown edition",
        "too few players",
        "too many players",
        "an unknown variant",
        "too many variants",
        "an overlay that does not exist",
        "an unknown policy",
        "an unknown policy in a replay",
        "a number that no policy has",
        "a number that no policy has in a game",
        "too few policies",
        "too few policies in a replay",
        "a negative seed",
        "a seed beyond the range",
        "a game index beyond the range",
        "a negative game index",
    }
    with pytest.raises(ConformanceError, match="too few players is refused without a word"):
        check_game(Silent(), cells=[])


class Shaky(Tiny):
    """Its catalog does not hold together."""

    loads = 0

    def load_catalog(self, overlays=()):
        self.loads += 1
        return replace(super().load_catalog(overlays), version=str(self.loads))

    def rows(self, catalog, kind):
        return [{"id": row["id"]} for row in super().rows(catalog, kind)]

    def diff(self, old, new):
        return [None]

    def variants(self, catalog, edition):
        return (*super().variants(catalog, edition), "windy")

    def describe(self, catalog, entry):
        return replace(super().describe(catalog, entry), sections=())


def test_a_catalog_that_does_not_hold_together():
    with pytest.raises(ConformanceError) as caught:
        check_game(Shaky(), cells=[])
    told = "\n".join(caught.value.failures)
    for failure in (
        "loaded twice, it has two hashes",
        "a row of charms lacks a column",
        "it differs from itself",
        "classic has a mood twice",
        "the mood 'windy' is not described",
    ):
        assert f"catalog: {failure}" in told


def test_a_cell_that_breaks_does_not_hide_the_others():
    class Fragile(Tiny):
        def play(self, cell, *args, **more):
            if cell.players == 3 and cell.mood:
                raise ZeroDivisionError("no wind")
            return super().play(cell, *args, **more)

    with pytest.raises(ConformanceError) as caught:
        check_game(Fragile())
    assert caught.value.failures == ("classic, 3 players, festive: ZeroDivisionError: no wind",)
