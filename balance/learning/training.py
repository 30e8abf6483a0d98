"""Training by self-play: draws cells, lets the learner play itself, its past and bots, and fits it.

A game gives what `Trainable` says. Half of the games are pure self-play; cells that go badly are drawn more
often: where bots do well, where games stall, where one who searches beats a table of learners, and where a
best reply was found, which the learner then meets there. Everything is kept in a folder, so that training can
be resumed.
"""

import json
import time
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
import torch

from balance.errors import DataError
from balance.files import write_whole
from balance.games.compiled.recorder import Recorder
from balance.games.compiled.weights import (
    CRITIC,
    Floats,
    NetworkLayout,
    Stamp,
    critic_of,
    fold,
    weights_file,
)
from balance.learning.ppo import Fitter
from balance.learning.recording import Experience, Ints, gather
from balance.learning.settings import Settings, Stage

Combination = tuple[str, ...]
CHECKPOINT: Final = "checkpoint.npz"
LOG: Final = "log.jsonl"
WEIGHTS: Final = "weights.npz"
AVERAGED: Final = 5
"""Snapshots that count in the weights that training leaves, beside the last ones."""


class Playing(Protocol):
    """Plays games, for a recorder if there is one; one per thread."""

    def outcomes(
        self, cell: Any, seed: int, indices: Ints, policies: Ints, recorder: Recorder | None = None
    ) -> tuple[Ints, Ints, Ints]:
        """Play one game per index; return winners (-1 none), rounds and scores."""


class Trainable(Protocol):
    """What a game gives to be learned."""

    layout: NetworkLayout
    learner: int
    past: tuple[int, ...]
    bots: tuple[tuple[int, float], ...]
    """Policies to play against, with their shares."""
    combinations: Sequence[Combination]
    counts: Mapping[int, float]
    """Numbers of players, with their shares."""
    margin: float
    """Points that count as a clear victory."""
    figure: str
    """The figure of `evaluate` that training shall raise."""

    def stamp(self) -> Stamp:
        """Return what weights must be stamped with."""

    def weights(self) -> dict[str, Floats]:
        """Return the weights of the present learned player."""

    def known(self) -> list[str]:
        """Return digests of the variants that are met."""

    def without(self, combinations: Iterable[Combination]) -> "Trainable":
        """Return the same without some combinations, to see how what was never met is played."""

    def only(self, variant: str) -> "Trainable":
        """Return the same with the combinations that hold one variant."""

    def cell(self, combination: Combination, players: int, rng: np.random.Generator) -> Any:
        """Compile a cell of a combination, with whatever else is drawn."""

    def player(self) -> Playing:
        """Return something that plays."""

    def search_points(self, weights: Mapping[str, Floats], combination: Combination, seed: int) -> float:
        """Return the win points of one who searches among learners; 1.0 where a game has no search."""

    def evaluate(self, weights: Mapping[str, Floats], seed: int) -> dict[str, float]:
        """Measure weights against bots."""


@dataclass(frozen=True)
class Frozen:
    """An opponent that does not learn: a policy, and its weights if it is a network."""

    policy: int
    weights: Mapping[str, Floats] | None = None


