"""The model against the games: every query runs and agrees, figures are computed a second time by hand."""

import math
from collections import defaultdict

import pytest

import balance
from balance.analysis.ranking import FRESH_SEED
from balance.report import making
from balance.report.model import SCALE, Figure, Table, place
from balance.sweep import simulation


def blocks(report):
    """Yield every table and figure of a report."""
    for section in report.sections:
        for part in (section, *section.sections):
            yield from (b for b in part.blocks if isinstance(b, Table | Figure))


def columns(block):
    """Return what a table or figure says, by column."""
    if isinstance(block, Figure):
        return dict(block.data)
    return {c.key: [row[k].value for row in block.rows] for k, c in enumerate(block.columns)}


def compare(block, run):
    """Run the query of a block; return how many of its numbers were found again."""
    rows = balance.open_runs([run]).sql(block.source.sql).to_dicts()
    assert rows, block.id
    said = columns(block)
    shared = [name for name in rows[0] if name in said]
    if not block.key:
        return 0
    assert set(block.key) <= set(shared), (block.id, shared)
    printed = defaultdict(list)
    for k in range(len(next(iter(said.values())))):
        printed[tuple(said[name][k] for name in block.key)].append({name: said[name][k] for name in shared})
    compared = 0
    rounded = 0.5 / SCALE if getattr(block, "kind", "") == "matrix" else 2e-6
    for row in rows:
        for own in printed[tuple(row[name] for name in block.key)]:
            for name in shared:
                if isinstance(row[name], float) or isinstance(own[name], float):
                    if row[name] is None or own[name] is None:
                        assert not row[name], (block.id, name, row, own)
                        assert not own[name], (block.id, name, row, own)
                        continue
                    near = math.isclose(row[name], own[name], rel_tol=1e-6, abs_tol=rounded)
                    assert near, (block.id, name, row, own)
                else:
                    assert row[name] == own[name], (block.id, name, row, own)
                compared += name not in block.key
    asked = {tuple(row[name] for name in block.key) for row in rows}
    missing = [key for key in printed if key not in asked and any(printed[key])]
    zeros = all(not own.get("y", 1) for key in missing for own in printed[key])
    whole = [
        key for key in missing if key[0] != 0
    ]  # a line over all numbers of players has no row of its own
    assert zeros or not whole, (block.id, missing)
    return compared


@pytest.mark.parametrize("name", ["space", "pair", "item"])
def test_every_query_runs_and_gives_the_numbers_that_are_printed(name, nefarious, request):
    report = request.getfixturevalue(name)
    compared = {block.id: compare(block, nefarious) for block in blocks(report) if block.source.sql}
    silent = {block.id for block in blocks(report) if not block.key}
    assert {block for block, count in compared.items() if not count} <= silent
    assert all(block.source.sql or block.source.command for block in blocks(report))
    assert all(block.source.n for block in blocks(report))


def test_the_same_on_the_tiny_game(tiny, tiny_space):
    compared = {block.id: compare(block, tiny) for block in blocks(tiny_space) if block.source.sql}
    assert sum(map(bool, compared.values())) > 8
    assert "Windy" in {variant.name for variant in tiny_space.atlas.variants}
    assert "moods" in tiny_space.answer.headline
    assert not [word for word in ("twist", "invention") if word in str(tiny_space)]


def test_ids_of_blocks_are_unique(space, tiny_space, pair, item):
    for report in (space, tiny_space, pair, item):
        ids = [block.id for block in blocks(report)]
        assert len(ids) == len(set(ids))


def test_verdicts_add_up(space):
    by_players = {one.players: one for one in space.answer.counts}
    assert {n: one.total for n, one in by_players.items()} == {None: 6, 2: 6, 3: 6}
    codes = space.atlas.overall[2]
    pairs = [codes[place(i, j, 4)] for i in range(4) for j in range(i + 1, 4)]
    assert (pairs.count("b"), pairs.count("f"), pairs.count("u")) == (
        by_players[2].broken, by_players[2].fine, by_players[2].undecided,
    )  # fmt: skip


