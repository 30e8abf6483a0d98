"""Which pairs of twists make games much longer than their two twists alone would? With polars.

    python docs/examples/broken_pairs_polars.py data/runs/first

Without a run it plays a small one first, by players who choose at random.

Lengths are compared as ratios: if one twist makes games half as long again and another doubles them, the pair
is expected to make them three times as long. The deals are the same in all cells, so the ratio is made deal
by deal, and its spread over the deals says how sure it is.
"""

import sys

import polars as pl

import balance


def beyond_expectation(run: balance.Run) -> pl.DataFrame:
    """Return for every pair how many times longer games are than expected, with the ends of the interval."""
    deal = ["lineup", "players", "game_index"]
    log_rounds = (
        run.games.group_by(*deal, "pair_a", "pair_b")
        .agg(pl.col("rounds").log().mean().alias("log"))
        .collect()
    )
    plain = log_rounds.filter(pl.col("pair_a").is_null()).select(*deal, plain="log")
    single = log_rounds.filter(pl.col("pair_a").is_not_null(), pl.col("pair_b").is_null())
    first = single.select(*deal, "pair_a", first="log")
    second = single.select(*deal, pair_b="pair_a", second="log")
    return (
        log_rounds.filter(pl.col("pair_b").is_not_null())
        .join(first, on=[*deal, "pair_a"])
        .join(second, on=[*deal, "pair_b"])
        .join(plain, on=deal)
        .with_columns(beyond=pl.col("log") - pl.col("first") - pl.col("second") + pl.col("plain"))
        .group_by("lineup", "players", "pair_a", "pair_b")
        .agg(
            deals=pl.len(),
            mean=pl.col("beyond").mean(),
            error=pl.col("beyond").std() / pl.len().sqrt(),
        )
        .select(
            "lineup",
            "players",
            "pair_a",
            "pair_b",
            "deals",
            factor=pl.col("mean").exp(),
            low=(pl.col("mean") - 1.96 * pl.col("error")).exp(),
            high=(pl.col("mean") + 1.96 * pl.col("error")).exp(),
        )
        .sort("factor", "lineup", "players", "pair_a", "pair_b", descending=[True, *[False] * 4])
    )


def small_run() -> balance.Run:
    """Play, or open, a few thousand games of four twists and their pairs."""
    twists = ["perpetual-motion", "unions", "geeks", "hyperinflation"]
    pairs = [f"{a},{b}" for k, a in enumerate(twists) for b in twists[k + 1 :]]
    return balance.simulate(
        "data/runs/example",
        players=4,
        variants=["none", *twists, *pairs],
        lineups="mirror:random",
        games_per_cell=200,
    )


def main() -> None:
    """Print the ten pairs that lengthen games most beyond what their twists do alone."""
    run = balance.open_run(sys.argv[1]) if sys.argv[1:] else small_run()
    rows = beyond_expectation(run)
    # The largest of many estimates is too large: look at it again on fresh seeds before you believe it.
    for row in rows.head(10).iter_rows(named=True):
        print(
            f"{row['pair_a']} + {row['pair_b']} ({row['players']} players, {row['lineup']}): "
            f"{row['factor']:.2f} times as long ({row['low']:.2f} to {row['high']:.2f}, {row['deals']} deals)"
        )


if __name__ == "__main__":
    main()
