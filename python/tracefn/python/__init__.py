"""Paths below `tensorflow.python` that libraries import from, such as Keras: each module has the names that they use."""

from tracefn.python import data, eager, framework, ops, trackable, training, util

__all__ = ["data", "eager", "framework", "ops", "trackable", "training", "util"]
