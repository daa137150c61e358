"""How values of replicas are combined: `tf.distribute.CrossDeviceOps` and its kinds, which differ in name only here."""

from __future__ import annotations

from tracefn import _core, nest
from tracefn import _numpy as np
from tracefn.distribute._reduce_op import ReduceOp
from tracefn.distribute._regroup import regroup
from tracefn.distribute._values import DistributedValues, Mirrored, PerReplica
from tracefn.indexed_slices import IndexedSlices
from tracefn.variable import Variable

_identity = _core.raw_op("Identity")


def places_of(destinations) -> tuple:
    """The places that the arguments of reductions name: the names of their devices.

    Raises:
      ValueError: they name none.
    """
    if isinstance(destinations, DistributedValues):
        return tuple(range(len(destinations._values)))
    if isinstance(destinations, str):
        if destinations:
            return (destinations,)
        raise ValueError("destinations can not be empty")
    if isinstance(destinations, (_core.Tensor, IndexedSlices, Variable)):
        return (0,)
    raise ValueError(
        "destinations must be one of a `DistributedValues` object, a tf.Variable object, or a device string."
    )


def _copied(value):
    if isinstance(value, IndexedSlices):
        return value
    return _identity(input=_core.convert_to_tensor(value))


def at_places(value, destinations, always_mirrored: bool = False):
    """A value at each of the places; Mirrored if there are several."""
    count = len(places_of(destinations))
    if count == 1 and not always_mirrored:
        return _copied(value)
    return regroup([_copied(value) for _ in range(count)], Mirrored, always_wrap=always_mirrored)


def _sum_of_slices(values, count: int | None):
    """The sum, or with `count` the mean, of IndexedSlices: all their rows behind each other."""
    concat = _core.raw_op("ConcatV2")
    rows = concat(values=[x.values for x in values], axis=0) if len(values) > 1 else values[0].values
    indices = concat(values=[x.indices for x in values], axis=0) if len(values) > 1 else values[0].indices
    if count is not None:
        rows = rows / _core.convert_to_tensor(count, dtype=rows.dtype)
    return IndexedSlices(rows, indices, values[0].dense_shape)


def combined(reduce_op, values):
    """The sum or mean of tensors or IndexedSlices.

    Raises:
      ValueError: `reduce_op` is something else.
    """
    if reduce_op not in (ReduceOp.SUM, ReduceOp.MEAN):
        raise ValueError("`reduce_op` must be Reduce.SUM or Reduce.MEAN.")
    is_mean = reduce_op == ReduceOp.MEAN
    if any(isinstance(x, IndexedSlices) for x in values):
        return _sum_of_slices(values, len(values) if is_mean else None)
    tensors = [_core.convert_to_tensor(x) for x in values]
    total = _core.raw_op("AddN")(inputs=tensors)
    return total / _core.convert_to_tensor(len(tensors), dtype=total.dtype) if is_mean else total


def reduced_single(reduce_op, value, destinations, num_replicas: int):
    """The reduction of one value that all replicas share.

    Raises:
      ValueError: their sum, for several replicas.
    """
    is_python = not isinstance(value, (_core.Tensor, IndexedSlices)) and not hasattr(value, "__tf_tensor__")
    if is_python and np.all(np.asarray(value) == 0):
        return np.zeros_like(np.asarray(value))
    if reduce_op == ReduceOp.MEAN:
        return value
    if num_replicas != 1:
        raise ValueError(
            f"A non-DistributedValues value {value} cannot be reduced with the given reduce op {reduce_op}."
        )
    return at_places(value, destinations)


