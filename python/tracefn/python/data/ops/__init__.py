"""Modules below `tensorflow.python.data.ops` with names that are not public."""
