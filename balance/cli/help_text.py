"""Wording and layout shared by the help texts of all commands: an example first, options in groups."""

from __future__ import annotations

from typing import Any, Final

GROUPS: Final = {
    "What is played": "of game edition players variants variant lineup policies against start from hold-out "
    "catalog seed run extend repair replicate",
    "How much": "games precision strength replicates combinations fresh jobs budget until-decided minutes "
    "timeout memory",
    "Where it goes": "out name save-run write format json force database paper",
    "Messages": "quiet verbose version help install-completion show-completion",
}
"""The options of each group by their names; all others come before the last two."""
_REST: Final = "What is shown"


def examples(*commands: str) -> str:
    """Return the end of a help text, to be given to typer as `epilog`: one line per command."""
    title = "Example:" if len(commands) == 1 else "Examples:"
    # \b on a line of its own keeps the line breaks of the paragraph.
    return "\n".join(["\b", title, *(f"  {command}" for command in commands)])


def lay_out(command: Any) -> None:
    """Let the help of a command begin with its first example, and show its options in groups."""
    usage = command.format_usage

    def format_usage(context: Any, formatter: Any) -> None:
        lines = (command.epilog or "").splitlines()[2:]
        if lines:
            formatter.write(f"Example: {lines[0].strip()}\n\n")
        usage(context, formatter)

    def format_options(context: Any, formatter: Any) -> None:
        arguments: list[tuple[str, str]] = []
        groups: dict[str, list[tuple[str, str]]] = {
            title: [] for title in [*list(GROUPS)[:2], _REST, *GROUPS]
        }
        for option in command.get_params(context):
            record = option.get_help_record(context)
            if record is None:
                continue
            if option.param_type_name == "argument":
                arguments.append((record[0].partition(" <")[0], record[1]))
            else:
                names = {name.lstrip("-") for name in option.opts}
                known = (title for title, own in GROUPS.items() if names & set(own.split()))
                groups[next(known, _REST)].append(record)
        for title, records in {"Arguments": arguments, **groups}.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)
        if hasattr(command, "format_commands"):
            command.format_commands(context, formatter)

    command.format_usage, command.format_options = format_usage, format_options
