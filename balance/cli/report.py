"""`balance report`: what a designer forwards, as one HTML file or a PDF."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from balance.cli import diagnostics, gameoptions, output
from balance.cli.help_text import examples
from balance.cli.sweep_progress import player
from balance.errors import UsageError

EPILOG = examples(
    "balance report data/runs/full",
    "balance report data/runs/full --format both --paper letter",
    "balance report data/runs/full --pair unions geeks",
    'balance report data/runs/full --invention "Flying Car" --format pdf',
)


def report(
    runs: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN...", autocompletion=gameoptions.complete_run, help="The runs that it is about."
        ),
    ],
    format_: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="html|pdf|both|json|markdown|text",
            help="What to write; by default what the name of --out says, else html.",
        ),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", metavar="FILE", help="Where to; by default a file below reports/."),
    ] = None,
    players: Annotated[
        str | None, typer.Option(metavar="N,N-N", help="Only these numbers of players; by default all.")
    ] = None,
    pair: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="A B", help="A sheet on the combination of these two variants."),
    ] = None,
    item: Annotated[
        str | None, typer.Option("--item", metavar="NAME", help="A report on one item, by name or id.")
    ] = None,
    thresholds: gameoptions.ThresholdsOption = None,
    prices: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Quote these prices: a result of `balance price --json`."),
    ] = None,
    queries: Annotated[
        list[str] | None,
        typer.Option(
            "--with", metavar="FILE.sql", help="Add the result of this query as a chapter; repeatable."
        ),
    ] = None,
    paper: Annotated[str, typer.Option(metavar="a4|letter", help="The paper of the PDF.")] = "a4",
    jobs: gameoptions.JobsOption = None,
    force: output.ForceOption = False,
) -> None:
    """Write a report on runs: verdicts, atlas, wins, lengths, items, variants.

    The worst combinations are played again on fresh seeds. Prints the path of what was written.
    """
    from balance.report import build

    if out == "-":
        raise UsageError("out -: a report is a file: name it", parameter="out")
    asked = build.ReportRequest(
        tuple(runs),
        players=players,
        pair=pair,
        item=item,
        thresholds=tuple(thresholds or ()),
        prices=None if prices is None else Path(prices),
        queries=tuple(map(Path, queries or ())),
        format=format_,
        out=None if out is None else Path(out),
        paper=paper,
        force=force,
    )
    with diagnostics.progress("report", build.steps(asked)) as advance:
        written = build.write(asked, play=player(jobs), step=partial(advance, 1), jobs=jobs)
    for path in written:
        output.text(str(path))
