"""Proximal policy optimisation: fits the networks to recorded games, on one or two threads."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import torch
from torch import Tensor

from balance.games.compiled.weights import Floats, NetworkLayout
from balance.learning.model import Critic, PolicyNetwork, log_chances
from balance.learning.recording import Experience, Ints, advantages

CLIP = 0.2
DECAY = 0.95
_VALUE_CHUNK = 16384
_RULES_SCALE = 4.0
_VALUE_RATE = 6e-4
"""The critic learns at least at this rate: it has to follow the player."""
_SURE = 0.98
"""Decisions taken with a higher probability teach little: a share of them is fitted, and counts for all."""
_SURE_SHARE = 0.25


class Fitter:
    """Keeps the networks and their optimisers; `threads` work on parts of a minibatch each."""

    def __init__(self, layout: NetworkLayout, threads: int, seed: int) -> None:
        torch.manual_seed(seed)
        torch.set_num_threads(1)
        self.threads = threads
        self.policy, self.critic = PolicyNetwork(layout), Critic(layout)
        self._replicas = [(PolicyNetwork(layout), Critic(layout)) for _ in range(threads)]
        self._copies = [[*policy.parameters(), *critic.parameters()] for policy, critic in self._replicas]
        self._pool = ThreadPoolExecutor(threads, initializer=torch.set_num_threads, initargs=(1,))
        self._parameters = [*self.policy.parameters(), *self.critic.parameters()]
        # what rules do is seen in few cells each: their share of the network learns in larger steps
        names = [name for name, _ in self.policy.named_parameters()] * 2
        scales = [_RULES_SCALE if name.startswith(("rules", "gate")) else 1.0 for name in names]
        self.optimiser = torch.optim.Adam(
            [{"params": [p], "scale": scale} for p, scale in zip(self._parameters, scales, strict=True)],
            lr=1e-3,
            eps=1e-6,
        )

    def run(self, jobs: Sequence[Any]) -> list[Any]:
        """Run functions on the threads."""
        return [future.result() for future in [self._pool.submit(job) for job in jobs]]

    def _share(self) -> None:
        with torch.no_grad():
            for mine in self._copies:
                for own, shared in zip(mine, self._parameters, strict=True):
                    own.copy_(shared)
                    own.grad = None

    def values(self, part: Experience, replica: int = 0) -> Floats:
        """Return the critic's guess for every decision."""
        _, critic = self._replicas[replica]
        rules = torch.from_numpy(part.rules)
        parts = []
        with torch.no_grad():
            for at in range(0, part.cell.size, _VALUE_CHUNK):
                rows = slice(at, at + _VALUE_CHUNK)
                guess = critic.values(
                    rules, torch.from_numpy(part.cell[rows]), torch.from_numpy(part.situations[rows])
                )
                parts.append(guess.numpy())
        return np.concatenate(parts) if parts else np.zeros(0, np.float32)

    def fit(
        self,
        parts: Sequence[Experience],
        rate: float,
        entropy: float,
        minibatch: int,
        rng: np.random.Generator,
    ) -> dict[str, float]:
        """Make one pass over experiences, one per thread, all at once; return what to log."""
        self._share()
        guesses = self.run([lambda k=k: self.values(parts[k], k) for k in range(self.threads)])
        gains, returns = zip(
            *(
                advantages(guess, part.rewards, part.following, DECAY)
                for guess, part in zip(guesses, parts, strict=True)
            ),
            strict=True,
        )
        everything = np.concatenate(gains)
        mean, spread = float(everything.mean()), float(everything.std()) + 1e-6
        gains = tuple((gain - mean) / spread for gain in gains)
        size = minibatch // self.threads
        orders = [rng.permutation(_kept(part, rng)) for part in parts]
        steps = max(1, min(order.size for order in orders) // size)
        policy = len(list(self.policy.parameters()))
        for number, group in enumerate(self.optimiser.param_groups):
            group["lr"] = (max(rate, _VALUE_RATE) if number >= policy else rate) * group["scale"]
        logs = np.zeros(4)
        for number in range(steps):
            jobs = []
            for k in range(self.threads):
                rows = np.sort(np.array_split(orders[k], steps)[number])
                jobs.append(
                    lambda k=k, rows=rows: self._gradient(k, parts[k], rows, gains[k], returns[k], entropy)
                )
            logs += np.mean(self.run(jobs), axis=0)
            self._step()
        names = ("policy_loss", "value_loss", "entropy", "clipped")
        target = np.concatenate(returns)
        explained = 1.0 - float(np.var(target - np.concatenate(guesses)) / (np.var(target) + 1e-9))
        return dict(zip(names, (logs / steps).tolist(), strict=True)) | {"explained": explained}

    def _step(self) -> None:
        for i, parameter in enumerate(self._parameters):
            grads = [replica[i].grad for replica in self._copies]
            found = [grad for grad in grads if grad is not None]
            parameter.grad = sum(found[1:], found[0]) / len(grads) if found else None
        torch.nn.utils.clip_grad_norm_(list(self.policy.parameters()), 0.5)
        torch.nn.utils.clip_grad_norm_(list(self.critic.parameters()), 1.0)
        self.optimiser.step()
        self._share()

    def _gradient(
        self, k: int, part: Experience, rows: Ints, gains: Floats, returns: Floats, weight: float
    ) -> tuple[float, float, float, float]:
        policy, critic = self._replicas[k]
        rules = torch.from_numpy(part.rules)
        cell = torch.from_numpy(part.cell[rows])
        situations = torch.from_numpy(part.situations[rows])
        new, entropy = chosen_chances(policy, part, rows, rules, cell, situations)
        gain = torch.from_numpy(gains[rows])
        chances = part.chances[rows]
        ratio = (new - torch.from_numpy(np.log(chances))).exp()
        counts = np.where(chances > _SURE, 1.0 / _SURE_SHARE, 1.0).astype(np.float32)
        share = torch.from_numpy(counts / counts.sum())
        loss = -(share * torch.minimum(ratio * gain, ratio.clamp(1 - CLIP, 1 + CLIP) * gain)).sum()
        spread = (share * entropy).sum()
        guesses: Any = critic.values(rules, cell, situations)
        error = (share * (guesses - torch.from_numpy(returns[rows])).square()).sum()
        (loss - weight * spread + 0.5 * error).backward()
        clipped = float(((ratio - 1).abs() > CLIP).float().mean())
        return float(loss.detach()), float(error.detach()), float(spread.detach()), clipped


def _kept(part: Experience, rng: np.random.Generator) -> Ints:
    """Return the rows to fit: all decisions in doubt, and a share of the others."""
    return np.flatnonzero((part.chances <= _SURE) | (rng.random(part.chances.size) < _SURE_SHARE))


def chosen_chances(
    policy: PolicyNetwork, part: Experience, rows: Ints, rules: Tensor, cell: Tensor, situations: Tensor
) -> tuple[Tensor, Tensor]:
    """Return the logarithm of the chance of what was chosen, and the entropy, of decisions."""
    counts = part.counts[rows]
    owner = np.repeat(np.arange(rows.size), counts)
    starts = np.cumsum(counts) - counts
    places = np.arange(owner.size) - starts[owner] + part.first[rows][owner]
    belongs = torch.from_numpy(owner)
    scores = policy(rules, cell, situations, torch.from_numpy(part.options[places]), belongs)
    logs = log_chances(scores, belongs, rows.size)
    entropy = torch.zeros(rows.size).index_add(0, belongs, -logs.exp() * logs)
    return logs[torch.from_numpy(starts + part.chosen[rows])], entropy
