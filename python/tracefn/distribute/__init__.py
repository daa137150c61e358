"""`tf.distribute`: computations on several replicas, and variables and datasets for them."""

from tracefn._deprecated import leave_out as _leave_out
from tracefn._missing import getter as _getter
from tracefn._missing.refused import refused as _refused_name
from tracefn.distribute import cluster_resolver, coordinator, experimental
from tracefn.distribute._alone import MultiWorkerMirroredStrategy
from tracefn.distribute._cross_device import (
    CrossDeviceOps,
    HierarchicalCopyAllReduce,
    NcclAllReduce,
    ReductionToOneDevice,
)
from tracefn.distribute._extended import StrategyExtended
from tracefn.distribute._input import DistributedDataset, DistributedIterator
from tracefn.distribute._mirrored import MirroredStrategy
from tracefn.distribute._modes import (
    experimental_set_strategy,
    get_replica_context,
    get_strategy,
    has_strategy,
    in_cross_replica_context,
)
from tracefn.distribute._options import InputContext, InputOptions, InputReplicationMode, RunOptions
from tracefn.distribute._reduce_op import ReduceOp
from tracefn.distribute._refused import SEVERAL_MACHINES, ParameterServerStrategy, TPUStrategy
from tracefn.distribute._replica_context import ReplicaContext
from tracefn.distribute._single import OneDeviceStrategy
from tracefn.distribute._strategy import Strategy
from tracefn.distribute._values import DistributedValues

Server = _refused_name("distribute.Server", SEVERAL_MACHINES)
del SEVERAL_MACHINES

__all__ = [
    "CrossDeviceOps",
    "DistributedDataset",
    "DistributedIterator",
    "DistributedValues",
    "HierarchicalCopyAllReduce",
    "InputContext",
    "InputOptions",
    "InputReplicationMode",
    "MirroredStrategy",
    "MultiWorkerMirroredStrategy",
    "NcclAllReduce",
    "OneDeviceStrategy",
    "ParameterServerStrategy",
    "ReduceOp",
    "ReductionToOneDevice",
    "ReplicaContext",
    "RunOptions",
    "Server",
    "Strategy",
    "StrategyExtended",
    "TPUStrategy",
    "cluster_resolver",
    "coordinator",
    "experimental",
    "experimental_set_strategy",
    "get_replica_context",
    "get_strategy",
    "has_strategy",
    "in_cross_replica_context",
]

__getattr__ = _getter("distribute")
_leave_out(globals(), "distribute")
