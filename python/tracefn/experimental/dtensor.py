"""`tf.experimental.dtensor`: the names for tensors spread over devices, refused when used."""

import sys as _sys

from tracefn._missing.refused import fill as _fill

MATCH = "match"
UNSHARDED = "unsharded"

_fill(_sys.modules[__name__], "tensors are not spread over devices: there is only the CPU.")
