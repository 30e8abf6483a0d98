"""The network of `compiled.network` in PyTorch, and the value network that only training uses."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from balance.games.compiled.weights import HIDDEN, OPTION_HIDDEN, RULES_HIDDEN, Floats, NetworkLayout

_VALUE_HIDDEN = 96
_VALUE_SECOND = 48


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
        hidden = torch.relu(situations @ p["situation"] + first[cell])
        wide = hidden @ p["second"] + second[cell]
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
    if name.endswith("bias") or name in ("rules", "rules_in"):
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


class ValueNetwork(nn.Module):
    """Guesses the reward of a seat from its situation and the rules."""

    def __init__(self, layout: NetworkLayout) -> None:
        super().__init__()
        self.rules = nn.Sequential(
            nn.Linear(layout.rules, RULES_HIDDEN), nn.ReLU(), nn.Linear(RULES_HIDDEN, _VALUE_HIDDEN)
        )
        self.situation = nn.Linear(layout.situation, _VALUE_HIDDEN)
        self.end = nn.Sequential(
            nn.ReLU(), nn.Linear(_VALUE_HIDDEN, _VALUE_SECOND), nn.ReLU(), nn.Linear(_VALUE_SECOND, 1)
        )

    def forward(self, rules: Tensor, cell: Tensor, situations: Tensor) -> Tensor:
        """Return the reward that is expected at each decision."""
        value: Tensor = self.end(self.situation(situations) + self.rules(rules)[cell]).squeeze(1)
        return value


def log_chances(scores: Tensor, owner: Tensor, decisions: int) -> Tensor:
    """Return the logarithm of each option's probability among those of its decision."""
    highest = torch.full((decisions,), -torch.inf).scatter_reduce(0, owner, scores.detach(), "amax")
    shifted = scores - highest[owner]
    total = torch.zeros(decisions).index_add(0, owner, shifted.exp())
    return shifted - total.log()[owner]


def state_arrays(module: nn.Module) -> dict[str, Any]:
    """Return the numbers of a module as plain arrays."""
    return {name: value.detach().numpy().copy() for name, value in module.state_dict().items()}
