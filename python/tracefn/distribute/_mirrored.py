"""`tf.distribute.MirroredStrategy`: a replica on each logical CPU, with variables that are the same on all of them."""

from __future__ import annotations

import weakref
from contextlib import nullcontext

from tracefn import _core
from tracefn._core import Function
from tracefn._logging import get_logger, warn
from tracefn._variable.options import VariableAggregation, VariableSynchronization
from tracefn.config._devices import list_logical_devices
from tracefn.distribute import _modes as modes
from tracefn.distribute._cross_device import CrossDeviceOps, ReductionToOneDevice, at_places, reduced_nest
from tracefn.distribute._devices import full_name
from tracefn.distribute._extended import StrategyExtended
from tracefn.distribute._input import distributed_dataset, distributed_from_function
from tracefn.distribute._options import InputContext, InputReplicationMode, ValueContext
from tracefn.distribute._reduce_op import ReduceOp
from tracefn.distribute._regroup import container_of, grouped_updates, regroup, select_replica
from tracefn.distribute._replica_context import ReplicaContext
from tracefn.distribute._replica_threads import run_on_threads
from tracefn.distribute._strategy import Strategy
from tracefn.distribute._values import DistributedValues, is_mirrored
from tracefn.distribute._variables import DistributedVariable, MirroredVariable, SyncOnReadVariable
from tracefn.framework import device, executing_eagerly, name_scope
from tracefn.function import traced_callable, with_python_function

_identity = _core.raw_op("Identity")
_warnings_left = iter(range(5))


def _warn_of_eager_replicas(strategy) -> None:
    if next(_warnings_left, None) is not None:
        warn(
            f"Using {type(strategy).__name__} eagerly has significant overhead currently. We will be working on improving this "
            "in the future, but for now please wrap `call_for_each_replica` or `experimental_run` or `run` inside a "
            "tf.function to get the best performance."
        )


def _synchronization(given, name):
    """The synchronization of a new variable.

    Raises:
      ValueError: NONE, or something else.
    """
    if given == VariableSynchronization.NONE:
        raise ValueError(
            "`NONE` variable synchronization mode is not supported with tf.distribute strategy. Please change the "
            f"`synchronization` for variable: {name}"
        )
    if not isinstance(given, VariableSynchronization):
        raise ValueError(f"Invalid variable synchronization mode: {given} for variable: {name}")
    return VariableSynchronization.ON_WRITE if given == VariableSynchronization.AUTO else given


def tell_devices(names: tuple) -> None:
    """Logs where the replicas of a strategy are."""
    get_logger().info("Using MirroredStrategy with devices %r", names)


