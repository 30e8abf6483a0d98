"""Every ready query against plain Python over the rows of a small real run: no SQL, no views.

A function `answer_...` gets all rows and the arguments, and returns the rows of the answer. Each query is
asked without its options and with all of them.
"""

import math
import re
from collections import Counter, defaultdict
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

import balance
from balance.dataset.saved_queries import questions
from balance.games import registered
from balance.stats.arithmetic import student, wilson
from balance.stats.intervals import Z
from balance.stats.ratio import Multiple, Ratio
from tests.asking import ask
from tests.games.tiny import GAME
from tests.sums import common_of

ACTIONS = ("speculate", "invent", "research", "work")
QUESTIONS = questions()

# --- the rows, and what an argument leaves of them


class Rows:
    """The rows of a run as objects, with what a row of another table says about them."""

    def __init__(self, run):
        self.names = {
            kind: dict(run.small(kind).select("id", "name").rows()) for kind in ("twists", "inventions")
        }
        self.cards = {row["id"]: row for row in run.small("inventions").iter_rows(named=True)}
        self.games = [SimpleNamespace(**row) for row in run.games.collect().iter_rows(named=True)]
        by_id = {game.game_id: game for game in self.games}
        self.seats = self._of(run.seats, by_id)
        self.builds = self._of(run.scan("builds"), by_id)
        self.rounds = self._of(run.scan("rounds"), by_id)
        self.order = dict(run.small("policies").select("policy", "number").rows())
        self.halves = defaultdict(dict)
        self.combinations = {tuple(sorted(cell.variants)) for cell in run.plan.cells}
        for seat in self.seats:
            self.halves[seat.game_id][seat.seat] = seat.vp_half
            seat.points = 1 if seat.game.stalled else seat.game.players * seat.won
        for build in self.builds:
            won = build.seat == build.game.winner_seat
            build.points = 1 if build.game.stalled else build.game.players * won

    @staticmethod
    def _of(lazy, games):
        return [
            SimpleNamespace(**row, game=games[row["game_id"]]) for row in lazy.collect().iter_rows(named=True)
        ]


def left(rows, given):
    """Return the rows that are left by the arguments every query understands alike."""

    def stays(row):
        game = getattr(row, "game", row)
        return (
            game.players == given.get("players", game.players)
            and str(game.players) == given.get("counts", str(game.players))
            and game.lineup == given.get("lineup", game.lineup)
            and ("twist" not in given or given["twist"] in (game.pair_a, game.pair_b))
            and (not hasattr(row, "policy") or row.policy == given.get("policy", row.policy))
            and row.__dict__.get("round", 0) <= given.get("last", 10**6)
        )

    return [row for row in rows if stays(row)]


def grouped(rows, *keys):
    """Group rows by columns of their own or of their game; sorted."""
    found = defaultdict(list)
    for row in rows:
        game = getattr(row, "game", row)
        found[tuple(getattr(row if hasattr(row, key) else game, key) for key in keys)].append(row)
    return sorted(found.items())


def by_twist(rows, given):
    """Return (lineup, twist) and the games, or rows of games, in which it is in force."""
    found = defaultdict(list)
    for row in rows:
        game = getattr(row, "game", row)
        if given.get("alone") and game.pair_b:
            continue
        for twist in {game.pair_a, game.pair_b} - {None}:
            found[game.lineup, twist].append(row)
    return sorted(found.items())


def paired(rows):
    return [row for row in rows if getattr(row, "game", row).pair_b]


def plain(rows, lineup):
    """Return the rows of games without any twist."""
    games = [(row, getattr(row, "game", row)) for row in rows]
    return [row for row, game in games if game.pair_a is None and lineup in (None, game.lineup)]


# --- figures


def mean(values):
    return sum(values) / len(values) if values else None


def rank(values, percent):
    """Return the least value that at least so many percent do not exceed."""
    return sorted(values)[math.ceil(Fraction(percent * len(values), 100)) - 1]


def share_of(rows, test):
    return mean([bool(test(row)) for row in rows])


