"""`tensorflow.python.autograph.core`."""
