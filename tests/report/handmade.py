"""A report made by hand: every kind of block, an atlas of any size, texts that try to be more than text."""

from __future__ import annotations

import random
from itertools import combinations, islice
from typing import Any

from balance.report.atlas import SCALE, VERDICT_CODES
from balance.report.model import (
    Answer,
    Bullets,
    Cell,
    Chart,
    Code,
    Heading,
    Paragraph,
    Provenance,
    Section,
    Source,
    Summary,
    Table,
    VerdictCount,
    Worst,
)

HOSTILE = """<script>alert("x")</script> </script> <!-- {{ 7 * 7 }} {% raw %} ' " & [[win points]] \u2028"""
NAMES = (
    "Anarchy",
    "Bureaucrats",
    "Cold War",
    "Double Agents",
    "Espionage",
    "Factories",
    "Gold Rush",
    "Hypnosis",
)
SOURCE = Source("1,234 games", "95%, Wilson, the deal is the unit", "select '<b>' as x, count(*) from games")
METRICS = [
    {"id": id_, "title": title, "help": help_, "kind": kind, "neutral": neutral, "low": low, "high": high}
    for id_, title, help_, kind, neutral, low, high in (
        ("length", "Median length", "Half of all games are shorter.", "integer", None, 8.0, 16.0),
        ("stalls", "Stalled games", "Nobody wins.", "share", None, None, 0.05),
        ("seat:0", "First seat", "Win points of who sits first.", "number", 1.0, 0.8, 1.2),
        ("money", "Money at the end", "Shown only.", "number", None, None, None),
    )
]


def place(i: int, j: int, n: int) -> int:
    """Return where two of `n` variants stand: the upper triangle row by row, with the diagonal."""
    low, high = min(i, j), max(i, j)
    return low * n - low * (low - 1) // 2 + high - low


def names(count: int) -> list[str]:
    return [NAMES[k] if k < len(NAMES) else f"Variant number {k}" for k in range(count)]


def scaled(rng: random.Random, count: int, middle: float, spread: float) -> dict[str, list[int]]:
    values = [round(SCALE * max(0.0, rng.gauss(middle, spread))) for _ in range(count)]
    half = round(SCALE * spread / 5)
    return {
        "values": values,
        "lows": [max(0, value - half) for value in values],
        "highs": [value + half for value in values],
    }


def view(
    rng: random.Random, count: int, players: int, lineup: str, strength: str, number: int
) -> dict[str, Any]:
    verdicts = "".join(rng.choice("bbffffffuuu") for _ in range(count))
    reasons = tuple(
        ("The median game lasts 21 rounds, accepted are 16 at most.",)
        if code == "b"
        else ("About 4,000 more games would tell.",)
        if code == "u"
        else ()
        for code in verdicts
    )
    metrics = ("Median length", "Stalled games")
    causes = tuple(metrics[k % 2] if code == "b" else "" for k, code in enumerate(verdicts))
    return {
        "players": players,
        "lineup": lineup,
        "strength": strength,
        "cells": tuple(number * count + k for k in range(count)),
        "games": (450,) * count,
        "verdicts": verdicts,
        "values": {
            "length": scaled(rng, count, 12, 3),
            "stalls": scaled(rng, count, 0.03, 0.02),
            "seat:0": scaled(rng, count, 1, 0.1),
            "money": scaled(rng, count, 9, 2),
        },
        "lengths": tuple(tuple(rng.randrange(60) for _ in range(8)) for _ in range(count)),
        "styles": {p: scaled(rng, count, 1, 0.2) for p in ("adaptive", "greedy")}
        if lineup == "field"
        else {},
        "interactions": {"length": scaled(rng, count, 0.1, 0.02), "stalled": scaled(rng, count, 0.03, 0.01)},
        "sure": {name: "".join(rng.choice("01") for _ in range(count)) for name in ("length", "stalled")},
        "replays": tuple(f"balance replay --players {players} --seed 1 --game {k}" for k in range(count)),
        "reasons": reasons,
        "causes": causes,
    }


def atlas(count: int, players: tuple[int, ...], called: list[str]) -> dict[str, Any]:
    rng = random.Random(7)
    places = count * (count + 1) // 2
    lineups = (("field", "casual play"), ("mirror:learned", "skilled play"))
    views = tuple(
        view(rng, places, n, lineup, strength, number)
        for number, (n, lineup, strength) in enumerate((n, *both) for n in players for both in lineups)
    )

    def together(n: int) -> str:
        ours = [v["verdicts"] for v in views if v["players"] == n]
        return "".join("b" if "b" in c else "f" if set(c) == {"f"} else "u" for c in zip(*ours, strict=True))

    return {
        "variants": tuple(
            {"id": f"v{k}", "name": name, "rule": f"The rule of {name}."} for k, name in enumerate(called)
        ),
        "pairs": True,
        "metrics": METRICS,
        "players": players,
        "lineups": lineups,
        "usual": "mirror:learned",
        "views": views,
        "overall": {n: together(n) for n in players},
        "plain": [{m["id"]: (12.0, 11.5, None) for m in METRICS} for _ in views],
        "plain_lengths": tuple((1, 5, 30, 60, 30, 5, 1, 0) for _ in views),
        "length_bins": ((1, 5), (6, 8), (9, 10), (11, 11), (12, 13), (14, 16), (17, 25), (26, 60)),
        "policies": ("adaptive", "greedy"),
        "interactions": (("length", "length", "log"), ("stalled", "games that nobody wins", "points")),
        "query": "balance sql RUN @report/cell cell={}",
        "title": f"A report on {called[1]}",
        "game": "Nefarious",
        "words": {"variant": "twist", "variants": "twists", "item": "invention", "items": "inventions"},
        "scale": SCALE,
        "codes": VERDICT_CODES,
    }


