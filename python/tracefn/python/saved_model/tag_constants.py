"""`tensorflow.python.saved_model.tag_constants`: tags of the graphs in a saved model."""

from __future__ import annotations

from tracefn.saved_model import GPU, SERVING, TPU, TRAINING

__all__ = ["EVAL", "GPU", "SERVING", "TPU", "TRAINING"]

EVAL = "eval"
