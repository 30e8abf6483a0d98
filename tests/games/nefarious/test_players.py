"""The players' parameters: what a file of policies or an offset may say, and what they add up to."""

import re
from dataclasses import replace

import pytest

from balance import games
from balance.errors import CatalogError
from balance.games.nefarious.catalog import load_catalog
from balance.games.nefarious.players import (
    Offset,
    Policies,
    official_policies,
    offset_text,
    policies_text,
    read_policies,
    twist_digest,
    with_offsets,
)
from balance.games.nefarious.policies import PARAMETER_NAMES, PARAMETERS, PLAIN, POLICIES

GAME = games.get("nefarious")
MINE = """
    [[twist]]
    id = "my-twist"
    name = "My Twist"
    name_source = "own"
    editions = ["ascora-2011"]
    confidence = "own"
    lines = [{ when = "end", do = "+1 money" }]
"""


def offset(twist="unions", fitted_to="0123456789ab", policy="adaptive", **parameters):
    return Offset(policy, twist, fitted_to, parameters)


def plain(*offsets):
    """The official policies with these offsets only."""
    return Policies(official_policies().entries, offsets)


def value(policies, policy, parameter, *twists):
    return policies.parameters(policy, twists)[PARAMETER_NAMES.index(parameter)]


# --- what they add up to ----------------------------------------------------------------------------------


def test_every_policy_that_weighs_has_every_parameter_within_its_range():
    entries = {entry.name: entry for entry in official_policies().entries}
    assert set(entries) == set(POLICIES) - {"random"} - set(PLAIN)
    for entry in entries.values():
        assert set(entry.parameters) == set(PARAMETER_NAMES)
        for parameter in PARAMETERS:
            assert parameter.lowest <= entry.parameters[parameter.name] <= parameter.highest


def test_offsets_of_the_twists_in_force_add_up(official):
    unions, geeks, grants = (official.twist(name) for name in ("unions", "geeks", "grants"))
    policies = plain(offset("unions", coin=0.25, card=-0.5), offset("geeks", coin=0.125))
    base = value(policies, "adaptive", "coin")
    assert value(policies, "adaptive", "coin", unions) == base + 0.25
    assert value(policies, "adaptive", "coin", unions, geeks) == base + 0.25 + 0.125
    assert value(policies, "adaptive", "coin", geeks, unions) == base + 0.25 + 0.125
    assert value(policies, "adaptive", "coin", grants) == base
    assert value(policies, "greedy", "coin", unions) == value(policies, "greedy", "coin")
    card = value(policies, "adaptive", "card")
    assert value(policies, "adaptive", "card", unions) == card - 0.5


def test_sums_stay_within_the_range_of_the_parameter(official):
    both = [official.twist("unions"), official.twist("geeks")]
    policies = plain(offset("unions", coin=1.9, plan=-2.0), offset("geeks", coin=1.9, plan=-2.0))
    assert value(policies, "adaptive", "coin", *both) == 2.0
    assert value(policies, "adaptive", "plan", *both) == 0.0


def test_one_offset_is_for_games_without_twists(official, overlay):
    policies = plain(offset("none", "none", coin=0.25))
    base = policies.plain_parameters("adaptive")[PARAMETER_NAMES.index("coin")]
    assert value(policies, "adaptive", "coin") == base + 0.25
    assert value(policies, "adaptive", "coin", official.twist("unions")) == base
    catalog = load_catalog([overlay(offset_text(offset("none", "none", coin=0.5)))])
    assert value(catalog.policies, "adaptive", "coin") == base + 0.5


def test_adaptive_plain_plays_without_offsets(official):
    catalog = replace(official, policies=plain(offset("unions", coin=0.5)))
    weights = GAME.compile(catalog, "ascora-2011", 2, ["unions"]).rules["weights"][0]
    coin = PARAMETER_NAMES.index("coin")
    base = value(catalog.policies, "adaptive", "coin")
    assert weights[POLICIES["adaptive"], coin] == base + 0.5
    assert weights[POLICIES["adaptive-plain"], coin] == base


def test_where_prices_and_wages_change_coins_are_worth_more_or_less(official):
    """Numbers are written for the printed prices: what buys twice as much is worth twice as much."""

    def weights(*twists):
        cell = GAME.compile(official, "ascora-2011", 4, twists)
        row = cell.rules["weights"][0, POLICIES["adaptive-plain"]]
        return dict(zip(PARAMETER_NAMES, row.tolist(), strict=True))

    plain_, cheap, paid = weights(), weights("cheap-fusion-power"), weights("blood-sweat-and-mice")
    assert 1.8 < cheap["coin"] / plain_["coin"] < 2  # half the cost, rounded up
    assert cheap["rich_from"] / plain_["rich_from"] == pytest.approx(plain_["coin"] / cheap["coin"])
    assert cheap["pace"] / plain_["pace"] == pytest.approx(cheap["coin"] / plain_["coin"])
    assert paid["pace"] / plain_["pace"] == pytest.approx(6.5 / 4.5)
    assert {k for k in PARAMETER_NAMES if paid[k] != plain_[k]} == {"pace"}
    assert weights("unions") == plain_


