"""Find the numbers of the players in data/nefarious/policies.toml: the archetypes, `adaptive`, its offsets.

    python scripts/tune_policies.py archetypes --write
    python scripts/tune_policies.py adaptive --write
    python scripts/tune_policies.py offsets --write

The same arguments give the same numbers. The optimiser is CMA-ES (the extra `tune`); seeds and pairs of the
published figures are never seen here (`balance.analysis.samples`).
"""

import argparse
import sys
from pathlib import Path

from balance.games.nefarious import tuning
from balance.games.nefarious.players import official_policies, write_policies
from balance.resources import data_dir


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["archetypes", "adaptive", "offsets"])
    parser.add_argument("--only", nargs="*", help="only these archetypes or twists")
    parser.add_argument("--generations", type=int)
    parser.add_argument("--write", action="store_true", help="write the result into policies.toml")
    args = parser.parse_args()
    policies = official_policies()

    def say(text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    if args.what == "archetypes":
        policies = tuning.tune_archetypes(policies, args.only, args.generations or 40, say)
    elif args.what == "adaptive":
        policies = tuning.tune_adaptive(policies, args.generations or 200, say)
    else:
        policies = tuning.tune_offsets(policies, args.only, args.generations or 30, say)
    if args.write:
        write_policies(policies, data_dir("nefarious") / Path("policies.toml"))


if __name__ == "__main__":
    main()
