"""Sentences of single chapters, on real verdicts and on verdicts that were turned into others."""

import re
from dataclasses import replace

import pytest

from balance.experiments.rank import Confirmed
from balance.games.contract import ItemColumns
from balance.judge.verdict import Verdict
from balance.report.chapters import items, summary, variants, wins
from balance.report.evidence import measured_again
from balance.report.model import Chart, Table, Worst


def turned(m, verdicts):
    """Return the evidence with other verdicts: key (players, variants), or only variants, to a verdict."""

    def other(judgement):
        verdict = verdicts.get(judgement.key) or verdicts.get(judgement.variants)
        if verdict is None:
            return judgement
        cells = tuple(replace(cell, verdict=verdict) for cell in judgement.cells)
        return replace(judgement, verdict=verdict, cells=cells)

    return replace(m, ranking=replace(m.ranking, ranked=tuple(map(other, m.ranking.ranked))))


ALONE_FINE = {("geeks",): Verdict.FINE, ("unions",): Verdict.FINE}
SURE = Worst(
    ("geeks", "unions"),
    "Geeks + Unions",
    2,
    "casual play",
    "",
    "again.",
    True,
    together="casual play",
    sure=True,
)


def test_a_pair_is_to_be_kept_apart_only_beyond_doubt(evidence):
    m = turned(evidence, ALONE_FINE)
    said = "Consider keeping Geeks + Unions apart: with 2 players, in casual play, "
    assert summary._apart(m, (SURE,)) == f"{said}neither of the two alone shows what is wrong."
    assert summary._apart(m, (replace(SURE, holds=False), SURE)).startswith("Consider"), (
        "the next that is sure"
    )


@pytest.mark.parametrize(
    ("found", "alone"),
    [
        (replace(SURE, sure=False), {}),
        (replace(SURE, holds=False), {}),
        (replace(SURE, holds=None, fresh=""), {}),
        (SURE, {(2, ("unions",)): Verdict.BROKEN}),
    ],
)
def test_what_is_not_beyond_doubt_is_not_advised(evidence, found, alone):
    assert summary._apart(turned(evidence, {**ALONE_FINE, **alone}), (found,)) == ""


def test_a_tag_shows_what_is_broken_only_together_and_where(evidence):
    found = [one for one in summary.make_summary(evidence).worst if one.together and one.holds]
    assert found
    for one in found:
        assert "broken only together" in one.tag
        assert (f"in {one.together}" in one.tag) is (one.together != one.strength)
        assert one.tag.startswith("possibly") is not one.sure
    assert replace(SURE, strength="skilled play").tag == "broken only together, in casual play"
    assert replace(SURE, holds=False).tag == "not confirmed"


def broken(judgements):
    return [j for j in judgements if j.verdict is Verdict.BROKEN]


def refute(judgements):
    """Return the findings of some verdicts as if fresh games did not show them."""
    return [Confirmed(j.reasons[0], None, 600) for j in judgements]


def test_a_pair_that_is_refuted_is_measured_again_wherever_it_looked_broken(evidence):
    found = measured_again(evidence.ranking, 2, refute)
    every = [j.reasons[0] for j in broken(evidence.judged)]
    assert {id(one.finding) for one in found} == {id(finding) for finding in every}
    assert len(found) == len(every) > len(evidence.fresh), "without a refutation each pair only once"


def test_what_fresh_games_do_not_confirm_is_not_broken(evidence):
    refuted = replace(evidence, fresh=tuple(refute(broken(evidence.judged))))
    before, after = summary.make_summary(evidence), summary.make_summary(refuted)
    assert before.counts[0].broken
    for n in evidence.players:
        (one,) = [count for count in after.counts if count.players == n]
        (own,) = [count for count in before.counts if count.players == n]
        assert (one.broken, one.unconfirmed) == (0, own.broken + own.unconfirmed)
        assert one.total == own.total
    doubted = after.counts[0].unconfirmed
    assert after.headline.endswith(f"; {doubted} looked broken and were not confirmed on fresh games.")
    assert ", 0 break the game" in after.headline
    assert {one.tag for one in after.worst if one.fresh} == {"not confirmed"}
    assert not [step for step in after.next_steps if step.startswith("Consider")]


def test_a_figure_on_fresh_games_has_its_interval_and_how_many_games(evidence):
    ranking = evidence.ranking
    every = (one for cell in evidence.statistics.cells.values() for one in ranking.bench.of(cell))
    card = next(one for one in every if one.metric.name == "item")
    finding = broken(evidence.judged)[0].reasons[0]
    said = summary._fresh(Confirmed(finding, card, 600))
    assert re.fullmatch(r"\d\.\d\d \(\d\.\d\d to \d\.\d\d\) on 600 fresh games\.", said)
    assert summary._fresh(Confirmed(finding, None, 0)) == "could not be measured again."


