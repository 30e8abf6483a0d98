"""From what a user asks for to files: opens the runs, makes the model, renders it and writes it whole."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from balance.analysis.thresholds import load_thresholds
from balance.dataset.run import Run, Runs, open_runs, read_plan
from balance.dataset.verify import require_intact
from balance.errors import UsageError
from balance.files import write_new, write_whole
from balance.report.model import Report
from balance.report.words import command_path
from balance.suggest import unknown

if TYPE_CHECKING:
    from balance.report.material import Play, Step

__all__ = ["REPORTS", "Asked", "make", "refuse_target", "save", "steps", "write", "write_report"]

REPORTS: Final = Path("reports")
"""Where reports go that nobody names a place for."""
FORMATS: Final = ("html", "pdf", "both")


@dataclass(frozen=True)
class Asked:
    """What a report is to be about, and where it goes."""

    runs: tuple[str | Path, ...]
    edition: str | None = None
    players: str | int | Sequence[int] | None = None
    pair: tuple[str, str] | None = None
    item: str | None = None
    thresholds: tuple[str | Path, ...] = ()
    format: str | None = None
    out: Path | None = None
    paper: str = "a4"
    force: bool = False

    @property
    def formats(self) -> tuple[str, ...]:
        """What is written; a name that ends in `.pdf` asks for a PDF."""
        asked = self.format or ("pdf" if self.out is not None and self.out.suffix == ".pdf" else "html")
        if asked not in FORMATS:
            raise UsageError(f"--format {asked}: expected html, pdf or both")
        return ("html", "pdf") if asked == "both" else (asked,)

    def command(self) -> str:
        """Return the command that makes the report again; where it lies is no part of it."""
        words = ["balance report", *(command_path(Path(run)) for run in self.runs)]
        given = {"edition": self.edition, "players": _counts(self.players), "item": self.item}
        words += [f"--{name} {shlex.quote(str(value))}" for name, value in given.items() if value]
        if self.pair:
            words.append("--pair " + " ".join(map(shlex.quote, self.pair)))
        words += [f"--thresholds {command_path(Path(file))}" for file in self.thresholds]
        return " ".join(words)

    def targets(self) -> dict[str, Path]:
        """Return where each format goes; UsageError for what could not be written."""
        found = {}
        for name in self.formats:
            if self.out is None:
                target = REPORTS / f"{self._name()}.{name}"
            elif len(self.formats) > 1:
                target = self.out.with_suffix(f".{name}")
            else:
                target = self.out
            if self.out is not None and self.out.suffix in (".html", ".pdf") and target.suffix != f".{name}":
                raise UsageError(f"--out {target}: a name for {target.suffix[1:]}, but --format is {name}")
            refuse_target("--out", target, self.force, made=self.out is None)
            found[name] = target
        return found

    def _name(self) -> str:
        """Return a name for a file: the run's, and what of it is looked at."""
        parts = [Path(self.runs[0]).resolve().name]
        parts += [f"{len(self.runs)}-runs"] if len(self.runs) > 1 else []
        parts += [self.edition] if self.edition else []
        parts += [f"{_counts(self.players)}-players"] if self.players is not None else []
        parts += list(self.pair or ())
        parts += [self.item] if self.item else []
        return "-".join(re.sub(r"[^\w.]+", "-", part).strip("-").lower() or "report" for part in parts)


def _counts(players: str | int | Sequence[int] | None) -> str:
    if players is None or isinstance(players, str | int):
        return "" if players is None else str(players)
    return ",".join(map(str, players))


def refuse_target(option: str, target: Path, force: bool, *, made: bool) -> None:
    """Refuse a file that an option names and that could not be written; `made`: its folder is made."""
    if target.is_dir():
        raise UsageError(f"{option} {target}: is a folder; name a file in it")
    if not made and not target.parent.is_dir():
        raise UsageError(f"{option} {target}: there is no folder {target.parent}")
    if target.exists() and not force:
        raise UsageError(f"{target} exists already; --force replaces it, {option} names another file")


def opened(asked: Asked) -> Runs:
    """Open the runs, those of the edition if one is asked for."""
    if not asked.runs:
        raise UsageError("no run is given")
    if asked.edition is None:
        return open_runs(asked.runs)
    editions = {path: read_plan(Path(path)).edition for path in asked.runs}
    chosen = [path for path, edition in editions.items() if edition == asked.edition]
    if not chosen:
        known = sorted(set(editions.values()))
        raise UsageError(f"{unknown('edition', asked.edition, known)}; these runs are of {', '.join(known)}")
    return open_runs(chosen)


