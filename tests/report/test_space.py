"""The model against the games: every query runs and agrees, figures are computed a second time by hand."""

import io
import json
import shlex
from collections import defaultdict
from pathlib import Path
from statistics import mean, stdev

import pytest

import balance
from balance.cli.app import run
from balance.dataset.saved_queries import OURS
from balance.errors import UsageError
from balance.experiments.side_by_side import FRESH_SEED
from balance.report import build
from balance.report.atlas import SCALE
from balance.report.model import FIRST_SCREEN, Chart, Code, Table
from balance.report.query_blocks import records_of
from balance.report.render.json import document
from balance.sweep import simulation
from balance.sweep.folder import scratch
from tests.report.handmade import place


def blocks(report):
    """Yield every table and figure of a report."""
    for section in report.sections:
        for part in (section, *section.sections):
            yield from (b for b in part.blocks if isinstance(b, Table | Chart))


OWN_GAMES = {"prices"}
"""Tables of games of their own, which are not in the run."""


@pytest.fixture
def rerun(capsys, monkeypatch):
    """Give the commands under tables and figures to the command line; return the names of their queries.

    Of several blocks of one query the last is enough, unless `every` one is wanted. All but the first are
    lines of a pipe: it answers them one after the other over one connection.
    """

    def sql(*args, lines=()):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("\n".join(lines).encode())))
        capsys.readouterr()
        code = run(["sql", *args, "--json"])
        out, err = capsys.readouterr()
        assert code == 0, err
        while out := out.lstrip():
            rows, end = json.JSONDecoder().raw_decode(out)
            yield rows
            out = out[end:]

    def call(report, run_, left=lambda block: False, *, every=False):
        shown = document(report)
        asked = []
        for block in (*shown["tables"], *shown["figures"]):
            source = block["source"]
            if block["id"] in OWN_GAMES or left(block):
                assert source["command"], block["id"]
                continue
            assert source["query"], f"{block['id']} is not the result of a query"
            given = [f"{name}={value}" for name, value in source["parameters"].items()]
            asked.append((block, [f"@{source['query']}", *given]))
        if not every:
            asked = list({block["source"]["query"]: (block, words) for block, words in asked}.values())
        answers = [*sql(run_, *asked[0][1]), *sql(run_, lines=[shlex.join(words) for _, words in asked[1:]])]
        for (block, _), rows in zip(asked, answers, strict=True):
            names = block["columns"]
            assert rows == [dict(zip(names, row, strict=True)) for row in block["rows"]], block["id"]
        return {block["source"]["query"].removeprefix("report/") for block, _ in asked}

    return call


def told(answer):
    """Return the text of an answer and its glossary as one line."""
    return " ".join([*str(answer).split(), *answer.glossary.values()])


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.soak)])
def test_the_command_under_a_table_gives_its_numbers_to_the_last_digit(space, item, nefarious, rerun, every):
    ran = rerun(space, nefarious, every=every) | rerun(item, nefarious, every=every)
    stems = {file.stem for file in (OURS / "report").glob("*.sql")}
    assert stems - ran == {
        *("cell", "cell-lengths", "pair-verdicts", "pair-wins"),  # a check
        *("item-acquired", "length-classes", "telling-games"),  # the tiny game, the atlas
    }


def test_the_same_on_the_sheet_of_a_pair(pair, nefarious, rerun):
    judged = lambda block: block["id"].startswith("pair-verdicts")  # noqa: E731
    assert rerun(pair, nefarious, judged) == {"cell", "cell-lengths", "pair-wins"}


def test_the_verdicts_on_a_sheet_are_those_of_the_check(pair):
    table = next(block for block in blocks(pair) if block.id.startswith("pair-verdicts"))
    names = {("geeks", "unions"): "Together", ("geeks",): "geeks", ("unions",): "unions"}
    cells = [(names[j.variants], cell) for j in pair.found.judgements.judgements for cell in j.cells]
    together = {cell.cell.key[::2]: cell.cell.id for whose, cell in cells if whose == "Together"}
    judged = {(together[cell.cell.key[::2]], whose): cell.verdict.value for whose, cell in cells}
    rows = records_of(table)
    assert {(row["cell_id"], row["whose"]): row["verdict"] for row in rows} == judged
    assert len(judged) == len(rows) == 12  # two numbers of players, two lineups
    medians = {row["cell_id"]: (row["median"], row["low"], row["high"]) for row in rows}
    bench = pair.found.bench
    shown = {cell.cell.id: bench.of(cell.cell) for whose, cell in cells if whose == "Together"}
    assert medians == {
        number: tuple(next(m.interval for m in own if m.metric.name == "length"))
        for number, own in shown.items()
    }


