"""`tensorflow.python.saved_model`: names of what a model does, as far as libraries import from there."""
