"""The players that Nefarious offers, by name. How they decide is in `kernel.policies`.

Must not import the compiler: names are checked, and tables read, without it.
"""

from typing import Final

POLICIES: Final[dict[str, int]] = {"random": 0}
"""Each policy's number: in the kernel, and in the column `policy` of the tables."""
