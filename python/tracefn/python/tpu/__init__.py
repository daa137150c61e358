"""Modules below `tensorflow.python.tpu`."""
