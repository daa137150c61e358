"""`tensorflow.python.training`: what saves Variables, as far as libraries import from there."""

from tracefn.python.training import py_checkpoint_reader, saver, saving

__all__ = ["py_checkpoint_reader", "saver", "saving"]
