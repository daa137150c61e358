"""`tensorflow.python.ops.parallel_for`: functions of a number, for all numbers below another."""
