"""`tensorflow.python.training.saving`: the classes of what is saved."""

from tracefn.python.training.saving import saveable_object

__all__ = ["saveable_object"]
