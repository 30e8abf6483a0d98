"""How names that people write are compared with the names of a catalog."""

import unicodedata


def folded(name: str) -> str:
    """Return a name as it is compared: upper and lower case are the same, and ways to write a letter.

    >>> folded("  Moon BASE ") == folded("moon base")
    True
    """
    return unicodedata.normalize("NFKC", " ".join(name.split())).casefold()
