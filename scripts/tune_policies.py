"""Find the numbers of the players in data/nefarious/policies.toml, from those written by hand.

    python scripts/tune_policies.py                          # everything: about half an hour on two cores
    python scripts/tune_policies.py --offsets unions geeks   # only the offsets of these twists
    python scripts/tune_policies.py --without-twists         # only that for games without twists

The same version gives the same numbers, whatever the number of threads. The optimiser is CMA-ES (the extra
`tune`); what was found so far lies beside the result, in `policies.part.toml`. Seeds and pairs of published
figures are never played here (`balance.analysis.samples`).
"""

import argparse
import sys
from pathlib import Path

from balance.analysis.samples import tuning_combinations
from balance.games.nefarious import tuning
from balance.games.nefarious.catalog import load_catalog
from balance.games.nefarious.game import GAME
from balance.games.nefarious.players import Policies, official_policies, read_policies, write_policies
from balance.resources import data_dir

START = Path(__file__).parent / "tuning_start.toml"


def say(text: str) -> None:
    """Tell how far it is."""
    print(text, file=sys.stderr, flush=True)


def main() -> None:
    """Tune and write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--offsets", nargs="+", metavar="TWIST", help="only the offsets of these twists")
    parser.add_argument("--without-twists", action="store_true", help="only the offset for no twists")
    parser.add_argument("--out", type=Path, default=data_dir("nefarious") / "policies.toml")
    args = parser.parse_args()

    def keep(found: Policies) -> None:
        write_policies(found, args.out.with_suffix(".part.toml"))

    catalog = load_catalog()
    pairs = {e.id: tuning_combinations(GAME, catalog, e.id) for e in catalog.editions}
    if args.without_twists:
        policies = tuning.polish_without_twists(tuning.tune_without_twists(official_policies(), say), say)
    elif args.offsets:
        policies = tuning.tune_offsets(official_policies(), pairs, args.offsets, say, keep)
    else:
        policies = tuning.tune_all(read_policies(START), pairs, say, keep)
    write_policies(policies, args.out)
    args.out.with_suffix(".part.toml").unlink(missing_ok=True)


if __name__ == "__main__":
    main()
