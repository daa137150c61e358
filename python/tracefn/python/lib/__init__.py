"""Modules below `tensorflow.python.lib` with names that are not public."""
