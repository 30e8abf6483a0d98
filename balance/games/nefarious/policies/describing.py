"""The features of the rules in force and of cards, for learned players.

They are described by what the compiled record says, never by ids or names of twists and cards: equal rules in
force give equal play.
"""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from balance.games.nefarious import vocabulary as v
from balance.games.nefarious.kernel import codes as c
from balance.games.nefarious.policies.features import FACE, PER_ROOM, QUANTITY_ROOM, WHATS

Floats = npt.NDArray[np.float32]
# What a count of a line is taken to be, where only the table could say it.
_TYPICAL: Final = 3.0


def card_faces(rules: Any) -> Floats:
    """Return the face of every card of a rules record, and its plain worth."""
    r = rules[0]
    n = int(r["n_cards"])
    cost, vp, per = (r[name][:n].astype(np.float64) for name in ("cost", "vp", "vp_per_built"))
    own, others = _effects(r, r["own_lines"][: n + 1]), _effects(r, r["others_lines"][: n + 1])
    plain = np.diff(r["own_lines"][: n + 1]) + np.diff(r["others_lines"][: n + 1]) == 0
    worths = np.array([0.6, 0.3, 0.7])  # of a card, a coin, a minion
    worth = vp + 4.0 * per - 0.3 * cost + (own * worths).sum(1) - 0.5 * (others * worths).sum(1)
    scales = np.array([0.5, 0.2, 1.0])
    faces = np.zeros((v.MOST_CARDS, len(FACE) + 1), np.float32)
    faces[:n] = np.column_stack([cost / 10, vp / 6, per, own * scales, others * scales, plain, worth])
    return faces


def _effects(r: Any, starts: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return how many cards, how much money and how many minions the lines of each card bring, about."""
    lines = r["lines"][starts[0] : starts[-1]]
    card = np.repeat(np.arange(starts.size - 1), np.diff(starts))
    amount = np.where(lines["everything"] != 0, _TYPICAL, lines["amount"])
    amount = amount * np.where(lines["per"] == c.PER_NOTHING, 1.0, _TYPICAL) * float(r["effect_repeats"])
    amount = np.where(lines["op"] == c.PLUS, amount, -amount)
    sums = np.zeros((starts.size - 1, 3))
    for column, what in enumerate((c.CARD, c.MONEY, c.MINION)):
        np.add.at(sums[:, column], card, np.where(lines["what"] == what, amount, 0.0))
    return sums


def describe_rules(rules: Any) -> Floats:
    """Return the features of the rules in force, from the compiled record alone."""
    r = rules[0]
    players = int(r["players"])
    n = int(r["n_cards"])
    values: list[float] = [float(players == count) for count in range(2, v.MOST_PLAYERS + 1)]
    values += [
        float(np.mean(r["start_money"][:players])) / 10,
        float(np.mean(r["opening_cards"][:players])) / 5,
        float(r["goal"]) / 20 - 1,
        float(r["minions"]) / 5 - 1,
        float(r["actions"]) - 1,
        float(r["action_repeats"]) - 1,
        float(r["effect_repeats"]) - 1,
        float(r["effect_repeats"] == 0),
        float(r["work_money"]) / 4 - 1,
        float(r["research_money"]) / 2 - 1,
        float(r["research_cards"]) - 1,
        *(float(price) / 2 for price in r["price"]),
        float(r["deck_rule"]),
        *(float(r["barred"] >> action & 1) for action in range(c.ACTION_COUNT)),
        float(r["rest"]),
        float(r["echo"]),
        *(float(r["hand_counts"] == per) for per in (c.PER_HAND, c.PER_MINION, c.PER_BUILT)),
        float(n) / 64,
    ]
    faces = r["face"][:n]
    values += [float(value) for value in faces.mean(axis=0)] if n else [0.0] * (len(FACE) + 1)
    values += [*_line_features(r)]
    return np.array(values, np.float32)


def _line_features(r: Any) -> Floats:
    """Sum what the lines of all moments say: what they move when, whom, per what and on what condition."""
    moments = len(c.MOMENTS)
    moves = np.zeros((moments, WHATS, 2))  # signed amount; of lines for the others
    shape = np.zeros((moments, 3))  # conditions, per, all or x
    pers = np.zeros((PER_ROOM, WHATS))
    # at least, at most, equal or not, most, fewest, the number compared with; of others likewise
    conditions = np.zeros((2, QUANTITY_ROOM, 6))
    played = np.zeros((2, c.ACTION_COUNT, 2))
    whose = np.zeros((len(c.WHOSE), 2))
    zones = np.zeros(c.ACTION_COUNT + 3)
    for moment in range(moments):
        for index in range(int(r["first"][moment]), int(r["last"][moment])):
            line = r["lines"][index]
            what = int(line["what"])
            amount = 5.0 if line["everything"] else float(line["amount"])
            signed = (-amount if line["op"] == c.MINUS else amount) / 3
            moves[moment, what, int(line["who"] == c.OTHERS)] += signed
            shape[moment] += [
                float(line["n_conditions"]),
                float(line["per"] != c.PER_NOTHING),
                float(bool(line["everything"]) or line["op"] == c.TIMES),
            ]
            if line["per"] != c.PER_NOTHING:
                pers[int(line["per"]) % PER_ROOM, what] += signed / max(1.0, float(line["per_n"]))
            asked = [*range(int(line["n_conditions"]))]
            if line["per"] >= c.PER_NEIGHBOUR:
                asked.append(v.MOST_CONDITIONS)
            for i in asked:
                _count_condition(conditions, played, line, i)
                whose[int(line["whose"][i]), int(line["nobody"][i])] += line["whose"][i] != c.OWN_NOW
            if line["zone"] != c.ANY_ZONE:
                zones[int(line["zone"])] += signed
                zones[-2] += float(line["off"])
            zones[-1] += float(line["or_else"] >= 0)
    parts = (moves, shape, pers, conditions, played, whose, zones)
    return np.concatenate([part.ravel() for part in parts]).astype(np.float32)


def _count_condition(conditions: Any, played: Any, line: Any, i: int) -> None:
    """Count a condition by what it compares and how; one that must hold for nobody counts as its contrary."""
    left, how, right = int(line["left"][i]), int(line["comparison"][i]), int(line["right"][i])
    of_others = int(line["whose"][i] >= c.NEIGHBOUR)
    sign = -1.0 if line["nobody"][i] else 1.0
    if left == c.Q_PLAYED:
        played[of_others, right, int(how != c.EQUAL)] += sign
        return
    table = conditions[of_others]
    if how >= c.MOST:
        sole = 1.5 if how in (c.SOLE_MOST, c.SOLE_FEWEST) else 1.0
        table[left % QUANTITY_ROOM, 3 if how in (c.MOST, c.SOLE_MOST) else 4] += sole if right else -sole
        return
    column = 0 if how in (c.AT_LEAST, c.MORE) else 1 if how in (c.AT_MOST, c.LESS) else 2
    sign = -sign if how == c.NOT_EQUAL else sign
    table[left % QUANTITY_ROOM, column] += sign
    if line["right_is_quantity"][i]:
        table[right % QUANTITY_ROOM, column] -= sign
    else:
        table[left % QUANTITY_ROOM, 5] += (right + (how == c.MORE) - (how == c.LESS)) / 5