def test_a_later_offset_for_the_same_twist_and_policy_replaces_the_earlier():
    policies = with_offsets(plain(offset(coin=0.5)), [offset(coin=0.1), offset(policy="saver", coin=0.2)])
    assert [(o.policy, dict(o.parameters)) for o in policies.offsets] == [
        ("adaptive", {"coin": 0.1}),
        ("saver", {"coin": 0.2}),
    ]


# --- to what they were fitted -----------------------------------------------------------------------------


def test_a_twist_is_fitted_if_an_offset_knows_its_wording(official):
    unions, geeks = official.twist("unions"), official.twist("geeks")
    policies = plain(offset("unions", twist_digest(unions)), offset("geeks", "0123456789ab"))
    assert policies.unfitted([unions, geeks]) == (geeks,)
    assert policies.unfitted([unions]) == ()
    catalog = replace(official, policies=policies)
    assert GAME.unfitted(catalog, ["unions", "Geeks"]) == ("geeks",)


def test_editing_a_twist_makes_its_offset_stale_and_renaming_does_not(official, overlay):
    unions = official.twist("unions")
    fitted = [offset("unions", twist_digest(unions))]
    renamed = load_catalog([overlay('[[twist]]\nid = "unions"\nname = "Strike"\nnote = "mine"')])
    edited = load_catalog([overlay('[[twist]]\nid = "unions"\nset = { goal = 25 }')])
    assert with_offsets(plain(), fitted).unfitted([renamed.twist("unions")]) == ()
    assert with_offsets(plain(), fitted).unfitted([edited.twist("unions")]) == (edited.twist("unions"),)


def test_an_empty_offset_counts_as_fitted(official):
    unions = official.twist("unions")
    assert plain(offset("unions", twist_digest(unions))).unfitted([unions]) == ()


def test_show_tells_whether_a_twist_is_fitted(overlay):
    catalog = load_catalog([overlay(MINE)])
    entry = GAME.find(catalog, "my-twist")[0]
    assert GAME.describe(catalog, entry).data["fitted"] is False
    digest = twist_digest(catalog.twist("my-twist"))
    learned = load_catalog(
        [overlay(MINE), overlay(offset_text(offset("my-twist", digest, coin=0.1)), "offsets.toml")]
    )
    told = GAME.describe(learned, entry)
    assert told.data["fitted"] is True
    assert "`adaptive` is fitted to this wording." in dict(told.sections)["Used"]


# --- files ------------------------------------------------------------------------------------------------


def test_what_is_written_can_be_read_back(tmp_path, official):
    exact = offset("unions", coin=0.1234567890123, card=1e-7, income=-1 / 3)
    catalog = replace(official, policies=with_offsets(official.policies, [exact]))
    file = tmp_path / "policies.toml"
    file.write_text(GAME.policies_text(catalog), encoding="utf-8")
    again = GAME.with_policies(official, file)
    assert again.policies.entries == catalog.policies.entries
    assert GAME.policies_hash(again) == GAME.policies_hash(catalog)
    assert GAME.policies_hash(catalog) != GAME.policies_hash(replace(official, policies=plain()))
    assert again.hash == catalog.hash


def test_an_overlay_may_bring_offsets_of_its_own(overlay):
    text = offset_text(offset("my-twist", coin=0.25))
    catalog = load_catalog([overlay(MINE), overlay(text, "offsets.toml")])
    assert [o for o in catalog.policies.offsets if o.twist == "my-twist"] == [
        Offset("adaptive", "my-twist", "0123456789ab", {"coin": 0.25})
    ]
    assert catalog.hash == load_catalog([overlay(MINE)]).hash


def test_an_offset_for_a_twist_that_an_overlay_removes_does_no_harm(overlay):
    removed = overlay('[[twist]]\nid = "unions"\nremove = true')
    assert load_catalog([overlay(offset_text(offset("unions")), "offsets.toml"), removed])


