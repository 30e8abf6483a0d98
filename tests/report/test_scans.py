"""How often a report reads the big tables: as often with many lineups as with few, as its page says."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

import balance
from balance.measure import cells
from balance.report import build, evidence

VARIANTS = ["none", "unions", "geeks", "unions,geeks"]


class Watched:
    """A connection that counts how often each table of a run was scanned."""

    def __init__(self, con, found):
        self._con, self._found = con, found
        con.execute("pragma enable_profiling = 'no_output'")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.note()
        self._con.close()

    def __getattr__(self, name):
        return getattr(self._con, name)

    def execute(self, *asked):
        self.note()
        self._con.execute(*asked)
        return self

    def note(self):
        """Count the scans of the statement before; its profile is complete when all rows were fetched."""
        waiting = [json.loads(self._con.get_profiling_information() or "{}")]
        while waiting:
            node = waiting.pop()
            waiting += [*node.get("operator", ()), *node.get("children", ())]
            files = node.get("extra_info", {}).get("Filename(s)", "")
            for folder in {Path(file).parent.parent for file in files.split(", ")}:
                self._found[folder] += 1


@pytest.fixture
def scans(monkeypatch, workplace):
    """Build a report on a run and return how often it scanned each table."""
    real = cells.connect

    def count(name, lineups, **more):
        run = balance.simulate(
            name, players="2,3", variants=VARIANTS, lineups=lineups, games_per_cell=6, **more
        )
        found, opened = Counter(), []

        def watched():
            opened.append(Watched(real(), found))
            return opened[-1]

        for module in (cells, evidence):
            monkeypatch.setattr(module, "connect", watched)
        build.build(build.ReportRequest((name,)), jobs=2)
        for con in opened:
            con.note()
        tables = [*(table.name for table in run.tables), "deals"]
        return {table: found[run.path.resolve() / table] for table in tables}

    return count


def test_scans_do_not_grow_with_lineups_and_are_those_of_the_page(scans, checkout):
    few = scans("scanned", ["field", "mirror:learned"])
    many = scans("scanned-more", ["field", "drawn:learned,skilled", "one:field,learned", "mirror:learned"])
    assert few == many
    page = (checkout / "docs" / "commands" / "report.md").read_text(encoding="utf-8")
    said = re.search(r"a report reads (.*?), whatever", page, re.DOTALL)[1]
    assert {table: int(number) for table, number in re.findall(r"`(\w+)` (\d+)", said)} == few
