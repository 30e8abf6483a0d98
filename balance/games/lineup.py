"""Lineups as users write them, turned into the number of a policy for each seat of each game.

`mirror:P` seats the same policy everywhere; a list (`random,random,thrifty`) names one policy per seat and is
rotated from replicate to replicate of a deal, so that each sits everywhere equally often; `one:A,B` is the
list of one A and B at all other seats, at any number of players, and in `one:A+C,B` the one is A or C, in
turns from deal to deal (`one:field+C,B`: one of the game's field, or C); in `drawn:A,B` every seat draws one
of these, in `field` one of the game's field.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from balance.errors import UsageError
from balance.games.randomness import FOR_LINEUP, hashed, pick

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from balance.games.contract import Game

    Numbers = npt.NDArray[np.int64]

FORMS: Final = (
    "mirror:POLICY, one:POLICY,OTHERS, drawn:POLICY,POLICY, field, or one policy per seat separated by commas"
)
_MIRROR: Final = "mirror"
_ONE: Final = "one"
_DRAWN: Final = "drawn"
_FIELD: Final = "field"
_OR: Final = "+"


@dataclass(frozen=True, slots=True)
class Lineup:
    """The policy of every seat in every game of a cell."""

    text: str
    """As a user would write it, normalised: equal for equal lineups."""
    players: int
    policies: tuple[str, ...]
    """One per seat as in replicate 0, or those that the seats draw from."""
    numbers: tuple[int, ...]
    """The numbers of `policies`."""
    drawn: bool = False
    """Whether every seat draws its policy."""
    guests: int = 0
    """How many of `policies`, from the first on, take turns in the first seat; the rest sit elsewhere."""

    @property
    def mixed(self) -> bool:
        """Whether different policies meet."""
        return len(set(self.numbers)) > 1

    @property
    def rotations(self) -> int:
        """How many games share one deal so that every policy sits everywhere: all of them, or one."""
        return self.players if not self.drawn and self.mixed else 1

    def seated(
        self, seed: int, indices: "Sequence[int] | Numbers", replicates: "Sequence[int] | Numbers | int" = 0
    ) -> "Numbers":
        """Return the numbers of the policies, a row per game and a column per seat."""
        import numpy as np

        return np.array(self.numbers, np.int64)[self._places(seed, indices, replicates)]

    def names(self, seed: int, game_index: int, replicate: int = 0) -> tuple[str, ...]:
        """Return the policy of each seat of one game."""
        return tuple(self.policies[place] for place in self._places(seed, [game_index], replicate)[0])

    def _places(
        self, seed: int, indices: "Sequence[int] | Numbers", replicates: "Sequence[int] | Numbers | int"
    ) -> "Numbers":
        """Return the places in `policies`, a row per game and a column per seat."""
        import numpy as np

        games = np.asarray(indices, np.int64)[:, None]
        again = np.broadcast_to(np.asarray(replicates, np.int64), games.shape[:1])[:, None]
        seats = np.arange(self.players)
        if self.drawn:
            keys = hashed(seed, self.players, games, FOR_LINEUP, again, seats)
            return pick(keys, len(self.policies))
        places = np.asarray((seats + again) % self.players)
        if self.guests:
            places = np.where(places == 0, games % self.guests, places + self.guests - 1)
        return places


def parse_lineup(text: str, players: int, game: "Game[Any, Any]") -> Lineup:
    """Return the lineup that a user wrote; UsageError says what is wrong and what would be right."""
    head, _, rest = text.strip().partition(":")
    if text.strip() == _FIELD:
        if not game.facts.field:
            raise UsageError(f"{game.facts.title} has no field of policies; a lineup is {FORMS}")
        return drawn_lineup(game.facts.field, players, game, _FIELD)
    if head == _DRAWN:
        numbers = [_number(name, game) for name in rest.split(",")]
        drawn = [game.policy_name(number) for number in dict.fromkeys(numbers)]
        return drawn_lineup(drawn, players, game, f"{_DRAWN}:{','.join(drawn)}")
    written = [rest] * players if head == _MIRROR else text.split(",")
    if head == _ONE:
        both = rest.split(",")
        if len(both) != 2:
            raise UsageError(f"the lineup '{text}': one:A,B seats one A among B (a lineup is {FORMS})")
        if both[0].strip() == _FIELD or _OR in both[0]:
            return _guest(both[0], both[1], players, game)
        written = [both[0], *both[1:] * (players - 1)]
    numbers = [_number(name, game) for name in written]
    if len(numbers) != players:
        raise UsageError(f"the lineup '{text}' seats {len(numbers)}, but {players} play")
    names = [game.policy_name(number) for number in numbers]
    same = len(set(numbers)) == 1
    normal = f"{_MIRROR}:{names[0]}" if same else ",".join(names)
    if head == _ONE and not same:
        normal = f"{_ONE}:{names[0]},{names[1]}"
    return Lineup(normal, players, tuple(names), tuple(numbers))


def _guest(guests: str, others: str, players: int, game: "Game[Any, Any]") -> Lineup:
    """Return the lineup of one of several policies among others, which changes from deal to deal."""
    written = [name.strip() for name in guests.split(_OR)]
    if _FIELD in written and not game.facts.field:
        raise UsageError(f"{game.facts.title} has no field of policies; a lineup is {FORMS}")
    named = [name for one in written for name in (game.facts.field if one == _FIELD else (one,))]
    drawn = list(dict.fromkeys(_number(name, game) for name in named))
    numbers = [*drawn, *[_number(others, game)] * (players - 1)]
    names = tuple(game.policy_name(number) for number in numbers)
    text = f"{_ONE}:{_OR.join(written)},{names[-1]}"
    return Lineup(text, players, names, tuple(numbers), guests=len(drawn))


def drawn_lineup(policies: Sequence[str], players: int, game: "Game[Any, Any]", text: str) -> Lineup:
    """Return the lineup in which every seat draws one of these policies from its own stream."""
    numbers = [game.policy_number(name) for name in policies]
    names = tuple(game.policy_name(number) for number in numbers)
    return Lineup(text, players, names, tuple(numbers), drawn=True)


def _number(name: str, game: "Game[Any, Any]") -> int:
    try:
        return game.policy_number(name.strip())
    except UsageError as error:
        raise UsageError(f"{error} (a lineup is {FORMS})") from None


def replicated(deals: "Numbers", times: int) -> "tuple[Numbers, Numbers]":
    """Return the game index and the replicate of each game when every deal is played `times` times.

    >>> import numpy as np
    >>> [numbers.tolist() for numbers in replicated(np.array([4, 9]), 3)]
    [[4, 4, 4, 9, 9, 9], [0, 1, 2, 0, 1, 2]]
    """
    import numpy as np

    return np.repeat(deals, times), np.tile(np.arange(times, dtype=np.int64), deals.size)


def check_seated(policies: "Numbers", games: int, players: int, policy_name: Callable[[int], str]) -> None:
    """Refuse numbers of policies that leave a seat empty, or that no policy has.

    >>> import numpy as np
    >>> check_seated(np.zeros((1, 1), np.int64), 1, 2, str)
    Traceback (most recent call last):
    balance.errors.UsageError: policies for 1 games of 1 players given, but 1 games of 2 players are played
    """
    import numpy as np

    if policies.ndim != 2 or not np.issubdtype(policies.dtype, np.integer):
        raise UsageError("policies are whole numbers, a row per game and a column per seat")
    if policies.shape != (games, players):
        given = f"policies for {policies.shape[0]} games of {policies.shape[1]} players given"
        raise UsageError(f"{given}, but {games} games of {players} players are played")
    for number in np.unique(policies):
        policy_name(int(number))
