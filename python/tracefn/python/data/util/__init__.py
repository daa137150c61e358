"""Modules below `tensorflow.python.data.util` with names that are not public."""
