"""Which sources decide rows, and their digest: the same on every Python, moved by no text."""

import subprocess
import sys
from pathlib import Path

import pytest

from balance.games import sources

FIXTURE = Path(__file__).parents[1] / "data" / "deciding_source.py.txt"
GOLDEN = "2f4b6c889315a82db8849becb4a8b907e174fa044dc52487676dc6f809573d3f"


def test_the_digest_of_a_source_is_the_same_on_every_python():
    assert sources.outline(FIXTURE.read_text("utf-8")).digest.hex() == GOLDEN


def same(one, two):
    return sources.outline(one).digest == sources.outline(two).digest


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("x = 1", "# why\nx = (1)  # because"),
        ("x = 1", '"""A docstring."""\nx = 1\n"""Of x."""'),
        ("def f(): return 1", 'def f():\n    """Return it."""\n    return 1'),
        ("def f(x): return x", 'def f(x: int, ) -> "int": return x'),
        ("def f(): x: int = 1", "def f(): x: object = 1"),
        ("raise X('a')", "raise X(f'b {c}', d)"),
        ("assert x", "assert x, 'because'"),
        ("f('a', meaning='b', null=1)", "f('a', meaning=f'c {d}', null=1)"),
        ("x = 1", "__all__ = ['x']\nx = 1"),
        ("x = 1", "if TYPE_CHECKING:\n    from a import b\nx = 1"),
        ("raise X('a')", "from balance.nearest import unknown\nraise X(unknown('a', b, c))"),
        ("import a, b\nx = a + b", "import b\nimport a\nx = a + b"),
    ],
)
def test_what_cannot_change_a_row_does_not_count(one, two):
    assert same(one, two)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("x = 1", "x = 2"),
        ("x = 1", "x = 1.0"),
        ("x = 1", "x = True"),
        ("x = 'a'", "x = b'a'"),
        ("x = 'a b'", "x = 'a  b'"),
        ("x = f'{a}b'", "x = f'{a}c'"),
        ("x = f'{a}'", "x = f'{a!r}'"),
        ("x = a + b", "x = a - b"),
        ("x = a < b", "x = a <= b"),
        ("f(a, b)", "f(b, a)"),
        ("f(x=1)", "f(y=1)"),
        ("raise X('a')", "raise Y('a')"),
        ("assert x", "assert y"),
        ("@d\ndef f(): return 1", "def f(): return 1"),
        ("def f(x=1): return x", "def f(x=2): return x"),
        ("class A:\n    x: int = 1", "class A:\n    x: ClassVar = 1"),
        ("from a import b\nx = b", "from c import b\nx = b"),
        ("from a import b\nx = b", "from a import c as b\nx = b"),
        ("a\nb", "b\na"),
        ("if a:\n    b\nc", "if a:\n    b\n    c"),
        ("x = [a, [b]]", "x = [a, b]"),
    ],
)
def test_what_can_change_a_row_counts(one, two):
    assert not same(one, two)


def test_imports_inside_functions_are_followed_and_those_of_texts_are_not():
    text = """
import one
from two import three as four
from five import six, seven
from eight import Nine
if TYPE_CHECKING:
    from ten import eleven

def f(x: Nine) -> None:
    from twelve import thirteen
    thirteen(one.x, four)
    raise six(seven("unused but for this text"))
"""
    assert set(sources.outline(text).imports) == {
        ("one", ""),
        ("two", "three"),
        ("five", "six"),
        ("eight", "Nine"),
        ("twelve", "thirteen"),
    }


def test_modules_are_found_without_importing_them():
    code = (
        "import sys; from balance.games import sources; found = sources.outlines('balance.sweep.playing'); "
        "names = ('balance.sweep.playing', 'numpy'); "
        "print('balance.dataset.plan' in found, *(name in sys.modules for name in names))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "False", "False"]


def test_a_module_that_does_not_exist_is_named():
    with pytest.raises(ModuleNotFoundError, match=r"balance\.nothing"):
        sources.outlines("balance.nothing")
    with pytest.raises(ModuleNotFoundError, match=r"balance\.errors"):
        sources.modules_of("balance.errors")
