"""`tf.distribute.ReplicaContext`: what a function that a strategy runs knows of its replica, and how replicas exchange values."""

from __future__ import annotations

from tracefn import _core, nest
from tracefn.custom_gradient import custom_gradient
from tracefn.distribute import _modes as modes
from tracefn.distribute._reduce_op import ReduceOp, reduce_op_of
from tracefn.distribute._values import DistributedDelegate
from tracefn.framework import control_dependencies
from tracefn.indexed_slices import IndexedSlices


def converts_function_argument(method):
    """Decorator of a method: in converted code its first argument, a function, is converted too."""
    method.tf_converts_method_argument = True
    return method


class ReplicaContext:
    """What a function that `tf.distribute.Strategy.run` calls knows of its replica; `tf.distribute.get_replica_context` has it.

    Args:
      strategy: tf.distribute.Strategy.
      replica_id_in_sync_group: int, the number of the replica; a tensor or None.

    Raises:
      ValueError: `replica_id_in_sync_group` is something else.

    Example:
      >>> import tracefn as tf
      >>> strategy = tf.distribute.MirroredStrategy()
      >>> def step():
      ...     context = tf.distribute.get_replica_context()
      ...     return context.all_reduce("sum", tf.constant(2.0)), context.replica_id_in_sync_group
      >>> total, number = strategy.run(step)
      >>> float(total), int(number)
      (2.0, 0)
    """

    def __init__(self, strategy, replica_id_in_sync_group) -> None:
        number = replica_id_in_sync_group
        if number is not None and not isinstance(number, (int, _core.Tensor)):
            raise ValueError("replica_id_in_sync_group can only be an integer, a Tensor or None.")
        self._strategy = strategy
        self._replica_id_in_sync_group = number
        self._entered = modes.Entered(modes.Mode(strategy, self))

    def __enter__(self) -> None:
        self._entered.__enter__()

    def __exit__(self, kind, value, traceback) -> None:
        self._entered.__exit__(kind, value, traceback)

    @property
    def strategy(self):
        """The `tf.distribute.Strategy`."""
        return self._strategy

    @property
    def num_replicas_in_sync(self) -> int:
        """How many replicas there are."""
        return self._strategy.num_replicas_in_sync

    @property
    def replica_id_in_sync_group(self):
        """The number of the replica, an int32 scalar."""
        number = self._replica_id_in_sync_group
        if isinstance(number, _core.Tensor):
            return number
        return _core.convert_to_tensor(number, dtype="int32", name="replica_id_in_sync_group")

    @property
    def _replica_id(self):
        return self._replica_id_in_sync_group

    @property
    def devices(self):
        """The device of the replica, as a tuple of names.

        Raises:
          RuntimeError: another replica runs here.
        """
        modes.require_replica(self)
        return ("/job:localhost/replica:0/task:0/device:CPU:0",)

    @converts_function_argument
    def merge_call(self, merge_fn, args=(), kwargs=None):
        """Waits for all replicas, and calls a function once, across replicas.

        Args:
          merge_fn: callable that takes the strategy, and `args` and `kwargs` with the values of all replicas together.
          args, kwargs: this replica's arguments.

        Returns:
          What the function returns; of distributed values the part of this replica.

        Raises:
          RuntimeError: another replica runs here, or replicas call this differently often.
        """
        modes.require_replica(self)
        return self._merge_call(merge_fn, tuple(args), kwargs or {})

    def _merge_call(self, merge_fn, args: tuple, kwargs: dict):
        with modes.Entered(modes.Mode(self._strategy)):
            return merge_fn(self._strategy, *args, **kwargs)

    def all_reduce(self, reduce_op, value, options=None):
        """The sum or mean of a value over all replicas, which all of them get. It can be differentiated.

        Args:
          reduce_op: `tf.distribute.ReduceOp`, or "SUM" or "MEAN".
          value: nest of tensors and IndexedSlices of the same shapes on all replicas.
          options: `tf.distribute.experimental.CommunicationOptions`, without effect.

        Returns:
          Nest like `value`.

        Raises:
          ValueError: `reduce_op` is another name.
          RuntimeError: see `merge_call`.
        """
        reduce_op = reduce_op_of(reduce_op)
        flat = [x if isinstance(x, IndexedSlices) else _core.convert_to_tensor(x) for x in nest.flatten(value)]

        def reduce_all(strategy, *parts):
            pairs = [(part, _destination(part)) for part in parts]
            return strategy.extended.batch_reduce_to(reduce_op, pairs, options)

        if any(isinstance(x, IndexedSlices) for x in flat):
            return nest.pack_sequence_as(value, self.merge_call(reduce_all, args=flat))

        @custom_gradient
        def reduced(*xs):
            return self.merge_call(reduce_all, args=xs), lambda *dys: self.all_reduce(reduce_op, list(dys), options)

        return nest.pack_sequence_as(value, list(reduced(*flat)) if flat else [])

    def all_gather(self, value, axis, options=None):
        """The values of all replicas, concatenated, which all of them get. It can be differentiated.

        Args:
          value: nest of tensors of the same rank on all replicas, the same size in each axis but `axis`.
          axis: int, the axis to concatenate along.
          options: `tf.distribute.experimental.CommunicationOptions`, without effect.

        Returns:
          Nest like `value`.

        Raises:
          NotImplementedError: `value` has IndexedSlices.
          RuntimeError: see `merge_call`.
        """
        flat = nest.flatten(value)
        if any(isinstance(x, IndexedSlices) for x in flat):
            raise NotImplementedError("all_gather does not support IndexedSlices")
        flat = [_core.convert_to_tensor(x) for x in flat]

        def gather_all(strategy, *parts):
            return strategy.extended._batch_gather_to([(part, _destination(part)) for part in parts], axis, options)

        @custom_gradient
        def gathered(*xs):
            return self.merge_call(gather_all, args=xs), lambda *dys: self._parts_of(dys, xs, axis)

        return nest.pack_sequence_as(value, list(gathered(*flat)) if flat else [])

    def _parts_of(self, gradients, values, axis) -> list:
        """The parts of the gathered gradients that belong to this replica's values."""
        sums = self.all_reduce(ReduceOp.SUM, list(gradients))
        found = []
        for total, value in zip(sums, values, strict=True):
            size = _core.raw_op("Shape")(input=value)[axis]
            with control_dependencies([total] if isinstance(total, _core.SymbolicTensor) else []):
                sizes = self.all_gather(_core.raw_op("Reshape")(tensor=size, shape=[1]), axis=0)
            before = _core.raw_op("Sum")(input=sizes[: self._replica_id], axis=0)
            indices = _core.raw_op("Range")(start=before, limit=before + size, delta=1)
            found.append(_core.raw_op("GatherV2")(params=total, indices=indices, axis=axis))
        return found

    def _update(self, var, fn, args=(), kwargs=None, group=True):
        return self._strategy.extended._replica_ctx_update(var, fn, args=tuple(args), kwargs=kwargs or {}, group=group)


def _destination(value):
    return value._get() if isinstance(value, DistributedDelegate) else value


class DefaultReplicaContext(ReplicaContext):
    """That of the default strategy, whose replica has a Python number."""

    @property
    def replica_id_in_sync_group(self) -> int:
        """0."""
        return 0


# Its class is private in TensorFlow too, where texts show it.
DefaultReplicaContext.__name__ = DefaultReplicaContext.__qualname__ = "_DefaultReplicaContext"
