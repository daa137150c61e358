"""Paths below `tensorflow.tools` that libraries import from."""

from tracefn.tools import docs

__all__ = ["docs"]
