import pytest

from balance.errors import BalanceError, CatalogError, DataError, Failed, Problem, UsageError


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