def test_the_same_on_the_tiny_game(tiny, tiny_space, rerun):
    ran = rerun(tiny_space, tiny)
    assert len(ran) > 5
    assert "item-acquired" in ran
    assert "Windy" in {variant["name"] for variant in tiny_space.atlas["variants"]}
    assert "moods" in tiny_space.summary.headline
    assert not [word for word in ("twist", "invention") if word in told(tiny_space)]


def test_ids_of_blocks_are_unique(space, tiny_space, pair, item):
    for report in (space, tiny_space, pair, item):
        ids = [block.id for block in blocks(report)]
        assert len(ids) == len(set(ids))


def test_verdicts_add_up(space):
    by_players = {one.players: one for one in space.summary.counts}
    assert {n: one.total for n, one in by_players.items()} == {None: 6, 2: 6, 3: 6}
    codes = space.atlas["overall"][2]
    pairs = [codes[place(i, j, 4)] for i in range(4) for j in range(i + 1, 4)]
    assert (pairs.count("b"), pairs.count("f"), pairs.count("u")) == (
        by_players[2].broken + by_players[2].unconfirmed, by_players[2].fine, by_players[2].undecided,
    )  # fmt: skip


def test_verdicts_are_those_of_check(space, nefarious):
    from balance.judge.ranking import rank
    from balance.judge.thresholds import load_thresholds

    runs = balance.open_runs([nefarious])
    found = {j.key: j.verdict.value for j in rank(runs, load_thresholds(runs[0].game)).ranked}
    every = next(block for block in blocks(space) if block.id == "every")
    assert every.rows
    for row in every.rows:
        assert [cell.text for cell in row[-2:]] == [found[n, row[0].value] for n in (2, 3)]


def test_the_lists_of_the_first_page_are_those_of_the_tables(space):
    tables = {block.id: records_of(block) for block in blocks(space)}
    named = [(one.variants, one.players, one.strength) for one in space.summary.worst]
    worst = [(tuple(row["variants"]), row["players"], row["strength"]) for row in tables["worst"]]
    assert worst
    assert named[: len(worst)] == worst
    together = [(tuple(row["variants"]), row["players"]) for row in tables["surprising"]]
    assert together
    assert set(together) <= {(one.variants, one.players) for one in space.summary.worst if one.together}
    for one in space.summary.counts[1:]:
        (row,) = [row for row in tables["verdicts"] if row["players"] == one.players]
        assert [row[word] for word in ("broken", "undecided", "bent", "fine")] == [
            one.broken + one.unconfirmed,
            one.undecided,
            one.bent,
            one.fine,
        ]


def test_win_points_counted_by_hand(space, nefarious):
    """The mean of win points over seats, from plain rows."""
    run = balance.open_run(nefarious)
    cells = {row["cell_id"]: row for row in run.cells.to_dicts()}
    stalled = {row["game_id"] for row in run.games.collect().to_dicts() if row["stalled"]}
    points, seats = defaultdict(int), defaultdict(int)
    for row in run.seats.collect().to_dicts():
        cell = cells[row["cell_id"]]
        if cell["lineup"] == "field":
            key = row["policy"], cell["players"]
            points[key] += 1 if row["game_id"] in stalled else cell["players"] * row["won"]
            seats[key] += 1
    table = next(block for block in blocks(space) if block.id == "win-rate-by-players-field")
    assert table.rows
    for policy, *cells_ in table.rows:
        for n, cell in zip((2, 3), cells_, strict=True):
            assert cell.value == pytest.approx(points[policy.text, n] / seats[policy.text, n])
            assert cell.low < cell.value < cell.high
            assert cell.text == f"{cell.value:.2f} ({cell.low:.2f} to {cell.high:.2f})"


