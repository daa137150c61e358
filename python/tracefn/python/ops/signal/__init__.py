"""`tensorflow.python.ops.signal`: functions that have no public name."""