def test_verdicts_are_those_of_check(space, nefarious):
    from balance.analysis.ranking import rank
    from balance.analysis.thresholds import load_thresholds

    runs = balance.open_runs([nefarious])
    found = {j.key: j.verdict.value for j in rank(runs, load_thresholds(runs[0].game)).ranked}
    every = next(block for block in blocks(space) if block.id == "every")
    for row in every.rows:
        assert [cell.text for cell in row[1:3]] == [found[n, row[0].value] for n in (2, 3)]


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
    table = next(block for block in blocks(space) if block.id == "wins-by-strategy-field")
    for policy, *cells_ in table.rows:
        for n, cell in zip((2, 3), cells_, strict=True):
            assert cell.value == pytest.approx(points[policy.text, n] / seats[policy.text, n])
            assert cell.low < cell.value < cell.high
            assert cell.text == f"{cell.value:.2f} ({cell.low:.2f} to {cell.high:.2f})"


def test_extremes_are_quoted_from_games_that_did_not_choose_them(space, nefarious):
    table = next(block for block in blocks(space) if block.id == "longest")
    games = balance.open_run(nefarious).games.collect().to_dicts()
    first = table.rows[0]
    cell = first[-1].value
    even, odd = (
        [g["rounds"] for g in games if g["cell_id"] == cell and g["game_index"] % 2 == k] for k in (0, 1)
    )
    assert first[3].value == pytest.approx(sum(odd) / len(odd))
    means = defaultdict(list)
    for game in games:
        if game["pair_b"] and game["game_index"] % 2 == 0:
            means[game["cell_id"]].append(game["rounds"])
    assert sum(even) / len(even) == max(sum(own) / len(own) for own in means.values())


def test_the_worst_were_played_again_on_another_seed(space, workplace):
    played = [balance.open_run(path) for path in (workplace / "data" / "runs").iterdir()]
    assert {run.plan.seed for run in played} == {3 + FRESH_SEED}
    assert space.answer.worst
    for one in space.answer.worst:
        assert one.holds is not None
        assert "fresh games" in one.fresh


def test_a_tiny_run_says_that_it_is_too_small(workplace):
    balance.simulate("handful", players=2, variants=["none", "unions"], games_per_cell=2, jobs=1)
    report = making.make(making.Asked(("handful",)), jobs=1)
    assert "Too few games to say" in report.answer.warning
    assert "measured again" not in str(report), "nothing was broken, so nothing was played again"
    assert report.answer.counts[0].undecided == 1


def test_a_run_without_variants_has_nothing_to_judge(workplace):
    balance.simulate("plain", players=2, variants="none", games_per_cell=3, jobs=1)
    report = making.make(making.Asked(("plain",)), jobs=1)
    assert report.answer.headline == "No twist was in force in these games, so there is nothing to judge."
    assert report.answer.counts == ()
    assert [section.id for section in report.sections][:2] == ["answer", "wins"]


def test_players_and_thresholds_narrow_everything(nefarious, workplace):
    own = workplace / "own.toml"
    own.write_text('[[threshold]]\nid = "stalls"\nhigh = 0.5\nreason = "we like them long"\n')
    report = making.make(making.Asked((nefarious,), players="2", thresholds=("own.toml",)), jobs=2)
    options = "--players 2 --thresholds own.toml"
    commands = {block.source.command for block in blocks(report) if "check" in block.source.command}
    assert commands == {f"balance check --all nefarious {options}"}
    assert "before any" not in str(report), "nobody knows when own.toml was written"
    assert "own.toml were laid over the official ones" in str(report)
    accepted = next(block for block in blocks(report) if block.id == "thresholds")
    looked = {row[3].value for row in accepted.rows} - {None}
    assert looked == {report.answer.counts[0].broken}, "those at 2 players alone"
    assert report.atlas.players == (2,)
    assert [one.players for one in report.answer.counts] == [2]
    for block in blocks(report):
        if block.source.sql:
            compare(block, nefarious)


def test_thresholds_count_what_the_headline_counts(space):
    table = next(block for block in blocks(space) if block.id == "thresholds")
    said = {row[0].text: [cell.text for cell in row[3:]] for row in table.rows}
    silent = {name for name, cells in said.items() if cells == ["not looked at"] * 3}
    assert {"item", "luck"} <= silent < set(said)
    broken = space.answer.counts[0].broken
    assert broken
    assert {cells[0] for name, cells in said.items() if name not in silent} == {str(broken)}
    assert "Not looked at, although there are thresholds for it: " in str(space.sections[-2])
    assert "before any combination was judged" in str(space.sections[-2])