class Training:
    """One training run, in a folder."""

    def __init__(
        self,
        game: Trainable,
        folder: Path | None,
        settings: Settings,
        start: Mapping[str, Floats] | None = None,
        frozen: "Frozen | None" = None,
    ) -> None:
        self.game, self.folder, self.settings = game, folder, settings
        self.fitter = Fitter(game.layout, settings.threads, settings.seed)
        if start is not None:
            self.fitter.policy.load(start)
            self.fitter.critic.load(critic_of(start))
        self.frozen = frozen
        self.snapshots: list[dict[str, Floats]] = []
        self.iteration = 0
        self.games = 0
        self.standing = np.full((len(game.combinations), len(game.counts)), 1.0)
        """Win points of the learner among bots, as a running mean, by combination and number of players."""
        self.stalling = np.zeros_like(self.standing)
        """Share of games that stall, likewise."""
        self.beaten = np.zeros((len(game.combinations), 1))
        """Win points above a fair share of one who searches, by combination."""
        self.replies: dict[int, dict[str, Floats]] = {}
        """Best replies, by combination and number of players as one number."""
        self.gains = np.zeros_like(self.standing)
        """Win points above a fair share of these replies, when they were found."""
        rows = settings.cells * settings.games * 200 // settings.threads
        self._recorders = [Recorder(game.layout, rows, rows * 5) for _ in range(settings.threads)]
        self._players = [game.player() for _ in range(settings.threads)]
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            if (folder / CHECKPOINT).exists():
                self._resume(folder / CHECKPOINT)

    def run(self, games: int, advance: Callable[[int], object]) -> None:
        """Play and fit until this many games have been played."""
        while self.games < games:
            before = self.games
            self.step()
            advance(self.games - before)

    def step(self) -> dict[str, Any]:
        """Play and fit once."""
        began = time.monotonic()
        settings = self.settings
        rng = np.random.default_rng([settings.seed, self.iteration])  # one stream for each iteration
        stage, done = settings.stage(self.games)
        weights = self.fitter.policy.weights()
        networks = {self.game.learner: weights}
        for policy in self.game.past:
            pool = self.snapshots
            networks[policy] = dict(pool[int(rng.integers(len(pool)))]) if pool else weights
        if self.frozen is not None and self.frozen.weights is not None:
            networks[self.frozen.policy] = dict(self.frozen.weights)
        seeds = rng.integers(1 << 62, size=settings.threads)
        parts = self.fitter.run(
            [
                lambda k=k: self._play(k, networks, np.random.default_rng(seeds[k]), stage, done)
                for k in range(settings.threads)
            ]
        )
        played = time.monotonic() - began
        rate, entropy = _falling(stage.rate, done), _falling(stage.entropy, done)
        logged = self.fitter.fit(parts, rate, entropy, settings.minibatch, rng)
        results = [result for part in parts for result in part.results]
        self._keep_standing(results)
        self.iteration += 1
        self.games += settings.cells * settings.games
        if self.iteration % settings.snapshot_every == 0:
            self.snapshots.append(self.fitter.policy.weights())
            if len(self.snapshots) > settings.most_snapshots:
                del self.snapshots[int(rng.integers(len(self.snapshots) - 5))]
        alone = [points for _, points, _, _ in results if points >= 0]
        entry = {
            "iteration": self.iteration,
            "games": self.games,
            "decisions": sum(part.cell.size for part in parts),
            "rounds": float(np.mean([rounds for _, _, rounds, _ in results])),
            "stalls": float(np.mean([stalls for _, _, _, stalls in results])),
            "among_bots": float(np.mean(alone)) if alone else None,
            "play_seconds": round(played, 2),
            "seconds": round(time.monotonic() - began, 2),
            **logged,
        }
        if settings.probe_every and self.iteration % settings.probe_every == 0:
            self._probe(rng)
            entry["search_among_learned"] = 1.0 + float(self.beaten.mean())
        if settings.evaluate_every and self.iteration % settings.evaluate_every == 0:
            entry |= self.game.evaluate(self.mean_weights(), 1000 + self.iteration)
            self.save()
        self._note(entry)
        return entry

    def _probe(self, rng: np.random.Generator) -> None:
        """Let one who searches play in some combinations."""
        weights = self.weights()
        places = rng.integers(len(self.game.combinations), size=self.settings.probed)
        seed = int(rng.integers(1 << 62))
        jobs = [
            lambda place=place: self.game.search_points(weights, self.game.combinations[place], seed)
            for place in places
        ]
        for place, points in zip(places, self.fitter.run(jobs), strict=True):
            self.beaten[place] += 0.5 * (points - 1.0 - self.beaten[place])

    def _play(
        self,
        k: int,
        networks: Mapping[int, Mapping[str, Floats]],
        rng: np.random.Generator,
        stage: Stage,
        done: float,
    ) -> Experience:
        """Play one thread's share of an iteration."""
        settings, game = self.settings, self.game
        recorder, player = self._recorders[k], self._players[k]
        recorder.begin((game.learner,))
        margin = stage.margin[0] + (stage.margin[1] - stage.margin[0]) * done
        count = settings.cells // settings.threads
        rules, cells, rewards, results = [], [], [], []
        for number, place in enumerate(self.draw(count, rng)):
            cell, reply = self.cell(place, rng), self.replies.get(place)
            for policy, weights in networks.items():
                cell.networks[policy] = fold(weights, cell.features)
            seats = self._seat(cell.players, stage, rng)
            if reply is not None:
                cell.networks[game.past[0]] = fold(reply, cell.features)
                meets = np.flatnonzero(rng.random(settings.games) < settings.met)
                seats[meets] = game.learner
                seats[meets, rng.integers(cell.players, size=meets.size)] = game.past[0]
            indices = rng.integers(1 << 31, size=settings.games).astype(np.int64)
            winners, rounds, scores = player.outcomes(
                cell, int(rng.integers(1 << 62)), indices, seats, recorder
            )
            rules.append(cell.features)
            cells.append(np.full(settings.games, number))
            rewards.append(self._rewards(winners, scores, margin))
            bots = np.isin(seats, [policy for policy, _ in game.bots])
            results.append(_result(place, seats == game.learner, winners, rounds, bots))
        part = gather(recorder, np.concatenate(cells), np.array(rules, np.float32), _stack(rewards))
        part.results = results
        return part

    def draw(self, count: int, rng: np.random.Generator) -> list[int]:
        """Draw cells, more of those that go badly: each is a combination and a number of players."""
        behind = self.standing.mean(axis=0) - self.standing  # what is normal depends on the number of players
        draws = np.clip(1.0 + 2.0 * behind, 0.6, 5.0) + 20.0 * self.stalling
        draws += 4.0 * np.clip(self.beaten - 0.2, 0.0, 1.5) + 12.0 * np.clip(self.gains, 0.0, 1.0)
        draws *= np.array(list(self.game.counts.values()))
        drawn: list[int] = rng.choice(draws.size, size=count, p=draws.ravel() / draws.sum()).tolist()
        return drawn

    def cell(self, place: int, rng: np.random.Generator) -> Any:
        """Compile a cell that was drawn."""
        combination, players = divmod(place, len(self.game.counts))
        return self.game.cell(self.game.combinations[combination], list(self.game.counts)[players], rng)

    def meet(self, place: int, weights: Mapping[str, Floats], gain: float) -> None:
        """Let the learner meet a best reply from now on, in its cell."""
        self.replies[place] = dict(weights)
        self.gains.ravel()[place] = gain
        self._note({"games": self.games, "reply_gain": gain})

    def _note(self, entry: Mapping[str, Any]) -> None:
        if self.folder is not None:
            with (self.folder / LOG).open("a") as file:
                file.write(json.dumps(entry) + "\n")

    def _seat(self, players: int, stage: Stage, rng: np.random.Generator) -> Ints:
        """Draw who sits at the tables of a cell."""
        settings, game = self.settings, self.game
        seats = np.full((settings.games, players), game.learner, np.int64)
        numbers, shares = zip(*game.bots, strict=True)
        chances = np.array(shares) / sum(shares)
        for row in seats:
            kind = rng.random()
            if kind < stage.self_play:
                continue
            strangers = rng.random(players) < (0.5 if players > 2 else 1.0)
            strangers[rng.integers(players)] = True
            strangers[rng.integers(players)] = False
            if rng.random() < settings.alone:
                strangers[:] = True
                strangers[rng.integers(players)] = False
            strange = stage.self_play + stage.past_play
            if kind < strange:
                row[strangers] = rng.choice(game.past)
            elif self.frozen is not None and kind < strange + settings.frozen_play:
                row[strangers] = self.frozen.policy
            elif rng.random() < 0.5:
                row[strangers] = rng.choice(numbers, p=chances)
            else:
                row[strangers] = rng.choice(numbers, p=chances, size=int(strangers.sum()))
        return seats

    def _rewards(self, winners: Ints, scores: Ints, margin: float) -> Floats:
        """Return each seat's reward: victory against a fair share, and a little for a clear one."""
        settings = self.settings
        games, n = scores.shape
        won = np.zeros((games, n))
        decided = winners >= 0
        won[decided, winners[decided]] = 1.0
        rewards = (n * won - 1.0) / np.sqrt(n - 1.0)
        rewards[~decided] = -settings.stall - 1.0 / np.sqrt(n - 1.0)
        order = np.sort(scores, axis=1)
        best_other = np.where(scores == order[:, -1:], order[:, -2:-1], order[:, -1:])
        ahead = np.clip((scores - best_other) / self.game.margin, -1.0, 1.0)
        return (rewards + margin * ahead).astype(np.float32)

    def _keep_standing(self, results: Sequence[tuple[int, float, float, float]]) -> None:
        standing, stalling = self.standing.ravel(), self.stalling.ravel()  # views
        for place, points, _, stalls in results:
            stalling[place] += 0.15 * (stalls - stalling[place])
            self.gains.ravel()[place] *= 0.99  # what a reply gained is the less true the more was learned
            if points >= 0:
                standing[place] += 0.15 * (points - standing[place])

    def log(self) -> dict[str, Any]:
        """Return what weights remember of their training."""
        return {
            "games": self.games,
            "iterations": self.iteration,
            "averaged": min(AVERAGED, len(self.snapshots)),
            "settings": asdict(self.settings),
            "variants": self.game.known(),
        }

    def mean_weights(self) -> dict[str, Floats]:
        """Return the mean of the present weights and the last snapshots: steadier than any of them."""
        kept = [*self.snapshots[-AVERAGED:], self.fitter.policy.weights()]
        mean = self.weights()
        for name in kept[-1]:
            mean[name] = np.mean([one[name] for one in kept], axis=0, dtype=np.float32)
        return mean

    def weights(self) -> dict[str, Floats]:
        """Return the present weights of the player and of its critic."""
        critic = {CRITIC + name: array for name, array in self.fitter.critic.weights().items()}
        return self.fitter.policy.weights() | critic

    def save(self) -> None:
        """Write weights and checkpoint, if there is a folder."""
        if self.folder is None:
            return
        averaged = weights_file(self.mean_weights(), self.game.stamp(), self.log())
        write_whole(self.folder / WEIGHTS, averaged)
        arrays = _flat(
            {
                "policy": self.fitter.policy.weights(),
                "critic": self.fitter.critic.weights(),
                "adam": self.fitter.optimiser.state_dict()["state"],
                "snapshot": dict(enumerate(self.snapshots)),
                "standing": self.standing,
                "stalling": self.stalling,
                "beaten": self.beaten,
                "gains": self.gains,
                "reply": self.replies,
                "progress": np.array([self.iteration, self.games]),
            }
        )
        partial = self.folder / "checkpoint.part.npz"
        np.savez(partial, **arrays)
        partial.replace(self.folder / CHECKPOINT)

    def _resume(self, checkpoint: Path) -> None:
        try:
            with np.load(checkpoint, allow_pickle=False) as file:
                arrays = {name: file[name] for name in file.files}
            self._take_up(arrays)
        except (
            OSError,
            EOFError,
            ValueError,
            KeyError,
            RuntimeError,
            zipfile.BadZipFile,
            zlib.error,
        ) as error:
            raise DataError(
                f"{checkpoint} is damaged, or not of this training ({error}); name another folder"
            ) from error

    def _take_up(self, arrays: Mapping[str, Any]) -> None:
        kept = _nested(arrays)
        self.fitter.policy.load(kept["policy"])
        self.fitter.critic.load(kept["critic"])
        self.iteration, self.games = (int(value) for value in kept["progress"])
        self.standing, self.stalling = kept["standing"], kept["stalling"]
        self.beaten, self.gains = kept["beaten"], kept["gains"]
        self.replies = {int(place): reply for place, reply in kept.get("reply", {}).items()}
        moments = {
            int(number): {name: torch.from_numpy(value) for name, value in one.items()}
            for number, one in kept.get("adam", {}).items()
        }
        groups = self.fitter.optimiser.state_dict()["param_groups"]
        self.fitter.optimiser.load_state_dict({"state": moments, "param_groups": groups})
        snapshots = kept.get("snapshot", {})
        self.snapshots = [snapshots[number] for number in sorted(snapshots, key=int)]


