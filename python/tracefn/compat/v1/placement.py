"""`tf.compat.v1.train.replica_device_setter`: places Variables on parameter servers and everything else on a worker."""

from __future__ import annotations

import itertools

from tracefn._export import export
from tracefn._logging import warn
from tracefn.distribute._cluster_spec import ClusterSpec
from tracefn.ops.device_spec import DeviceSpec

# Ops that make Variables and tables.
_OF_SERVERS = (
    "Variable", "VariableV2", "AutoReloadVariable", "MutableHashTable", "MutableHashTableV2", "MutableHashTableOfTensors",
    "MutableHashTableOfTensorsV2", "MutableDenseHashTable", "MutableDenseHashTableV2", "VarHandleOp",
    "BoostedTreesEnsembleResourceHandleOp", "BoostedTreesQuantileStreamResourceHandleOp",
    "ResourceConditionalAccumulator", "DecisionTreeResource",
)  # fmt: skip


def _in_turns(tasks: int):
    """A function of Operations that counts up to a number, and then from 0 again."""
    numbers = itertools.cycle(range(tasks))
    return lambda op: next(numbers)


@export("compat.v1.train.replica_device_setter")
def replica_device_setter(
    ps_tasks=0,
    ps_device="/job:ps",
    worker_device="/job:worker",
    merge_devices=True,
    cluster=None,
    ps_ops=None,
    ps_strategy=None,
):
    """A function that chooses the tasks of a parameter server for Variables, and a worker for the rest.

    `tf.compat.v1.device` takes it, and None as well, which is the result for a program on one machine.

    Args:
      ps_tasks: number of tasks of the servers' job; without any there is nothing to place.
      ps_device: str, the servers' job.
      worker_device: str, the workers' job.
      merge_devices: whether the device of an op that has a part of one is completed.
      cluster: `ClusterSpec`, or a value that makes one, which gives the number of tasks.
      ps_ops: list of the types of ops that are placed on servers; None for those that make Variables and tables.
      ps_strategy: function from an Operation to the number of its task; None for one after the other.

    Returns:
      A function from an Operation to the name of its device; None if there are no servers.

    Raises:
      TypeError: `ps_strategy` is not callable, or `cluster` describes none.

    Example:
      >>> import tracefn as tf
      >>> choose = tf.compat.v1.train.replica_device_setter(ps_tasks=2)
      >>> with tf.Graph().as_default():
      ...     choose(tf.constant(1).op)
      '/job:worker'
    """
    if cluster is not None:
        spec = cluster if isinstance(cluster, ClusterSpec) else ClusterSpec(cluster)
        tasks = spec.as_dict().get(DeviceSpec.from_string(ps_device).job)
        if tasks is None:
            return None
        ps_tasks = len(tasks)
    if ps_tasks == 0:
        return None
    if not merge_devices:
        warn("DEPRECATION: It is recommended to set merge_devices=true in replica_device_setter")
    if ps_strategy is None:
        ps_strategy = _in_turns(ps_tasks)
    if not callable(ps_strategy):
        raise TypeError("ps_strategy must be callable")
    of_servers = frozenset(_OF_SERVERS if ps_ops is None else ps_ops)

    def device_of(op) -> str:
        if op.device and not merge_devices:
            return op.device
        own = DeviceSpec.from_string(op.device or "")
        if not ps_device or op.node_def.op not in of_servers:
            return DeviceSpec.from_string(worker_device or "").make_merged_spec(own).to_string()
        server = DeviceSpec.from_string(ps_device)
        if server.job and own.job in (None, "", server.job):
            server = server.replace(task=ps_strategy(op))
        return server.make_merged_spec(own).to_string()

    return device_of
