"""Modules below `tensorflow.python.layers` with names that are not public."""
