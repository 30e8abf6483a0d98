"""What the package offers: each question as a function that returns its answer.

`balance.check(...)` takes what `balance.experiments.check.check` takes; nothing is computed here.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from balance.experiments import causes as explaining
from balance.experiments import check as checking
from balance.experiments import compare as comparing
from balance.experiments import contested as doubting
from balance.experiments import ladder as climbing
from balance.experiments import price as pricing
from balance.experiments import rank as ranking
from balance.experiments import suggest as mending
from balance.judge.verdict import Verdict
from balance.report.check_answer import check_answer
from balance.report.comparison_answer import comparison_answer
from balance.report.model import Answer
from balance.report.played_answers import contested_answer, ladder_answer, price_answer
from balance.report.ranking_answer import ranking_answer

_Asked = ParamSpec("_Asked")
_Found = TypeVar("_Found")


def _answered(
    experiment: Callable[_Asked, _Found], answer: Callable[[_Found], Answer]
) -> Callable[_Asked, Answer]:
    """Return a function that runs an experiment and returns what it found as an answer."""

    @wraps(experiment)
    def ask(*args: _Asked.args, **given: _Asked.kwargs) -> Answer:
        return answer(experiment(*args, **given))

    # what help() shows: this function, and not the experiment
    vars(ask)["__signature__"] = inspect.signature(experiment).replace(return_annotation=Answer)
    ask.__module__ = __name__
    return ask


def why(names: Sequence[str] = (), *, jobs: int | None = None, **asked: Any) -> Answer:
    """Judge a combination of variants, as `check` does, and name the causes of what is broken or bent."""
    found = checking.check(names, **asked)
    return check_answer(found, causes=explaining.causes(found, jobs))


def suggest(
    names: Sequence[str], *, strength: str = "quick", jobs: int | None = None, **asked: Any
) -> Answer:
    """Judge a combination of variants, as `check` does, and look for the smallest change that mends it."""
    mending.check_strength(strength)
    found = checking.check(names, strength=strength, **asked)
    broken = found.verdict is Verdict.BROKEN
    remedy = mending.suggest(found, jobs) if broken else None
    return check_answer(found, remedy, mended=True)


check = _answered(checking.check, check_answer)
check_all = _answered(ranking.check_all, ranking_answer)
compare = _answered(comparing.compare, comparison_answer)
contested = _answered(doubting.contested, contested_answer)
ladder = _answered(climbing.ladder, ladder_answer)
price = _answered(pricing.price, price_answer)
