"""What is a card in the opening hand worth, and does a twist change it? With plain DuckDB over the files.

    python docs/examples/card_value_duckdb.py data/runs/first "Moon Base"

Without a run it plays a small one first, by players who choose at random.

Chance deals the opening hand, so the win points of those who had the card, less the fair share of 1, are what
the card is worth. A stalled game counts 1 for each of its seats.
"""

import sys
from pathlib import Path

import duckdb

QUERY = """
with deck as (  -- bit k of the masks is the card with the k-th lowest id
  select id, name, row_number() over (order by id) - 1 as bit from read_parquet($inventions)
), card as (
  select bit from deck where name = $name
), held as (
  select s.cell_id, if(g.stalled, 1, s.won::int * g.players) as points
  from read_parquet($seats) s
  join read_parquet($games) g using (game_id)
  where (if((from card) < 64, s.opening_0, s.opening_1) >> ((from card) % 64)::utinyint) & 1 = 1
), in_force as (
  select unnest(if(c.pair_a is null, ['(none)'], [c.pair_a, c.pair_b])) as twist, h.points
  from held h join read_parquet($cells) c using (cell_id)
)
select twist, count(*) as seats, sum(points)::bigint as points, sum(points)::bigint / count(*) - 1 as value
from in_force
where twist is not null
group by twist
order by twist <> '(none)', value desc, twist
"""


def values(folder: Path, card: str) -> list[tuple[str, int, int, float]]:
    """Return twist, seats, their win points and the card's value; the first row is without any twist."""
    files = {
        "inventions": str(folder / "inventions.parquet"),
        "cells": str(folder / "cells.parquet"),
        "seats": str(folder / "seats/**/*.parquet"),
        "games": str(folder / "games/**/*.parquet"),
    }
    return duckdb.execute(QUERY, files | {"name": card}).fetchall()


def small_run() -> Path:
    """Play, or find, a few hundred games with and without a twist, and return their folder."""
    import balance

    options = {"players": 4, "lineups": "mirror:random", "games_per_cell": 200}
    return balance.simulate("data/runs/example-cards", variants=["none", "unions"], **options).path


def main() -> None:
    """Print the value of a card without twists and under each."""
    folder, card = (Path(sys.argv[1]), sys.argv[2]) if sys.argv[2:] else (small_run(), "Moon Base")
    for twist, seats, _, value in values(folder, card):
        print(f"{twist:28} {value:+.3f} win points ({seats} seats)")


if __name__ == "__main__":
    main()
