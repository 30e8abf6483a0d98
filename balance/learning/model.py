"""The network of `compiled.network` in PyTorch: the player, and its critic."""

from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor, nn

from balance.games.compiled.weights import GATES, HIDDEN, OPTION_HIDDEN, RULES_HIDDEN, Floats, NetworkLayout


class PolicyNetwork(nn.Module):
    """Scores the options of decisions, as the kernel does."""

    def __init__(self, layout: NetworkLayout) -> None:
        super().__init__()
        self.layout = layout
        for name, shape in layout.shapes().items():
            self.register_parameter(name, nn.Parameter(_begin(name, shape)))

    def forward(
        self, rules: Tensor, cell: Tensor, situations: Tensor, options: Tensor, owner: Tensor
    ) -> Tensor:
        """Return the scores of options; `owner` is the row of an option's decision, `cell` of its rules."""
        p = dict(self.named_parameters())
        hidden_rules = torch.relu(rules @ p["rules_in"] + p["rules_in_bias"])
        first = p["situation_bias"] + rules @ p["rules"] + hidden_rules @ p["rules_first"]
        second = p["second_bias"] + hidden_rules @ p["rules_second"]
        gates = {name: 1.0 + hidden_rules @ p[f"gate_{name}"] for name in GATES}
        hidden = torch.relu((situations * gates["situation"][cell]) @ p["situation"] + first[cell])
        wide = ((hidden * gates["hidden"][cell]) @ p["second"] + second[cell]) * gates["second"][cell]
        of_options = wide[owner]
        width = self.layout.option
        inner = torch.relu(options @ p["option"] + of_options[:, width:])
        linear: Tensor = (options * of_options[:, :width]).sum(1) + inner @ p["out"]
        return linear

    def weights(self) -> dict[str, Floats]:
        """Return the arrays that the kernel plays with."""
        return {name: value.detach().numpy().copy() for name, value in self.named_parameters()}

    def load(self, weights: Mapping[str, Floats]) -> None:
        """Take weights over."""
        with torch.no_grad():
            for name, value in self.named_parameters():
                value.copy_(torch.from_numpy(np.asarray(weights[name])))


def _begin(name: str, shape: tuple[int, ...]) -> Tensor:
    if name == "rules_in_bias":
        return torch.randn(shape) * 0.5
    # features of rules that never occur in training stay without a say
    if name.endswith("bias") or name.startswith("gate") or name in ("rules", "rules_in"):
        return torch.zeros(shape)
    scale = {
        "situation": 1.4 / 6.0,
        "second": 0.3 / HIDDEN**0.5,
        "option": 0.5,
        "out": 0.3 / OPTION_HIDDEN**0.5,
        "rules_first": 0.5 / RULES_HIDDEN**0.5,
        "rules_second": 0.1 / RULES_HIDDEN**0.5,
    }[name]
    return torch.randn(shape) * scale


class Critic(PolicyNetwork):
    """Guesses the reward of a seat from its situation: the score of an option that says nothing."""

    def values(self, rules: Tensor, cell: Tensor, situations: Tensor) -> Tensor:
        """Return the reward that is expected at each decision."""
        rows = situations.shape[0]
        nothing = situations.new_zeros(rows, self.layout.option)
        nothing[:, 0] = 1.0
        value: Tensor = self(rules, cell, situations, nothing, torch.arange(rows))
        return value


def log_chances(scores: Tensor, owner: Tensor, decisions: int) -> Tensor:
    """Return the logarithm of each option's probability among those of its decision."""
    highest = torch.full((decisions,), -torch.inf).scatter_reduce(0, owner, scores.detach(), "amax")
    shifted = scores - highest[owner]
    total = torch.zeros(decisions).index_add(0, owner, shifted.exp())
    return shifted - total.log()[owner]