def test_pictures_counted_by_hand(space, nefarious):
    """Lengths, what a twist moves, and how often the leader wins: from plain rows, with 3 players."""
    charts = {block.id: records_of(block) for block in blocks(space) if isinstance(block, Chart)}
    run = balance.open_run(nefarious)
    own = [row for row in run.cells.to_dicts() if (row["lineup"], row["players"]) == ("mirror:learned", 3)]
    alone = {row["pair_a"]: row["cell_id"] for row in own if row["pair_b"] is None}
    games = {row["game_id"]: row for row in run.games.collect().to_dicts()}
    lengths = {
        name: sorted(game["rounds"] for game in games.values() if game["cell_id"] == cell)
        for name, cell in alone.items()
    }
    ridge = [row for row in charts["length-ridges-mirror-learned-figure"] if row["variant"] == "unions"]
    assert sum(row["share"] for row in ridge) == pytest.approx(1)
    assert {row["median"] for row in ridge} == {lengths["unions"][29]}
    for row in ridge[:-1]:
        assert row["share"] == lengths["unions"].count(row["rounds"]) / 60
    printed = charts["fingerprints-mirror-learned-figure"]
    assert {row["variant"] for row in printed} == {"unions", "geeks", "philanthropy", "mad-broker"}
    (shift,) = [r["shift"] for r in printed if (r["variant"], r["moved"]) == ("unions", "length")]
    moved = mean(lengths["unions"]) - mean(lengths[None])
    assert shift == pytest.approx(moved / stdev(lengths[None]))
    assert all(row["low"] <= row["shift"] <= row["high"] for row in printed)
    scores = defaultdict(dict)
    cells = {row["cell_id"] for row in own}
    for row in run.scan("rounds").collect().to_dicts():
        if row["cell_id"] in cells:
            scores[row["round"], row["game_id"]][row["seat"]] = row["vp"]
    ahead = [
        (k, max(s, key=s.get)) for k, s in scores.items() if sorted(s.values())[-1] > sorted(s.values())[-2]
    ]
    led = [row for row in charts["leader-by-round-mirror-learned-figure"] if row["players"] == 3]
    assert led
    for row in led:
        won = [games[game]["winner_seat"] == seat for (number, game), seat in ahead if number == row["round"]]
        assert (row["games"], row["share"]) == (len(won), pytest.approx(mean(won)))


def test_extremes_are_ranked_by_the_near_end_of_their_interval(space, nefarious):
    tables = {block.id.removeprefix("extremes-mirror-learned-"): block for block in blocks(space)}
    lows = [row[2].low for row in tables["longest"].rows]
    highs = [row[2].high for row in tables["shortest"].rows]
    assert lows == sorted(lows, reverse=True)
    assert highs == sorted(highs)
    games = balance.open_run(nefarious).games.collect().to_dicts()
    first = tables["longest"].rows[0]
    cell = records_of(tables["longest"])[0]["cell_id"]
    own = [g["rounds"] for g in games if g["cell_id"] == cell]
    assert first[2].value == pytest.approx(sum(own) / len(own))


def test_the_worst_were_played_again_on_another_seed(space, workplace):
    played = [balance.open_run(path).plan for path in scratch().iterdir()]
    assert 3 + FRESH_SEED in {plan.seed for plan in played if plan.game == "nefarious"}
    assert not (workplace / "data").exists(), "a report leaves no run behind"
    assert space.summary.worst
    for one in space.summary.worst:
        assert one.holds is not None
        assert "fresh games" in one.fresh


def test_the_first_screen_names_a_rule_without_which_the_worst_is_mended(space):
    found = {one.title: one.mended for one in space.summary.worst[:FIRST_SCREEN]}
    said = found["Geeks, Geeks, Geeks, Geeks! + Mad Broker"]
    assert said.startswith('Without "Each player starts with 10 cards in hand (normally 3)" (Geeks, ')
    assert said.endswith(" of all choices instead of 99.7%; leaving out another rule mends it too.")
    assert found["Mad Broker + Philanthropy"].startswith('Without "At the end of each round, each player ')


def test_a_tiny_run_says_that_it_is_too_small(workplace):
    balance.simulate("handful", players=2, variants=["none", "unions"], games_per_cell=2, jobs=1)
    report = build.build(build.ReportRequest(("handful",)), jobs=1)
    assert "Too few games to say" in report.summary.warning
    assert "measured again" not in told(report), "nothing was broken, so nothing was played again"
    assert report.summary.counts[0].undecided == 1


def test_a_run_without_variants_has_nothing_to_judge(workplace):
    balance.simulate("plain", players=2, variants="none", games_per_cell=3, jobs=1)
    report = build.build(build.ReportRequest(("plain",)), jobs=1)
    assert report.summary.headline == "No twist was in force in these games, so there is nothing to judge."
    assert report.summary.counts == ()
    assert [section.id for section in report.sections][:2] == ["answer", "wins"]


