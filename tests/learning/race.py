"""A race for two with traps, in plain Python: small enough to be learned in seconds.

Everybody moves 1, 2 or 3 steps in turn; who lands on a trap starts again; the first on square 12 wins. Which
squares are traps is the rule that a combination changes.
"""

from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from balance.games.compiled.weights import NetworkLayout, Stamp, fold, score_options

GOAL = 12
TRAPS = {"none": (), "even": (4, 8, 10), "odd": (3, 7, 11)}
LEARNER, RANDOM = 1, 0
LAYOUT = NetworkLayout(situation=3, option=32, rules=3)


@dataclass
class Cell:
    """One set of traps."""

    traps: tuple[int, ...]
    features: np.ndarray
    players: int = 2
    networks: dict[int, np.ndarray] = field(default_factory=dict)


class Race:
    """The race, to be learned."""

    layout = LAYOUT
    learner = LEARNER
    past = (2,)
    bots = ((RANDOM, 1.0),)
    combinations = tuple((name,) for name in TRAPS)
    counts = MappingProxyType({2: 1.0})
    margin = 12.0
    figure = "won"

    def stamp(self):
        """Return what weights are made for."""
        return Stamp(LAYOUT, "race")

    def cell(self, combination, players, rng):
        """Return the rules of a combination."""
        traps = TRAPS[combination[0]]
        return Cell(traps, np.array([len(traps), 4 in traps, 3 in traps], np.float32))

    def weights(self):
        """Return the weights of a player that has learned nothing."""
        return {name: np.zeros(shape, np.float32) for name, shape in LAYOUT.stored().items()}

    def known(self):
        """Return the combinations as they are."""
        return list(TRAPS)

    def without(self, combinations):
        """Return the race without some kinds of traps."""
        race = Race()
        race.combinations = tuple(kept for kept in self.combinations if kept not in set(combinations))
        return race

    def only(self, variant):
        """Return the race with one kind of traps."""
        race = Race()
        race.combinations = ((variant,),)
        return race

    def player(self):
        """Return something that plays."""
        return self

    def search_points(self, weights, combination, seed):
        """Return a fair share: there is no search."""
        return 1.0

    def evaluate(self, weights, seed):
        """Return the share of games that the learner wins against random play."""
        wins = games = 0
        for name in TRAPS:
            cell = self.cell((name,), 2, None)
            cell.networks[LEARNER] = fold(weights, cell.features)
            seats = np.tile([[LEARNER, RANDOM], [RANDOM, LEARNER]], (100, 1))
            winners, _, _ = self.outcomes(cell, seed, np.arange(200), seats)
            wins += (seats[np.arange(200), winners] == LEARNER).sum()
            games += 200
        return {"won": wins / games}

    def outcomes(self, cell, seed, indices, policies, recorder=None):
        """Play one game per index."""
        results = [self._play(cell, seed, *game, recorder) for game in zip(indices, policies, strict=True)]
        winners, rounds, scores = zip(*results, strict=True)
        return np.array(winners), np.array(rounds), np.array(scores)

    def _play(self, cell, seed, index, policies, recorder):
        rng = np.random.default_rng([seed, int(index)])
        if recorder is not None:
            recorder.next_game()
        squares = [0, 0]
        for turn in range(200):
            seat = turn % 2
            squares[seat] = self._move(cell, squares, seat, int(policies[seat]), rng, recorder)
            if squares[seat] >= GOAL:
                return seat, turn, squares
        return -1, 200, squares

    def _move(self, cell, squares, seat, policy, rng, recorder):
        own = squares[seat]
        targets = [0 if own + step in cell.traps else own + step for step in (1, 2, 3)]
        if policy == RANDOM:
            return targets[rng.integers(3)]
        situation = np.array([own / GOAL, squares[1 - seat] / GOAL, 1.0], np.float32)
        options = np.zeros((3, LAYOUT.option), np.float32)
        for i, target in enumerate(targets):
            options[i, :3] = target / GOAL, target == 0, target >= GOAL
            options[i, 3 + i] = 1
        scores = score_options(cell.networks[policy], LAYOUT, situation, options).astype(np.float64)
        chances = np.exp(scores - scores.max())
        chances /= chances.sum()
        chosen = int(rng.choice(3, p=chances))
        if recorder is not None:
            recorder.note(seat, policy, situation, options, chosen, chances[chosen])
        return targets[chosen]
