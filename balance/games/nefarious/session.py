"""One game, played decision by decision from Python: for replays, tests and players outside the kernel."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from balance.errors import UsageError
from balance.games.compiled.log import LOG, MOST_WORDS
from balance.games.nefarious import vocabulary as v
from balance.games.nefarious.kernel import batch
from balance.games.nefarious.kernel import codes as c
from balance.games.nefarious.kernel.round import play_round_apart
from balance.games.nefarious.kernel.search import BOARD
from balance.games.nefarious.kernel.state import ASKS, DECIDERS, MOST_ANSWERS, STATE
from balance.games.nefarious.player import let_think
from balance.games.nefarious.policies.names import FIRST_SEARCH, policy_number
from balance.games.nefarious.rules import Cell, RecordArray


@dataclass(frozen=True, slots=True)
class Question:
    """A decision that a seat must take: one of `options`.

    Options are tuples of action words (`choose`), zone words (`place`, `remove`) or card ids.
    """

    seat: int
    kind: str
    options: tuple[Any, ...]


class Session:
    """One game, played decision by decision; can be copied while a question is open.

    `states` holds the game as the present round began; `deciders` the answers given since.
    """

    def __init__(
        self, cell: Cell, seed: int, game_index: int, replicate: int = 0, *, log: bool = False
    ) -> None:
        self.cell = cell
        self.seed, self.game_index, self.replicate = seed, game_index, replicate
        self.states = np.zeros(1, STATE)
        self.deciders = np.zeros(1, DECIDERS)
        self.deciders["policy"] = ASKS
        self.deciders["behind"] = ASKS
        self.deciders["stand_in"] = ASKS
        self.log = np.zeros(1, LOG)
        self.log["on"] = log
        batch.begin_game(cell.rules, np.uint64(seed), game_index, replicate, self.states)
        self.opening_deck = self._ids(self.states[0]["deck"][: len(cell.cards)])
        batch.deal_hands(cell.rules, self.states, self.log)
        self.over = False

    def copy(self) -> "Session":
        """Return a second game in the same situation; its log goes on from here."""
        twin = object.__new__(Session)
        twin.__dict__ |= self.__dict__
        twin.states, twin.deciders, twin.log = self.states.copy(), self.deciders.copy(), self.log.copy()
        return twin

    def advance(self) -> Question | None:
        """Play on to the next question; None when the game is over."""
        while not self.over:
            question = self.advance_round()
            if question is not None:
                return question
        return None

    def advance_round(self) -> Question | None:
        """Advance, but stop at the end of a round too (None; `over` is true if the game ended)."""
        trial, begun = self.states.copy(), int(self.log[0]["at"])
        over = batch.play_one_round(self.cell.rules, trial, self.deciders, self.log)
        if self.deciders[0]["overflow"]:
            raise OverflowError(f"a round with more than {MOST_ANSWERS} decisions")
        if self.deciders[0]["open"]:
            self.log[0]["at"] = begun
            return self.question()
        self.states, self.over = trial, bool(over)
        self.deciders[0]["n_tape"] = 0
        return None

    @property
    def state(self) -> Any:
        """The record itself (kernel/state.py), as the round began."""
        return self.states[0]

    @property
    def table(self) -> Any:
        """What everybody sees, as the round began."""
        return self.states[0]["table"]

    def question(self) -> Question:
        """Return the open question in the game's words."""
        p = self.deciders[0]
        kind = c.DECISIONS[p["kind"]]
        options = tuple(self._word(kind, int(option)) for option in p["options"][: p["n_options"]])
        return Question(int(p["seat"]), kind, options)

    def answer(self, option: Any) -> None:
        """Answer the open question with one of its options."""
        question = self.question()
        if option not in question.options:
            raise UsageError(
                f"seat {question.seat} cannot {question.kind} {option!r}; possible: {list(question.options)}"
            )
        p = self.deciders[0]
        if p["n_tape"] == MOST_ANSWERS:
            raise OverflowError(f"a round with more than {MOST_ANSWERS} decisions")
        p["tape"][p["n_tape"]] = p["options"][question.options.index(option)]
        p["n_tape"] += 1

    def answer_by(self, policies: npt.NDArray[np.int64]) -> None:
        """Let the kernel's policy of the seat answer, when the game is played on."""
        p = self.deciders[0]
        policy = int(policies[p["seat"]])
        let_think(self.cell, self.deciders, policies)
        if policy > FIRST_SEARCH:
            room = self._room_to_search()
            p["tape"][p["n_tape"]] = batch.search_answer(self.cell.rules, *room, policy - FIRST_SEARCH)
            p["n_tape"] += 1
        else:
            p["stand_in"] = policy

    def _room_to_search(self) -> tuple[RecordArray, RecordArray, RecordArray]:
        """Return copies of the game with room for imagined ones (kernel/search.py)."""
        self.deciders["rounds"] = play_round_apart()
        states, deciders = np.zeros(3, STATE), np.zeros(2, DECIDERS)
        states[0], deciders[0] = self.states[0], self.deciders[0]
        deciders[1]["networks"] = self.deciders[0]["networks"]
        return states, deciders, np.zeros(1, BOARD)

    def play_on(self, policies: npt.NDArray[np.int64]) -> None:
        """Play the rest of the game by policies; no question may be open."""
        let_think(self.cell, self.deciders, policies)
        if policies.max() < FIRST_SEARCH:  # who does not search answers without being asked
            self.deciders[0]["policy"][: self.cell.players] = policies
        while self.advance() is not None:
            self.answer_by(policies)

    def words(self) -> npt.NDArray[np.int32]:
        """Return what the log holds so far."""
        at = int(self.log[0]["at"])
        if at > MOST_WORDS:
            raise OverflowError(f"the game's log needs {at} words, more than {MOST_WORDS}")
        return np.asarray(self.log[0]["words"][:at])

    def _word(self, kind: str, option: int) -> Any:
        if kind == "choose":
            return actions_of(option)
        if kind in ("place", "remove"):
            return v.ACTIONS[option]
        return self.cell.cards[option].id

    def _ids(self, cards: Iterable[Any]) -> list[int]:
        return [self.cell.cards[int(card)].id for card in cards]


def actions_of(mask: int) -> tuple[str, ...]:
    """Return the actions of a mask, in number order."""
    return tuple(action for bit, action in enumerate(v.ACTIONS) if mask >> bit & 1)


def policy_codes(names: Sequence[str]) -> npt.NDArray[np.int64]:
    """Return the kernel's numbers of policies."""
    return np.array([policy_number(name) for name in names], np.int64)
