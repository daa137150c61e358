"""Modules below `tensorflow.python.lib.io` with names that are not public."""
