"""`tf.distribute.Strategy`: runs functions on replicas, and combines what they return."""

from __future__ import annotations

import copy
import weakref

from tracefn import _core
from tracefn.distribute import _modes as modes
from tracefn.distribute._extended import CPU, StrategyExtended
from tracefn.distribute._options import InputReplicationMode
from tracefn.distribute._reduce_op import ReduceOp, reduce_op_of
from tracefn.distribute._replica_context import converts_function_argument
from tracefn.function import function
from tracefn.indexed_slices import IndexedSlices


class Strategy:
    """How a computation is spread over replicas.

    The strategies here run on one machine: `tf.distribute.MirroredStrategy` on the logical CPUs, and
    `tf.distribute.OneDeviceStrategy` on one of them.

    Args:
      extended: `tf.distribute.StrategyExtended`, which knows what the strategy does.

    Example:
      >>> import tracefn as tf
      >>> strategy = tf.distribute.MirroredStrategy()
      >>> with strategy.scope():
      ...     v = tf.Variable(2.0)
      >>> @tf.function
      ... def step(x):
      ...     return strategy.reduce("sum", strategy.run(lambda x: x * v, args=(x,)), axis=None)
      >>> float(step(tf.constant(3.0)))
      6.0
    """

    _scale_loss_for_estimator = False
    _should_use_with_coordinator = False

    def __init__(self, extended) -> None:
        self._extended = extended
        self._mean_parts: dict = {}
        self._sums: dict = {}

    @property
    def extended(self) -> StrategyExtended:
        """The `tf.distribute.StrategyExtended` with further methods."""
        return self._extended

    @property
    def num_replicas_in_sync(self) -> int:
        """How many replicas there are."""
        return self._extended._num_replicas_in_sync

    @property
    def cluster_resolver(self):
        """None: the strategy is of one machine."""
        return None

    def scope(self):
        """A context in which this strategy is the current one, and `tf.Variable(...)` makes its variables.

        Raises:
          RuntimeError: when entered, in a replica or in the scope of another strategy.

        Example:
          >>> import tracefn as tf
          >>> strategy = tf.distribute.MirroredStrategy()
          >>> with strategy.scope():
          ...     v = tf.Variable(1.0)
          >>> isinstance(v, tf.distribute.DistributedValues), isinstance(v, tf.Variable)
          (True, True)
        """
        return self._extended._scope(self)

    @converts_function_argument
    def run(self, fn, args=(), kwargs=None, options=None):
        """Calls a function once for each replica.

        Args:
          fn: callable, also a `tf.function`.
          args, kwargs: its arguments, a list or tuple and a dict; each replica gets its part of distributed values.
          options: `tf.distribute.RunOptions`, without effect.

        Returns:
          What the replicas return: a nest of distributed values; with one replica, of what it returned.

        Raises:
          ValueError: `args` is neither a list nor a tuple.
          RuntimeError: in a replica, or in the scope of another strategy.
        """
        del options
        if not isinstance(args, (list, tuple)):
            raise ValueError(f"positional args must be a list or tuple, got {type(args)}")
        with self.scope():
            return self._extended.call_for_each_replica(fn, args=args, kwargs=kwargs)

    def reduce(self, reduce_op, value, axis):
        """The sum or mean of the values of all replicas.

        Args:
          reduce_op: `tf.distribute.ReduceOp`, or "SUM" or "MEAN".
          value: nest of distributed values and tensors.
          axis: None to combine the replicas' values as they are; an int or a tuple of ints to sum or average them along these
            axes, too. The mean is that of all elements, however many each replica has.

        Returns:
          Nest of tensors.

        Raises:
          TypeError: `reduce_op` or `axis` is something else.
          ValueError: `axis` is out of range; or the sum of a value that all replicas share.
          RuntimeError: in a replica, or in the scope of another strategy.

        Example:
          >>> import tracefn as tf
          >>> strategy = tf.distribute.MirroredStrategy()
          >>> float(strategy.reduce(tf.distribute.ReduceOp.MEAN, tf.constant([1.0, 2.0, 6.0]), axis=0))
          3.0
        """
        modes.require_cross_replica(self)
        reduce_op = reduce_op_of(reduce_op)
        if axis is None:
            return self._extended._reduce(reduce_op, value)
        if reduce_op == ReduceOp.SUM:
            sums = self._run_cached(self._sums, axis, lambda v: _sum(v, axis), value)
            return self._extended._reduce(reduce_op, sums)
        if reduce_op != ReduceOp.MEAN:
            raise TypeError(f"Expected `reduce_op` to be a `tf.distribute.ReduceOp`, not: {reduce_op!r}")
        if not isinstance(axis, (int, list, tuple)):
            raise TypeError(f"Expected `axis` to be an integer, tuple or list not: {axis!r}")
        total, count = self._run_cached(self._mean_parts, axis, lambda v: (_sum(v, axis), _count(v, axis)), value)
        total = self._extended._reduce(ReduceOp.SUM, total)
        count = self._extended._reduce(ReduceOp.SUM, count)
        return total / _core.raw_op("Cast")(x=count, DstT=total.dtype)

    def _run_cached(self, functions: dict, axis, fn, value):
        """Runs a function of one value on all replicas; the Function for each axis is kept."""
        if _core.current_graph() is not None:
            return self.run(fn, args=(value,))
        key = axis if isinstance(axis, int) else tuple(axis) if isinstance(axis, (list, tuple)) else repr(axis)
        if key not in functions:
            functions[key] = function(fn, autograph=False)
        return self.run(functions[key], args=(value,))

    def gather(self, value, axis):
        """The values of all replicas, concatenated.

        Args:
          value: distributed values or a tensor, of the same rank and the same size in each axis but `axis`.
          axis: int.

        Raises:
          NotImplementedError: `value` is IndexedSlices.
          RuntimeError: in a replica, or in the scope of another strategy.

        Example:
          >>> import tracefn as tf
          >>> strategy = tf.distribute.MirroredStrategy()
          >>> strategy.gather(strategy.run(lambda: tf.constant([1, 2])), axis=0).numpy()
          array([1, 2], dtype=int32)
        """
        modes.require_cross_replica(
            self,
            "tf.distribute.Strategy.gather method requires cross-replica context, use get_replica_context().all_gather() "
            "instead",
        )
        if isinstance(value, IndexedSlices):
            raise NotImplementedError("gather does not support IndexedSlices")
        return self._extended._local_results(self._extended._gather_to(value, CPU, axis))[0]

    def experimental_local_results(self, value) -> tuple:
        """The value of each replica; of a single value, that value.

        Args:
          value: what `run` returned, or a variable made in the scope.
        """
        return self._extended._local_results(value)

    unwrap = experimental_local_results

    def group(self, value, name=None):
        """`tf.group` of the values of all replicas."""
        return self._extended._group(value, name)

    def experimental_distribute_dataset(self, dataset, options=None):
        """A dataset whose elements are split among the replicas.

        Args:
          dataset: `tf.data.Dataset` of batches for all replicas together.
          options: `tf.distribute.InputOptions`.

        Returns:
          `tf.distribute.DistributedDataset`. An element of it is a nest of distributed values; with one replica, of tensors.

        Example:
          >>> import tracefn as tf
          >>> strategy = tf.distribute.MirroredStrategy()
          >>> distributed = strategy.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(2))
          >>> [strategy.run(lambda x: x + 1, args=(x,)).numpy().tolist() for x in distributed]
          [[1, 2], [3, 4]]
        """
        return self._extended._experimental_distribute_dataset(dataset, options)

    def distribute_datasets_from_function(self, dataset_fn, options=None):
        """A dataset of the batches that a function makes for each replica.

        Args:
          dataset_fn: callable that takes a `tf.distribute.InputContext` and returns a dataset, of batches for one replica.
          options: `tf.distribute.InputOptions`.

        Returns:
          `tf.distribute.DistributedDataset`. Each step takes an element of the dataset for each replica.
        """
        return self._extended._distribute_datasets_from_function(dataset_fn, options)

    experimental_distribute_datasets_from_function = distribute_datasets_from_function

    def experimental_distribute_values_from_function(self, value_fn):
        """The values that a function returns for each replica, as distributed values.

        Args:
          value_fn: callable that takes a `tf.distribute.experimental.ValueContext`.
        """
        return self._extended._experimental_distribute_values_from_function(value_fn)

    def make_dataset_iterator(self, dataset):
        """An iterator over the distributed dataset; see `experimental_distribute_dataset`."""
        return iter(self.experimental_distribute_dataset(dataset))

    def make_input_fn_iterator(self, input_fn, replication_mode=InputReplicationMode.PER_WORKER):
        """An iterator over the dataset that a function makes; see `distribute_datasets_from_function`.

        Raises:
          ValueError: another mode than one dataset for each worker.
        """
        if replication_mode != InputReplicationMode.PER_WORKER:
            raise ValueError(f"Input replication mode not supported: {replication_mode!r}")
        with self.scope():
            return iter(self.distribute_datasets_from_function(input_fn))

    def experimental_run(self, fn, input_iterator=None):
        """`run` with the next element of an iterator as its argument."""
        with self.scope():
            args = () if input_iterator is None else (input_iterator.get_next(),)
        return self.run(fn, args=args)

    def colocate_vars_with(self, colocate_with_variable):
        """`extended.colocate_vars_with`."""
        return self._extended.colocate_vars_with(colocate_with_variable)

    def update_config_proto(self, config_proto):
        """A copy of a configuration of sessions."""
        return copy.deepcopy(config_proto)

    def __deepcopy__(self, memo):
        result = type(self).__new__(type(self))
        memo[id(self)] = result
        for name, value in self.__dict__.items():
            setattr(result, name, copy.deepcopy(value, memo))
        result._extended._container_strategy_weakref = weakref.ref(result)
        return result

    def __copy__(self):
        raise RuntimeError("Must only deepcopy DistributionStrategy.")


def _axes(axis) -> list:
    return [axis] if isinstance(axis, int) else list(axis)


def _sum(value, axis):
    return _core.raw_op("Sum")(input=_core.convert_to_tensor(value), axis=axis)


def _count(value, axis):
    """How many elements are summed, an int64 scalar."""
    sizes = _core.raw_op("Shape")(input=_core.convert_to_tensor(value), out_type="int64")
    return _core.raw_op("Prod")(input=_core.raw_op("Pack")(values=[sizes[each] for each in _axes(axis)]), axis=0)
