"""A damaged cache of machine code is thrown away, with one line on stderr, and compiled again."""

import importlib
import sys

import pytest

MODULE = """
import numba

@numba.njit(cache=True)
def add(a, b):
    return a + b

@numba.njit(cache=True)
def double(a):
    return add(a, a)

@numba.njit(cache=True)
def half(a):
    return double(a) // 4
"""


@pytest.fixture
def call(tmp_path, monkeypatch, capfd):
    """Import the module anew and call some of its functions: results, cache hits, and what was printed."""
    import numba

    from balance.games.compiled import jit  # noqa: F401 - which installs the check

    (tmp_path / "one.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("BALANCE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache" / "numba" / "test"))

    def run(*names):
        sys.modules.pop("one", None)
        one = importlib.import_module("one")
        arguments = {"add": (2, 3), "double": (4,), "half": (8,)}
        functions = [getattr(one, name) for name in names or ["add"]]
        results = [function(*arguments[function.__name__]) for function in functions]
        hits = [sum(function.stats.cache_hits.values()) for function in functions]
        return results + hits, capfd.readouterr().err.splitlines()

    yield run
    sys.modules.pop("one", None)


def flipped(content):
    place = len(content) * 2 // 3
    return content[:place] + bytes([content[place] ^ 4]) + content[place + 1 :]


DAMAGES = {
    "truncated": lambda content: content[: len(content) // 2],
    "empty": lambda _: b"",
    "garbage": lambda content: b"\x80\x04" + b"x" * len(content),
    "one bit": flipped,
}


def test_damage_is_noticed_and_mended(call, tmp_path):
    assert call() == ([5, 0], [])
    assert call() == ([5, 1], [])
    folder = tmp_path / "cache" / "numba" / "test"
    for name, damage in DAMAGES.items():
        for kind in ("nbi", "nbc"):
            (file,) = folder.rglob(f"one.add-*.{kind}")
            file.write_bytes(damage(file.read_bytes()))
            answer, told = call()
            assert answer == [5, 0], (name, kind)
            assert len(told) == 1
            assert f"the cached machine code {file.name} is damaged" in told[0]
            assert call() == ([5, 1], [])


def swapped(files):
    contents = [file.read_bytes() for file in files]
    for file, content in zip(files, contents[1:] + contents[:1], strict=True):
        file.write_bytes(content)


def each(damage):
    return lambda files: [file.write_bytes(damage(file.read_bytes())) for file in files]


BOTH = ("nbi", "nbc")
SEVERAL = [*((each(damage), BOTH) for damage in DAMAGES.values()), (swapped, ("nbc",)), (swapped, ("nbi",))]


def test_damage_of_every_file_at_once(call, tmp_path):
    call("add", "double", "half")
    for damage, kinds in SEVERAL:
        for kind in kinds:
            files = sorted((tmp_path / "cache").rglob(f"*.{kind}"))
            assert len(files) >= 3
            damage(files)
        answer, told = call("add", "double", "half")
        assert answer == [5, 8, 4, 0, 0, 0]
        assert len(told) >= 3
        assert all("is damaged" in line for line in told)
    assert call("add", "double", "half") == ([5, 8, 4, 1, 1, 1], [])


def test_processes_that_compile_at_once_do_not_mix_up_their_code(tmp_path, monkeypatch):
    """Numba numbers files of code: a process that has not seen the other's would take the same number."""
    from balance.games.kernel_cache import CheckedCacheFile

    one, other = (CheckedCacheFile(str(tmp_path), "one", 1) for _ in range(2))
    one.save("of whole numbers", "code of whole numbers")
    before = other._load_index
    monkeypatch.setattr(other, "_load_index", dict)  # as if read before the first one wrote
    other.save("of floats", "code of floats")
    monkeypatch.setattr(other, "_load_index", before)
    assert one.load("of whole numbers") is None  # lost, so it is compiled again
    one.save("of whole numbers", "code of whole numbers")
    assert [other.load(key) for key in ("of whole numbers", "of floats")] == [
        "code of whole numbers",
        "code of floats",
    ]
