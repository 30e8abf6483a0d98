"""What training needs to know of Nefarious: which cells there are, whom to play against, how to measure."""

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from itertools import combinations
from typing import Final

import numpy as np
import numpy.typing as npt

from balance.games.compiled.weights import Floats, NetworkLayout, Stamp, critic_of, fold
from balance.games.nefarious.catalog.loading import load_catalog
from balance.games.nefarious.catalog.model import Catalog
from balance.games.nefarious.invented import invent_twist
from balance.games.nefarious.player import Player, one_among
from balance.games.nefarious.policies.features import LAYOUT
from balance.games.nefarious.policies.fitted import twist_digest
from balance.games.nefarious.policies.learned import STAMP, learned_weights
from balance.games.nefarious.policies.names import CRITIC, POLICIES, policy_number
from balance.games.nefarious.rules import Cell, compile_cell

Ints = npt.NDArray[np.int64]

ROUND_LIMIT: Final = 70
INVENTED: Final = "invented"
"""Stands for a twist that is made up anew whenever it is drawn."""
_SEARCH: Final = "search:10"
_PROBED: Final = 36
"""Games of one who searches among learners."""
_BOTS: Final = {
    "adaptive": 0.4,
    "greedy": 0.15,
    "investor": 0.1,
    "researcher": 0.1,
    "rusher": 0.1,
    "saver": 0.08,
    "spoiler": 0.07,
}


class NefariousTraining:
    """Nefarious, to be learned: all pairs of twists, single ones and none."""

    layout: NetworkLayout = LAYOUT
    learner = POLICIES["learned"]
    past = (12, 13)
    bots = tuple((POLICIES[name], share) for name, share in _BOTS.items())
    counts: Mapping[int, float] = {2: 0.2, 3: 0.17, 4: 0.3, 5: 0.16, 6: 0.17}
    margin = 20.0
    figure = "pairs"
    """The figure of `evaluate` that training shall raise."""

    def __init__(self, catalog: Catalog | None = None) -> None:
        self.catalog = catalog or load_catalog()
        ids = [twist.id for twist in self.catalog.twists]
        editions = {twist.id: set(twist.editions) for twist in self.catalog.twists}
        pairs = [pair for pair in combinations(ids, 2) if editions[pair[0]] & editions[pair[1]]]
        invented = [(INVENTED,)] * 60 + [(INVENTED, one) for one in ids]
        self.combinations: Sequence[tuple[str, ...]] = [
            *pairs, *((one,) for one in ids), *([()] * 80), *invented,
        ]  # fmt: skip
        self._editions = editions

    def without(self, combinations: Iterable[tuple[str, ...]]) -> "NefariousTraining":
        """Return the same without some combinations, in any order of their twists."""
        left_out = {frozenset(combination) for combination in combinations}
        kept = copy(self)
        kept.combinations = [c for c in self.combinations if frozenset(c) not in left_out]
        return kept

    def only(self, variant: str) -> "NefariousTraining":
        """Return the same with the combinations that hold one twist."""
        twist, kept = self.catalog.twist(variant).id, copy(self)
        alone = [(twist,)] * len(self.catalog.twists)
        kept.combinations = [*(c for c in self.combinations if twist in c), *alone]
        return kept

    def known(self) -> list[str]:
        """Return digests of the twists that are met."""
        met = {twist for combination in self.combinations for twist in combination} - {INVENTED}
        return sorted(twist_digest(self.catalog.twist(twist)) for twist in met)

    def stamp(self) -> Stamp:
        """Return what the weights are made for."""
        return STAMP

    def weights(self) -> dict[str, Floats]:
        """Return the weights of the catalog's learned player."""
        return learned_weights(self.catalog.policies.network)

    def cell(self, combination: tuple[str, ...], players: int, rng: np.random.Generator) -> Cell:
        """Compile a cell with an edition and an order of twists by chance."""
        known = [edition.id for edition in self.catalog.editions]
        for twist in combination:
            known = [edition for edition in known if twist == INVENTED or edition in self._editions[twist]]
        shares = np.array([3.0 if edition == "ascora-2011" else 1.0 for edition in known])
        edition = str(rng.choice(known, p=shares / shares.sum()))
        twists = [combination[i] for i in rng.permutation(len(combination))]
        catalog = self.catalog
        if INVENTED in twists:
            catalog = replace(catalog, twists=(*catalog.twists, invent_twist(INVENTED, (edition,), rng)))
        cell = compile_cell(catalog, edition, players, twists)
        cell.rules["round_limit"] = ROUND_LIMIT
        return cell

    def player(self) -> Player:
        """Return something that plays."""
        return Player()

    def search_points(self, weights: Mapping[str, Floats], combination: tuple[str, ...], seed: int) -> float:
        """Return the win points of one who searches among learners."""
        rng = np.random.default_rng(seed)
        players = int(rng.choice(list(self.counts), p=list(self.counts.values())))
        cell = self.cell(combination, players, rng)
        cell.networks[self.learner] = fold(weights, cell.features)
        cell.networks[CRITIC] = fold(critic_of(weights), cell.features)
        points, _ = one_among(cell, seed, _PROBED, policy_number(_SEARCH), self.learner)
        return float(points.mean())

    def evaluate(self, weights: Mapping[str, Floats], seed: int) -> dict[str, float]:
        """Measure one learned player among `adaptive`, and one `adaptive` among learned, at 4 players."""
        rng = np.random.default_rng(7)
        pairs = [
            c
            for c in self.combinations
            if len(c) == 2
            and INVENTED not in c
            and "ascora-2011" in set.intersection(*(self._editions[t] for t in c))
        ]
        chosen = [pairs[i] for i in rng.choice(len(pairs), 24, replace=False)]
        alone, against, stalls = [], [], []
        for combination in [(), *chosen]:
            cell = compile_cell(self.catalog, "ascora-2011", 4, combination)
            cell.networks[self.learner] = fold(weights, cell.features)
            games = 1200 if not combination else 200
            points, _ = one_among(cell, seed, games, self.learner, POLICIES["adaptive"])
            alone.append(points.mean())
            points, stalled = one_among(cell, seed + 1, games, POLICIES["adaptive"], self.learner)
            against.append(points.mean())
            stalls.append(stalled.mean())
        return {
            "none": float(alone[0]),
            "pairs": float(np.mean(alone[1:])),
            "least": float(min(alone[1:])),
            "adaptive_none": float(against[0]),
            "adaptive_pairs": float(np.mean(against[1:])),
            "adaptive_most": float(max(against[1:])),
            "stalled": float(np.mean(stalls)),
        }
