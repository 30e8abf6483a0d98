import ast
import re
from pathlib import Path

import pytest

import balance
from balance.errors import BalanceError, CatalogError, DataError, Failed, Problem, UsageError

LIBRARY = ("dataset", "games", "judge", "measure", "sweep")


@pytest.mark.parametrize("folder", LIBRARY)
def test_the_library_knows_parameters_and_no_options(folder):
    """A message may name a whole command (`balance simulate --repair RUN`), never an option alone."""
    files = sorted((Path(balance.__file__).parent / folder).rglob("*.py"))
    raised = [
        (file.name, text.value)
        for file in files
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Raise)
        for text in ast.walk(node)
        if isinstance(text, ast.Constant) and isinstance(text.value, str)
    ]
    assert raised
    assert [found for found in raised if re.search(r"--[a-z]", found[1].split("balance ")[0])] == []


def test_an_error_names_its_parameter():
    with pytest.raises(UsageError) as problem:
        balance.simulate("nowhere", games_per_cell=0)
    assert str(problem.value) == "games_per_cell 0: a cell has at least one game"
    assert problem.value.parameters == ("games_per_cell",)


@pytest.mark.parametrize(
    ("kind", "code"), [(BalanceError, 1), (Failed, 1), (UsageError, 2), (DataError, 3), (CatalogError, 2)]
)
def test_every_error_has_its_exit_code(kind, code):
    assert kind.exit_code == code


def test_a_problem_is_one_line():
    assert str(Problem("a.toml", "unions", "goal", "found\n'ten'")) == "a.toml: unions: goal: found 'ten'"


def test_a_problem_leaves_out_what_it_does_not_know():
    assert str(Problem("a.toml", "", "", "the file is empty")) == "a.toml: the file is empty"


def test_a_catalog_error_holds_all_its_problems():
    problems = [Problem("a.toml", "x", "cost", "too high"), Problem("b.toml", "", "", "is binary")]
    error = CatalogError(problems)
    assert error.problems == tuple(problems)
    assert str(error) == "a.toml: x: cost: too high\nb.toml: is binary"
