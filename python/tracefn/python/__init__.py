"""Paths below `tensorflow.python` that libraries import from, such as Keras: each module has the names that they use."""

from tracefn.python import checkpoint, data, eager, framework, ops, trackable, training, util

__all__ = ["checkpoint", "data", "eager", "framework", "ops", "trackable", "training", "util"]
