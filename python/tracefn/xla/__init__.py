"""`tf.xla`: older ways to ask for compilation, which every tf.function here gets anyway."""

from tracefn._missing import getter as _getter
from tracefn.xla import experimental

__all__ = ["experimental"]

__getattr__ = _getter("xla")
