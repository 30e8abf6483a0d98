"""The players' parameters: what a file of policies or an offset may say, and what they add up to."""

import io
import json
import os
import re
import zipfile
from dataclasses import replace

import pytest

from balance import games
from balance.errors import CatalogError
from balance.games.nefarious.catalog.loading import load_catalog
from balance.games.nefarious.policies.fitted import twist_digest, unfitted
from balance.games.nefarious.policies.names import LEARNED, PLAIN, POLICIES
from balance.games.nefarious.policies.parameters import PARAMETER_NAMES, PARAMETERS
from balance.games.nefarious.policies.reading import (
    official_policies,
    policies_text,
    read_policies,
)
from balance.games.nefarious.policies.weights import Offset, Policies

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


def packed(change, packing=zipfile.ZIP_DEFLATED):
    """Return the shipped weights with one array replaced."""
    content = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(GAME.network(load_catalog()))) as old,
        zipfile.ZipFile(content, "w", packing) as new,
    ):
        for name in old.namelist():
            new.writestr(name, change(old.read(name)) if name == "option.npy" else old.read(name))
    return content.getvalue()


def array(shape, data=b"", kind="<f4"):
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode() + data


HOSTILE = {
    "unpacks to a hundred times its size": lambda: packed(lambda old: old + bytes(30_000_000)),
    "says that it has 4 PB": lambda: packed(lambda old: array((10**15,), bytes(1000))),
    "holds objects": lambda: packed(lambda old: array((1,), bytes(1000), "|O")),
    "is packed by another method": lambda: packed(lambda old: old, zipfile.ZIP_LZMA),
    "is too large": lambda: bytes(20_000_000),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_weights_that_would_take_all_memory_are_refused_when_they_are_read(tmp_path, kind):
    file = tmp_path / "policies.toml"
    file.write_text(policies_text(official_policies()))
    file.with_name("learned.npz").write_bytes(HOSTILE[kind]())
    with pytest.raises(CatalogError, match=r"learned\.npz"):
        read_policies(file)


def test_weights_that_are_a_pipe(tmp_path):
    file = tmp_path / "policies.toml"
    file.write_text(policies_text(official_policies()))
    os.mkfifo(tmp_path / "learned.npz")
    with pytest.raises(CatalogError, match="not a regular file"):
        read_policies(file)


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
    assert set(entries) == set(POLICIES) - {"random"} - {*PLAIN, *LEARNED}
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


def test_one_offset_is_for_games_without_twists(official):
    policies = plain(offset("none", "none", coin=0.25))
    base = policies.plain_parameters("adaptive")[PARAMETER_NAMES.index("coin")]
    assert value(policies, "adaptive", "coin") == base + 0.25
    assert value(policies, "adaptive", "coin", official.twist("unions")) == base


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


# --- to what they were fitted -----------------------------------------------------------------------------


def trained(*twists):
    """The official policies with weights that were trained on these twists."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr("note.json", json.dumps({"training": {"variants": [twist_digest(t) for t in twists]}}))
    return replace(official_policies(), network=buffer.getvalue())


def test_a_twist_is_fitted_if_the_weights_were_trained_on_its_wording(official):
    unions, geeks = official.twist("unions"), official.twist("geeks")
    assert unfitted(trained(unions), [unions, geeks]) == (geeks,)
    assert unfitted(replace(official_policies(), network=b""), [unions]) == (unions,)


def test_editing_a_twist_makes_it_unknown_and_renaming_does_not(official, overlay):
    policies = trained(official.twist("unions"))
    renamed = load_catalog([overlay('[[twist]]\nid = "unions"\nname = "Strike"\nnote = "mine"')])
    edited = load_catalog([overlay('[[twist]]\nid = "unions"\nset = { goal = 25 }')])
    assert unfitted(policies, [renamed.twist("unions")]) == ()
    assert unfitted(policies, [edited.twist("unions")]) == (edited.twist("unions"),)


def test_the_shipped_weights_were_trained_on_every_official_twist(official):
    assert unfitted(official.policies, official.twists) == ()


def test_show_says_whether_a_twist_was_learned(overlay):
    catalog = load_catalog([overlay(MINE)])
    entry = GAME.find(catalog, "my-twist")[0]
    assert GAME.describe(catalog, entry).data["fitted"] is False
    learned = replace(catalog, policies=trained(catalog.twist("my-twist")))
    shown = GAME.describe(learned, entry)
    assert shown.data["fitted"] is True
    assert "`learned` was trained on this wording." in dict(shown.sections)["Used"]


def test_weights_are_laid_over_a_catalog(tmp_path, overlay):
    mine = overlay(MINE)
    weights = tmp_path / "mine.npz"
    weights.write_bytes(trained(load_catalog([mine]).twist("my-twist")).network)
    assert load_catalog([mine, weights]).policies.network == weights.read_bytes()
    assert load_catalog([tmp_path]).policies.network == weights.read_bytes()
    weights.write_bytes(b"rubbish")
    with pytest.raises(CatalogError, match=r"mine\.npz.*not the weights"):
        load_catalog([mine, weights])


# --- files ------------------------------------------------------------------------------------------------


def test_what_is_written_can_be_read_back(tmp_path, official):
    exact = offset("unions", coin=0.1234567890123, card=1e-7, income=-1 / 3)
    catalog = replace(official, policies=plain(exact))
    file = tmp_path / "policies.toml"
    file.write_text(GAME.policies_text(catalog), encoding="utf-8")
    file.with_name("learned.npz").write_bytes(GAME.network(catalog))
    again = GAME.with_policies(official, file)
    assert again.policies.entries == catalog.policies.entries
    assert GAME.policies_hash(again) == GAME.policies_hash(catalog)
    assert GAME.policies_hash(catalog) != GAME.policies_hash(official)
    assert again.hash == catalog.hash


OFFSET = """
[[offset]]
policy = "adaptive"
twist = "unions"
fitted_to = "0123456789ab"
[offset.parameters]
coin = 0.25
"""


def replaced(text, old, new):
    assert text.count(old) >= 1, old
    return text.replace(old, new, 1)


def cut(text, start, end):
    """Leave out what lies between two pieces of a text."""
    return re.sub(re.escape(start) + ".*?" + re.escape(end), end, text, count=1, flags=re.S)


COIN = "policy.1.parameters.coin"
BAD_POLICIES = [
    (lambda t: replaced(t, '"greedy"', '"greedi"'), "policy.1.name", "did you mean 'greedy'?"),
    (lambda t: replaced(t, 'name = "greedy"\n', ""), "policy.1.name", "missing; one of greedy, rusher"),
    (lambda t: replaced(t, "about = ", "abuot = 1\nabout = "), "policy.1.abuot", "did you mean 'about'?"),
    (lambda t: replaced(t, "about = ", "about = 1 # "), "policy.1.about", "expected a text, found 1"),
    (lambda t: replaced(t, "fixed = [", "fixed = 3\n# ["), "policy.1.fixed", "expected a list, found 3"),
    (lambda t: replaced(t, "\ncoin = ", "\ncoin = 9\n# "), COIN, "expected a number 0..2, found 9"),
    (lambda t: replaced(t, "\ncoin = ", "\ncoin = nan\n# "), COIN, "expected a number 0..2, found nan"),
    (lambda t: replaced(t, "\ncoin = ", "\ncoin = true\n# "), COIN, "expected a number 0..2, found true"),
    (lambda t: replaced(t, "\ncoin = ", "\n# "), COIN, "missing; a number 0..2"),
    (lambda t: replaced(t, "\ncoin = ", "\ncoin = []\n# "), COIN, "found an empty list"),
    (
        lambda t: replaced(t, "\ncoin = ", "\nkoin = 1\ncoin = "),
        "policy.1.parameters.koin",
        "did you mean 'coin'",
    ),
    (lambda t: cut(t, "[[policy]]", "[[policy]]\n"), "policy", "expected one entry for each of greedy"),
    (lambda t: t + cut(t, "#", "[[policy]]").split("\n\n")[0], "policy", "expected one entry for each of"),
    (lambda t: "policy = 1", "policy", "expected a list, found 1"),
    (lambda t: "policy = [1]", "policy.1", "expected a table"),
    (
        lambda t: f"{t}\n{OFFSET.replace('adaptive', 'adaptiv')}",
        "offset.1.policy",
        "did you mean 'adaptive'?",
    ),
    (lambda t: f"{t}\n{OFFSET.replace('0.25', '-2.5')}", "offset.1.parameters.coin", "-2..2, found -2.5"),
]


@pytest.mark.parametrize(("spoil", "field", "message"), BAD_POLICIES)
def test_a_mistake_in_a_file_of_policies_is_named_with_its_place(tmp_path, spoil, field, message):
    file = tmp_path / "policies.toml"
    file.write_text(spoil(policies_text(plain())), encoding="utf-8")
    with pytest.raises(CatalogError) as caught:
        read_policies(file)
    [found] = caught.value.problems
    assert (found.file, found.field) == (str(file), field)
    assert message in found.message


def test_a_file_of_something_else(tmp_path):
    file = tmp_path / "policies.toml"
    file.write_text("polices = 1")
    with pytest.raises(
        CatalogError, match=r"policy: missing\n.*polices: unknown field .*did you mean 'policy'"
    ):
        read_policies(file)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(CatalogError, match=r"policies\.toml"):
        read_policies(tmp_path / "policies.toml")
