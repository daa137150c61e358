"""Draws of uniform numbers by generators with and without state, for functions that come in both forms."""

from __future__ import annotations

from tracefn.ops.random import stateless_uniform, uniform


def draws(seed):
    """draw(shape, low, high, dtype): numbers from [low, high), of an op with its own seed."""
    return lambda shape, low=0, high=1.0, dtype="float32": uniform(shape, low, high, dtype, seed)


def stateless_draws(seed):
    """The same numbers for the same seed, an int vector of shape [2]."""
    return lambda shape, low=0, high=1.0, dtype="float32": stateless_uniform(shape, seed, low, high, dtype)
