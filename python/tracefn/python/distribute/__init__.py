"""`tensorflow.python.distribute`: strategies, as far as libraries import from there."""
