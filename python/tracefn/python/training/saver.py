"""`tensorflow.python.training.saver`: Saver, and the classes of what it saves."""

from tracefn._checkpoint import saveable as _saveable
from tracefn._checkpoint.saver import Saver

__all__ = ["BaseSaverBuilder", "Saver"]


class BaseSaverBuilder:
    """Where libraries find the classes of what is saved."""

    SaveSpec = _saveable.SaveSpec
    SaveableObject = _saveable.SaveableObject
