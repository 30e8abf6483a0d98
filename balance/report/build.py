"""A report from runs to files: open the runs, build the answer, render it and write each file whole."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from balance.dataset.manifest import refuse_target
from balance.dataset.run import Run, Runs, open_runs
from balance.dataset.saved_queries import Question, load_question
from balance.errors import UsageError
from balance.experiments.published import PublishedPrices, measured_prices
from balance.games.variants import texts_of
from balance.judge.thresholds import load_thresholds
from balance.report.formatting import command_path
from balance.report.model import Answer, Section, without_places
from balance.userfiles import write_file

if TYPE_CHECKING:
    from balance.experiments.side_by_side import Play
    from balance.report.evidence import Step

REPORTS: Final = Path("reports")
"""The folder of reports for which no file is named."""
SUFFIXES: Final = {"html": ".html", "pdf": ".pdf", "json": ".json", "markdown": ".md", "text": ".txt"}
"""The suffix of a file, by format."""
_FORMATS: Final = {suffix: name for name, suffix in SUFFIXES.items()}


Progress = Callable[[int], AbstractContextManager[Callable[..., None]]]
"""Takes the number of steps; what it opens is called with how many are done, and the next in words."""


@dataclass(frozen=True)
class ReportRequest:
    """The subject of a report, and the file to write."""

    runs: tuple[str | Path, ...]
    players: str | int | Sequence[int] | None = None
    pair: tuple[str, str] | None = None
    item: str | None = None
    thresholds: tuple[str | Path, ...] = ()
    prices: Path | None = None
    queries: tuple[Path, ...] = ()
    """Query files of the user, each of which becomes a chapter."""
    format: str | None = None
    out: Path | None = None
    force: bool = False

    @property
    def formats(self) -> tuple[str, ...]:
        """The formats to write; without a format, that of the file's suffix."""
        asked = self.format or _FORMATS.get(self.out.suffix if self.out else "", "html")
        if asked not in (*SUFFIXES, "both"):
            raise UsageError(
                f"format {asked}: expected {', '.join(SUFFIXES)} or both (html and pdf)", parameter="format"
            )
        return ("html", "pdf") if asked == "both" else (asked,)

    def command(self) -> str:
        """Return the command that makes the report again, without the path that it is written to."""
        words = ["balance report", *(command_path(Path(run)) for run in self.runs)]
        given = {"players": ",".join(texts_of(self.players)), "item": self.item}
        words += [f"--{name} {shlex.quote(str(value))}" for name, value in given.items() if value]
        if self.pair:
            words.append("--pair " + " ".join(map(shlex.quote, self.pair)))
        words += [f"--thresholds {command_path(Path(file))}" for file in self.thresholds]
        words += [f"--prices {command_path(self.prices)}"] if self.prices else []
        words += [f"--with {command_path(query)}" for query in self.queries]
        return " ".join(words)

    def targets(self) -> dict[str, Path]:
        """Return where each format goes; UsageError for what could not be written."""
        found = {}
        for name in self.formats:
            target = self.out or REPORTS / f"{self._name()}{SUFFIXES[name]}"
            if len(self.formats) > 1 and self.out:
                target = self.out.with_suffix(SUFFIXES[name])
            if _FORMATS.get(target.suffix, name) != name:
                raise UsageError(
                    f"out {target}: a name for {target.suffix[1:]}, but format is {name}",
                    parameter=("out", "format"),
                )
            refuse_target("out", target, self.force, made=self.out is None)
            found[name] = target
        return found

    def _name(self) -> str:
        """Return a name for a file: the run's, and what of it is looked at."""
        parts = [Path(self.runs[0]).resolve().name]
        parts += [f"{len(self.runs)}-runs"] if len(self.runs) > 1 else []
        parts += [f"{','.join(texts_of(self.players))}-players"] if self.players is not None else []
        parts += list(self.pair or ())
        parts += [self.item] if self.item else []
        return "-".join(re.sub(r"[^\w.]+", "-", part).strip("-").lower() or "report" for part in parts)


def build(
    asked: ReportRequest,
    *,
    play: Play | None = None,
    step: Step = lambda _: None,
    jobs: int | None = None,
) -> Answer:
    """Return the model of the report that is asked for."""
    from balance.experiments.check import check
    from balance.experiments.side_by_side import play_prepared
    from balance.report import check_answer, item_sheet, space
    from balance.sweep.planning import parse_players

    if asked.pair and asked.item:
        raise UsageError("pair and item: two different reports; give one of them", parameter=("pair", "item"))
    if asked.queries and (asked.pair or asked.item):
        raise UsageError(
            "queries: chapters of your own go into the report on all combinations", parameter="queries"
        )
    if not asked.runs:
        raise UsageError("no run is given")
    command = asked.command()
    if asked.pair:
        step("verdict")
        found = check(asked.pair, runs=asked.runs, players=asked.players, thresholds=asked.thresholds)
        step("what it looks like")
        return check_answer.check_answer(found, command=command)
    own = [load_question(query, plain=True) for query in asked.queries]
    runs = open_runs(asked.runs)
    game = runs[0].game
    added = _chapters(runs, own)
    counts = parse_players(texts_of(asked.players), game.facts)
    thresholds = load_thresholds(game, asked.thresholds)
    if asked.item:
        return item_sheet.item_report(runs, asked.item, thresholds, counts, command=command, step=step)
    report = space.space_report(
        runs,
        thresholds,
        counts,
        play=play or partial(play_prepared, jobs=jobs),
        jobs=jobs,
        command=command,
        step=step,
        prices=_quoted(asked.prices, runs[0]) if asked.prices else None,
    )
    return replace(report, sections=(*report.sections[:-1], *added, *report.sections[-1:]))


