"""Checkpoints in TensorFlow's format: of objects, and of Variables by their names."""
