"""`tensorflow.python.ops.ragged`: functions that have no public name."""
