"""Strategies of one replica: the default one, and `tf.distribute.OneDeviceStrategy`."""

from __future__ import annotations

from tracefn import _core, nest
from tracefn._contexts import context
from tracefn._variable.creators import variable_creator_scope
from tracefn.distribute import _modes as modes
from tracefn.distribute._devices import full_name
from tracefn.distribute._extended import StrategyExtended
from tracefn.distribute._input import distributed_dataset
from tracefn.distribute._options import InputContext, InputReplicationMode, ValueContext
from tracefn.distribute._replica_context import DefaultReplicaContext, ReplicaContext
from tracefn.distribute._strategy import Strategy
from tracefn.framework import device

_identity = _core.raw_op("Identity")


class _SingleExtended(StrategyExtended):
    """What strategies of one replica share: values are those of the replica."""

    _num_replicas_in_sync = 1

    def _reduce_to(self, reduce_op, value, destinations, options):
        return value

    def _gather_to_implementation(self, value, destinations, axis, options):
        return value

    def _local_results(self, val) -> tuple:
        return (val,)

    def _update(self, var, fn, args, kwargs, group):
        return self._update_non_slot(var, fn, (var, *args), kwargs, group)

    def _experimental_distribute_values_from_function(self, value_fn):
        return value_fn(ValueContext())

    def read_var(self, v):
        return _identity(input=_core.convert_to_tensor(v))

    def value_container(self, value):
        return value

    def _results(self, result, group):
        return result if group else nest.map_structure(self._local_results, result)


class _DefaultExtended(_SingleExtended):
    def _scope(self, strategy):
        return _default_scope(strategy)

    def colocate_vars_with(self, colocate_with_variable):
        """A context in which variables are made as anywhere else."""
        modes.require_scope(self._container_strategy())
        return variable_creator_scope(lambda next_creator, **kwargs: next_creator(**kwargs))

    def variable_created_in_scope(self, v) -> bool:
        """Whether a variable was made outside of all other strategies."""
        return v._distribute_strategy is None

    def _call_for_each_replica(self, fn, args, kwargs):
        with ReplicaContext(self._container_strategy(), 0):
            return fn(*args, **kwargs)

    def _update_non_slot(self, colocate_with, fn, args, kwargs, group):
        with modes.updating(0):
            return self._results(fn(*args, **kwargs), group)

    def _broadcast_to(self, tensor, destinations):
        if destinations is None:
            return tensor
        raise NotImplementedError("broadcast_to: the default strategy has no places to send to.")

    def _experimental_distribute_dataset(self, dataset, options):
        return dataset

    def _distribute_datasets_from_function(self, dataset_fn, options):
        return dataset_fn(InputContext())

    @property
    def worker_devices(self):
        """Not there.

        Raises:
          RuntimeError: always.
        """
        raise RuntimeError("worker_devices() method unsupported by default tf.distribute.Strategy.")

    @property
    def parameter_devices(self):
        """Not there.

        Raises:
          RuntimeError: always.
        """
        raise RuntimeError("parameter_devices() method unsupported by default tf.distribute.Strategy.")

    def non_slot_devices(self, var_list):
        """The variable with the first name."""
        return min(var_list, key=lambda variable: variable.name)


class _DefaultDistributionStrategy(Strategy):
    """The strategy outside of all others."""

    def __init__(self) -> None:
        super().__init__(_DefaultExtended(self))

    def __deepcopy__(self, memo):
        raise RuntimeError("Should only create a single instance of _DefaultDistributionStrategy")


@context
def _default_scope(strategy):
    """The scope of the default strategy, which can be entered only where there is no other one."""
    if modes.has_strategy():
        raise RuntimeError("Must not nest tf.distribute.Strategy scopes.")

    def create(next_creator, **kwargs):
        modes.require_scope(strategy)
        return next_creator(**kwargs)

    return strategy, (variable_creator_scope(create),)


_default = _DefaultDistributionStrategy()
modes.set_default(_default, DefaultReplicaContext(_default, 0))


class _OneDeviceExtended(_SingleExtended):
    def __init__(self, container_strategy, device) -> None:
        super().__init__(container_strategy)
        self._device = full_name(device)

    def _create_variable(self, next_creator, **kwargs):
        with device(self._device):
            return next_creator(**kwargs)

    def _validate_colocate_with_variable(self, colocate_with_variable) -> None:
        strategy = getattr(colocate_with_variable, "_distribute_strategy", None)
        if strategy is not self._container_strategy():
            raise ValueError(
                "`colocate_vars_with` must only be passed a variable created in this tf.distribute.Strategy.scope(), not "
                f"{colocate_with_variable!r} created in scope: {strategy}"
            )

    def _call_for_each_replica(self, fn, args, kwargs):
        with device(self._device), _OneDeviceReplicaContext(self._container_strategy(), 0):
            return fn(*args, **kwargs)

    def _update_non_slot(self, colocate_with, fn, args, kwargs, group):
        with device(self._device), modes.updating(0):
            return self._results(fn(*args, **kwargs), group)

    def _broadcast_to(self, tensor, destinations):
        return tensor

    def _experimental_distribute_dataset(self, dataset, options):
        _refuse_per_replica(options, "experimental_distribute_datasets_from_function")
        return distributed_dataset(dataset, self._container_strategy(), splits=True)

    def _distribute_datasets_from_function(self, dataset_fn, options):
        _refuse_per_replica(options, "experimental_distribute_datasets_from_function` of `tf.distribute.MirroredStrategy")
        return distributed_dataset(dataset_fn(InputContext()), self._container_strategy(), splits=False)

    @property
    def worker_devices(self) -> tuple:
        """The name of the device, alone in a tuple."""
        return (self._device,)

    parameter_devices = worker_devices

    def non_slot_devices(self, var_list):
        """`worker_devices`."""
        return (self._device,)


def _refuse_per_replica(options, where: str) -> None:
    if options is not None and options.experimental_replication_mode == InputReplicationMode.PER_REPLICA:
        raise NotImplementedError(f"InputReplicationMode.PER_REPLICA is only supported in `{where}`.")


class _OneDeviceReplicaContext(ReplicaContext):
    @property
    def devices(self):
        return self._strategy.extended.worker_devices


class OneDeviceStrategy(Strategy):
    """Everything on one device.

    Args:
      device: its name, such as "/cpu:0".

    Example:
      >>> import tracefn as tf
      >>> strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
      >>> with strategy.scope():
      ...     v = tf.Variable(2.0)
      >>> float(strategy.run(lambda x: v * x, args=(3.0,)))
      6.0
    """

    def __init__(self, device) -> None:
        super().__init__(_OneDeviceExtended(self, device))
