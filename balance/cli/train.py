"""`balance train`: lets a game's player learn by playing against itself."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from balance import games, machine
from balance.cli import diagnostics, gameoptions, output
from balance.cli.help_text import examples
from balance.dataset.manifest import refuse_inside
from balance.errors import UsageError
from balance.experiments.samples import TUNING_SEEDS, check_tuning_seed, sample
from balance.games.contract import Game, Learnable

_A_MONTH = 60 * 24 * 31

EPILOG = examples(
    "balance train data/runs/training --minutes 60",
    "balance train data/runs/more --from weights.npz --minutes 10",
)


def learner(of: str, catalog: Sequence[str] | None, seed: int) -> tuple[Any, Any, Any]:
    """Return a game, its catalog, and what learns to play it.

    UsageError if the game cannot be learned, PyTorch is missing, or the seed is not one for tuning.
    """
    check_tuning_seed(seed)
    game: Game[Any, Any] = games.get(of)
    if not isinstance(game, Learnable):
        raise UsageError(f"the players of {game.facts.title} do not learn")
    try:
        import torch  # noqa: F401
    except ImportError as error:
        raise UsageError("learning needs PyTorch: pip install 'game-balance[train]'") from error
    loaded = game.load_catalog(catalog or ())
    gameoptions.announce_warm_up(game, replay=False)
    return game, loaded, game.trainable(loaded)


def train(
    folder: Annotated[
        Path, typer.Argument(help="Where weights, log and checkpoint go; an unfinished training is resumed.")
    ],
    start: Annotated[
        Path | None, typer.Option("--from", metavar="FILE", help="Weights to begin with; by default none.")
    ] = None,
    hold_out: Annotated[
        bool,
        typer.Option("--hold-out", help="Never meet the published sample of pairs, to measure the unseen."),
    ] = False,
    minutes: Annotated[float, typer.Option(metavar="M", help="Stop after this time at the latest.")] = 60.0,
    catalog: gameoptions.CatalogOption = None,
    seed: gameoptions.TuningSeedOption = TUNING_SEEDS.start,
    jobs: gameoptions.JobsOption = None,
    of: gameoptions.OfOption = games.DEFAULT,
) -> None:
    """Train the learned player of a game by self-play, from nothing or from given weights.

    The settings of all stages are fixed; the command stops when, after the last stage, nothing is gained any
    more. FOLDER gets weights.npz, log.jsonl and progress.svg.
    """
    if not 0 < minutes < _A_MONTH:
        raise UsageError(f"minutes {minutes}: expected more than 0, and at most a month", parameter="minutes")
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder}: is not a folder")
    refuse_inside(folder / "weights.npz")
    game, loaded, trainable = learner(of, catalog, seed)
    from balance.games.compiled.weights import parse_weights
    from balance.games.weights_file import weights_bytes
    from balance.learning.progress import draw_progress, has_plateaued, read_progress
    from balance.learning.replies import feed_reply
    from balance.learning.settings import Settings
    from balance.learning.training import Training

    if hold_out:
        trainable = trainable.without(sample(game, loaded, game.facts.default_edition))
    begin = None
    if start:
        try:
            data = weights_bytes(start)
        except (OSError, ValueError) as error:
            raise UsageError(f"{start}: {getattr(error, 'strerror', None) or error}") from None
        begin = parse_weights(data, str(start), trainable.stamp())
    settings = Settings(seed=seed, threads=machine.threads(jobs, 2))
    training = Training(trainable, folder, settings, begin)
    end = time.monotonic() + 60 * minutes
    stopped = "the time is over"
    while time.monotonic() < end:
        entry = training.step()
        if training.iteration % settings.reply_every == 0:
            reply = feed_reply(training)
            diagnostics.say(f"{training.games:>9,} games: a best reply gains {reply.gain:.2f} in one cell")
        if trainable.figure in entry:
            diagnostics.say(
                f"{entry['games']:>9,} games: {entry[trainable.figure]:.2f} win points among bots, "
                f"{entry['rounds']:.1f} rounds, entropy {entry['entropy']:.2f}"
            )
            entries = read_progress(folder)
            draw_progress(entries, trainable.figure, folder)
            if has_plateaued(entries, trainable.figure, settings.stages[-1].until):
                stopped = "nothing was gained for long"
                break
    training.save()
    diagnostics.say(f"stopped after {training.games:,} games: {stopped}")
    output.text(str(folder / "weights.npz"))
