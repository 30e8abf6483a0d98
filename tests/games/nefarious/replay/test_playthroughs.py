"""Golden playthroughs: whole games to be read by a person, for every twist and edition and intricate pairs.

A change of a rule, of the randomness or of the transcript shows as a diff; `make test-update` accepts it.
Each file ends with a hash of the complete event log, which holds fast what a transcript does not say.
"""

import hashlib
import json

import pytest

from balance import games

SEED = 1
# file: edition, players, twists, game index; chosen so that the twists have something to do, and briefly
PLAYED = {
    "no-twists": ("ascora-2011", 3, "", 112),
    "edition-ascora-2011": ("ascora-2011", 2, "", 59),
    "edition-magellan-2014": ("magellan-2014", 3, "", 112),
    "edition-mosigra-2020": ("mosigra-2020", 4, "", 48),
    "twist-grants": ("ascora-2011", 2, "grants", 44),
    "twist-age-of-boredom": ("mosigra-2020", 3, "age-of-boredom", 106),
    "twist-alien-contact": ("ascora-2011", 4, "alien-contact", 43),
    "twist-animal-rights-activists": ("mosigra-2020", 2, "animal-rights-activists", 71),
    "twist-bigger-and-better": ("ascora-2011", 3, "bigger-and-better", 20),
    "twist-blood-sweat-and-mice": ("mosigra-2020", 4, "blood-sweat-and-mice", 43),
    "twist-cheap-fusion-power": ("ascora-2011", 2, "cheap-fusion-power", 47),
    "twist-embezzling-minions": ("mosigra-2020", 3, "embezzling-minions", 26),
    "twist-focused-research": ("ascora-2011", 4, "focused-research", 69),
    "twist-forgotten-epiphanies": ("mosigra-2020", 2, "forgotten-epiphanies", 5),
    "twist-game-theory": ("ascora-2011", 3, "game-theory", 77),
    "twist-science-marathon": ("mosigra-2020", 4, "science-marathon", 104),
    "twist-hyperinflation": ("ascora-2011", 2, "hyperinflation", 54),
    "twist-insider-trading": ("mosigra-2020", 3, "insider-trading", 84),
    "twist-lingering-evil": ("ascora-2011", 4, "lingering-evil", 104),
    "twist-long-term-plans": ("mosigra-2020", 2, "long-term-plans", 44),
    "twist-mad-broker": ("ascora-2011", 3, "mad-broker", 60),
    "twist-academics": ("mosigra-2020", 4, "academics", 9),
    "twist-free-radio": ("ascora-2011", 2, "free-radio", 3),
    "twist-mob-influence": ("mosigra-2020", 3, "mob-influence", 17),
    "twist-overpopulation": ("ascora-2011", 4, "overpopulation", 66),
    "twist-focus-groups": ("mosigra-2020", 2, "focus-groups", 44),
    "twist-parallel-universe": ("ascora-2011", 3, "parallel-universe", 98),
    "twist-perpetual-motion": ("mosigra-2020", 4, "perpetual-motion", 71),
    "twist-philanthropy": ("ascora-2011", 2, "philanthropy", 44),
    "twist-private-funding": ("mosigra-2020", 3, "private-funding", 62),
    "twist-popular-science": ("ascora-2011", 4, "popular-science", 43),
    "twist-quantum-relativity": ("mosigra-2020", 2, "quantum-relativity", 44),
    "twist-recycling": ("ascora-2011", 3, "recycling", 105),
    "twist-security-measures": ("mosigra-2020", 4, "security-measures", 48),
    "twist-rigged-investments": ("ascora-2011", 2, "rigged-investments", 44),
    "twist-stolen-parts": ("mosigra-2020", 3, "stolen-parts", 17),
    "twist-subliminal-advertising": ("ascora-2011", 4, "subliminal-advertising", 38),
    "twist-better-left-unknown": ("mosigra-2020", 2, "better-left-unknown", 51),
    "twist-geeks": ("ascora-2011", 3, "geeks", 280),
    "twist-unions": ("mosigra-2020", 4, "unions", 33),
    "twist-cyber-spies": ("ascora-2011", 2, "cyber-spies", 39),
    "twist-inspiration": ("mosigra-2020", 3, "inspiration", 112),
    "pair-parallel-universe-then-unions": ("mosigra-2020", 4, "parallel-universe,unions", 75),
    "pair-unions-then-parallel-universe": ("ascora-2011", 2, "unions,parallel-universe", 71),
    "pair-parallel-universe-then-hyperinflation": (
        "magellan-2014",
        3,
        "parallel-universe,hyperinflation",
        14,
    ),
    "pair-parallel-universe-then-bigger-and-better": (
        "mosigra-2020",
        4,
        "parallel-universe,bigger-and-better",
        43,
    ),
    "pair-quantum-relativity-then-parallel-universe": (
        "ascora-2011",
        2,
        "quantum-relativity,parallel-universe",
        44,
    ),
    "pair-parallel-universe-then-long-term-plans": (
        "magellan-2014",
        3,
        "parallel-universe,long-term-plans",
        54,
    ),
    "pair-parallel-universe-then-rigged-investments": (
        "mosigra-2020",
        4,
        "parallel-universe,rigged-investments",
        97,
    ),
    "pair-quantum-relativity-then-lingering-evil": (
        "ascora-2011",
        2,
        "quantum-relativity,lingering-evil",
        151,
    ),
    "pair-quantum-relativity-then-recycling": ("magellan-2014", 3, "quantum-relativity,recycling", 72),
    "pair-geeks-then-quantum-relativity": ("mosigra-2020", 4, "geeks,quantum-relativity", 251),
    "pair-long-term-plans-then-alien-contact": ("ascora-2011", 2, "long-term-plans,alien-contact", 87),
    "pair-unions-then-long-term-plans": ("magellan-2014", 3, "unions,long-term-plans", 18),
    "pair-overpopulation-then-long-term-plans": ("ascora-2011", 4, "overpopulation,long-term-plans", 76),
    "pair-mad-broker-then-rigged-investments": ("ascora-2011", 2, "mad-broker,rigged-investments", 34),
    "pair-mad-broker-then-perpetual-motion": ("ascora-2011", 3, "mad-broker,perpetual-motion", 54),
    "pair-cyber-spies-then-mad-broker": ("ascora-2011", 4, "cyber-spies,mad-broker", 16),
    "pair-perpetual-motion-then-age-of-boredom": ("ascora-2011", 2, "perpetual-motion,age-of-boredom", 84),
    "pair-perpetual-motion-then-game-theory": ("magellan-2014", 3, "perpetual-motion,game-theory", 109),
    "pair-insider-trading-then-perpetual-motion": (
        "mosigra-2020",
        4,
        "insider-trading,perpetual-motion",
        113,
    ),
    "pair-mob-influence-then-perpetual-motion": ("ascora-2011", 2, "mob-influence,perpetual-motion", 118),
    "pair-focused-research-then-forgotten-epiphanies": (
        "magellan-2014",
        3,
        "focused-research,forgotten-epiphanies",
        6,
    ),
    "pair-academics-then-rigged-investments": ("magellan-2014", 4, "academics,rigged-investments", 55),
    "pair-academics-then-parallel-universe": ("mosigra-2020", 2, "academics,parallel-universe", 17),
    "pair-hyperinflation-then-bigger-and-better": ("magellan-2014", 3, "hyperinflation,bigger-and-better", 6),
    "pair-unions-then-hyperinflation": ("mosigra-2020", 4, "unions,hyperinflation", 9),
    "pair-forgotten-epiphanies-then-recycling": ("ascora-2011", 2, "forgotten-epiphanies,recycling", 87),
    "pair-subliminal-advertising-then-hyperinflation": (
        "magellan-2014",
        3,
        "subliminal-advertising,hyperinflation",
        6,
    ),
    "pair-lingering-evil-then-stolen-parts": ("mosigra-2020", 4, "lingering-evil,stolen-parts", 270),
    "pair-geeks-then-better-left-unknown": ("ascora-2011", 2, "geeks,better-left-unknown", 9),
    "deck-closed": ("ascora-2011", 4, "geeks,recycling", 112),
    "deck-reshuffled": ("magellan-2014", 4, "alien-contact,focused-research", 73),
}