def clusters(rows, value):
    """Return for every deal the sum of values and the number of rows."""
    found = defaultdict(lambda: [0, 0])
    for row in rows:
        game = getattr(row, "game", row)
        cluster = found[game.players, game.game_index]
        cluster[0] += value(row)
        cluster[1] += 1
    return list(found.values())


def reach(rows, value):
    """Return half the width of the interval of a mean, from the residuals of the deals; None of one deal."""
    parts = clusters(rows, value)
    middle, deals = sum(total for total, _ in parts) / len(rows), len(parts)
    if deals < 2:
        return None
    spread = sum((total - middle * count) ** 2 for total, count in parts) * deals / (deals - 1)
    return float(student(deals - 1)) * math.sqrt(spread) / len(rows)


def share_interval(rows, test):
    """Return a share with its interval: Wilson's, with as many games as the deals are worth."""
    parts = clusters(rows, lambda row: int(test(row)))
    share = sum(total for total, _ in parts) / len(rows)
    variance = sum((total - share * count) ** 2 for total, count in parts) / len(rows) ** 2
    low, high = wilson(share, share * (1 - share) / variance if variance > 1e-12 else len(parts))
    return share, float(low), float(high)


def wins_of(seats):
    return {
        "deals": len(clusters(seats, lambda seat: 0)),
        "seats": len(seats),
        "wins": sum(seat.won for seat in seats),
        "stalled_seats": sum(seat.game.stalled for seat in seats),
        "points": sum(seat.points for seat in seats),
        "win_points": mean([seat.points for seat in seats]),
    }


def words(mask):
    return [action for k, action in enumerate(ACTIONS) if mask >> k & 1]


# --- wins


def ratio(rows, value, most=math.inf, count=lambda row: 1):
    """Return a ratio over deals with its interval, from the sums of the deals."""
    sums = defaultdict(lambda: [0, 0])
    for row in rows:
        game = getattr(row, "game", row)
        own = sums[game.players, game.game_index]
        own[0] += int(value(row))
        own[1] += int(count(row))
    found = Ratio.of(*np.array(list(sums.values())).T, most)
    value, low, high = found.interval
    return value, low, high, int(found.deals), int(found.den)


def among_others(rows, given):
    """Return the seats of games in which different policies meet."""
    seats = left(rows.seats, given)
    policies = defaultdict(set)
    for seat in seats:
        policies[seat.game.lineup].add(seat.policy)
    return [seat for seat in seats if len(policies[seat.game.lineup]) > 1]


def points_of(seats, most):
    names = ("win_points", "low", "high", "deals", "seats")
    return dict(zip(names, ratio(seats, lambda seat: seat.points, most), strict=True))


def answer_win_rate_by_policy(rows, given):
    for (lineup, policy), seats in grouped(among_others(rows, given), "lineup", "policy"):
        row = {"lineup": lineup, "policy": policy} | points_of(seats, math.inf)
        yield row | {"low": max(0.0, row["low"])}


def in_order(found, rows):
    """Policies in the order of the table of policies."""
    return sorted(found, key=lambda row: (row["lineup"], row.get("variant", ""), rows.order[row["policy"]]))


def answer_win_rate_by_players(rows, given):
    found = []
    for key, seats in grouped(among_others(rows, given), "lineup", "policy", "players"):
        row = dict(zip(("lineup", "policy", "players"), key, strict=True)) | points_of(seats, key[2])
        if row["deals"] < 10:
            few = points_of(seats, math.inf)
            ends = few["low"], few["high"]
            row |= (
                {"low": None, "high": None}
                if None in ends
                else {"low": max(0.0, ends[0]), "high": min(key[2], ends[1])}
            )
        found.append(row)
    return in_order(found, rows)


def answer_win_rate_by_seat(rows, given):
    for key, seats in grouped(left(rows.seats, given), "lineup", "seat", "players"):
        row = dict(zip(("lineup", "seat", "players"), key, strict=True)) | points_of(seats, key[2])
        yield {name: value for name, value in row.items() if name != "seats"} | {"games": len(seats)}


