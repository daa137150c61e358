"""`tensorflow.python.profiler`."""