def test_players_and_thresholds_narrow_everything(nefarious, workplace, rerun):
    own = workplace / "own.toml"
    own.write_text('[[threshold]]\nid = "stalls"\nhigh = 0.5\nreason = "we like them long"\n')
    report = build.build(build.ReportRequest((nefarious,), players="2", thresholds=("own.toml",)), jobs=2)
    options = "--players 2 --thresholds own.toml"
    commands = {block.source.command for block in blocks(report) if "check" in block.source.command}
    assert commands == {f"balance check --all nefarious {options}"}
    assert "before any" not in told(report), "nobody knows when own.toml was written"
    assert "own.toml were laid over the official ones" in told(report)
    accepted = next(block for block in blocks(report) if block.id == "thresholds")
    assert (
        next(row["accepted"] for row in records_of(accepted) if row["threshold_id"] == "stalls")
        == "at most 50%"
    )
    assert report.atlas["players"] == (2,)
    assert [one.players for one in report.summary.counts] == [2]
    verdicts = lambda block: block["source"]["command"]  # noqa: E731
    assert len(rerun(report, nefarious, verdicts)) > 10
    seats = next(block for block in blocks(report) if block.id == "win-rate-by-seat-mirror-learned")
    assert [heading.title for heading in seats.headings] == ["Seat", "2 players"]


def test_thresholds_count_the_combinations_outside(space):
    table = next(block for block in blocks(space) if block.id == "thresholds")
    outside = {row["threshold_id"]: row["outside"] for row in records_of(table)}
    silent = {name for name, number in outside.items() if number is None}
    assert {"luck"} <= silent < set(outside)
    assert "item" not in silent
    assert {row[2].text for row in table.rows} == {"breaks", "bends", "bends / breaks"}
    assert max(row[4].value or 0 for row in table.rows) > 0
    assert "Not looked at, although there are thresholds for it: " in str(space.sections[-2])
    assert "before any combination was judged" in str(space.sections[-2])
    assert "accepted 20% less or more" not in told(space), "no table moves a threshold"


def test_how_many_combinations_were_played_is_said(space, tiny_space):
    assert "11 of the 667 possible combinations of at most 2 twists (none included)" in told(space)
    assert "every combination at" in told(tiny_space)


def test_the_command_of_a_pair_names_every_run(nefarious, workplace):
    more = simulation.prepare_extension(nefarious, workplace / "more", players="2", games_per_cell=4)
    simulation.run_prepared(more, 1)
    found = build.build(build.ReportRequest((nefarious, "more"), pair=("unions", "geeks"), players="2"))
    commands = {block.source.command for block in blocks(found)} - {""}
    assert commands == {"balance check geeks unions --run nefarious --run more --players 2"}


# --- the atlas


def test_the_atlas_says_what_is_judged_at_other_tables(space):
    judged = {view["lineup"]: view["judged"] for view in space.atlas["views"]}
    assert judged["mirror:learned"] == "", "everything"
    assert judged["field"] in ("nothing", "win points of a policy among the others")


def test_the_atlas_holds_the_metrics_of_every_cell(space, nefarious):
    from balance.measure.cells import statistics

    summed = statistics(balance.open_runs([nefarious]))
    atlas = space.atlas
    ids = [variant["id"] for variant in atlas["variants"]]
    checked = 0
    for view in atlas["views"]:
        for i, one in enumerate(ids):
            for j in range(i, len(ids)):
                at = place(i, j, len(ids))
                variants = (one,) if i == j else tuple(sorted((one, ids[j])))
                cell = summed.find(view["players"], variants, view["lineup"])
                assert view["cells"][at] == cell.id
                assert view["games"][at] == cell.games == sum(view["lengths"][at]) == 60
                found = {m.name: m.interval for m in summed.figures.of(cell.id)}
                for name, scaled in view["values"].items():
                    if name in found:
                        assert scaled["values"][at] == round(found[name].value * SCALE), name
                        checked += 1
                for policy, scaled in view["styles"].items():
                    assert scaled["values"][at] == round(found[f"win_points:{policy}"].value * SCALE)
    assert checked > 400