def test_every_number_of_the_first_page_shows_over_how_many_games(evidence):
    found = summary.make_summary(evidence)
    assert found.headline.startswith(
        "Of 6 pairs of twists, in 1,440 games, "
    )  # 6 x 2 players x 2 lineups x 60
    assert [(one.players, one.games) for one in found.counts] == [(None, 1440), (2, 720), (3, 720)]
    tables = [one for one in summary.section(evidence, found).blocks if isinstance(one, Table)]
    assert {one.source.n for one in tables} == {"1,440 games"}
    for one in (*found.worst, *found.bent):
        assert one.where.endswith(f"{one.strength}, 60 games")


def test_few_games_are_named_where_most_verdicts_are_open(evidence, monkeypatch):
    monkeypatch.setattr(summary, "_FEW", 1)
    names = {judgement.variants for judgement in evidence.judged}
    bare = [replace(one, not_looked_at=()) for one in evidence.ranking.ranked]
    bare = [replace(one, cells=tuple(replace(c, missing=()) for c in one.cells)) for one in bare]
    m = replace(evidence, ranking=replace(evidence.ranking, ranked=tuple(bare)))
    open_ = turned(m, dict.fromkeys(names, Verdict.UNDECIDED))
    for one in open_.judged:
        for cell in one.cells:
            cell.further = 1000.0
    assert "Too few games to say much: 60 games" in summary.make_summary(open_).warning
    assert summary.make_summary(turned(m, dict.fromkeys(names, Verdict.FINE))).warning == ""


def test_strategies_and_best_replies_are_explained(evidence, space):
    assert {"strategy", "best reply"} <= space.glossary.keys()
    assert "spoiler likes what costs the others most" in space.glossary["strategy"]
    assert "[[best reply]]" in summary.make_summary(evidence).play


def test_points_behind_are_not_taken_for_items(space):
    (tension,) = [one for one in space.sections if one.id == "tension"]
    charts = [one for one in tension.blocks if isinstance(one, Chart)]
    (chart,) = [one for one in charts if one.id.startswith("comeback")]
    assert set(chart.data["label"]) <= {"1", "2-3", "4-7", "8-15", "16+"}
    assert "1" in chart.data["label"]


def test_ranges_of_shares_are_printed_as_shares(space):
    (known,) = [one for one in space.sections if one.id == "method"]
    (table,) = [one for one in known.blocks if getattr(one, "id", "") == "thresholds"]
    accepted = {row[0].text: row[1].text for row in table.rows}
    assert accepted["share of an action among all choices"] == "2% to 70%"
    assert accepted["share of games that nobody wins"] == "at most 1%"
    assert accepted["median length in rounds"] == "5 to 30"


def test_a_broken_pair_comes_with_the_command_that_mends_it(evidence):
    first = summary.make_summary(evidence).worst[0]
    played = f"--players {first.players} --catalog own-rules.toml"  # the run has rules of its own
    assert first.mend == f"balance check {' '.join(first.variants)} {played} --suggest"


def test_the_five_most_bent_are_a_line_each(evidence):
    bent = [j for j in evidence.judged if j.bent]
    assert bent
    found = summary._bent(turned(evidence, dict.fromkeys(evidence.by_combination, Verdict.BENT)))
    assert 0 < len(found) == min(5, len({j.variants for j in bent}))
    for one in found:
        (judgement,) = [j for j in bent if j.key == (one.players, one.variants)]
        assert one.sentence == evidence.ranking.in_brief(judgement)


def test_how_good_the_play_is_comes_from_shipped_figures(evidence, monkeypatch):
    ladder = evidence.strength.ladders[2]
    assert (ladder.players, ladder.variants) == (3, "none")
    rung = next(one for one in ladder.figures if (one.measure, one.policy) == ("mixed", "learned"))
    said = summary._play(evidence)
    assert f"wins {rung.value:.2f} ({rung.low:.2f} to {rung.high:.2f}) [[win points]]" in said
    assert (
        f"all kinds of players meet, 3 players, without twists ({rung.games:,} games; 1.00 is a fair share)."
        in said
    )
    stale = replace(evidence.strength, stamp={**evidence.strength.stamp, "play": "other"})
    assert "Since then play changed" in summary._play(replace(evidence, strength=stale)).replace(
        "play and", ""
    )
    none = summary._play(replace(evidence, strength=None))
    assert none.startswith("How strong the players are was not measured. ")


