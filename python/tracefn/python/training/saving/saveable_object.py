"""`tensorflow.python.training.saving.saveable_object`: objects by the tensors that are saved of them."""

from tracefn._checkpoint.saveable import SaveableObject, SaveSpec

__all__ = ["SaveSpec", "SaveableObject"]