def _quoted(path: Path, run: Run) -> PublishedPrices:
    """Read a result of `balance price --json`; UsageError if it is of another edition."""
    found = measured_prices(run.game, path)
    if found is None:
        raise UsageError(f"{path}: there is no such file")
    if found.edition != run.plan.edition:
        raise UsageError(
            f"{path}: prices of the edition {found.edition}, but the runs are of {run.plan.edition}"
        )
    return found


def _chapters(runs: Runs, queries: Sequence[Question]) -> list[Section]:
    """Run the queries of a user behind the gate of `balance sql`; UsageError names the file."""
    if not queries:
        return []
    from balance.dataset.connection import connect
    from balance.dataset.limits import Limits
    from balance.report.query_blocks import chapters_of

    with connect(runs, Limits(watch_memory=True)) as con:
        return chapters_of(con, queries)


def save(
    report: Answer,
    targets: Mapping[str, Path],
    *,
    paper: str = "a4",
    step: Step = lambda _: None,
    force: bool = False,
) -> list[Path]:
    """Render a report in each format, then write all of them; folders below REPORTS are made."""
    rendered = {target: rendering(report, name, paper=paper, step=step) for name, target in targets.items()}
    for target, content in rendered.items():
        if target.parent == REPORTS:
            target.parent.mkdir(parents=True, exist_ok=True)
        write_file(target, iter([content]), replace=force)
    return list(targets.values())


def save_as(answer: Answer, path: Path, *, force: bool = False) -> Path:
    """Write an answer in the format that the suffix of the file names."""
    if path.suffix not in _FORMATS:
        raise UsageError(f"{path}: expected a name that ends in {', '.join(_FORMATS)}", parameter="path")
    refuse_target("path", path, force)
    return save(answer, {_FORMATS[path.suffix]: path}, force=force)[0]


def rendering(report: Answer, name: str, *, paper: str = "a4", step: Step = lambda _: None) -> bytes:
    """Return an answer in a format of SUFFIXES, as the bytes of a file."""
    from balance.report.render import html, json, pdf, text

    if name in ("html", "pdf"):
        report = without_places(report, report.places)
    if name == "pdf":
        return pdf.render(report, paper, step)
    step("page")
    render: Callable[[Answer], str] = {
        "html": html.render,
        "json": json.render,
        "markdown": text.markdown,
        "text": text.text,
    }[name]
    return render(report).encode("utf-8")


def write_report(
    runs: str | Path | Iterable[str | Path],
    out: str | Path | None = None,
    *,
    format: str | None = None,  # noqa: A002 - as the option is called
    players: str | int | Sequence[int] | None = None,
    pair: tuple[str, str] | None = None,
    item: str | None = None,
    thresholds: Iterable[str | Path] = (),
    prices: str | Path | None = None,
    queries: Iterable[str | Path] = (),
    paper: str = "a4",
    force: bool = False,
    jobs: int | None = None,
    play: Play | None = None,
    progress: Progress = lambda _: nullcontext(lambda *_: None),
) -> list[Path]:
    """Write a report on runs as HTML, PDF or both, and return the files; as `balance report` does.

    What could not be written is refused before anything is computed.

    >>> import balance, tempfile
    >>> write_report("no-such-run")
    Traceback (most recent call last):
    balance.errors.DataError: there is no run in no-such-run: run.json is missing
    """
    from balance.report.render.pdf import PAPERS

    given = (runs,) if isinstance(runs, str | Path) else tuple(runs)
    asked = ReportRequest(
        given,
        players=players,
        pair=pair,
        item=item,
        thresholds=tuple(thresholds),
        prices=None if prices is None else Path(prices),
        queries=tuple(map(Path, queries)),
        format=format,
        out=None if out is None else Path(out),
        force=force,
    )
    targets = asked.targets()
    if paper not in PAPERS:
        raise UsageError(f"paper {paper}: expected {' or '.join(PAPERS)}", parameter="paper")
    steps = (2 if pair or item else 7) + sum(2 if name == "pdf" else 1 for name in targets)
    with progress(steps) as advance:
        step = partial(advance, 1)
        report = build(asked, play=play, step=step, jobs=jobs)
        return save(report, targets, paper=paper, step=step, force=force)
