"""`tf.types`: types for annotations and checks."""

from tracefn._missing import getter as _getter
from tracefn.types import experimental

__all__ = ["experimental"]


__getattr__ = _getter("types")