def answer_win_rate_by_variant(rows, given):
    found = []
    for (lineup, twist), seats in by_twist(among_others(rows, given), {"alone": given.get("size") == 1}):
        for (policy,), some in grouped(seats, "policy"):
            row = points_of(some, math.inf)
            head = {"lineup": lineup, "variant": twist, "policy": policy}
            found.append(head | row | {"low": max(0.0, row["low"])})
    return in_order(found, rows)


PAIR = ("lineup", "players", "pair_a", "pair_b")


def answer_win_rate_by_opening_action(rows, given):
    seats = left(rows.seats, given)
    totals = Counter(seat.game.lineup for seat in seats)
    for (lineup, mask), some in grouped(seats, "lineup", "first_action"):
        row = wins_of(some)
        del row["deals"]
        yield {
            "lineup": lineup,
            "actions": " + ".join(words(mask)),
            "share": len(some) / totals[lineup],
        } | row


# --- length


def answer_length_by_players(rows, given):
    for (lineup, players), games in grouped(left(rows.games, given), "lineup", "players"):
        rounds = [game.rounds for game in games]
        row = {"lineup": lineup, "players": players, "games": len(games)}
        row |= {"p05": rank(rounds, 5), "p50": rank(rounds, 50), "p95": rank(rounds, 95)}
        ends = ("", "_low", "_high")
        row |= dict(zip([f"mean{end}" for end in ends], ratio(games, lambda g: g.rounds)[:3], strict=True))
        yield row | dict(
            zip([f"stalled{end}" for end in ends], ratio(games, lambda g: g.stalled, 1)[:3], strict=True)
        )