def make(
    asked: Asked,
    *,
    play: Play | None = None,
    step: Step = lambda _: None,
    jobs: int | None = None,
) -> Report:
    """Return the model of the report that is asked for."""
    from balance.report import gather, sheets
    from balance.sweep import simulation
    from balance.sweep.planning import parse_players

    if asked.pair and asked.item:
        raise UsageError("--pair and --item are two different reports; give one of them")
    runs = opened(asked)
    require_intact(run.path for run in runs)
    game = runs[0].game
    given = _counts(asked.players)
    counts = parse_players([given], game.facts) if given else ()
    thresholds = load_thresholds(game, asked.thresholds)
    by_default: Callable[[Any], Run] = lambda prepared: simulation.run_prepared(prepared, jobs).run  # noqa: E731
    if asked.pair:
        return sheets.pair_report(runs, asked.pair, thresholds, counts, command=asked.command(), step=step)
    if asked.item:
        return sheets.item_report(
            runs, asked.item, thresholds, counts, command=asked.command(), step=step, jobs=jobs
        )
    return gather.space_report(
        runs, thresholds, counts, play=play or by_default, command=asked.command(), step=step, jobs=jobs
    )


def steps(asked: Asked) -> int:
    """Return how many steps `write` tells of."""
    from balance.report import gather, sheets

    own = sheets.STEPS if asked.pair or asked.item else gather.STEPS
    return own + sum({"html": 1, "pdf": 2}[name] for name in asked.formats)


def write(
    asked: Asked,
    *,
    play: Play | None = None,
    step: Step = lambda _: None,
    jobs: int | None = None,
) -> list[Path]:
    """Make the report, write it and return the files; what exists is refused before anything is computed."""
    from balance.report.pdf import PAPERS

    targets = asked.targets()
    if asked.paper not in PAPERS:
        raise UsageError(f"--paper {asked.paper}: expected {' or '.join(PAPERS)}")
    report = make(asked, play=play, step=step, jobs=jobs)
    return save(report, targets, paper=asked.paper, step=step, force=asked.force)


def save(
    report: Report,
    targets: Mapping[str, Path],
    *,
    paper: str = "a4",
    step: Step = lambda _: None,
    force: bool = False,
) -> list[Path]:
    """Render a report in each format, then write all of them; folders below REPORTS are made."""
    rendered: dict[Path, bytes] = {}
    for name, target in targets.items():
        if name == "html":
            from balance.report import html

            step("page")
            rendered[target] = html.render(report).encode("utf-8")
        else:
            from balance.report import pdf

            rendered[target] = pdf.render(report, paper, step)
    for target, content in rendered.items():
        if target.parent == REPORTS:
            target.parent.mkdir(parents=True, exist_ok=True)
        if force:
            write_whole(target, content)
        else:
            try:
                write_new(target, content)
            except FileExistsError:
                raise UsageError(f"{target} exists already; --force replaces it") from None
    return list(targets.values())


def write_report(
    runs: str | Path | Iterable[str | Path],
    out: str | Path | None = None,
    *,
    format: str | None = None,  # noqa: A002 - as the option is called
    edition: str | None = None,
    players: str | int | Sequence[int] | None = None,
    pair: tuple[str, str] | None = None,
    item: str | None = None,
    thresholds: Iterable[str | Path] = (),
    paper: str = "a4",
    force: bool = False,
    jobs: int | None = None,
) -> list[Path]:
    """Write a report on runs as HTML, PDF or both, and return the files; as `balance report` does.

    >>> import balance, tempfile
    >>> write_report("no-such-run")
    Traceback (most recent call last):
    balance.errors.DataError: there is no run in no-such-run: run.json is missing
    """
    given = (runs,) if isinstance(runs, str | Path) else tuple(runs)
    asked = Asked(
        given,
        edition=edition,
        players=players,
        pair=pair,
        item=item,
        thresholds=tuple(thresholds),
        format=format,
        out=None if out is None else Path(out),
        paper=paper,
        force=force,
    )
    return write(asked, jobs=jobs)
