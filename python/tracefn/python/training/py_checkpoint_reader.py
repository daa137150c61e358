"""`tensorflow.python.training.py_checkpoint_reader`: readers of checkpoints."""

from tracefn._checkpoint.reader import CheckpointReader, NewCheckpointReader

__all__ = ["CheckpointReader", "NewCheckpointReader"]
