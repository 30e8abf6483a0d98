"""`balance catalog`: look up, check and compare what a game is made of.

Knows games by their contract only, and prints; what an entry means is the game's to say.
"""

from __future__ import annotations

from typing import Annotated, Any

import typer

from balance import games, text_columns
from balance.cli import diagnostics, formats, output, terminal
from balance.cli.gameoptions import CatalogOption, OfOption
from balance.cli.help_text import examples
from balance.errors import CatalogError, Problem, UsageError
from balance.games.contract import Description
from balance.nearest import unknown

OFFICIAL = "official"
_SHOW_INDENT = "  "

app = typer.Typer(
    help="Look up, check and compare cards, twists and editions.",
    no_args_is_help=True,
    rich_markup_mode=None,
    epilog=examples('balance catalog show "Rigged Investments"', "balance catalog list twists"),
)


def _complete_kind(incomplete: str) -> list[str]:
    return [kind.plural for kind in games.get().kinds if kind.plural.startswith(incomplete)]


@app.command(
    "list",
    epilog=examples(
        "balance catalog list inventions --format csv",
        "balance catalog list twists --catalog my-twists.toml",
    ),
)
@output.takes_options()
def list_entries(
    options: output.OutputOptions,
    kind: Annotated[
        str,
        typer.Argument(metavar="KIND", help="twists, inventions or editions.", autocompletion=_complete_kind),
    ],
    catalog: CatalogOption = None,
    game: OfOption = games.DEFAULT,
) -> None:
    """List twists, inventions or editions.

    The formats csv, json, jsonl and parquet have more columns than the table.
    """
    chosen = games.get(game)
    known = {one.plural: one for one in chosen.kinds}
    if kind not in known:
        raise UsageError(f"{unknown('kind', kind, known)} (there are {', '.join(known)})")
    wanted = known[kind]
    rows = chosen.rows(chosen.load_catalog(catalog or ()), wanted)
    for_people = options.format in (output.Format.table, output.Format.markdown)
    output.rows(rows, wanted.brief if for_people else list(wanted.columns), options)


@app.command(epilog=examples("balance catalog show 46", "balance catalog show гранты"))
@output.takes_options()
def show(
    options: output.OutputOptions,
    name: Annotated[str, typer.Argument(metavar="NAME", help="An id, or an English or Russian name.")],
    catalog: CatalogOption = None,
    game: OfOption = games.DEFAULT,
) -> None:
    """Explain one entry: rule, source, use.

    The rule is put into words from the data; where editions differ, for each of them.
    """
    chosen = games.get(game)
    loaded = chosen.load_catalog(catalog or ())
    found = [chosen.describe(loaded, entry) for entry in chosen.find(loaded, name)]
    data: Any = [dict(description.data) for description in found]
    output.document("\n\n".join(_text(d) for d in found), data[0] if len(data) == 1 else data, options)


@app.command(epilog=examples("balance catalog validate my-twists.toml"))
@output.takes_options()
def validate(
    options: output.OutputOptions,
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Overlays: files or folders.")],
    game: OfOption = games.DEFAULT,
) -> None:
    """Check files of your own, and list every mistake.

    Each file or folder is checked by itself, as an overlay on the official catalog.
    """
    chosen = games.get(game)
    official = chosen.load_catalog()
    rows: list[dict[str, object]] = []
    problems: list[Problem] = []
    for file in files:
        row: dict[str, object] = {"file": file, "result": "ok"}
        try:
            differences = chosen.diff(official, chosen.load_catalog([file]))
        except CatalogError as error:
            problems += error.problems
            row["result"] = f"{len(error.problems)} problem{'s' if len(error.problems) > 1 else ''}"
        else:
            for change in ("added", "changed", "removed"):
                row[change] = len({(d.kind, d.id) for d in differences if d.change == change})
        rows.append(row)
    output.rows(rows, ["file", "result", "added", "changed", "removed"], options)
    if problems:
        raise CatalogError(problems)


@app.command(epilog=examples("balance catalog diff official my-twists.toml"))
@output.takes_options()
def diff(
    options: output.OutputOptions,
    old: Annotated[str, typer.Argument(metavar="A", help="An overlay, or the word official.")],
    new: Annotated[str, typer.Argument(metavar="B", help="An overlay, or the word official.")],
    game: OfOption = games.DEFAULT,
) -> None:
    """Compare two catalogs field by field."""
    chosen = games.get(game)
    before, after = (chosen.load_catalog([] if side == OFFICIAL else [side]) for side in (old, new))
    rows = [difference._asdict() for difference in chosen.diff(before, after)]
    columns = ["change", "kind", "id", "name", "field", "old", "new"]
    if options.format in (output.Format.table, output.Format.markdown):
        columns.remove("name")
    if options.format is output.Format.parquet:  # where a column is of one type
        rows = [row | {side: formats.plain(row[side]) or None for side in ("old", "new")} for row in rows]
    output.rows(rows, columns, options)
    if not rows:
        diagnostics.say("the two catalogs say the same")


def _text(description: Description) -> str:
    """Lay a description out for a page of 80 columns."""
    lines = [*text_columns.wrap(description.title, terminal.PIPE_WIDTH)]
    for heading, paragraphs in description.sections:
        lines += ["", heading]
        for paragraph in paragraphs:
            wrapped = text_columns.wrap(paragraph, terminal.PIPE_WIDTH - len(_SHOW_INDENT))
            lines += [_SHOW_INDENT + line for line in wrapped]
    return "\n".join(lines)
