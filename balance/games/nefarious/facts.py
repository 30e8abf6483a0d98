"""What Nefarious is, before it is played."""

from typing import Final

from balance.games.facts import Facts, Holdings, ItemColumns, Measures, Strength, SweepTable
from balance.games.nefarious import vocabulary as v
from balance.games.nefarious.policies.names import FIELD, POLICIES, SEARCH
from balance.games.nefarious.tables import TABLES

PLAYERS: Final = (2, v.MOST_PLAYERS)
_STYLES: Final = "one:field+skilled+casual,learned"

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
    default_sweep=(
        SweepTable("mirror:learned"),
        SweepTable("one:learned,casual", 0.04),  # skill
        SweepTable(_STYLES, 0.1),  # whether one style or rung wins far too much
        SweepTable("drawn:learned,skilled,casual", 0.16, replicates=2),  # luck
    ),
    fixed_games="3fc069ae7128d768",
    measures=Measures(
        lead_changes="lead_changes",
        extension="rounds_after_goal",
        exhausted="deck_exhausted",
        half_score="vp_half",
        money="money",
        hand="hand",
        chosen=tuple(f"chose_{action}" for action in v.ACTIONS),
        acted="actions",
    ),
    item_columns=ItemColumns(
        paid="paid",
        cost="cost",
        score="vp",
    ),
    strengths=(
        Strength("mirror:random", "random play"),
        Strength("field", "casual play"),
        Strength("one:learned,casual", "one skilled player among casual ones"),
        Strength(_STYLES, "one style or rung among skilled players"),
        Strength("drawn:learned,skilled,casual", "players of different strength"),
        Strength("mirror:learned", "skilled play"),
        Strength(f"mirror:{SEARCH}:", "expert play", learned=False),
    ),
    expert_lineup=f"mirror:{SEARCH}:20",
    seats_alike=True,
    doubtful=("contested", "one"),
    holdings=Holdings("cards", (("opening", ("opening_0", "opening_1")), ("drawn", ("drawn_0", "drawn_1")))),
)