def test_how_many_combinations_were_played_is_said(space, tiny_space):
    assert "11 of the 667 possible combinations of at most 2 twists (none included)" in str(space)
    assert "every combination at" in str(tiny_space)


def test_the_command_of_a_pair_names_every_run(nefarious, workplace):
    more = simulation.prepare_extension(nefarious, workplace / "more", players="2", games_per_cell=4)
    simulation.run_prepared(more, 1)
    found = making.make(making.Asked((nefarious, "more"), pair=("unions", "geeks"), players="2"))
    commands = {block.source.command for block in blocks(found)} - {""}
    assert commands == {"balance check geeks unions --run nefarious --run more --players 2"}


# --- the atlas


def test_the_atlas_holds_the_metrics_of_every_cell(space, nefarious):
    from balance.analysis.cells import statistics
    from balance.analysis.metrics import measure

    summed = statistics(balance.open_runs([nefarious]))
    atlas = space.atlas
    ids = [variant.id for variant in atlas.variants]
    checked = 0
    for view in atlas.views:
        for i, one in enumerate(ids):
            for j in range(i, len(ids)):
                at = place(i, j, len(ids))
                variants = (one,) if i == j else tuple(sorted((one, ids[j])))
                cell = summed.find(view.players, variants, view.lineup)
                assert view.cells[at] == cell.id
                assert view.games[at] == cell.games == sum(view.lengths[at]) == 60
                found = {m.name: m.estimate.interval for m in measure(summed, cell)}
                for name, scaled in view.values.items():
                    if name in found:
                        assert scaled.values[at] == round(found[name].value * SCALE), name
                        checked += 1
                for policy, scaled in view.styles.items():
                    assert scaled.values[at] == round(found[f"win_points:{policy}"].value * SCALE)
    assert checked > 400


def test_sentences_in_short_are_those_of_the_verdict(space, nefarious):
    from balance.analysis.ranking import rank
    from balance.analysis.thresholds import load_thresholds

    runs = balance.open_runs([nefarious])
    ranking = rank(runs, load_thresholds(runs[0].game))
    atlas = space.atlas
    ids = [variant.id for variant in atlas.variants]
    for view in atlas.views:
        for i, j in ((0, 1), (1, 3), (2, 2)):
            variants = tuple(sorted({ids[i], ids[j]}))
            judgement = next(x for x in ranking.ranked if x.key == (view.players, variants))
            cell = next(c for c in judgement.cells if c.cell.lineup == view.lineup)
            said = [atlas.sentence(phrase) for phrase in view.reasons[place(i, j, 4)]]
            if cell.broken:
                assert said == [ranking.sentence(finding) for finding in cell.broken[:3]]
            elif cell.holding:
                assert said[0] == ranking.sentence(cell.holding)
            assert view.verdicts[place(i, j, 4)] == cell.verdict.value[0]


def test_interactions_of_the_atlas(space, nefarious):
    from balance.analysis.cells import statistics
    from balance.analysis.interaction import interactions

    runs = balance.open_runs([nefarious])
    found = {(x.cell.id, x.measure): x.interval for x in interactions(runs, statistics(runs))}
    compared = 0
    for view in space.atlas.views:
        for measure, scaled in view.interactions.items():
            for cell, value, low in zip(view.cells, scaled.values, scaled.lows, strict=True):
                if value is not None:
                    assert (value, low) == tuple(round(x * SCALE) for x in found[cell, measure][:2])
                    compared += 1
    assert compared > 80


def test_games_worth_looking_at_exist(space, nefarious):
    games = {row["game_id"]: row for row in balance.open_run(nefarious).games.collect().to_dicts()}
    for view in space.atlas.views:
        for cell, game in zip(view.cells, view.replays, strict=True):
            assert games[game]["cell_id"] == cell
    assert space.atlas.replay == "balance replay nefarious {}"


def test_the_same_runs_give_the_same_model(space, nefarious):
    """Threads and fresh games that lie there already change nothing."""
    assert making.make(making.Asked((nefarious,)), jobs=1) == space
