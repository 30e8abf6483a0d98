"""Small builders for catalogs: an overlay from a text, and the problems that a bad one has."""

import textwrap

import pytest

from balance.errors import CatalogError
from balance.games.nefarious.catalog.loading import load_catalog


@pytest.fixture(scope="session")
def official():
    return load_catalog()


@pytest.fixture
def overlay(tmp_path):
    """Write a TOML text to a file: `overlay("[[twist]] ...")`."""

    def write(text, name="mine.toml"):
        file = tmp_path / name
        file.write_bytes(text if isinstance(text, bytes) else textwrap.dedent(text).encode())
        return file

    return write


@pytest.fixture
def problems(overlay):
    """Return the problems of an overlay as tuples (file name, entry, field, message)."""

    def find(text):
        file = text if hasattr(text, "open") else overlay(text)
        with pytest.raises(CatalogError) as caught:
            load_catalog([file])
        assert caught.value.exit_code == 2
        for problem in caught.value.problems:
            assert problem.file == str(file), problem
        return [(p.entry, p.field, p.message) for p in caught.value.problems]

    return find
