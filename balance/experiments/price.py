"""At which cost would an item be worth what the average one is? Found by playing it at other costs.

The value of an item (win points of seats that were dealt it, minus 1) falls with its cost. Deals in which it
was dealt are played again at one whole cost after the other, everything else unchanged, until the value is
enclosed between a cost at which the item is worth more than the average one and the next at which it is not.
What follows for the whole deck is a proposal, compared with the printed costs on fresh seeds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from balance import games, machine
from balance.errors import UsageError
from balance.experiments.dealing import Deals, adjustable
from balance.experiments.price_search import Price, search
from balance.experiments.samples import sample
from balance.experiments.side_by_side import fresh_seed
from balance.games.contract import Catalog, Facts, Game
from balance.games.keys import check_keys
from balance.games.lineup import parse_lineup
from balance.games.variants import Combination
from balance.measure.items import Item, items_of
from balance.stats.corrections import benjamini_yekutieli
from balance.stats.intervals import Interval
from balance.stats.ratio import Ratio

if TYPE_CHECKING:
    from balance.experiments.dealing import Numbers

GAMES: Final = 20_000
FEWEST: Final = 200
MOST: Final = 1_000_000
"""More deals than the memory of a small machine holds."""
HIGHEST: Final = 30
"""Higher costs are not tried: no player could pay them."""
LEVEL: Final = 0.05
"""The false discovery rate at which a printed cost is called wrong."""
CLEARLY: Final = 2
"""The whole interval of a price must be off by this much to be counted in the headline."""
_FEW: Final = 3
"""So few items are answered one by one in the headline."""
_PLAYS: Final = 7
"""Costs that are played for an item, about: for the progress line only."""

Advance = Callable[[int, str], object]


@dataclass(frozen=True, slots=True)
class Priced:
    """One item in one context."""

    item: Item
    seats: int
    value: Interval
    """Its value at its printed cost: win points minus 1."""
    p: float
    adjusted: float
    """Two-sided against "an average item", and corrected over all items in all contexts."""
    price: Price
    played: tuple[tuple[int, Interval], ...]

    @property
    def off(self) -> bool:
        """Whether the printed cost is wrong, with a corrected p-value of at most 5%."""
        assert self.item.cost is not None
        return self.adjusted <= LEVEL and self.price.excludes(self.item.cost)

    def sentence(self) -> str:
        """Return a sentence: whether the printed cost is too low or too high."""
        assert self.item.cost is not None
        this, other = ("dear", "cheap") if self.price.value < self.item.cost else ("cheap", "dear")
        said = "neither clearly cheap nor clearly dear"
        if self.price.excludes(self.item.cost):
            said = f"too {this}" if self.off else f"not too {other}; if anything {this}"
        return f"{self.item.name}: {said}, {self.price.told()} against {self.item.cost} printed."


@dataclass(frozen=True, slots=True)
class Fresh:
    """An item with a proposed cost on deals that found nothing: its value as printed and as proposed."""

    item: Item
    proposed: int
    before: Interval
    after: Interval

    @property
    def nearer(self) -> bool:
        """Whether it is nearer to an average item with the proposed cost, by the estimates."""
        return abs(self.after.value) < abs(self.before.value)


@dataclass(frozen=True, slots=True)
class Context:
    """Prices under some variants: none, or a sample of combinations that stands for all."""

    name: str
    priced: tuple[Priced, ...]
    games: int
    fresh: tuple[Fresh, ...] = ()
    """Every item with a proposed cost that was dealt in fresh games of all proposed costs at once."""
    fresh_games: int = 0
    """How many fresh games were played as printed, and as many as proposed."""


@dataclass(frozen=True)
class Prices:
    """The results for all items asked for, and the proposed costs."""

    game: Game[Any, Any]
    catalog: Catalog
    edition: str
    players: int
    lineup: str
    seed: int
    deals: int
    contexts: tuple[Context, ...]
    proposal: Mapping[int, int]
    overlay: str

    @property
    def games(self) -> int:
        """How many games were played in all."""
        return sum(context.games + 2 * context.fresh_games for context in self.contexts)

    def sentences(self) -> list[str]:
        """Say how many are off, of a few items each one; what is proposed, and whether it helps."""
        facts, last = self.game.facts, self.contexts[-1]
        off = [one for one in last.priced if one.off]
        clearly = sum(one.price.off_by(one.item.cost or 0, CLEARLY) for one in off)
        asked = f"{len(last.priced)} {facts.items if len(last.priced) > 1 else facts.item}"
        tests = sum(len(context.priced) for context in self.contexts)
        found = [" ".join(one.sentence() for one in last.priced)] if len(last.priced) <= _FEW else []
        found.append(
            f"Of {asked}, {len(off)} {'is' if len(off) == 1 else 'are'} clearly off after correcting for "
            f"{tests} {'test' if tests == 1 else 'tests'}, {clearly} of them by {CLEARLY} or more with the "
            f"whole 95% interval of the price ({last.name})."
        )
        found += [
            f"{one.item.name}: no cost from 0 to {one.price.top} makes it an average one; it is worth "
            f"{'less even at 0' if one.price.value < 0 else f'more even at {one.price.top}'}."
            for one in off
            if one.price.nowhere
        ]
        if last.fresh:
            nearer = sum(one.nearer for one in last.fresh)
            average = sum(one.after.low <= 0 <= one.after.high for one in last.fresh)
            found.append(
                f"Of {len(last.fresh)} proposed costs, {nearer} bring the value nearer to 0 on fresh games "
                f"({last.name}); with {average} the 95% interval holds 0."
            )
        return found


def price(
    names: Sequence[str] = (),
    *,
    game: str = games.DEFAULT,
    players: int = 4,
    edition: str | None = None,
    lineup: str | None = None,
    deals: int = GAMES,
    seed: int = 0,
    catalog: Iterable[str] = (),
    jobs: int | None = None,
    advance: Advance = lambda _, __: None,
) -> Prices:
    """Find the cost at which each item (of those named, or of all) would be an average one.

    >>> price(deals=10)
    Traceback (most recent call last):
    balance.errors.UsageError: deals 10: at least 200 are needed to price anything
    """
    if deals < FEWEST:
        raise UsageError(f"deals {deals}: at least {FEWEST} are needed to price anything", parameter="deals")
    if deals > MOST:
        raise UsageError(f"deals {deals}: at most {MOST} are possible", parameter="deals")
    check_keys(seed, deals)
    found = games.get(game)
    facts = found.facts
    adjustable(found)
    loaded = found.load_catalog(catalog)
    printed = edition or facts.default_edition
    found.compile(loaded, printed, players)  # says what is wrong before anybody waits
    items = items_of(found, loaded)
    if not facts.item_columns.cost:
        raise UsageError(f"the {facts.items} of {facts.title} have no cost")
    if not facts.mask("opening"):
        raise UsageError(
            f"{facts.title} deals no {facts.items} before the first decision, "
            f"so the value of holding one cannot be measured"
        )
    chosen = _chosen(found, loaded, items, names)
    seated = parse_lineup(lineup or facts.default_lineup, players, found)
    played: list[tuple[Combination, ...]] = [((),)]
    if facts.variants_at_once and found.variants(loaded, printed):
        played.append(tuple(sample(found, loaded, printed)))
    tables = [
        Deals(found, printed, seated, combinations, seed, deals, machine.threads(jobs))
        for combinations in played
    ]
    contexts = _corrected([_priced(here, loaded, items, chosen, advance) for here in tables])
    proposal = {
        one.item.id: one.price.whole
        for one in contexts[-1].priced
        if one.off and one.price.whole != one.item.cost
    }
    changed = _repriced(found, loaded, proposal)
    if proposal:
        fresh = [replace(here, seed=fresh_seed(seed)) for here in tables]
        contexts = [
            _proposed(context, here, (loaded, changed), items, proposal, advance)
            for context, here in zip(contexts, fresh, strict=True)
        ]
    overlay = adjustable(found).overlay_text(loaded, changed)
    return Prices(
        found, loaded, printed, players, seated.text, seed, deals, tuple(contexts), proposal, overlay
    )


def _chosen(game: Game[Any, Any], catalog: Catalog, items: Sequence[Item], names: Sequence[str]) -> list[int]:
    """Return the places of the items that a user named; all if none is."""
    facts = game.facts
    places = {str(item.id): place for place, item in enumerate(items)}
    found = []
    for name in names:
        own = [entry.id for entry in game.find(catalog, name) if entry.kind == facts.item]
        if not own:
            raise UsageError(f"'{name}' is not one of the {facts.items}; only {facts.items} have a price")
        found.append(places[own[0]])
    return sorted(set(found)) or list(range(len(items)))


def _name(facts: Facts, combinations: Sequence[Combination]) -> str:
    size = len(combinations[0])
    if not size:
        return f"no {facts.variant}"
    each = {1: "", 2: "pairs of "}.get(size, f"combinations of {size} ")
    return f"{len(combinations)} {each}{facts.variants}"


def _repriced(game: Game[Any, Any], catalog: Catalog, costs: Mapping[int, int]) -> Catalog:
    facts, made = game.facts, catalog
    for item, cost in sorted(costs.items()):
        made = adjustable(game).with_number(made, facts.item, str(item), facts.item_columns.cost, cost)
    return made


# --- one context


def _priced(
    deals: Deals, catalog: Catalog, items: Sequence[Item], chosen: Sequence[int], advance: Advance
) -> Context:
    base = deals.dealt(catalog, range(len(items)))
    advance(deals.count, "as printed")
    found, spent = [], deals.games
    for place in chosen:
        item, own = items[place], base.seats[:, place].nonzero()[0]
        if own.size < 2:
            raise UsageError(
                f"deals {deals.count}: {item.name} was dealt in {own.size} of them; more are needed",
                parameter="deals",
            )
        priced = _searched(deals, catalog, item, place, own, base.points(place))
        found.append(priced)
        spent += own.size * deals.lineup.rotations * (len(priced.played) - 1)
        advance(own.size * _PLAYS, item.name)
    return Context(_name(deals.game.facts, deals.combinations), tuple(found), spent)


def _searched(deals: Deals, catalog: Catalog, item: Item, place: int, own: Numbers, printed: Ratio) -> Priced:
    game, facts = deals.game, deals.game.facts
    assert item.cost is not None
    numbers = adjustable(game).numbers(catalog, facts.item, str(item.id))
    highest = next(number.high for number in numbers if number.path == facts.item_columns.cost)

    def at(cost: int) -> Interval:
        if cost == item.cost:
            return _value(printed)
        repriced = _repriced(game, catalog, {item.id: cost})
        return _value(deals.dealt(repriced, [place], own).points())

    found, played = search(at, item.cost, min(HIGHEST, highest))
    p = min(1.0, 2 * min(float(printed.above(1.0)), float(printed.below(1.0))))
    return Priced(item, int(printed.den), _value(printed), p, 1.0, found, tuple(sorted(played.items())))


def _corrected(contexts: Sequence[Context]) -> list[Context]:
    adjusted = iter(benjamini_yekutieli([one.p for context in contexts for one in context.priced]))
    return [
        replace(context, priced=tuple(replace(one, adjusted=next(adjusted)) for one in context.priced))
        for context in contexts
    ]


def expected_games(game: Game[Any, Any], catalog: Catalog, names: Sequence[str], deals: int) -> int:
    """Return about how many games will be played, for a progress line."""
    facts = game.facts
    items = len(names) or len(items_of(game, catalog))
    return (2 if facts.variants_at_once else 1) * (3 * deals + items * _PLAYS * deals // 5)


def _value(points: Ratio) -> Interval:
    return Interval(*(end - 1 for end in points.interval))


def _proposed(
    context: Context,
    deals: Deals,
    catalogs: tuple[Catalog, Catalog],
    items: Sequence[Item],
    proposal: Mapping[int, int],
    advance: Advance,
) -> Context:
    """Measure the values of items with a proposed cost on fresh deals, as printed and as proposed."""
    played = []
    for catalog in catalogs:
        played.append(deals.dealt(catalog, range(len(items))))
        advance(deals.count, "fresh games")
    fresh = tuple(
        Fresh(item, proposal[item.id], *(_value(found.points(place)) for found in played))
        for place, item in enumerate(items)
        if item.id in proposal and played[0].seats[:, place].any()
    )
    return replace(context, fresh=fresh, fresh_games=deals.games)
