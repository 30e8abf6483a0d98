"""Sentences of single chapters, on real verdicts and on verdicts that were turned into others."""

from dataclasses import replace

import pytest

from balance.games.contract import ItemColumns
from balance.judge.verdict import Verdict
from balance.report.chapters import items, summary, variants
from balance.report.model import Chart, Surprise


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
SURE = Surprise(("geeks", "unions"), "Geeks + Unions", 2, "casual play", True, "", "again.", True)


def test_a_pair_is_to_be_kept_apart_only_beyond_doubt(evidence):
    m = turned(evidence, ALONE_FINE)
    said = "Consider to keep Geeks + Unions apart: what is wrong there with 2 players, in casual play is in "
    assert summary._apart(m, (SURE,)) == f"{said}neither of the two alone."
    assert summary._apart(m, (replace(SURE, holds=False), SURE)).startswith("Consider"), (
        "the next that is sure"
    )


@pytest.mark.parametrize(
    ("found", "alone", "why"),
    [
        (replace(SURE, sure=False), {}, "not both alone were found fine."),
        (replace(SURE, holds=False), {}, "fresh games do not confirm it."),
        (replace(SURE, holds=None, fresh=""), {}, "that was not measured again on fresh games."),
        (SURE, {(2, ("unions",)): Verdict.BROKEN}, "Unions alone is broken in casual play and skilled play."),
    ],
)
def test_what_is_not_beyond_doubt_is_said_instead(evidence, found, alone, why):
    said = summary._apart(turned(evidence, {**ALONE_FINE, **alone}), (found,))
    assert said.startswith("Look closer at Geeks + Unions before keeping it apart: with 2 players, in casual")
    assert said.endswith(f"it is broken, but {why}")


def test_a_surprise_names_the_strength_at_which_it_is_one(evidence):
    found = summary.make_summary(evidence).surprising
    assert found
    for one in found:
        assert one.sentence.startswith(
            f"Each alone is fine in {one.strength}, together they are not: "
            if one.sure
            else f"Neither alone was found broken in {one.strength}: "
        )


def partners(m, variant):
    (paragraph,) = variants._partners(m, variant)
    _, _, rest = paragraph.text.partition("partners at some number of players. ")
    return rest


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
    assert said.startswith(f"Worst partners: {first} (broken at 1 of 2 numbers of players)")
    assert f"{second} (broken at 2 of 2 numbers of players)" in said


def test_best_partners_are_fine_at_every_number_of_players(evidence):
    every = dict.fromkeys(evidence.by_combination, Verdict.UNDECIDED)
    assert "With no partner it was found fine." in partners(turned(evidence, every), "unions")
    every[2, ("geeks", "unions")] = Verdict.FINE
    assert "With no partner it was found fine." in partners(turned(evidence, every), "unions")
    every["geeks", "unions"] = Verdict.FINE
    assert f"Best partners: {evidence.names['geeks']} (fine at all 2)." in partners(
        turned(evidence, every), "unions"
    )


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