class CrossDeviceOps:
    """How values of replicas are combined. The replicas share one memory here, so that all kinds do the same.

    Example:
      >>> import tracefn as tf
      >>> ops = tf.distribute.ReductionToOneDevice()
      >>> strategy = tf.distribute.MirroredStrategy(cross_device_ops=ops)
      >>> float(strategy.reduce("sum", strategy.run(lambda: tf.constant(1.0)), axis=None))
      1.0
    """

    _num_between_graph_workers = 1

    def reduce(self, reduce_op, per_replica_value, destinations, options=None):
        """The sum or mean of the values of all replicas, at each of the destinations.

        Args:
          reduce_op: `tf.distribute.ReduceOp`.
          per_replica_value: distributed values, or a tensor.
          destinations: distributed values, a variable, a tensor or a device name.
          options: `tf.distribute.experimental.CommunicationOptions`.

        Raises:
          ValueError: `destinations` is something else.
        """
        value = _as_per_replica(per_replica_value)
        places_of(destinations)
        return self.reduce_implementation(reduce_op, value, destinations, options)

    def batch_reduce(self, reduce_op, value_destination_pairs, options=None) -> list:
        """`reduce` for pairs of a value and its destinations."""
        return [self.reduce(reduce_op, value, places, options) for value, places in value_destination_pairs]

    def broadcast(self, tensor, destinations):
        """A tensor at each of the destinations."""
        places_of(destinations)
        return self.broadcast_implementation(tensor, destinations)

    def reduce_implementation(self, reduce_op, per_replica_value, destinations, options):
        """What `reduce` does; a subclass defines it."""
        return at_places(combined(reduce_op, per_replica_value._values), destinations)

    def batch_reduce_implementation(self, reduce_op, value_destination_pairs, options) -> list:
        """What `batch_reduce` does; a subclass defines it."""
        return self.batch_reduce(reduce_op, value_destination_pairs, options)

    def broadcast_implementation(self, tensor, destinations):
        """What `broadcast` does; a subclass may define it."""
        return at_places(tensor, destinations, always_mirrored=True)

    def _gather(self, per_replica_value, destinations, axis, options=None):
        if isinstance(per_replica_value, IndexedSlices):
            raise NotImplementedError("gather/all_gather does not support IndexedSlices")
        values = list(_as_per_replica(per_replica_value)._values)
        gathered = values[0] if len(values) == 1 else _core.raw_op("ConcatV2")(values=values, axis=axis)
        return at_places(gathered, destinations)


def _as_per_replica(value):
    if isinstance(value, DistributedValues):
        return value
    return PerReplica((value if isinstance(value, IndexedSlices) else _core.convert_to_tensor(value),))


class ReductionToOneDevice(CrossDeviceOps):
    """Sums on one device and copies the result.

    Args:
      reduce_to_device: name of the device, or None.
      accumulation_fn: callable that sums a list of tensors; None for `tf.add_n`.
    """

    def __init__(self, reduce_to_device=None, accumulation_fn=None) -> None:
        self.reduce_to_device = reduce_to_device
        self.accumulation_fn = accumulation_fn

    def reduce_implementation(self, reduce_op, per_replica_value, destinations, options):
        """The sum by `accumulation_fn`, divided for the mean."""
        if self.accumulation_fn is None:
            return super().reduce_implementation(reduce_op, per_replica_value, destinations, options)
        total = self.accumulation_fn(list(per_replica_value._values))
        if reduce_op == ReduceOp.MEAN:
            total = total / _core.convert_to_tensor(len(per_replica_value._values), dtype=total.dtype)
        return at_places(total, destinations)


class _AllReduce(CrossDeviceOps):
    def __init__(self, num_packs=1) -> None:
        if num_packs < 0:
            raise ValueError(f"NCCL all-reduce requires num_packs >= 0, but {num_packs} is specified")
        self._num_packs = num_packs


class NcclAllReduce(_AllReduce):
    """That of Nvidia's library on GPUs; here it sums in memory.

    Args:
      num_packs: int, not negative, without effect.

    Raises:
      ValueError: `num_packs` is negative.
    """


class HierarchicalCopyAllReduce(_AllReduce):
    """That of a certain machine with eight GPUs; here it sums in memory.

    Args:
      num_packs: int, not negative, without effect.

    Raises:
      ValueError: `num_packs` is negative.
    """

    def __init__(self, num_packs=1) -> None:
        if num_packs < 0:
            raise ValueError(f"HierarchicalCopy requires num_packs >= 0, but {num_packs} is specified")
        super().__init__(num_packs)


def reduced_nest(ops: CrossDeviceOps, reduce_op, value, destinations, num_replicas: int, options):
    """The reductions of the parts of a nest."""

    def reduced(part):
        if isinstance(part, DistributedValues):
            return ops.reduce(reduce_op, part, destinations, options)
        return reduced_single(reduce_op, part, destinations, num_replicas)

    return nest.map_structure(reduced, value)
