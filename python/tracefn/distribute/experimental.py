"""`tf.distribute.experimental`: options, and strategies for several machines, most of which are refused."""

import sys as _sys

from tracefn._deprecated import leave_out as _leave_out
from tracefn._missing.refused import fill as _fill
from tracefn.distribute._alone import CentralStorageStrategy
from tracefn.distribute._alone import ExperimentalMultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy
from tracefn.distribute._options import (
    CollectiveCommunication,
    CollectiveHints,
    CommunicationImplementation,
    CommunicationOptions,
    ValueContext,
)
from tracefn.distribute._refused import SEVERAL_MACHINES as _SEVERAL_MACHINES
from tracefn.distribute._refused import ExperimentalParameterServerStrategy as ParameterServerStrategy
from tracefn.distribute._refused import ExperimentalTPUStrategy as TPUStrategy

__all__ = [
    "CentralStorageStrategy",
    "CollectiveCommunication",
    "CollectiveHints",
    "CommunicationImplementation",
    "CommunicationOptions",
    "MultiWorkerMirroredStrategy",
    "ParameterServerStrategy",
    "TPUStrategy",
    "ValueContext",
]

_fill(_sys.modules[__name__], _SEVERAL_MACHINES)
_leave_out(globals(), "distribute.experimental")
