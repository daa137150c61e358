"""`tf.distribute.StrategyExtended`: what optimizers and libraries ask of a strategy, and what each kind of strategy defines."""

from __future__ import annotations

import weakref
from typing import Any

from tracefn import nest
from tracefn._contexts import context
from tracefn._variable.creators import variable_creator_scope
from tracefn._variable.options import VariableAggregation
from tracefn.distribute import _modes as modes
from tracefn.distribute._options import Options
from tracefn.distribute._reduce_op import ReduceOp, reduce_op_of
from tracefn.distribute._regroup import local_results
from tracefn.distribute._replica_context import converts_function_argument
from tracefn.ops.control_flow import group

CPU = "/job:localhost/replica:0/task:0/device:CPU:0"


class StrategyExtended:
    """The further methods of a strategy, as `strategy.extended`.

    Args:
      container_strategy: the `tf.distribute.Strategy`.

    Example:
      >>> import tracefn as tf
      >>> strategy = tf.distribute.MirroredStrategy()
      >>> with strategy.scope():
      ...     v = tf.Variable(1.0)
      ...     _ = strategy.extended.update(v, lambda variable, x: variable.assign_add(x), args=(2.0,))
      >>> v.numpy()
      np.float32(3.0)
    """

    _retrace_functions_for_each_device = False
    _require_static_shapes = False

    def __init__(self, container_strategy) -> None:
        self._container_strategy_weakref = weakref.ref(container_strategy)

    def _container_strategy(self) -> Any:
        strategy = self._container_strategy_weakref()
        if strategy is None:
            raise ReferenceError("The tf.distribute.Strategy that this belongs to is gone.")
        return strategy

    # What each kind of strategy defines.

    def _scope(self, strategy):
        return strategy_scope(strategy)

    def _create_variable(self, next_creator, **kwargs):
        raise NotImplementedError("must be implemented in descendants")

    def _call_for_each_replica(self, fn, args, kwargs):
        raise NotImplementedError("must be implemented in descendants")

    def _reduce_to(self, reduce_op, value, destinations, options):
        raise NotImplementedError("must be implemented in descendants")

    def _gather_to_implementation(self, value, destinations, axis, options):
        raise NotImplementedError("_gather_to must be implemented in descendants")

    def _broadcast_to(self, tensor, destinations):
        raise NotImplementedError("must be implemented in descendants")

    def _update(self, var, fn, args, kwargs, group):
        raise NotImplementedError("must be implemented in descendants")

    def _update_non_slot(self, colocate_with, fn, args, kwargs, group):
        raise NotImplementedError("must be implemented in descendants")

    def _experimental_distribute_dataset(self, dataset, options):
        raise NotImplementedError("must be implemented in descendants")

    def _distribute_datasets_from_function(self, dataset_fn, options):
        raise NotImplementedError("must be implemented in descendants")

    def _experimental_distribute_values_from_function(self, value_fn):
        raise NotImplementedError("must be implemented in descendants")

    def _validate_colocate_with_variable(self, colocate_with_variable) -> None:
        pass

    def read_var(self, v):
        """The value of a variable; of one with synchronization ON_READ, aggregated over all replicas.

        Args:
          v: a variable made in the scope of the strategy.
        """
        raise NotImplementedError("must be implemented in descendants")

    def value_container(self, value):
        """The distributed variable that a variable is a part of; any other value itself."""
        raise NotImplementedError("must be implemented in descendants")

    def non_slot_devices(self, var_list):
        """Where variables that belong to no other one are placed, for `update_non_slot`."""
        raise NotImplementedError("must be implemented in descendants")

    @property
    def _num_replicas_in_sync(self) -> int:
        raise NotImplementedError("must be implemented in descendants")

    @property
    def worker_devices(self) -> tuple:
        """The names of the devices on which the replicas run."""
        raise NotImplementedError("must be implemented in descendants")

    @property
    def parameter_devices(self) -> tuple:
        """The names of the devices that hold variables."""
        raise NotImplementedError("must be implemented in descendants")

    # What follows from it.

    experimental_between_graph = False
    experimental_should_init = True
    should_checkpoint = True
    should_save_summary = True
    _global_batch_size = True

    def _in_multi_worker_mode(self) -> bool:
        return False

    def _use_merge_call(self) -> bool:
        return True

    @property
    def experimental_require_static_shapes(self) -> bool:
        """False: shapes may be unknown."""
        return self._require_static_shapes

    def variable_created_in_scope(self, v) -> bool:
        """Whether a variable was made in the scope of this strategy.

        Example:
          >>> import tracefn as tf
          >>> strategy = tf.distribute.MirroredStrategy()
          >>> with strategy.scope():
          ...     inside = tf.Variable(1.0)
          >>> outside = tf.Variable(1.0)
          >>> [strategy.extended.variable_created_in_scope(v) for v in (inside, outside)]
          [True, False]
        """
        return v._distribute_strategy is self._container_strategy_weakref()

    def colocate_vars_with(self, colocate_with_variable):
        """A context in which variables are made on the devices of another one.

        Args:
          colocate_with_variable: a variable made in the scope of the strategy.

        Raises:
          RuntimeError: outside of the scope.
          ValueError: the variable was not made in it.
        """

        def create(next_creator, **kwargs):
            modes.require_scope(self._container_strategy())
            return next_creator(**kwargs)

        modes.require_scope(self._container_strategy())
        self._validate_colocate_with_variable(colocate_with_variable)
        return variable_creator_scope(create)

    def call_for_each_replica(self, fn, args=(), kwargs=None):
        """`tf.distribute.Strategy.run` by its older name.

        Raises:
          RuntimeError: in a replica, or in the scope of another strategy.
        """
        strategy = self._container_strategy()
        modes.require_cross_replica(strategy)
        with strategy.scope():
            return self._call_for_each_replica(fn, tuple(args), kwargs or {})

    def reduce_to(self, reduce_op, value, destinations, options=None):
        """The sum or mean of the values of all replicas, at other places.

        Args:
          reduce_op: `tf.distribute.ReduceOp`, or "SUM" or "MEAN".
          value: nest of distributed values and tensors.
          destinations: what lies where the result is to be: distributed values, a variable, a tensor, or a device name.
          options: `tf.distribute.experimental.CommunicationOptions`, without effect.

        Returns:
          A tensor, or the same value for each place.

        Raises:
          RuntimeError: in a replica, or in the scope of another strategy.
          ValueError: the sum of one value that all replicas share.
        """
        modes.require_cross_replica(self._container_strategy())
        reduce_op = reduce_op_of(reduce_op)
        if isinstance(destinations, (list, tuple)) or isinstance(reduce_op, VariableAggregation):
            raise AssertionError(f"reduce_to: not a tf.distribute.ReduceOp or a place: {reduce_op}, {destinations}")
        if not isinstance(reduce_op, ReduceOp):
            raise AssertionError(f"reduce_to: not a tf.distribute.ReduceOp: {reduce_op}")
        return self._reduce_to(reduce_op, value, destinations, options or Options())

    def batch_reduce_to(self, reduce_op, value_destination_pairs, options=None) -> list:
        """`reduce_to` for pairs of a value and its destinations.

        Raises:
          RuntimeError, ValueError: see `reduce_to`.
        """
        modes.require_cross_replica(self._container_strategy())
        return self._batch_reduce_to(reduce_op_of(reduce_op), value_destination_pairs, options)

    def _batch_reduce_to(self, reduce_op, value_destination_pairs, options) -> list:
        return [self.reduce_to(reduce_op, value, places, options) for value, places in value_destination_pairs]

    def broadcast_to(self, tensor, destinations):
        """A tensor at other places; see `reduce_to`."""
        modes.require_cross_replica(self._container_strategy())
        return self._broadcast_to(tensor, destinations)

    def _gather_to(self, value, destinations, axis, options=None):
        modes.require_cross_replica(self._container_strategy())
        if isinstance(destinations, (list, tuple)):
            raise AssertionError(f"not a place: {destinations}")
        return self._gather_to_implementation(value, destinations, axis, options or Options())

    def _batch_gather_to(self, value_destination_pairs, axis, options=None) -> list:
        return [self._gather_to(value, places, axis, options) for value, places in value_destination_pairs]

    def _reduce(self, reduce_op, value):
        return self._local_results(self.reduce_to(reduce_op, value, CPU))[0]

    def _local_results(self, val) -> tuple:
        return local_results(val, self._num_replicas_in_sync)

    def _group(self, value, name=None):
        parts = nest.flatten(self._local_results(value))
        if len(parts) != 1 or name is not None:
            return group(*parts, name=name)
        return getattr(parts[0], "op", parts[0])

    @converts_function_argument
    def update(self, var, fn, args=(), kwargs=None, group=True):
        """Calls a function for each replica's copy of a variable.

        Args:
          var: a variable made in the scope of the strategy.
          fn: callable that takes the copy, and `args` and `kwargs` with that replica's part of distributed values.
          args, kwargs: further arguments.
          group: whether to return one value that stands for all calls; else a nest of tuples of what each returned.

        Raises:
          RuntimeError: in the scope of another strategy.
        """
        replica = modes.get_replica_context()
        args, kwargs = tuple(args), kwargs or {}
        if replica is None or replica is modes.default_mode().replica_context:
            with self._container_strategy().scope():
                return self._update(var, fn, args, kwargs, group)
        return self._replica_ctx_update(var, fn, args, kwargs, group)

    def _replica_ctx_update(self, var, fn, args=(), kwargs=None, group=True):
        replica = modes.get_replica_context()
        if replica is None:
            raise ValueError("`StrategyExtended._replica_ctx_update` must be called in a replica context.")

        def merged(_, *args, **kwargs):
            return self.update(var, fn, args, kwargs, group=group)

        return replica.merge_call(merged, args=args, kwargs=kwargs)

    def update_non_slot(self, colocate_with, fn, args=(), kwargs=None, group=True):
        """Calls a function for each of the places that `non_slot_devices` returned; see `update`."""
        strategy = self._container_strategy()
        modes.require_cross_replica(strategy)
        with strategy.scope():
            return self._update_non_slot(colocate_with, fn, tuple(args), kwargs or {}, group)

    def _replica_ctx_all_reduce(self, reduce_op, value, options=None):
        replica = modes.get_replica_context()
        if replica is None:
            raise AssertionError("`StrategyExtended._replica_ctx_all_reduce` must be called in a replica context")

        def merged(_, flat):
            return self.batch_reduce_to(reduce_op, [(v, v) for v in flat], options)

        return nest.pack_sequence_as(value, replica.merge_call(merged, args=(nest.flatten(value),)))

    def _get_local_replica_id(self, replica_id_in_sync_group):
        return replica_id_in_sync_group

    _get_replica_id_in_sync_group = _get_local_replica_id


@context
def strategy_scope(strategy):
    """A context inside the scope of a strategy: across its replicas; `tf.Variable(...)` makes its variables.

    Raises:
      RuntimeError: in a replica, or in the scope of another strategy.
    """
    if modes.has_strategy():
        modes.require_cross_replica(strategy)
        return strategy, ()

    def create(next_creator, **kwargs):
        modes.require_scope(strategy)
        created = strategy.extended._create_variable(next_creator, **kwargs)
        created._distribute_strategy = strategy
        return created

    return strategy, (modes.Entered(modes.Mode(strategy)), variable_creator_scope(create))