def lengths_of(rows, key, games):
    """Return the lengths of a cell, against the same cell without twists."""
    rounds = sorted(game.rounds for game in games)
    half = (rounds[(len(rounds) + 1) // 2 - 1] + rounds[len(rounds) // 2]) / 2
    sums = defaultdict(lambda: [0, 0, 0, 0])
    for game in rows.games:
        if (game.lineup, game.players, game.pair_a) == (*key[:2], None):
            sums[game.game_index][2] += game.rounds
            sums[game.game_index][3] += 1
    for game in games:
        sums[game.game_index][0] += game.rounds
        sums[game.game_index][1] += 1
    x, y, u, v = np.array(list(sums.values())).T
    own, base = Ratio.of(x, y), Ratio.of(u, v)
    multiple = Multiple(own, base, common_of(x, y, u, v)).interval
    row = {"p05": float(rank(rounds, 5)), "median": half, "p95": float(rank(rounds, 95))}
    row |= dict(zip(("mean", "mean_low", "mean_high"), own.interval, strict=True))
    row |= dict(zip(("ratio", "ratio_low", "ratio_high"), multiple, strict=True))
    return row | {"stalled": float(share_of(games, lambda g: g.stalled)), "games": len(games)}


def answer_length_by_twist(rows, given):
    alone = [game for game in left(rows.games, given) if game.pair_a and not game.pair_b]
    for key, games in grouped(alone, "lineup", "players", "pair_a"):
        yield dict(zip(("lineup", "players", "twist"), key, strict=True)) | lengths_of(rows, key, games)


def answer_length_by_pair(rows, given):
    for key, games in grouped(paired(left(rows.games, given)), *PAIR):
        yield dict(zip(PAIR, key, strict=True)) | lengths_of(rows, key, games)


# --- actions and money


def shares_of(seats):
    """Return for each action its share of all choices, with the interval."""
    for action in sorted(ACTIONS):
        every = [sum(getattr(seat, f"chose_{name}") for name in ACTIONS) for seat in seats]
        counts = dict(zip(map(id, seats), every, strict=True))
        found = ratio(
            seats, lambda s, name=action: getattr(s, f"chose_{name}"), 1, lambda s, c=counts: c[id(s)]
        )
        yield {"action": action} | dict(zip(("share", "low", "high"), found[:3], strict=True))


def answer_action_mix(rows, given):
    for (lineup, players), seats in grouped(left(rows.seats, given), "lineup", "players"):
        games = len({seat.game_id for seat in seats})
        for row in shares_of(seats):
            yield {"lineup": lineup, "players": players, "games": games} | row


def answer_action_mix_by_round(rows, given):
    for (lineup, number), rounds in grouped(left(rows.rounds, {"last": 25} | given), "lineup", "round"):
        counts = Counter(action for row in rounds for action in words(row.actions))
        choices = sum(counts.values())
        if choices < given.get("least", 1):
            continue
        for action in ACTIONS:
            found = ratio(
                rounds,
                lambda row, name=action: name in words(row.actions),
                1,
                lambda row: len(words(row.actions)),
            )
            row = {"lineup": lineup, "round": number, "action": action}
            row |= dict(zip(("share", "low", "high"), found[:3], strict=True))
            yield row | {"times": counts[action], "choices": choices}


def answer_money_by_round(rows, given):
    for (lineup, number), rounds in grouped(left(rows.rounds, {"last": 20} | given), "lineup", "round"):
        money, cards, vp = ([getattr(row, name) for row in rounds] for name in ("money", "hand", "vp"))
        yield {
            "lineup": lineup,
            "round": number,
            "seats": len(rounds),
            "money": sum(money),
            "cards": sum(cards),
            "vp": sum(vp),
            "mean_money": mean(money),
            "mean_cards": mean(cards),
            "mean_vp": mean(vp),
        }


def answer_income(rows, given):
    for key, seats in grouped(left(rows.seats, given), "lineup", "players", "policy"):
        sums = {name: sum(getattr(seat, name) for seat in seats) for name in ("income", "money", "built")}
        row = dict(zip(("lineup", "players", "policy"), key, strict=True)) | {"seats": len(seats)} | sums
        yield row | {f"mean_{name}": total / len(seats) for name, total in sums.items()}


def answer_income_by_twist(rows, given):
    seats = left(rows.seats, given)

    def earned(some):
        return sum(seat.income for seat in some), sum(seat.game.rounds for seat in some)

    for (lineup, twist), some in by_twist(seats, given):
        (income, rounds), (usual, usual_rounds) = earned(some), earned(plain(seats, lineup))
        yield {
            "lineup": lineup,
            "twist": twist,
            "twist_name": rows.names["twists"][twist],
            "income": income,
            "seat_rounds": rounds,
            "per_round": income / rounds,
            "plain_per_round": usual / usual_rounds,
        }


# --- inventions


def card_head(rows, card):
    return {"invention": card, "invention_name": rows.cards[card]["name"]}


def rounds_of(builds):
    rounds = [build.round for build in builds]
    ranks = {"p05": rank(rounds, 5), "median": rank(rounds, 50), "p95": rank(rounds, 95)}
    return {"times": len(builds), "mean_round": mean(rounds)} | ranks


def answer_build_round(rows, given):
    for (card,), builds in grouped(left(rows.builds, given), "invention"):
        paid = sum(build.paid for build in builds)
        money = {"paid": paid, "mean_paid": paid / len(builds), "cost": rows.cards[card]["cost"]}
        yield card_head(rows, card) | rounds_of(builds) | money


def answer_build_tempo(rows, given):
    for (lineup, nth), builds in grouped(left(rows.builds, given), "lineup", "nth"):
        paid = mean([build.paid for build in builds])
        yield {"lineup": lineup, "nth": nth} | rounds_of(builds) | {"mean_paid": paid}


def answer_build_order(rows, given):
    found = []
    for (card,), builds in grouped(left(rows.builds, given), "invention"):
        nths = Counter(build.nth for build in builds)
        points = [build.points for build in builds if build.nth == 1]
        row = card_head(rows, card) | {"times": len(builds)}
        row |= {"first": nths[1], "second": nths[2], "third": nths[3], "first_share": nths[1] / len(builds)}
        found.append(row | {"points": sum(points), "win_points": mean(points)})
    return sorted(found, key=lambda row: (-row["first"], row["invention"]))


# --- tension


TITLES = {
    "half_leader": "share of games that the sole leader at half-time wins",
    "no_lead_change": "share of games in which the lead never changes",
    "tie_extensions": "share of games that go on after the goal is reached",
}


def tension_of(rows, games):
    """Return for each measure the share with its interval; nobody wins a stalled game."""
    leaders = {}
    for game in games:
        half = rows.halves[game.game_id]
        best = [seat for seat, points in half.items() if points == max(half.values())]
        leaders[game.game_id] = best[0] if len(best) == 1 else None
    yield (
        "half_leader",
        ratio(
            games,
            lambda g: leaders[g.game_id] is not None and g.winner_seat == leaders[g.game_id],
            1,
            lambda g: leaders[g.game_id] is not None,
        ),
    )
    yield "no_lead_change", ratio(games, lambda g: g.lead_changes == 0, 1)
    yield "tie_extensions", ratio(games, lambda g: g.rounds_after_goal > 0, 1)


def answer_tension(rows, given):
    for (lineup, players), games in grouped(left(rows.games, given), "lineup", "players"):
        for measure, found in tension_of(rows, games):
            row = {"lineup": lineup, "players": players, "games": len(games), "measure": TITLES[measure]}
            yield row | dict(zip(("share", "low", "high"), found[:3], strict=True))


def answer_comeback_by_deficit(rows, given):
    classes = {"1": (1, 1), "2-3": (2, 3), "4-7": (4, 7), "8-15": (8, 15), "16+": (16, 10**6)}
    for (lineup,), some in grouped(left(rows.seats, given), "lineup"):
        for name, (low, high) in classes.items():
            for (players,), seats in grouped(some, "players"):
                far = [s for s in seats if low <= max(rows.halves[s.game_id].values()) - s.vp_half <= high]
                if len(far) < 30:
                    continue
                found = ratio(far, lambda s: s.won, 1)
                row = {"lineup": lineup, "behind": name, "players": players}
                yield row | dict(zip(("share", "low", "high"), found[:3], strict=True)) | {"seats": len(far)}


def answer_metric_by_pair(rows, given):
    metric, one = given["metric"], {"stalls": "stalled", "exhaustion": "deck_exhausted"}
    table = among_others(rows, given) if metric == "win_points" else left(rows.seats, given)
    for key, seats in grouped(paired(table), *PAIR):
        games = list({seat.game_id: seat.game for seat in seats}.values())
        if metric == "win_points":
            found = [(of, points_of(some, key[1])) for (of,), some in grouped(seats, "policy")]
            found = [(of, [row["win_points"], row["low"], row["high"]]) for of, row in found]
        elif metric == "action":
            found = [(row["action"], [row["share"], row["low"], row["high"]]) for row in shares_of(seats)]
        elif metric in one:
            found = [("", ratio(games, lambda game: getattr(game, one[metric]), 1)[:3])]
        else:
            tension = dict(tension_of(rows, games))[metric]
            found = [("", tension[:3])] if tension[4] else []
        for of, figure in found:
            if of == given.get("of", of):
                row = dict(zip((*PAIR, "of"), (*key, of), strict=True))
                yield row | dict(zip(("value", "low", "high"), figure, strict=True)) | {"games": len(games)}


# --- deck, order, interaction


def exhaustion_of(games):
    share, low, high = share_interval(games, lambda game: game.deck_exhausted)
    row = {"deals": len(clusters(games, lambda game: 0)), "games": len(games)}
    row |= {"exhausted": sum(game.deck_exhausted for game in games), "exhausted_share": share}
    return row | {"low": low, "high": high}


def answer_deck_exhaustion(rows, given):
    for (lineup, players), games in grouped(left(rows.games, given), "lineup", "players"):
        yield {"lineup": lineup, "players": players} | exhaustion_of(games)


def answer_order_effect(rows, given):
    for key, games in grouped(paired(left(rows.games, given)), "lineup", "pair_a", "pair_b"):
        ab = [game for game in games if game.twist_1 == game.pair_a]
        ba = [game for game in games if game.twist_1 == game.pair_b]
        means = [mean([game.rounds for game in some]) for some in (ab, ba)]
        wide = math.hypot(*(reach(some, lambda game: game.rounds) for some in (ab, ba)))
        yield dict(zip(("lineup", "pair_a", "pair_b"), key, strict=True)) | {
            "games_ab": len(ab),
            "games_ba": len(ba),
            "stalled_ab": sum(game.stalled for game in ab),
            "stalled_ba": sum(game.stalled for game in ba),
            "mean_rounds_ab": means[0],
            "mean_rounds_ba": means[1],
            "difference": means[0] - means[1],
            "low": means[0] - means[1] - wide,
            "high": means[0] - means[1] + wide,
        }


def by_deal(sets, values):
    """Return the sums of each deal in four cells, one row per deal: both, each alone, none."""
    deals = sorted({deal for some in sets for deal, _ in values[some]})
    table = np.zeros((len(deals), len(sets)))
    for k, some in enumerate(sets):
        for deal, value in values[some]:
            table[deals.index(deal), k] += value
    return table


def answer_interaction_by_pair(rows, given):
    asked = {name: value for name, value in given.items() if name != "twist"}
    lengths = given["measure"] == "mean_length"
    table = left(rows.games, asked) if lengths else among_others(rows, asked)
    values, held, games = defaultdict(list), defaultdict(list), defaultdict(set)
    for row in table:
        game = getattr(row, "game", row)
        key = game.lineup, game.players, game.pair_a, game.pair_b, "" if lengths else row.policy
        values[key].append((game.game_index, game.rounds if lengths else row.points))
        held[key].append((game.game_index, 1))
        games[key[:4]].add(game.game_id)
    for key in sorted(key for key in values if key[3] and given.get("twist", key[2]) in key[2:4]):
        where, a, b, of = key[:2], key[2], key[3], key[4]
        sets = (key, (*where, a, None, of), (*where, b, None, of), (*where, None, None, of))
        if of != given.get("of", of):
            continue
        pair, one, two, plain_ = (mean([value for _, value in values[some]]) for some in sets)
        summed = by_deal(sets, values)
        if lengths:
            effect = pair * plain_ / (one * two)
            influence = (summed / summed.mean(axis=0)) @ [1, -1, -1, 1]
            reached = Z * influence.std(ddof=1) / math.sqrt(len(summed))
            low, high = effect * math.exp(-reached), effect * math.exp(reached)
        else:
            beyond, seated = summed @ [1, -1, -1, 1], by_deal(sets[:1], held)[:, 0]
            effect, deals = beyond.sum() / seated.sum(), len(seated)
            variance = ((beyond - effect * seated) ** 2).sum() / seated.sum() ** 2 * deals / (deals - 1)
            reached = float(student(deals - 1)) * math.sqrt(variance)
            low, high = effect - reached, effect + reached
        yield dict(zip((*PAIR, "of"), key, strict=True)) | {
            "games": len(games[key[:4]]),
            "pair": pair,
            "a": one,
            "b": two,
            "plain": plain_,
            "effect": effect,
            "low": low,
            "high": high,
        }


# --- the tests

ANSWERS = {
    name.removeprefix("answer_").replace("_", "-"): function
    for name, function in list(globals().items())
    if name.startswith("answer_")
}
OPTIONS = {
    "counts": "3",
    "size": 1,
    "players": 3,
    "lineup": "field",
    "twist": "unions",
    "policy": "adaptive",
    "of": "adaptive",
    "last": 7,
    "least": 10,
    "alone": True,
}
NEEDED = {"metric": "win_points", "measure": "win_points"}
OTHERS = [("metric-by-pair", {"metric": name}) for name in ("action", "stalls", "exhaustion", "half_leader")]
OTHERS += [("interaction-by-pair", {"measure": "mean_length"})]


def test_every_ready_query_is_tested():
    assert len(QUESTIONS) >= 20
    assert set(ANSWERS) == set(QUESTIONS)


@pytest.fixture(scope="module")
def rows(nefarious):
    return Rows(nefarious)


@pytest.fixture(scope="module")
def con(nefarious, views):
    return views(nefarious)


@pytest.fixture(scope="module")
def other(tmp_path_factory, views):
    with registered(GAME):
        run = balance.simulate(tmp_path_factory.mktemp("other") / "run", game="tiny", games_per_cell=8)
        return views(run)


@pytest.mark.parametrize("some", [False, True], ids=["plain", "all-options"])
@pytest.mark.parametrize("name", QUESTIONS)
def test_the_answer_is_what_the_rows_say(name, some, rows, con):
    compare(name, {}, some, rows, con)


@pytest.mark.parametrize(("name", "needed"), OTHERS, ids=[str(needed) for _, needed in OTHERS])
def test_a_query_of_any_measure_answers_for_others(name, needed, rows, con):
    compare(name, needed, False, rows, con)


def compare(name, needed, some, rows, con):
    question = QUESTIONS[name]
    given = {p.name: NEEDED[p.name] for p in question.parameters if p.required} | needed
    if some:
        given |= {p.name: OPTIONS[p.name] for p in question.parameters if not p.required}
    expected = list(ANSWERS[name](rows, given))
    answer = pl.DataFrame(ask(con, question, given)).to_dicts()
    assert expected
    assert len(answer) == len(expected)
    for got, want in zip(answer, expected, strict=True):
        assert list(got) == list(want) == [column for column, _ in question.columns]
        for column, value in want.items():
            if isinstance(value, float):
                assert got[column] == pytest.approx(value, rel=1e-9, abs=1e-9), column
            else:
                assert got[column] == value, column
                assert not isinstance(got[column], float) or value is None, column


@pytest.mark.parametrize("name", QUESTIONS)
def test_counts_are_whole_numbers_of_common_types(name, con):
    question = QUESTIONS[name]
    given = {p.name: NEEDED[p.name] for p in question.parameters if p.required}
    types = {str(entry[1]) for entry in ask(con, question, given).description}
    assert types <= {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "DOUBLE", "VARCHAR"}


@pytest.mark.parametrize("name", [name for name, question in QUESTIONS.items() if not question.game])
def test_queries_for_any_game_answer_for_another(name, other):
    answer = ask(other, QUESTIONS[name]).fetchall()
    assert answer or name in ("comeback-by-deficit", "tension")  # nobody scores at half-time in the tiny game
    assert answer == ask(other, QUESTIONS[name], {"lineup": None}).fetchall()


def test_few_deals_of_a_policy_have_an_interval_of_their_variance(tmp_path):
    run = balance.simulate(tmp_path / "run", game="tiny", lineups="field", games_per_cell=6)
    each = run.sql(
        "select players, policy, deal(game_id) as deal, sum(win_points)::int as x, count(*)::int as y "
        "from seats group by all"
    )
    found = run.sql("@win-rate-by-players")
    assert found.height == 4
    for row in found.to_dicts():
        own = each.filter(players=row["players"], policy=row["policy"])
        _, low, high = Ratio.of(own["x"].to_numpy(), own["y"].to_numpy()).interval
        assert row["deals"] == own.height <= 6
        assert (row["low"], row["high"]) == pytest.approx((max(0, low), min(row["players"], high)))


def test_the_run_shows_what_the_queries_are_about(rows):
    """Equal answers prove nothing where there is nothing to tell."""
    assert any(game.stalled for game in rows.games)
    assert any(game.deck_exhausted for game in rows.games)
    assert any(game.rounds_after_goal for game in rows.games)
    assert len({seat.policy for seat in rows.seats}) > 4
    assert any(seat.won and seat.vp_half < 5 for seat in rows.seats)


def test_several_runs_are_one_body_of_games(nefarious, tmp_path, views):
    """An extension changes no query: its games are added."""
    from balance.sweep import simulation

    longer = simulation.prepare_extension(nefarious.path, tmp_path / "more", games_per_cell=4)
    runs = balance.open_runs([nefarious.path, simulation.run_prepared(longer).run.path])
    con = views(*runs)
    for name in ("length-by-players", "win-rate-by-seat", "tension"):
        question = QUESTIONS[name]
        both = pl.DataFrame(ask(con, question))
        counted = "seats" if "seats" in both.columns else "games"
        alone = pl.DataFrame(ask(views(nefarious), question))
        assert both[counted].sum() > alone[counted].sum()
    games = pl.DataFrame(ask(con, QUESTIONS["length-by-players"]))["games"].sum()
    assert games == sum(run.plan.games for run in runs)


def test_the_page_describes_every_query(checkout):
    page = (checkout / "docs" / "queries.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `([\w-]+)` \| (.+) \|$", page, re.M))
    assert rows == {name: known.question for name, known in QUESTIONS.items()}
    assert f"\n{len(QUESTIONS)} questions." in page
