"""The facts of Nefarious that play may depend on; `game` adds those that only describe it."""

from typing import Final

from balance.games.facts import Facts
from balance.games.nefarious import vocabulary as v
from balance.games.nefarious.policies.names import FIELD, POLICIES
from balance.games.nefarious.tables import TABLES

PLAYERS: Final = (2, v.MOST_PLAYERS)

FACTS: Final = Facts(
    title="Nefarious",
    players=PLAYERS,
    editions=("ascora-2011", "magellan-2014", "mosigra-2020"),
    default_edition="ascora-2011",
    variant="twist",
    variants="twists",
    variants_at_once=v.MOST_TWISTS,
    variants_ordered=True,
    item="invention",
    items="inventions",
    actions=v.ACTIONS,
    policies=tuple(POLICIES),
    field=FIELD,
    default_lineup="mirror:learned",
    round_limit=v.ROUND_LIMIT,
    tables=TABLES,
)
