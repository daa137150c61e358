"""Expressions over the public API, and beside them (`.json`) what real TensorFlow answered.

Each module has `setup(tf)`, which returns the names its expressions use, and `EXPRESSIONS`, one a line. A case that
TensorFlow answers differently on purpose is no case here but a test of its own.
"""
