"""`tensorflow.python.ops.losses`: functions that have no public name."""
