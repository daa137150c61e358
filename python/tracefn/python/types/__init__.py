"""`tensorflow.python.types`: base classes, as far as libraries import from there."""
