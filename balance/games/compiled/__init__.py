"""What every compiled game needs: the compiler's settings, sets of seats, randomness, and the log of a game.

Knows no game. A game's own compiled functions are in its folder `kernel`.
"""

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Final

_CACHING: Final = "numba.core.caching"


class _ChecksNumbasCache(MetaPathFinder):
    """Has the cache checked (`balance.games.kernel_cache`) from the moment on in which Numba is imported.

    Much in this package is of use without Numba, which takes a second to import.
    """

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002 - the form of all finders
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        """Find the module of Numba's cache, once, and remember to change it when it has been loaded."""
        if fullname != _CACHING:
            return None
        sys.meta_path.remove(self)
        spec = find_spec(fullname)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def load_and_install(module: ModuleType) -> None:
                load(module)
                from balance.games import kernel_cache

                kernel_cache.install()

            setattr(spec.loader, "exec_module", load_and_install)  # noqa: B010 - a method, to the type checker
        return spec


if _CACHING not in sys.modules:
    sys.meta_path.insert(0, _ChecksNumbasCache())
else:
    from balance.games import kernel_cache

    kernel_cache.install()
