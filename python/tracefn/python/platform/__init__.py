"""`tensorflow.python.platform`: the log, as far as libraries import from there."""