def handmade(count: int = 8, players: tuple[int, ...] = (2, 4), hostile: str = "") -> Answer:
    """A report of `count` variants; with `hostile` every free text carries it."""
    called = names(count)
    if hostile:
        called[1] = hostile
    table = Table(
        "ranking",
        f"The ranking {hostile}",
        (
            Heading("pair", "Pair", "pair"),
            Heading("verdict", "Verdict", "verdict"),
            Heading("value", "Value", "interval", f"What it means {hostile}"),
            Heading("games", "Games", "integer"),
        ),
        tuple(
            (
                Cell((f"v{i}", f"v{j}"), f"{called[i]} + {called[j]}"),
                Cell("broken" if k % 2 else "fine", "broken" if k % 2 else "fine"),
                Cell(None, "–") if k == 2 else Cell(k * 1.5, f"{k * 1.5:.2f} (1.00 to 9.00)", 1.0, 9.0),
                Cell(1000 * k, f"{1000 * k:,}"),
            )
            for k, (i, j) in enumerate(islice(combinations(range(count), 2), 20), 1)
        ),
        SOURCE,
        f"A note {hostile}",
        long=True,
    )
    styles = (
        "greedy",
        "rusher",
        "saver",
        "investor",
        "spoiler",
        "researcher",
        "adaptive",
        "learned",
        "skilled",
    )
    wide = Table(
        "styles",
        "Win points of each strategy under each twist",
        (Heading("variant", "Twist", "variant"), *(Heading(style, style, "interval") for style in styles)),
        tuple(
            (Cell(f"v{k}", name), *(Cell(0.12, "0.12 (0.08 to 0.16)", 0.08, 0.16) for _ in styles))
            for k, name in enumerate(called)
        ),
        SOURCE,
    )
    figure = Chart(
        "length-figure",
        f"How long games last {hostile}",
        "histogram",
        {"x": (1, 2, 3) * 2, "series": ("2 players",) * 3 + (f"3 {hostile}",) * 3, "y": (1, 5, 2, 2, 4, 3)},
        SOURCE,
        f"Two players: most games last 2 rounds {hostile}",
        "rounds",
        "games",
        "integer",
    )
    return Answer(
        kind="space",
        title=f"Does a pair break the game? {hostile}",
        subtitle=f"All pairs of {count} variants {hostile}",
        game=f"Nefarious {hostile}",
        edition="First edition",
        summary=Summary(
            f"12 of 28 pairs break the game; [[win points]] say so. {hostile}",
            (VerdictCount(None, 12, 6, 10), VerdictCount(2, 8, 10, 10), VerdictCount(4, 10, 8, 10)),
            (
                Worst(
                    ("v0", "v1"),
                    f"{called[0]} + {called[1]}",
                    4,
                    "casual play",
                    f"It never ends. {hostile}",
                    "64 rounds",
                    True,
                    450,
                    "casual play",
                    True,
                    f"balance check v0 v1 --players 4 --suggest {hostile}",
                ),
                Worst(
                    ("v2", "v3"),
                    f"{called[2]} + {called[3]}",
                    2,
                    "skilled play",
                    "One seat wins.",
                    "1.02",
                    False,
                ),
            ),
            (
                Worst(
                    ("v1", "v2"),
                    f"{called[1]} + {called[2]}",
                    4,
                    "casual play",
                    f"Nobody works. {hostile}",
                    "",
                    None,
                ),
            ),
            f"The default player wins 2.38 [[win points]]. {hostile}",
            (f"Play more games of the undecided ones. {hostile}",),
            f"Too few games to say much. {hostile}",
        ),
        sections=(
            Section("wins", "Win rates", (Paragraph(f"A text with [[Win points]]. {hostile}"), table, wide)),
            Section(
                "length",
                "Game length",
                (
                    Bullets((f"One thing {hostile}", "another")),
                    figure,
                    Code(f"balance check {hostile}", "Try it"),
                ),
                (Section("length-more", f"More {hostile}", (Paragraph("A part."),)),),
            ),
        ),
        glossary={"win points": f"Share of wins times players; 1 is fair. {hostile}"},
        provenance=Provenance(
            1234,
            ({"id": f"abc {hostile}", "seed": "1"},),
            (("balance", "0.1"),),
            (("catalog", "4e91"),),
            (
                "balance simulate --games 450 --seed 1 --out data/runs/x",
                f"balance report data/runs/x {hostile}",
            ),
        ),
        atlas=atlas(count, players, called),
    )
