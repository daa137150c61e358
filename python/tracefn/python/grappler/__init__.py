"""`tensorflow.python.grappler`."""
