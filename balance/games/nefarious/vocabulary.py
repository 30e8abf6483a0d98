"""The one effect language: the words in which inventions and twists are written.

Everything a card or a twist may say is listed here with its meaning and limits; docs/catalog.md explains each
word with an example. Must stay out of here: the names of cards and twists, how a text is read
(`catalog.phrases`), and how a word is played (that is the kernel's).
"""

from dataclasses import dataclass
from typing import Final

ACTIONS: Final = ("speculate", "invent", "research", "work")
CONFIDENCES: Final[dict[str, str]] = {
    "official": "fixed by a printed rule, note or example",
    "two": "two independent transcriptions agree, and nothing printed contradicts them",
    "one+": "one transcription, consistent with a printed note or a review",
    "one": "one transcription only",
    "inferred": "only a printed note is known; the effect is deduced from it",
    "contested": "transcriptions differ; the likelier reading is played, the others are kept as alternatives",
    "own": "made by a designer, not printed",
}
NAME_SOURCES: Final[dict[str, str]] = {
    "attested": "the English name is printed",
    "translated": "no English name is known; the Russian one was translated",
    "own": "a designer's name",
}
DECK_RULES: Final = ("all-or-nothing", "reshuffle")
ROUND_LIMIT: Final = 200
ROUNDS_EVERY: Final = 10  # every tenth game index keeps its rounds
MOST_CARDS: Final = 128
MOST_PLAYERS: Final = 6
MOST_TWISTS: Final = 2
MOST_MONEY: Final = 1_000_000  # what a player can hold; more is not taken
MOST_EFFECTS: Final = 4  # of one invention for the builder, and as many for the others
MOST_TWIST_LINES: Final = 12
MOST_CONDITIONS: Final = 4
MOST_READINGS: Final = 8
LONGEST_PHRASE: Final = 80  # of an effect or a condition