def playthrough(official, edition, players, twists, index):
    game = games.get("nefarious")
    cell = game.compile(official, edition, players, [twist for twist in twists.split(",") if twist])
    events = game.replay(cell, SEED, index, ["random"] * players)
    log = "".join(f"{json.dumps(event)}\n" for event in events)
    command = f"balance replay --edition {edition} --players {players} --seed {SEED} --game {index}"
    command += f" \\\n  --twists {twists}" if twists else ""
    digest = hashlib.sha256(log.encode()).hexdigest()
    return f"$ {command}\n\n{game.transcript(cell, events)}\n{len(events)} events, SHA-256 {digest}\n"


@pytest.mark.parametrize("name", PLAYED)
def test_playthrough(name, golden, official):
    golden(f"{name}.txt", playthrough(official, *PLAYED[name]))


def test_every_twist_and_edition_has_a_playthrough(official):
    wanted = {f"twist-{twist.id}" for twist in official.twists} | {"no-twists"}
    wanted |= {f"edition-{edition.id}" for edition in official.editions}
    assert wanted - set(PLAYED) == set()
    for name, (edition, _, twists, _) in PLAYED.items():
        kind, _, what = name.partition("-")
        assert what in {"twist": [twists], "edition": [edition]}.get(kind, [what]), name


def test_twenty_pairs_and_more_have_a_playthrough():
    pairs = {twists for name, (_, _, twists, _) in PLAYED.items() if name.startswith("pair-")}
    assert len(pairs) >= 20
    assert all(twists.count(",") == 1 for twists in pairs)


def test_no_playthrough_is_left_over(request):
    files = {file.stem for file in (request.path.parent / "goldens").glob("*.txt")}
    ours = {"no-twists", "edition-", "twist-", "pair-", "deck-"}
    assert {name for name in files if name.startswith(tuple(ours))} == set(PLAYED)


def test_playthroughs_stay_small(request):
    files = [request.path.parent / "goldens" / f"{name}.txt" for name in PLAYED]
    assert sum(file.stat().st_size for file in files) < 1_500_000
