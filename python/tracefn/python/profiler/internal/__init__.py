"""`tensorflow.python.profiler.internal`."""
