"""The tiny game, and runs of it that are made once."""

from tests.tiny_runs import _tiny, tiny_replicated, tiny_runs, tiny_statistics  # noqa: F401