def test_sentences_in_short_are_those_of_the_verdict(space, nefarious):
    from balance.judge.ranking import rank
    from balance.judge.thresholds import load_thresholds

    runs = balance.open_runs([nefarious])
    ranking = rank(runs, load_thresholds(runs[0].game))
    atlas = space.atlas
    ids = [variant["id"] for variant in atlas["variants"]]
    assert len(atlas["views"]) == 4
    said_why = 0
    for view in atlas["views"]:
        for i, j in ((0, 1), (1, 3), (2, 2)):
            variants = tuple(sorted({ids[i], ids[j]}))
            judgement = next(x for x in ranking.ranked if x.key == (view["players"], variants))
            cell = next(c for c in judgement.cells if c.cell.lineup == view["lineup"])
            said = list(view["reasons"][place(i, j, 4)])
            if cell.broken:
                assert said == [ranking.sentence(finding) for finding in cell.broken[:3]]
            elif cell.holding:
                assert said[0] == ranking.sentence(cell.holding)
            said_why += bool(cell.broken or cell.holding)
            assert view["verdicts"][place(i, j, 4)] == cell.verdict.value[0]
    assert said_why > 3


def test_interactions_of_the_atlas(space, nefarious):
    from balance.judge.interaction import interactions
    from balance.measure.cells import statistics

    runs = balance.open_runs([nefarious])
    found = {(x.cell.id, x.measure): x.interval for x in interactions(runs, statistics(runs))}
    compared = 0
    for view in space.atlas["views"]:
        for measure, scaled in view["interactions"].items():
            for cell, value, low in zip(view["cells"], scaled["values"], scaled["lows"], strict=True):
                if value is not None:
                    assert (value, low) == tuple(round(x * SCALE) for x in found[cell, measure][:2])
                    compared += 1
    assert compared > 80


def test_games_worth_looking_at_exist(space, nefarious):
    games = {row["game_id"]: row for row in balance.open_run(nefarious).games.collect().to_dicts()}
    shown = [
        pair for view in space.atlas["views"] for pair in zip(view["cells"], view["replays"], strict=True)
    ]
    assert len(shown) > 9
    for cell, command in shown:
        words = command.split()
        options = dict(zip(words[2::2], words[3::2], strict=True))
        assert options.pop("--catalog") == "own-rules.toml"
        own = [g for g in games.values() if (g["cell_id"], g["game_index"]) == (cell, int(options["--game"]))]
        assert int(options["--players"]) == own[0]["players"]


def test_a_reader_without_the_run_replays_a_game_of_own_rules(space, nefarious, workplace, capsys):
    method = next(section for section in space.sections if section.id == "method")
    rules = next(b.text for b in method.blocks if isinstance(b, Code) and b.text.startswith("[["))
    (workplace / "own-rules.toml").write_text(rules)
    view = space.atlas["views"][0]
    assert run([*view["replays"][1].split()[1:], "--json"]) == 0
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    games = balance.open_run(nefarious).games.collect().to_dicts()
    wanted = view["cells"][1], told[0]["game_index"], told[0].get("replicate", 0)
    (stored,) = [g for g in games if (g["cell_id"], g["game_index"], g["replicate"]) == wanted]
    assert (stored["rounds"], stored["winner_seat"]) == (told[-1]["rounds"], told[-1]["winner"])
    mends = [one.mend for one in space.summary.worst]
    assert mends
    assert all(" --catalog own-rules.toml" in mend for mend in mends)


def test_games_worth_looking_at_need_no_run_where_the_catalog_is_the_official_one(tiny_space):
    commands = [view["replays"][0] for view in tiny_space.atlas["views"]]
    assert commands[0].startswith("balance replay --of tiny --players ")
    assert "--moods " in commands[0]
    assert run(commands[0].split()[1:]) == 0


def test_the_same_runs_give_the_same_model(space, nefarious):
    """Threads and fresh games that lie there already change nothing."""
    assert build.build(build.ReportRequest((nefarious,)), jobs=1) == space


def test_prices_are_quoted_where_they_are_at_hand(nefarious, space):
    asked = ("price", "Flying Car", "--games", "200", "--players", "2", "--json", "-o", "prices.json")
    assert run(asked) == 0
    prices = json.loads(Path("prices.json").read_text())
    report = build.build(build.ReportRequest((nefarious,), prices=Path("prices.json")))
    table = next(block for block in blocks(report) if block.id == "prices")
    assert [row[3].value for row in table.rows] == [row["price"] for row in prices["prices"]]
    assert not [block for block in blocks(space) if block.id == "prices"]
    prices["edition"] = "mosigra-2020"
    Path("prices.json").write_text(json.dumps(prices))
    with pytest.raises(UsageError, match="prices of the edition mosigra-2020"):
        build.build(build.ReportRequest((nefarious,), prices=Path("prices.json")))
