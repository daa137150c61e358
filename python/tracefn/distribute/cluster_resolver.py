"""`tf.distribute.cluster_resolver`: what knows the machines of a cluster. Those of other services are refused when used."""

import sys as _sys

from tracefn._missing.refused import fill as _fill
from tracefn.distribute._resolvers import SEVERAL_MACHINES as _SEVERAL_MACHINES
from tracefn.distribute._resolvers import (
    ClusterResolver,
    SimpleClusterResolver,
    TFConfigClusterResolver,
    TPUClusterResolver,
)

__all__ = ["ClusterResolver", "SimpleClusterResolver", "TFConfigClusterResolver", "TPUClusterResolver"]

_fill(_sys.modules[__name__], _SEVERAL_MACHINES)