AMOUNT_RANGE: Final = (1, 20)
COST_RANGE: Final = (0, 99)
VP_RANGE: Final = (-20, 99)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A number of the basic rules that an edition gives or a twist changes."""

    basic: int
    low: int
    high: int
    meaning: str


PARAMETERS: Final[dict[str, Parameter]] = {
    "start_money": Parameter(10, 0, 99, "money of each player at the start"),
    "opening_cards": Parameter(3, 0, 20, "cards dealt to each player at the start"),
    "goal": Parameter(20, 1, 999, "VP that a sole leader needs to win"),
    "minions": Parameter(5, 1, 9, "minions each player owns"),
    "actions": Parameter(1, 1, 4, "different actions each player chooses per round"),
    "action_repeats": Parameter(1, 1, 4, "how often each action step is done in full"),
    "effect_repeats": Parameter(1, 0, 4, "how often the list of lines of an invention is resolved"),
    "work_money": Parameter(4, 0, 20, "money that Work pays"),
    "research_money": Parameter(2, 0, 20, "money that Research pays"),
    "research_cards": Parameter(1, 0, 10, "cards that Research draws"),
    "cost_change": Parameter(0, -20, 20, "added to the cost of every invention, never below 0"),
    "cost_divisor": Parameter(1, 1, 10, "the cost of every invention is divided by this, rounded up"),
    "price_speculate": Parameter(0, 0, 20, "price of placing a minion on Speculate"),
    "price_invent": Parameter(2, 0, 20, "price of placing a minion on Invent"),
    "price_research": Parameter(1, 0, 20, "price of placing a minion on Research"),
    "price_work": Parameter(1, 0, 20, "price of placing a minion on Work"),
}

# How a twist may change a parameter. Over the twists in force: every `set` in the order of the
# twists, then every `add`, then every `multiply`; the result is held within the parameter's range.
CHANGES: Final = ("set", "add", "multiply")

WHATS: Final[dict[str, str]] = {
    "card": "+ draws from the deck, - discards from the hand",
    "money": "+ gains, - loses, never below 0",
    "minion": "+ places from the reserve, free; - takes back to the reserve",
    "income": "only at the moment income: + adds to what minions earn this round, x multiplies it",
    "vp": "only at the moment score: added to the score while the condition holds",
    "commit": "+ lays a card of the hand aside, face down: it is the next one to be built",
}

STEPS: Final = ("income", "speculate", "research", "work")

MOMENTS: Final[dict[str, str]] = {
    "start": "R0, the start of the round; every player",
    "before": "directly before a step (parameter: the step); every player, for an action who will do it",
    "income": "R3, while income is counted; every player",
    "after": "directly after a step (parameter: the step); every player, for an action those who did it",
    "place": "whenever a minion was placed, in any way; the player who placed it",
    "build": "R5, after paying and before any effect; the builder",
    "invention": "a last line of every invention; resolved like a printed one",
    "end": "R8, the end of the round; every player",
    "score": "R9, while scores are counted; every player",
}

WHOM: Final[dict[str, str]] = {
    "self": "the player whom the moment concerns",
    "others": "every other player",
}

PERS: Final[dict[str, str]] = {
    "hand": "card in the own hand",
    "minion": "own minion on zones",
    "built": "own built invention",
    "money/N": "full N money held",
    "money%N": "money held beyond a multiple of N",
    "discarded": "card that an earlier line of this twist made the player discard now",
    "played-minion": "own minion on the zone of an own revealed action",
    "led-zone": "own revealed action on whose zone the player has more minions than each other player",
    "shared-action": "other player with the same revealed action, counted for each shared action",
    "zone-crowd": "minion of all players that stood on the zone of this placement as the round began",
    "board-crowd": "minion of all players on all zones",
    "neighbour": "player who sits on the left or the right, or each of them for whom a test holds",
    "other": "other player, or each of them for whom a test holds",
    "player": "player, the own seat included, or each of them for whom a test holds",
}

QUANTITIES: Final[dict[str, str]] = {
    "money": "money held",
    "hand": "cards in hand, a committed one included",
    "built": "own built inventions",
    "built_now": "own inventions built this round",
    "minions": "own minions on zones",
    "reserve": "own minions in reserve",
    "committed": "own committed cards (0 or 1)",
    "vp": "VP of the own built inventions, growing ones as they are now, without what twists add",
    "round": "number of the round",
    "card_vp": "VP of the invention just built (moment build only)",
    "earlier_vp": "highest VP among the own inventions built earlier (moment build only); below all if none",
}
COMPARISONS: Final = ("==", "!=", "<=", ">=", "<", ">")

# What looks at others. It sees what everybody at the table can count, as it was before the first line of the
# moment: else the result would depend on the order of seats.
PUBLIC: Final = ("money", "hand", "built", "built_now", "minions", "reserve", "committed", "vp")
WHOSE: Final[dict[str, str]] = {
    "neighbour": "a player who sits on the left or the right; a lone opponent is one neighbour",
    "other": "any other player",
    "player": "any player, the own seat included",
}
EXTREMES: Final[dict[str, str]] = {
    "most": "nobody has more; of several with as much, all",
    "fewest": "nobody has less; of several with as little, all",
    "sole most": "everybody else has less; of several with as much, nobody",
    "sole fewest": "everybody else has more; of several with as little, nobody",
}


@dataclass(frozen=True, slots=True)
class Switch:
    """A structural rule that no line can say, with the reason why."""

    meaning: str
    reason: str
    example: object


SWITCHES: Final[dict[str, Switch]] = {
    "bars": Switch(
        "the actions listed cannot be chosen by anybody",
        "a line moves money, cards and minions; this takes away options before anything moves",
        ["work"],
    ),
    "rest": Switch(
        "an action cannot be chosen again by the same player during the next N rounds",
        "it takes away options, depending on what was chosen in earlier rounds",
        1,
    ),
    "echo": Switch(
        "an invention without any effect line takes the printed lines of the own invention built N before it",
        "it decides which lines there are; a line cannot stand for the lines of another card",
        1,
    ),
    "per_hand_counts": Switch(
        "every `per hand` of an invention counts this instead",
        "it changes the meaning of a word in the lines of other cards",
        "built",
    ),
}
REST_RANGE: Final = (1, 3)
ECHO_RANGE: Final = (1, 9)
HAND_SUBSTITUTES: Final = ("minion", "built")


@dataclass(frozen=True, slots=True)
class Condition:
    """What must hold of a player: a comparison, a revealed action, a rank at the table; or of somebody else.

    `built == 0`, `played research`, `most money`, `neighbour vp > my vp`, `not other played work`.
    """

    left: str
    """A quantity, or `played`."""
    op: str
    """A comparison, or one of EXTREMES."""
    right: int | str
    """A number or a quantity; the action after `played`; empty for an extreme."""
    whose: str = ""
    """Whose state is tested (WHOSE); empty: the player's own."""
    nobody: bool = False
    """With `whose`: it must hold for none of them."""
    negated: bool = False
    """Whether the player must not be the extreme."""
    mine: bool = False
    """With `whose`: the quantity on the right is the player's own."""

    @property
    def looks(self) -> bool:
        """Whether it looks at others, and so at what the table was before the first line of the moment."""
        return bool(self.whose) or self.op in EXTREMES

    def __str__(self) -> str:
        if self.left == "played":
            text = f"{'not ' if self.op == '!=' else ''}played {self.right}"
        elif self.op in EXTREMES:
            text = f"{'not ' if self.negated else ''}{self.op} {self.left}"
        else:
            text = f"{self.left} {self.op} {'my ' if self.mine else ''}{self.right}"
        return f"{'not ' if self.nobody else ''}{self.whose} {text}" if self.whose else text


@dataclass(frozen=True, slots=True)
class Effect:
    """What happens to one player: `+1 card per built`, `-all money`, `+1 minion on played`."""

    op: str
    """`+`, `-` or `x`."""
    amount: int
    """How many; 0 with `everything`."""
    what: str
    everything: bool = False
    per: str | None = None
    per_n: int = 1
    """N of `money/N` and `money%N`."""
    zone: str | None = None
    """None: any zone of the player's choice; an action; or `played` (each zone of an own revealed action)."""
    off: bool = False
    """With a zone: every zone but that."""
    test: Condition | None = None
    """With `per` neighbour, other or player: which of them count; None: all."""

    def __str__(self) -> str:
        text = f"{self.op}{'all' if self.everything else self.amount} {self.what}"
        if self.per:
            text += f" per {self.per.replace('N', str(self.per_n))}"
        if self.test:
            text += f" with {self.test}"
        if self.zone:
            text += f" {'off' if self.off else 'on'} {self.zone}"
        return text


@dataclass(frozen=True, slots=True)
class Line:
    """A rule of a twist: when, if, whom, and the effect."""

    when: str
    effect: Effect
    step: str | None = None
    """The step of the moments `before` and `after`."""
    who: str = "self"
    conditions: tuple[Condition, ...] = ()
    first: bool = False
    """Acts before every line of the same moment that is not `first`, whatever the order of the twists."""
    or_else: Effect | None = None
    """Moment build only: if the effect is not possible in full, the card returns unpaid and this happens."""
    editions: tuple[str, ...] = ()
    """The editions in which the line is in force; empty: all."""

    @property
    def moment(self) -> str:
        """The moment as written: `start`, `before income`."""
        return f"{self.when} {self.step}" if self.step else self.when