GOOD = """
[[offset]]
policy = "adaptive"
twist = "unions"
fitted_to = "0123456789ab"
[offset.parameters]
coin = 0.25
"""
BAD_OFFSETS = [
    ('policy = "adaptive"', 'policy = "adaptiv"', ("offset 'unions'", "policy", "did you mean 'adaptive'?")),
    ('policy = "adaptive"', 'policy = "random"', ("offset 'unions'", "policy", "unknown policy 'random'")),
    ('policy = "adaptive"', "policy = [1]", ("offset 'unions'", "policy", "unknown policy")),
    ('policy = "adaptive"', "police = 1", ("offset 'unions'", "police", "did you mean 'policy'?")),
    ('twist = "unions"\n', "", ("offset number 1", "twist", "missing")),
    ('twist = "unions"', "twist = 3", ("offset number 1", "twist", "expected a text, found 3")),
    ('twist = "unions"', 'twist = "unoins"', ("offset 'unoins'", "twist", "did you mean 'unions'")),
    ('fitted_to = "0123456789ab"\n', "", ("offset 'unions'", "fitted_to", "missing")),
    ('"0123456789ab"', "12", ("offset 'unions'", "fitted_to", "expected a text, found 12")),
    ("[offset.parameters]\ncoin = 0.25\n", "", ("offset 'unions'", "parameters", "missing")),
    (
        "[offset.parameters]\ncoin = 0.25",
        "parameters = 7",
        ("offset 'unions'", "parameters", "expected a table"),
    ),
    ("coin = 0.25", "coim = 0.25", ("offset 'unions'", "parameters.coim", "did you mean 'coin'")),
    ("coin = 0.25", "coin = true", ("offset 'unions'", "parameters.coin", "expected a number, found true")),
    ("coin = 0.25", 'coin = "1"', ("offset 'unions'", "parameters.coin", "expected a number, found '1'")),
    ("coin = 0.25", "coin = nan", ("offset 'unions'", "parameters.coin", "expected a number, found nan")),
    ("coin = 0.25", "coin = inf", ("offset 'unions'", "parameters.coin", "expected -2..2, found inf")),
    ("coin = 0.25", "coin = -2.5", ("offset 'unions'", "parameters.coin", "expected -2..2, found -2.5")),
    ("coin = 0.25", f"coin = 1{'0' * 400}", ("offset 'unions'", "parameters.coin", "far too large")),
    (GOOD, f"{GOOD}{GOOD}", ("offset 'unions'", "twist", "given twice for adaptive in this file")),
    (GOOD, "offset = 3", ("", "offset", "expected a list [[offset]], found 3")),
    (GOOD, "offset = [1]", ("offset number 1", "", "expected a table, found 1")),
]


@pytest.mark.parametrize(("old", "new", "problem"), BAD_OFFSETS)
def test_every_mistake_in_an_offset_is_one_problem(problems, old, new, problem):
    assert old in GOOD
    [(entry, field, message)] = problems(GOOD.replace(old, new))
    assert (entry, field) == problem[:2]
    assert problem[2] in message


def replaced(text, old, new):
    assert text.count(old) >= 1, old
    return text.replace(old, new, 1)


def cut(text, start, end):
    """Leave out what lies between two pieces of a text."""
    return re.sub(re.escape(start) + ".*?" + re.escape(end), end, text, count=1, flags=re.S)


BAD_POLICIES = [
    (lambda t: replaced(t, '"greedy"', '"greedi"'), ("policy 'greedi'", "name", "did you mean 'greedy'?")),
    (lambda t: replaced(t, 'name = "greedy"\n', ""), ("policy number 1", "name", "missing")),
    (lambda t: replaced(t, 'name = "greedy"', "name = 4"), ("policy number 1", "name", "expected a text")),
    (lambda t: replaced(t, "about = ", "abuot = 1\nabout = "), ("policy 'greedy'", "abuot", "'about'?")),
    (lambda t: replaced(t, "about = ", 'about = ""\n#'), ("policy 'greedy'", "about", "must not be empty")),
    (lambda t: replaced(t, "fixed = [", "fixed = 3\n# ["), ("policy 'greedy'", "fixed", "expected a list")),
    (
        lambda t: replaced(t, "fixed = [", 'fixed = ["coni"]\n# ['),
        ("policy 'greedy'", "fixed", "did you mean 'coin'"),
    ),
    (
        lambda t: replaced(t, "\ncoin = ", "\ncoin = 9\n# "),
        ("policy 'greedy'", "parameters.coin", "0..2, found 9"),
    ),
    (lambda t: replaced(t, "\ncoin = ", "\n# "), ("policy 'greedy'", "parameters", "missing: coin")),
    (lambda t: replaced(t, "\ncoin = ", "\nkoin = "), ("policy 'greedy'", "parameters.koin", "'coin'?")),
    (
        lambda t: replaced(t, "\ncoin = ", "\ncoin = []\n# "),
        ("policy 'greedy'", "parameters.coin", "a number"),
    ),
    (lambda t: cut(t, "[policy.parameters]", "[[policy]]"), ("policy 'greedy'", "parameters", "missing")),
    (lambda t: cut(t, "[[policy]]", "[[policy]]\n"), ("", "policy", "missing: greedy")),
    (lambda t: t + cut(t, "#", "[[policy]]").split("\n\n")[0], ("policy 'greedy'", "name", "given twice")),
    (lambda t: "policy = 1", ("", "policy", "expected a list [[policy]], found 1")),
    (lambda t: "policy = [1]", ("policy number 1", "", "expected a table, found 1")),
    (lambda t: f"polices = 1\n{t}", ("", "polices", "did you mean 'policy'?")),
    (lambda t: "[[policy", ("", "", "not valid TOML")),
]


@pytest.mark.parametrize(("spoil", "problem"), BAD_POLICIES)
def test_every_mistake_in_a_file_of_policies_is_one_problem(tmp_path, spoil, problem):
    file = tmp_path / "policies.toml"
    file.write_text(spoil(policies_text(plain())), encoding="utf-8")
    with pytest.raises(CatalogError) as caught:
        read_policies(file)
    [found] = caught.value.problems
    assert (found.file, found.entry, found.field) == (str(file), *problem[:2])
    assert problem[2] in found.message


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(CatalogError, match=r"policies\.toml"):
        read_policies(tmp_path / "policies.toml")
