"""Modules below `tensorflow.python.ops.distributions`."""
