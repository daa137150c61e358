"""`tf.distribute.coordinator`: the names for clusters of machines, refused when used."""

import sys as _sys

from tracefn._missing.refused import fill as _fill
from tracefn.distribute._refused import SEVERAL_MACHINES as _SEVERAL_MACHINES

_fill(_sys.modules[__name__], _SEVERAL_MACHINES)
