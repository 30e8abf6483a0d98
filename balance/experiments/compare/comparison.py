"""The result of a comparison as data: changes, verdicts that differ, and what was not compared.

Nothing is counted, played or put into words here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any

from balance.dataset.run import Run
from balance.experiments.compare.changes import LEVELS, Change, ChangeFamily, Looked
from balance.games.contract import Catalog, Difference, Game
from balance.judge.findings import Finding
from balance.judge.verdict import Family, Verdict


@dataclass(frozen=True)
class Side:
    """One of the two things that are compared."""

    label: str
    kind: str
    """`run`, `official`, `edition` or `overlay`."""
    edition: str
    catalog: Catalog
    run: Run | None = None


class Again(StrEnum):
    """The result on fresh deals of a combination that seems to be broken now."""

    HELD = "confirmed on fresh deals"
    REFUTED = "not confirmed on fresh deals"
    LEFT_OUT = "not measured again, as only the worst are"
    NOT_PLAYED = "not confirmed on fresh deals, as nothing is played where both sides are runs"


@dataclass(frozen=True, slots=True)
class VerdictChange:
    """A combination whose verdict differs from before."""

    players: int
    variants: tuple[str, ...]
    before: Verdict
    after: Verdict
    reasons: tuple[str, ...]
    """Findings that break or bend it now, or did before."""
    causes: tuple[Finding, ...] = ()
    """Findings that break it now and have clearly moved outwards; all if it was not broken before."""
    for_whom: str = ""
    """At which strengths of play it is broken now."""
    severity: float = 0.0
    again: Again | None = None
    """The result on fresh deals, if it seems to be broken now by what was changed."""

    @property
    def key(self) -> tuple[int, tuple[str, ...]]:
        """Players and variants."""
        return self.players, self.variants

    @property
    def suspect(self) -> bool:
        """Whether the deals that were looked at first say that it is broken now by what was changed."""
        return self.after is Verdict.BROKEN and self.before is not Verdict.BROKEN and bool(self.causes)

    @property
    def newly_broken(self) -> bool:
        """Whether the change has broken it, and fresh deals, if any were played, confirm that."""
        return self.suspect and self.again in (Again.HELD, Again.NOT_PLAYED)


@dataclass(frozen=True, slots=True)
class Uncompared:
    """Combinations or cells that are not compared, and why."""

    why: str
    count: int
    named: tuple[str, ...] = ()
    """The variants that they have in common, or a few of the cells."""
    unit: str = "combinations"


@dataclass(frozen=True)
class Comparison:
    """A candidate against a base, on the same deals."""

    game: Game[Any, Any]
    base: Side
    candidate: Side
    seed: int
    differences: tuple[Difference, ...]
    changes: tuple[Change, ...] = ()
    verdicts: tuple[VerdictChange, ...] = ()
    counts: Mapping[int, tuple[Counter[Verdict], Counter[Verdict]]] = field(default_factory=dict)
    family: ChangeFamily = field(default_factory=lambda: ChangeFamily(0, ()))
    uncompared: tuple[Uncompared, ...] = ()
    combinations: int = 0
    games: int = 0
    names: Mapping[str, str] = field(default_factory=dict)
    """Names of variants, and of items by id as text."""
    same: str = ""
    """Why there was nothing to compare, if so."""
    verdict_families: tuple[Family, ...] = ()
    """Everything that was looked at for the verdicts of the base, and of the candidate."""
    unseen: tuple[str, ...] = ()
    fresh: Mapping[Looked, Change] = field(default_factory=dict)

    @cached_property
    def changed(self) -> tuple[Change, ...]:
        """Changes that are clear: the whole first, then items, variants, combinations; largest first."""

        def order(one: Change) -> tuple[object, ...]:
            where = (one.players or 0, one.lineup, one.variants, one.item or 0, one.name)
            return (LEVELS.index(one.level), -one.size, *where)

        return tuple(sorted((change for change in self.changes if change.sure), key=order))

    @property
    def newly_broken(self) -> list[VerdictChange]:
        """Combinations that the change has broken."""
        return [change for change in self.verdicts if change.newly_broken]