def test_next_steps_name_no_folder_of_the_sender(evidence):
    steps = summary._next_steps(
        turned(evidence, dict.fromkeys(evidence.by_combination, Verdict.UNDECIDED)), ()
    )
    assert steps[-1].endswith("with the folder of the run for RUN: balance check --all RUN --until-decided")
    assert "would settle" not in steps[-1]
    assert ".." not in steps[-1]


def test_culprits_name_the_play_in_which_they_are_broken(evidence):
    m = turned(evidence, {("unions",): Verdict.BROKEN})
    said = summary._culprits(m)
    assert "without a partner (" in said
    assert "Unions: in casual play" in said
    assert "alone" not in said


@pytest.mark.parametrize(
    ("lineup", "said"),
    [
        ("mirror:learned", "all seats play alike"),
        ("one:learned,casual", "one seat is learned, all others are casual"),
        ("one:skilled+casual,learned", "one seat is skilled or casual, all others are learned"),
        ("drawn:learned,skilled,casual", "every seat draws one of learned, skilled or casual"),
        ("learned,skilled,casual", "the seats are learned, skilled and casual"),
    ],
)
def test_a_lineup_is_described_as_it_seats(evidence, lineup, said):
    assert wins._seated(evidence, lineup) == said


def partners(m, variant):
    (paragraph,) = variants._partners(m, variant)
    return paragraph.text


def test_worst_partners_are_those_with_which_most_is_wrong(evidence):
    def severities(key):
        return {j.players: j.severity for j in evidence.by_combination[key]}

    every = sorted(evidence.by_combination, key=lambda key: -max(severities(key).values()))
    worst = every[0]
    milder = next(key for key in every[1:] if set(key) & set(worst))
    (variant,) = set(worst) & set(milder)
    assert max(severities(worst).values()) > max(severities(milder).values())
    at = severities(worst)
    # the worst is broken at one number of players, the milder one at both
    verdicts = {milder: Verdict.BROKEN, (max(at, key=at.get), worst): Verdict.BROKEN}
    verdicts[min(at, key=at.get), worst] = Verdict.UNDECIDED
    said = partners(turned(evidence, verdicts), variant)
    first, second = (evidence.names[next(n for n in key if n != variant)] for key in (worst, milder))
    assert f"of its 3 pairs are broken; worst with {first} (with {max(at, key=at.get)} players)" in said
    assert f"{second} (with 2 and 3 players)" in said


def test_at_one_number_of_players_it_is_not_repeated(evidence):
    several, one = (replace(evidence, players=players) for players in ((2, 3), (2,)))
    said = [" ".join(block.text for block in variants._partners(m, "geeks")) for m in (several, one)]
    assert "players)" in said[0]
    assert "players)" not in said[1]


def test_best_partners_are_fine_at_every_number_of_players(evidence):
    every = dict.fromkeys(evidence.by_combination, Verdict.UNDECIDED)
    none = "None of its 3 pairs was found broken. None of its 3 pairs was found fine."
    assert partners(turned(evidence, every), "unions") == none
    every[2, ("geeks", "unions")] = Verdict.FINE
    assert partners(turned(evidence, every), "unions") == none
    every["geeks", "unions"] = Verdict.FINE
    assert partners(turned(evidence, every), "unions").endswith(
        f"1 is fine; best with {evidence.names['geeks']}."
    )


def test_alone_is_said_only_of_a_variant_without_a_partner(evidence):
    m = turned(
        evidence, {("unions",): Verdict.BROKEN, (2, ("geeks",)): Verdict.FINE, (3, ("geeks",)): Verdict.BENT}
    )
    assert variants._alone(m, "unions", "Unions")[0].text == "Alone it is broken with 2 and 3 players."
    assert variants._alone(m, "geeks", "Geeks")[0].text == (
        "Alone it is fine with 2 players and bent with 3 players."
    )
    assert "alone" not in partners(m, "unions").lower()


def test_items_without_a_cost_have_no_figure_of_cost(evidence, monkeypatch):
    ids = {block.id for block in items.section(evidence).blocks if hasattr(block, "id")}
    assert {"item-values-mirror-learned", "item-values-mirror-learned-figure"} <= ids
    bare = replace(evidence.facts, item_columns=ItemColumns())
    monkeypatch.setattr(type(evidence), "facts", property(lambda _: bare))
    section = items.section(evidence)
    assert "item-values-mirror-learned" in {block.id for block in section.blocks if hasattr(block, "id")}
    assert not [block for block in section.blocks if isinstance(block, Chart) and block.kind == "scatter"]


def test_the_words_are_those_of_the_game(space, item):
    for word in ("every card", "card data", "cards in hand at the end"):
        assert word not in str(item)
        assert word not in str(space)