class _MirroredExtended(StrategyExtended):
    def __init__(self, container_strategy, devices, cross_device_ops) -> None:
        super().__init__(container_strategy)
        names = tuple(full_name(each) for each in devices or list_logical_devices("CPU"))
        if len(set(names)) != len(names):
            raise AssertionError(f"No duplicates allowed in `devices` argument: {names}")
        self._devices = names
        self._cross_device_ops: CrossDeviceOps = cross_device_ops or ReductionToOneDevice()
        self._retrace_functions_for_each_device = len(names) > 1
        self._functions: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()

    @property
    def _num_replicas_in_sync(self) -> int:
        return len(self._devices)

    @property
    def worker_devices(self) -> tuple:
        """The name of each replica's device."""
        return self._devices

    parameter_devices = worker_devices

    def non_slot_devices(self, var_list):
        """`worker_devices`."""
        return self._devices

    def _create_variable(self, next_creator, **kwargs):
        kwargs["synchronization"] = _synchronization(kwargs["synchronization"], kwargs["name"])
        aggregation = kwargs["aggregation"]
        if not isinstance(aggregation, VariableAggregation):
            raise ValueError(f"Invalid variable aggregation mode: {aggregation} for variable: {kwargs['name']}")
        with _core.PausedTapes():
            values: list = []
            for name in self._devices:
                if values:  # a copy of the first one
                    kwargs["initial_value"] = lambda: _identity(input=values[0].value())
                    kwargs["name"] = f"replica_{len(values)}"
                outside = name_scope(f"{values[0]._shared_name}/") if values else nullcontext()
                with device(name), outside:
                    value = next_creator(**kwargs)
                value._device_name = name
                values.append(value)
        is_on_read = kwargs["synchronization"] == VariableSynchronization.ON_READ
        return (SyncOnReadVariable if is_on_read else MirroredVariable)(self._container_strategy(), values, aggregation)

    def _validate_colocate_with_variable(self, colocate_with_variable) -> None:
        text = "`colocate_vars_with` must only be passed a variable created in this tf.distribute.Strategy.scope(), not"
        if not isinstance(colocate_with_variable, DistributedVariable):
            raise ValueError(f"{text}: {colocate_with_variable!r}")
        strategy = colocate_with_variable._distribute_strategy
        if strategy is not self._container_strategy():
            raise ValueError(f"{text} {colocate_with_variable} created in scope: {strategy}")

    def _call_for_each_replica(self, fn, args, kwargs):
        strategy = self._container_strategy()
        if executing_eagerly() and not isinstance(fn, Function):
            _warn_of_eager_replicas(strategy)
        if len(self._devices) == 1:
            with device(self._devices[0]), _SingleReplicaContext(strategy, 0):
                return regroup((fn(*select_replica(0, args), **select_replica(0, kwargs)),))
        if isinstance(fn, Function):  # replicas meet inside of its graph
            return self._traced(fn)(*args, **kwargs)
        return run_on_threads(strategy, self._devices, fn, args, kwargs)

    def _traced(self, fn):
        """The Function that runs another one's Python function on all replicas."""
        found = self._functions.get(fn)
        if found is None:
            extended, traced = weakref.ref(self), weakref.ref(fn)

            def on_all_replicas(*args, **kwargs):
                return extended()._call_for_each_replica(traced_callable(traced()), args, kwargs)

            found = self._functions[fn] = with_python_function(fn, on_all_replicas)
        return found

    def _reduce_to(self, reduce_op, value, destinations, options):
        if is_mirrored(value):
            if reduce_op == ReduceOp.MEAN:
                return value
            raise AssertionError(f"the sum of a value that is the same on all replicas: {value}")
        return reduced_nest(
            self._cross_device_ops, reduce_op, value, destinations, len(self._devices), options
        )

    def _batch_reduce_to(self, reduce_op, value_destination_pairs, options) -> list:
        # Unlike reduce_to, takes one value that all replicas share, which stands for itself.
        return self._cross_device_ops.batch_reduce(reduce_op, value_destination_pairs, options)

    def _gather_to_implementation(self, value, destinations, axis, options):
        if not isinstance(value, DistributedValues):
            return value
        return self._cross_device_ops._gather(value, destinations, axis, options)

    def _broadcast_to(self, tensor, destinations):
        if isinstance(tensor, (float, int)):
            return tensor
        return at_places(tensor, destinations, always_mirrored=True)

    def _update(self, var, fn, args, kwargs, group):
        if not isinstance(var, DistributedVariable):
            raise AssertionError(f"not a variable of this strategy: {var}")
        return self._on_each(var._values, lambda i, *a, **k: fn(var._values[i], *a, **k), args, kwargs, group)

    def _update_non_slot(self, colocate_with, fn, args, kwargs, group):
        if not isinstance(colocate_with, tuple):
            raise AssertionError(f"not what non_slot_devices returns: {colocate_with}")
        return self._on_each(colocate_with, lambda i, *a, **k: fn(*a, **k), args, kwargs, group)

    def _on_each(self, places, fn, args, kwargs, group):
        results = []
        for i in range(len(places)):
            with device(self._devices[i]), modes.updating(i), name_scope(f"update_{i}"):
                results.append(fn(i, *select_replica(i, args), **select_replica(i, kwargs)))
        return grouped_updates(results, group, len(self._devices))

    def read_var(self, v):
        if not is_mirrored(v):
            return v._get_cross_replica()
        return _identity(input=_core.convert_to_tensor(v._get()))

    def value_container(self, value):
        return container_of(value)

    def _experimental_distribute_dataset(self, dataset, options):
        if options is not None and options.experimental_replication_mode == InputReplicationMode.PER_REPLICA:
            raise NotImplementedError(
                "InputReplicationMode.PER_REPLICA is only supported in `distribute_datasets_from_function`."
            )
        return distributed_dataset(dataset, self._container_strategy(), splits=True)

    def _distribute_datasets_from_function(self, dataset_fn, options):
        strategy = self._container_strategy()
        if options is not None and options.experimental_replication_mode == InputReplicationMode.PER_REPLICA:
            count = len(self._devices)
            return distributed_from_function(dataset_fn, [InputContext(count, i, count) for i in range(count)], strategy)
        dataset = dataset_fn(InputContext(1, 0, len(self._devices)))
        return distributed_dataset(dataset, strategy, splits=False)

    def _experimental_distribute_values_from_function(self, value_fn):
        count = len(self._devices)
        return regroup([value_fn(ValueContext(i, count)) for i in range(count)], always_wrap=True)


class _SingleReplicaContext(ReplicaContext):
    def _merge_call(self, merge_fn, args: tuple, kwargs: dict):
        return select_replica(0, super()._merge_call(merge_fn, args, kwargs))

    @property
    def devices(self):
        modes.require_replica(self)
        return [[self._strategy.extended.worker_devices[0]]]


class MirroredStrategy(Strategy):
    """A replica on each device; each has a copy of each variable, which are kept equal.

    Args:
      devices: list of names of logical CPUs, such as ["CPU:0", "CPU:1"]; None for all. There is one, unless
        `tf.config.set_logical_device_configuration` made more.
      cross_device_ops: `tf.distribute.CrossDeviceOps`; None for sums in memory.

    Raises:
      ValueError: a name is not that of a device.
      AssertionError: a name is there twice.

    Example:
      >>> import tracefn as tf
      >>> strategy = tf.distribute.MirroredStrategy()
      >>> with strategy.scope():
      ...     v = tf.Variable(1.0)
      >>> v
      MirroredVariable:{
        0: <tf.Variable 'Variable:0' shape=() dtype=float32, numpy=1.0>
      }
    """

    def __init__(self, devices=None, cross_device_ops=None) -> None:
        super().__init__(_MirroredExtended(self, devices, cross_device_ops))
        tell_devices(self.extended.worker_devices)