def _flat(tree: Mapping[Any, Any], above: str = "") -> dict[str, Any]:
    """Return the arrays in nested tables by their paths: `adam/0/step`."""
    found: dict[str, Any] = {}
    for name, value in tree.items():
        inner = isinstance(value, Mapping)
        found |= _flat(value, f"{above}{name}/") if inner else {f"{above}{name}": np.asarray(value)}
    return found


def _nested(arrays: Mapping[str, Any]) -> dict[str, Any]:
    """Return what `_flat` made flat; all keys are texts."""
    tree: dict[str, Any] = {}
    for path, array in arrays.items():
        *above, name = path.split("/")
        place = tree
        for one in above:
            place = place.setdefault(one, {})
        place[name] = array
    return tree


def _falling(ends: tuple[float, float], done: float) -> float:
    """Return the value between two ends, in equal ratios."""
    begin, end = ends
    return begin * (end / begin) ** done if begin else 0.0


def _stack(rewards: Sequence[Floats]) -> Floats:
    """Put rewards of tables of different sizes under each other."""
    width = max(reward.shape[1] for reward in rewards)
    return np.concatenate([np.pad(reward, ((0, 0), (0, width - reward.shape[1]))) for reward in rewards])


def _result(
    place: int, learners: Any, winners: Ints, rounds: Ints, bots: Any
) -> tuple[int, float, float, float]:
    """Return how a cell went: win points of learners at tables with bots (-1: none), rounds, stalls."""
    games, n = learners.shape
    mixed = bots.any(axis=1) & learners.any(axis=1)
    points = -1.0
    if mixed.any():
        won = learners[np.arange(games), winners] & (winners >= 0)
        fair = learners[mixed].sum() / n
        points = float(won[mixed].sum() / fair)
    return place, points, float(rounds.mean()), float((winners < 0).mean())
