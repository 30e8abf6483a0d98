"""The answer of a check: the verdict on one combination, its reasons, lengths, metrics and commands."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from balance.dataset.derived import create_tables
from balance.dataset.plan import PlannedCell
from balance.experiments.check import Check
from balance.games.variants import entry_names
from balance.judge.sentences import in_brief, open_sentence, pool_sentence, quality_overview, unseen_sentence
from balance.judge.strengths import of_default, strength_of
from balance.judge.tables import rows_of
from balance.judge.verdict import CORRECTION, Judgement, Verdict
from balance.report.causes_section import causes_record, causes_section
from balance.report.chapters.method import provenance_of
from balance.report.evidence import described, rule_of
from balance.report.formatting import bullets, count, listed
from balance.report.glossary import terms
from balance.report.model import (
    Answer,
    Block,
    Bullets,
    Chart,
    Code,
    Paragraph,
    Section,
    Summary,
    Table,
    VerdictCount,
    absolute,
    literal,
)
from balance.report.next_steps import check_command, next_steps
from balance.report.query_blocks import RunQueries
from balance.report.records import finding_record, verdict_record
from balance.sweep.replaying import replay_commands

if TYPE_CHECKING:
    from balance.experiments.causes import Causes
    from balance.experiments.suggest import Remedy

_MOST_REASONS: Final = 12
_FEW: Final = 200
"""Games of a cell below which a reader is warned."""


def check_answer(
    found: Check,
    remedy: Remedy | None = None,
    causes: Causes | None = None,
    *,
    mended: bool = False,
    command: str = "",
) -> Answer:
    """Return the answer of a check; `mended` says that a remedy was searched, `command` what makes it."""
    return _Sheet(found).answer(remedy, causes, mended, command)


class _Sheet:
    """A check as an answer."""

    def __init__(self, found: Check) -> None:
        self.found = found
        self.run, self.facts = found.runs[0], found.game.facts
        self.cells = [cell for j in found.own for cell in j.cells]
        self.names = entry_names(found.game, found.catalog, self.facts.variant)
        self.title = " + ".join(self.names[name] for name in found.variants) or (
            f"{self.facts.title} without {self.facts.variants}"
        )
        self.check = check_command(found)
        self.worst = found.worst()[0].cell
        self.replay = None
        if found.telling_game is not None:
            run, number, what = found.telling_game
            self.replay = {"command": replay_commands(run, [number], found.overlays)[0], "what": what}

    def answer(self, remedy: Remedy | None, causes: Causes | None, mended: bool, command: str) -> Answer:
        found, cells = self.found, [(cell.cell.lineup, cell.strength) for cell in self.cells]
        made = provenance_of(found.runs, found.games, command or self.check)
        if found.strength:  # the command plays the same games
            made = replace(made, commands=(self.check,))
        mend = self._mend(remedy) if mended else []
        sections = self._sections(made.commands, causes_section(causes), mend)
        return Answer(
            kind="pair",
            title=self.title,
            subtitle=f"{self.facts.title}, {self.run.plan.edition}, {count(found.games, 'game', 'games')}",
            game=self.facts.title,
            edition=self.run.plan.edition,
            summary=self._summary(mended),
            sections=tuple(section for section in sections if section.blocks),
            glossary=terms(self.facts, cells, found.thresholds),
            provenance=made,
            verdicts=tuple(verdict_record(j, found.sentence) for j in found.own),
            findings=tuple(finding_record(cell, one) for cell in self.cells for one in cell.findings),
            records=self._records()
            | ({"causes": causes_record(causes)} if causes else {})
            | ({"suggestion": _remedy_record(remedy)} if mended else {}),
            places=absolute([*shlex.split(self.check), *(run.path for run in found.runs)]),
            found=found,
        )

    def _sections(self, commands: Sequence[str], causes: Section, mend: list[Block]) -> list[Section]:
        cell, at = self.worst.id, self._at(self.worst)
        n = count(self.worst.games, "game", "games")
        caption = f"How long games last with and without (60 rounds: or more), {at}"
        lengths = self._queries.ask("cell-lengths", caption, n=n, cell=cell)
        # every metric at the number of players that shows the verdict best, with and without
        metrics = self._queries.ask("cell", f"{self.title}, {at}", n=n, cell=cell, atlas=True)
        return [
            Section("verdict", "Why", tuple(self._reasons())),
            causes,
            Section("rules", "The rules", self._rules()),
            Section("length", "Length", (lengths,)),
            Section("metrics", "What it does", (replace(metrics, id="metrics"), *self._win_points())),
            Section("beyond", "Together, beyond what each does alone", tuple(self._beyond())),
            Section("mend", "What would mend it", tuple(mend)),
            Section("how", "How we know", tuple(self._how(commands))),
        ]

    # --- in short

    def _summary(self, mended: bool) -> Summary:
        found = self.found
        cells = [cell.cell for cell in self.cells]
        few = min(cell.games for cell in of_default(cells, self.facts))
        what = f"{found.verdict.value.upper()}: {self.title} ({self.run.plan.edition})"
        if found.verdict is Verdict.BENT:
            what += f": {in_brief(found.worst()[0].bent, found.bench.without)}"
        return Summary(
            f"{what}. {self._by_players()}.",
            tuple(VerdictCount.of(j.players, [j.verdict]) for j in found.own),
            next_steps=tuple(next_steps(found, mended=mended)),
            warning=f"Too few games to say much: {count(few, 'game', 'games')} at a table."
            if few < _FEW
            else "",
        )

    def _by_players(self) -> str:
        """Return which verdict holds at which numbers of players: "Broken at 2 and 3 players; fine at 4"."""
        at: dict[str, list[str]] = {}
        for j in sorted(self.found.own, key=lambda j: list(Verdict).index(j.verdict)):
            at.setdefault(_open_word(j) or j.verdict.value, []).append(str(j.players))
        said = "; ".join(f"{verdict} at {listed(counts)}" for verdict, counts in at.items()) + " players"
        whom = dict.fromkeys(name for j in self.found.own for name in j.broken_for)
        return said[:1].upper() + said[1:] + (f" (in {listed(whom)})" if whom else "")

    # --- the pages

    def _reasons(self) -> list[Block]:
        found = self.found
        reasons = [
            self._where(cell, f"{finding.kind.value} it: {found.sentence(finding)}")
            for kind in ("broken", "bent", "accepted")
            for cell in self.cells
            for finding in getattr(cell, kind)
        ]
        more = len(reasons) - _MOST_REASONS
        shown = reasons[:_MOST_REASONS] + ([f"... and {more} more; csv has all."] if more > 0 else [])
        for cell, alone in (pair for j in found.own for pair in j.weaker_alone):
            also = f" And {count(len(alone) - 1, 'more finding', 'more findings')}." if alone[1:] else ""
            said = f"in weaker play alone, no fault of the game: {found.sentence(alone[0])}{also}"
            shown.append(self._where(cell, said))
        shown += [f"{one.sentence()}." for one in found.together]
        shown += [
            f"{j.players} players, {_open_word(j)}: {open_sentence(j, found.sentence)}"
            for j in found.own
            if j.verdict is Verdict.UNDECIDED
        ]
        if not reasons and all(j.verdict is Verdict.FINE for j in found.own):
            shown.append("Every metric is clearly within its [[accepted range]].")
        quality = quality_overview(found.own)
        shown += [quality] * all(quality not in said for said in shown)
        look: list[Block] = [Bullets(tuple(shown))]
        if self.replay is not None:
            look.append(Code(self.replay["command"], f"A game to look at ({self.replay['what']})"))
        counts = ",".join(map(str, sorted({j.players for j in found.own})))
        n = count(sum(cell.cell.games for cell in self.cells), "game", "games")
        caption = "Verdicts, on the pair and on each alone" if len(found.variants) > 1 else ""
        variants = ",".join(found.variants)
        table = self._queries.ask("pair-verdicts", caption, n=n, variants=variants, counts=counts)
        return [*look, table]

    def _where(self, cell: Any, said: str) -> str:
        """Put the table at which something was found before a sentence, unless there is only one."""
        places = [f"{cell.cell.players} players"] if len(self.found.own) > 1 else []
        if cell.cell not in of_default([c.cell for c in self.cells], self.facts):
            places.append(cell.strength)
        whole_sentence = ", ".join([*places, said])
        return whole_sentence[:1].upper() + whole_sentence[1:]

    def _rules(self) -> tuple[Block, ...]:
        game, catalog = self.found.game, self.found.catalog
        told = (
            f"{self.names[one]}: {rule_of(described(game, catalog, one, self.names[one]))}"
            for one in self.found.variants
        )
        return bullets(told)

    def _at(self, cell: PlannedCell) -> str:
        return f"{cell.players} players, {strength_of(self.facts, cell.lineup).name}"

    @cached_property
    def _queries(self) -> RunQueries:
        """The query files of reports, on the connection of the check."""
        found = self.found
        create_tables(found.con, rows_of(found.judgements, found.statistics, found.thresholds))
        return RunQueries(self.run, found.con, self.names, judging=self.check)

    def _win_points(self) -> list[Table | Chart]:
        """Return the win points of each policy, for each lineup in which different policies meet."""
        counts = ",".join(map(str, sorted({j.players for j in self.found.own})))
        return [
            self._queries.ask(
                "pair-wins",
                f"Win points of each strategy (1 is fair), {strength_of(self.facts, lineup).name}",
                variants=",".join(sorted(self.found.variants)),
                counts=counts,
                lineup=lineup,
            )
            for lineup in dict.fromkeys(cell.lineup for cell, _ in self.found.by_policy)
        ]

    def _beyond(self) -> list[Block]:
        if len(self.found.variants) != 2:
            return []
        sure = [i for i in self.found.interactions if i.adjusted <= 0.05]
        sure.sort(key=lambda i: (i.p, i.cell.id, i.measure))
        if not self.found.interactions:
            return [
                Paragraph("Its variants were not played alone, so what it does beyond them is not known.")
            ]
        if not sure:
            return [Paragraph(f"Nothing beyond chance in {len(self.found.interactions):,} comparisons.")]
        return [Bullets(tuple(f"{self._at(i.cell)}: {i.sentence()}." for i in sure[:4]))]

    def _mend(self, remedy: Remedy | None) -> list[Block]:
        """Return what would mend it, and the overlay to try it."""
        if remedy is None:
            return [Paragraph(f"It is {self.found.verdict.value}, not broken: there is nothing to mend.")]
        blocks: list[Block] = [Paragraph(literal(" ".join(remedy.sentences())))]
        return blocks + ([Code(remedy.overlay.rstrip("\n"))] if remedy.overlay else [])

    def _how(self, commands: Sequence[str]) -> list[Block]:
        found = self.found
        kept = listed(shlex.quote(str(run.path)) for run in found.kept_runs)
        where = f", in {kept}." if kept else "; --save-run DIR keeps them."
        unseen = found.judgements.not_looked_at
        said = [
            f"{count(found.games, 'game', 'games')}, seed {self.run.plan.seed}{where}",
            f"{found.judgements.family}.",
            *(pool_sentence(pool, found.items) for pool in found.judgements.pools),
            *([unseen_sentence(unseen)] if unseen else []),
            *(f"{gain}." for gain in found.gains),
        ]
        return [Bullets(tuple(said)), Code("\n".join(commands))]

    # --- for programs

    def _records(self) -> dict[str, Any]:
        found = self.found
        family = {k: v for k, v in asdict(found.judgements.family).items() if not k.startswith("level")}
        return {
            "verdict": found.verdict.value,
            "variants": list(found.variants),
            "edition": self.run.plan.edition,
            "games": found.games,
            "seed": self.run.plan.seed,
            "runs": [str(run.path) for run in found.kept_runs],
            "only_together": [asdict(one) for one in found.together],
            "interactions": [
                _place(one.cell) | {"measure": one.measure, "scale": one.scale, **one.interval._asdict(),
                                    "p": one.p, "adjusted": one.adjusted}
                for one in found.interactions
            ],
            "win_points": [
                _place(cell) | {"policy": measured.of, **measured.interval._asdict()}
                for cell, measured in found.by_policy
            ],
            "family": family | {"correction": CORRECTION},
            "not_looked_at": list(found.judgements.not_looked_at),
            "pooled": [
                finding_record(pool, finding) | {"verdict": pool.verdict.value}
                for pool in found.judgements.pools
                for finding in pool.findings
            ],
            "replay": self.replay,
            "gains": [asdict(gain) | {"words": gain.words} for gain in found.gains],
        }  # fmt: skip


def _place(cell: PlannedCell) -> dict[str, Any]:
    return {"players": cell.players, "lineup": cell.lineup}


def _open_word(judgement: Judgement) -> str:
    """Return what an undecided verdict is called; nothing for the others."""
    if judgement.verdict is not Verdict.UNDECIDED:
        return ""
    if judgement.limited_by_play:
        return "not broken as these players play it, but better play is possible"
    return "not broken, whether it is bent is open" if judgement.not_broken else "undecided"


def _remedy_record(remedy: Remedy | None) -> dict[str, Any] | None:
    """Return the search for a remedy with everything that was tried; None if nothing was broken."""
    if remedy is None:
        return None

    def named(change: dict[str, Any]) -> dict[str, Any]:
        return {"number" if key == "path" else key: value for key, value in change.items()}

    plain = asdict(remedy)
    return plain | {
        "change": plain["change"] and named(plain["change"]),
        "sentences": remedy.sentences(),
        "tried": [named(one.pop("change")) | one for one in plain["tried"]],
        "deals": {str(players): deals for players, deals in remedy.deals},
    }
