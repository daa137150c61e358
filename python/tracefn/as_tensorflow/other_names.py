"""Names in TensorFlow's modules that are not public, and that modules of this package have which are called otherwise."""

from __future__ import annotations

import importlib

# Modules below `tensorflow`, and the modules below `tracefn` that have names of theirs.
_PLACES = {
    "python.data.ops.iterator_ops": "data._iterator: OwnedIterator",
    "python.distribute.input_lib": "distribute._input: DistributedDataset DistributedDatasetSpec DistributedIterator",
    "python.distribute.values": (
        "distribute._values: DistributedValues DistributedDelegate PerReplica PerReplicaSpec Mirrored; "
        "distribute._variables: DistributedVariable MirroredVariable SyncOnReadVariable"
    ),
    "python.eager.function": "_core: ConcreteFunction",
    "python.eager.polymorphic_function.concrete_function": "_core: ConcreteFunction",
    "python.framework.sparse_tensor": "ops.sparse.tensor: is_sparse",
    "python.ops.init_ops": "compat.v1.initial_values: Initializer",
    "python.ops.init_ops_v2": "ops.initializers: Initializer",
    "python.ops.lookup_ops": "ops.tables: LookupInterface",
    "python.ops.ragged.ragged_tensor": "ops.ragged.tensor: is_ragged",
    "python.ops.variables": "compat.v1.partitioned: PartitionedVariable",
}


def find(path: str, name: str):
    """The object that `tensorflow.<path>.<name>` is here; None if it is not listed."""
    for place in _PLACES.get(path, "").split(";"):
        module, _, names = place.partition(":")
        if name in names.split():
            # start-up time: when it is asked for
            return getattr(importlib.import_module(f".{module.strip()}", "tracefn"), name)
    return None
