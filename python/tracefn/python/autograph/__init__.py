"""`tensorflow.python.autograph`."""
