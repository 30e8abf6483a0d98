"""Sentences of single chapters, on real verdicts and on verdicts that were turned into others."""

from dataclasses import replace

import pytest

from balance.analysis.verdict import Verdict
from balance.errors import DataError
from balance.report import material as materials
from balance.report.chapters import answer, items, variants
from balance.report.model import Figure, Surprise


def turned(m, verdicts):
    """Return the material with other verdicts: key (players, variants), or only variants, to a verdict."""

    def other(judgement):
        verdict = verdicts.get(judgement.key) or verdicts.get(judgement.variants)
        if verdict is None:
            return judgement
        cells = tuple(replace(cell, verdict=verdict) for cell in judgement.cells)
        return replace(judgement, verdict=verdict, cells=cells)

    return replace(m, ranking=replace(m.ranking, ranked=tuple(map(other, m.ranking.ranked))))


ALONE_FINE = {("geeks",): Verdict.FINE, ("unions",): Verdict.FINE}
SURE = Surprise(("geeks", "unions"), "Geeks + Unions", 2, "casual play", True, "", "again.", True)


def test_a_pair_is_to_be_kept_apart_only_beyond_doubt(material):
    m = turned(material, ALONE_FINE)
    said = "Consider to keep Geeks + Unions apart: what is wrong there with 2 players, in casual play is in "
    assert answer._apart(m, (SURE,)) == f"{said}neither of the two alone."
    assert answer._apart(m, (replace(SURE, holds=False), SURE)).startswith("Consider"), (
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
def test_what_is_not_beyond_doubt_is_said_instead(material, found, alone, why):
    said = answer._apart(turned(material, {**ALONE_FINE, **alone}), (found,))
    assert said.startswith("Look closer at Geeks + Unions before keeping it apart: with 2 players, in casual")
    assert said.endswith(f"it is broken, but {why}")


def test_a_surprise_names_the_strength_at_which_it_is_one(material):
    found = answer.make_answer(material).surprising
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


def test_worst_partners_are_those_with_which_most_is_wrong(material):
    def severities(key):
        return {j.players: j.severity for j in material.by_combination[key]}

    every = sorted(material.by_combination, key=lambda key: -max(severities(key).values()))
    worst = every[0]
    milder = next(key for key in every[1:] if set(key) & set(worst))
    (variant,) = set(worst) & set(milder)
    assert max(severities(worst).values()) > max(severities(milder).values())
    at = severities(worst)
    # the worst is broken at one number of players, the milder one at both
    verdicts = {milder: Verdict.BROKEN, (max(at, key=at.get), worst): Verdict.BROKEN}
    verdicts[min(at, key=at.get), worst] = Verdict.UNDECIDED
    said = partners(turned(material, verdicts), variant)
    first, second = (material.names[next(n for n in key if n != variant)] for key in (worst, milder))
    assert said.startswith(f"Worst partners: {first} (broken at 1 of 2 numbers of players)")
    assert f"{second} (broken at 2 of 2 numbers of players)" in said


def test_best_partners_are_fine_at_every_number_of_players(material):
    every = dict.fromkeys(material.by_combination, Verdict.UNDECIDED)
    assert "With no partner it was found fine." in partners(turned(material, every), "unions")
    every[2, ("geeks", "unions")] = Verdict.FINE
    assert "With no partner it was found fine." in partners(turned(material, every), "unions")
    every["geeks", "unions"] = Verdict.FINE
    assert f"Best partners: {material.names['geeks']} (fine at all 2)." in partners(
        turned(material, every), "unions"
    )


def test_items_without_a_cost_have_no_figure_of_cost(material):
    def free(values):
        return tuple(replace(value, cost=None) for value in values)

    found = material.items
    bare = replace(found, values=free(found.values), chosen=free(found.chosen), quoted=free(found.quoted))
    section = items.section(replace(material, items=bare))
    assert "values" in {block.id for block in section.blocks if hasattr(block, "id")}
    assert not [block for block in section.blocks if isinstance(block, Figure) and block.kind == "scatter"]


def test_the_first_error_is_told_and_not_that_of_the_side_thread(material, monkeypatch):
    def failing(why):
        def fail(*_):
            raise DataError(why)

        return fail

    monkeypatch.setattr(materials, "_counted", failing("aside"))
    monkeypatch.setattr(materials, "_judged", failing("first"))
    with pytest.raises(DataError, match="first"):
        materials.collect(material.runs, material.thresholds, play=failing("play"))


def test_the_words_are_those_of_the_game(space, item):
    for word in ("every card", "card data", "cards in hand at the end"):
        assert word not in str(item)
        assert word not in str(space)
