"""`balance tune`: lets the learned player learn a twist of your own, or changed rules."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from balance import games, machine
from balance.cli import diagnostics, gameoptions, output
from balance.cli.help_text import examples
from balance.cli.train import learner
from balance.errors import UsageError
from balance.experiments.samples import TUNING_SEEDS
from balance.games.variants import variant_id

EPILOG = examples(
    "balance tune --catalog my.toml --twist my-twist --out my.npz",
    "balance tune --twist unions --budget 20000 --out unions.npz",
)
BUDGET: Final = 100_000
"""Games; about two minutes on two cores."""


def tune(
    variant: Annotated[
        str, typer.Option("--variant", metavar="ID", help="The variant that the player shall learn.")
    ],
    out: Annotated[
        Path,
        typer.Option("--out", "-o", metavar="FILE", help="Where the weights go: a file that ends in .npz."),
    ],
    catalog: gameoptions.CatalogOption = None,
    budget: Annotated[
        int, typer.Option(metavar="GAMES", min=1, help="How many games the player learns from.")
    ] = BUDGET,
    seed: gameoptions.TuningSeedOption = TUNING_SEEDS.start,
    jobs: gameoptions.JobsOption = None,
    of: gameoptions.OfOption = games.DEFAULT,
    force: output.ForceOption = False,
) -> None:
    """Fine-tune the learned player for one variant, and write its weights.

    Lay them over the catalog with another --catalog, or put them into the same folder.
    """
    if out.suffix != ".npz":
        raise UsageError(f"--out names a file of weights, which ends in .npz, not '{out}'")
    target = output.options(out=str(out), force=force)
    game, loaded, trainable = learner(of, catalog, seed)
    learned = variant_id(game, loaded, variant)
    from balance.games.compiled.weights import weights_file
    from balance.learning.tuning import fine_tune

    with diagnostics.progress(f"learning {learned}", budget) as advance:
        tuning = fine_tune(trainable, learned, budget, seed, machine.threads(jobs, 2), advance)
    output.stream(iter([weights_file(tuning.weights, trainable.stamp(), tuning.log)]), target)
    interval = f"{tuning.gain:+.3f} win points (95%: {tuning.low:+.3f} to {tuning.high:+.3f})"
    diagnostics.say(
        f"{learned}: {interval} of one tuned player among untuned ones, on {tuning.fresh:,} fresh games "
        f"of {tuning.games:,}"
    )
    if not tuning.gains:
        diagnostics.say("that is not distinguishable from 0: the weights stay as they were")
