"""Variables of which each replica has a copy: what `tf.Variable(...)` makes in the scope of MirroredStrategy."""

from __future__ import annotations

import copy
import weakref
from typing import Any

from tracefn import _core
from tracefn import _numpy as _np
from tracefn._known_variables import remember_container
from tracefn._reference import Reference
from tracefn._tracking.base import Trackable
from tracefn._tracking.tensor_callable import TensorCallable
from tracefn._variable.options import VariableAggregation, VariableSynchronization
from tracefn.distribute import _modes as modes
from tracefn.distribute._members import VariableMembers
from tracefn.distribute._reduce_op import ReduceOp
from tracefn.distribute._values import DistributedDelegate, Mirrored, MirroredInterface, PerReplica
from tracefn.framework import executing_eagerly
from tracefn.trace_type import TraceType
from tracefn.variable import Variable

_identity = _core.raw_op("Identity")
_cast = _core.raw_op("Cast")
_and = _core.raw_op("LogicalAnd")

_MEAN_OF_NUMBERS = (
    "Cannot update non-float variables with tf.VariableAggregation.MEAN aggregation in replica context. Either change the "
    "variable dtype to float or update it in cross-replica context."
)


def _across_replicas() -> bool:
    """Whether this is across replicas and not in an update of one replica's variable."""
    return modes.in_cross_replica_context() and modes.update_place() is None


class _VariableType(TraceType):
    """The trace type of a distributed variable: a trace is for this one variable, whose copies it captures."""

    __slots__ = ("_reference",)

    def __init__(self, variable) -> None:
        self._reference = weakref.ref(variable)

    def is_subtype_of(self, other) -> bool:
        return self == other

    def most_specific_common_supertype(self, others):
        return self if all(self == other for other in others) else None

    def placeholder_value(self, placeholder_context):
        return self._reference()

    def cast(self, value, cast_context):
        return value

    def __eq__(self, other) -> bool:
        return isinstance(other, _VariableType) and self._reference() is other._reference()

    def __hash__(self) -> int:
        return hash(id(self._reference()))


class DistributedVariable(VariableMembers, DistributedDelegate, Trackable):
    """A variable of which each replica has a copy.

    Args:
      strategy: the `tf.distribute.Strategy` in whose scope it is made.
      values: the copies, a `tf.Variable` for each replica.
      aggregation: `tf.VariableAggregation` of values that replicas assign.

    Raises:
      ValueError: the aggregation is MEAN, and the dtype not floating.
    """

    is_tensor_like = True
    is_distributed_variable = True
    __array_priority__ = 100
    __hash__ = Variable.__hash__

    def __init__(self, strategy, values, aggregation) -> None:
        if aggregation == VariableAggregation.MEAN and not values[0].dtype.is_floating:
            raise ValueError(
                "creating distributed tf.Variable with aggregation=MEAN and a non-floating dtype is not supported, please use "
                "a different aggregation or dtype"
            )
        super().__init__(values)
        self._distribute_strategy = strategy
        self._aggregation = aggregation
        self._common_name = self._primary.name.split(":")[0]
        for value in values:
            value._distributed_container = weakref.ref(self)
            remember_container(value.handle, self)

    def __deepcopy__(self, memo):
        """Raises:
        RuntimeError: in the scope of another strategy.
        """
        with modes.inside(self._distribute_strategy):
            values = [copy.deepcopy(value, memo) for value in self._values]
        copied = type(self)(self._distribute_strategy, values, self._aggregation)
        memo[id(self)] = copied
        return copied

    def __copy__(self):
        return self

    @property
    def distribute_strategy(self):
        """The strategy in whose scope it was made."""
        return self._distribute_strategy

    @property
    def _serial(self) -> int:
        return self._primary._serial

    @property
    def name(self) -> str:
        """The name of the first copy."""
        return self._primary.name

    @property
    def _shared_name(self) -> str:
        return self._common_name

    @property
    def _unique_id(self) -> str:
        return self._primary._unique_id

    @property
    def dtype(self):
        """The type of the value."""
        return self._primary.dtype

    @property
    def shape(self):
        """The shape that every value is compatible with."""
        return self._primary.shape

    def get_shape(self):
        """`shape`."""
        return self.shape

    @property
    def trainable(self):
        """Whether tapes watch the copies automatically."""
        return self._primary.trainable

    @property
    def constraint(self):
        """The callable given for optimizers, or None."""
        return self._primary.constraint

    @property
    def synchronization(self) -> VariableSynchronization:
        """When the copies are made equal."""
        return self._primary.synchronization

    @property
    def aggregation(self) -> VariableAggregation:
        """How values that replicas assign are combined."""
        return self._aggregation

    @property
    def device(self) -> str:
        """The device of the copy that is read here."""
        return self._get_on_device_or_primary().device

    @property
    def handle(self):
        """The handle of the copy of the replica that runs here.

        Raises:
          ValueError: no replica does.
        """
        replica = modes.replica_id()
        if replica is None:
            raise ValueError(
                "DistributedVariable.handle is not available outside the replica context or a "
                "`tf.distribute.Strategy.update()` call."
            )
        return self._values[replica].handle

    def _gather_saveables_for_checkpoint(self) -> dict:
        """For wrappers in libraries, whose own method asks that of what they wrap."""
        return {"VARIABLE_VALUE": self}

    def _serialize_to_tensors(self) -> dict:
        return self._primary._serialize_to_tensors()

    def _restore_from_tensors(self, restored_tensors) -> list:
        """Assigns a value from a checkpoint to all copies."""
        return [value._restore_from_tensors(restored_tensors) for value in self._values]

    def is_initialized(self, name=None):
        """A bool tensor: whether all copies have a value."""
        found = self._primary.is_initialized(name if len(self._values) == 1 else None)
        for value in self._values[1:]:
            found = _and(x=found, y=value.is_initialized(), name=name if value is self._values[-1] else None)
        return found

    def ref(self):
        """A hashable reference to the Variable; `ref().deref()` is the Variable."""
        return Reference(self)

    def experimental_ref(self):
        """`ref`."""
        return self.ref()

    def value(self):
        """The value of the copy of the replica that runs here, or of the first one."""
        return self._get_on_device_or_primary().value()

    def read_value(self):
        """The current value, as a tensor that later assignments do not change.

        Raises:
          RuntimeError: in the scope of another strategy.
        """
        with modes.inside(self._distribute_strategy):
            return _identity(input=_core.convert_to_tensor(self._get()))

    def numpy(self):
        """A copy of the value as a NumPy array or scalar.

        Raises:
          NotImplementedError: while a function is being traced.
        """
        if executing_eagerly():
            return self.read_value().numpy()
        raise NotImplementedError("DistributedVariable.numpy() is only available when eager execution is enabled.")

    def __array__(self, dtype=None, copy=None):
        value = _np.asarray(self.numpy())
        return value if dtype is None else value.astype(dtype)

    def __tf_tensor__(self, dtype=None, name=None):
        with modes.inside(self._distribute_strategy):
            return _core.convert_to_tensor(self._get(), dtype=dtype, name=name)

    def __tf_tracing_type__(self, context):
        del context
        return _VariableType(self)

    def _as_function_result(self):
        return _core.convert_to_tensor(self)

    def _update(self, update, value, **kwargs):
        """Updates the copies with `value`, in the way that the place asks for.

        Args:
          update: callable that takes a copy, the value and `kwargs`.
          value: what `Variable.assign` takes; across replicas, distributed values too.
        """
        with modes.inside(self._distribute_strategy):
            if not modes.in_cross_replica_context():
                return self._update_replica(update, value, **kwargs)
            place = modes.update_place()
            if place is not None:
                return update(self._get_replica(place), value, **kwargs)
            return self._distribute_strategy.extended.update(self, update, args=(value,), kwargs=kwargs)

    def _update_replica(self, update, value, **kwargs):
        """Updates from inside a replica."""
        raise NotImplementedError

    def assign(self, value, use_locking=False, name=None, read_value=True):
        """Assigns a value to all copies: across replicas the given one; in a replica that of all of them, aggregated.

        Args, Returns and Raises: as for `tf.Variable.assign`; and
          ValueError: in a replica, if no aggregation says how the values are combined.
          RuntimeError: in the scope of another strategy.
        """
        return self._update(_assign, value, use_locking=use_locking, name=name, read_value=read_value)

    def assign_add(self, value, use_locking=False, name=None, read_value=True):
        """Adds to all copies; see `assign`."""
        return self._update(_assign_add, value, use_locking=use_locking, name=name, read_value=read_value)

    def assign_sub(self, value, use_locking=False, name=None, read_value=True):
        """Subtracts from all copies; see `assign`."""
        return self._update(_assign_sub, value, use_locking=use_locking, name=name, read_value=read_value)


# The class is no subclass, for the core reads the handle of a real Variable everywhere, and this has one in replicas only.
Variable.register(DistributedVariable)


def _assign(variable, *args, **kwargs):
    return variable.assign(*args, **kwargs)


def _assign_add(variable, *args, **kwargs):
    return variable.assign_add(*args, **kwargs)


def _assign_sub(variable, *args, **kwargs):
    return variable.assign_sub(*args, **kwargs)


def _add_scatter(name: str) -> None:
    def update(variable, *args, **kwargs):
        return getattr(variable, name)(*args, **kwargs)

    def scatter(self, sparse_delta, use_locking=False, name=None):
        return self._update(update, sparse_delta, use_locking=use_locking, name=name)

    scatter.__name__, scatter.__qualname__ = name, f"DistributedVariable.{name}"
    scatter.__doc__ = f"`tf.Variable.{name}` of all copies; see `assign`."
    setattr(DistributedVariable, name, scatter)


_SCATTERS = ("scatter_add", "scatter_div", "scatter_max", "scatter_min", "scatter_mul", "scatter_sub", "scatter_update")
for _name in _SCATTERS:
    _add_scatter(_name)


def aggregated(strategy, value, aggregation, destinations):
    """The values of all replicas as one, which all copies get.

    Raises:
      ValueError: the aggregation is NONE.
    """
    if aggregation == VariableAggregation.ONLY_FIRST_REPLICA:
        first = strategy.experimental_local_results(value)[0]
        return strategy.extended.broadcast_to(first, destinations=destinations)
    return strategy.extended.reduce_to(ReduceOp.from_variable_aggregation(aggregation), value, destinations)


class MirroredVariable(DistributedVariable, Mirrored, MirroredInterface):
    """A variable whose copies have the same value at all times.

    Args:
      strategy, values, aggregation: see DistributedVariable.

    Example:
      >>> import tracefn as tf
      >>> strategy = tf.distribute.MirroredStrategy()
      >>> with strategy.scope():
      ...     v = tf.Variable(1.0, aggregation=tf.VariableAggregation.SUM)
      >>> v.assign_add(1.0).numpy()
      np.float32(2.0)
      >>> strategy.run(lambda: v.assign_add(10.0)).numpy()
      np.float32(12.0)
    """

    __hash__ = Variable.__hash__

    def _get_cross_replica(self):
        # No variable, which a program might change by mistake.
        return _identity(input=self._get_on_device_or_primary().value())

    def _update_replica(self, update, value, **kwargs):
        if self._aggregation == VariableAggregation.NONE:
            return update(self._get_on_device_or_primary(), value, **kwargs)

        def merge(strategy, value, **kwargs):
            if (
                self._aggregation == VariableAggregation.MEAN
                and not self.dtype.is_floating
                and isinstance(value, PerReplica)
            ):
                raise ValueError(_MEAN_OF_NUMBERS)
            one = aggregated(strategy, value, self._aggregation, self)
            return strategy.extended.update(self, update, args=(one,), kwargs=kwargs)

        return modes.get_replica_context().merge_call(merge, args=(value,), kwargs=kwargs)


def _add_ordering_scatter(name: str) -> None:
    inherited = getattr(DistributedVariable, name)

    def scatter(self, *args, **kwargs):
        if self._aggregation not in (VariableAggregation.ONLY_FIRST_REPLICA, VariableAggregation.NONE):
            raise NotImplementedError(
                f"{name} is only supported for mirrored variable (variable created within certain `tf.distribute.Strategy` "
                f"scope) with NONE or `ONLY_FIRST_REPLICA` aggregation, got: {self._aggregation}."
            )
        return inherited(self, *args, **kwargs)

    scatter.__name__, scatter.__qualname__, scatter.__doc__ = name, f"MirroredVariable.{name}", inherited.__doc__
    setattr(MirroredVariable, name, scatter)


for _name in ("scatter_min", "scatter_max", "scatter_update"):
    _add_ordering_scatter(_name)


class SyncOnReadVariable(DistributedVariable):
    """A variable whose copies each replica updates on its own; across replicas, reads are aggregated.

    Args:
      strategy, values, aggregation: see DistributedVariable.

    Example:
      >>> import tracefn as tf
      >>> strategy = tf.distribute.MirroredStrategy()
      >>> with strategy.scope():
      ...     count = tf.Variable(0.0, synchronization=tf.VariableSynchronization.ON_READ,
      ...                         aggregation=tf.VariableAggregation.SUM)
      >>> _ = strategy.run(lambda: count.assign_add(2.0))
      >>> count.numpy()
      np.float32(2.0)
    """

    __hash__ = Variable.__hash__

    def _is_mirrored(self) -> bool:
        return False

    def _get(self):
        with modes.inside(self._distribute_strategy):
            return super()._get()

    def _as_graph_element(self):
        with modes.inside(self._distribute_strategy):
            found = self._get()
        return found._as_graph_element() if isinstance(found, Variable) else found

    def _get_cross_replica(self):
        if self._aggregation == VariableAggregation.ONLY_FIRST_REPLICA:
            return self._get_replica(0)
        with modes.inside(self._distribute_strategy):
            return self._distribute_strategy.reduce(ReduceOp.from_variable_aggregation(self._aggregation), self, axis=None)

    def _serialize_to_tensors(self) -> dict:
        """The aggregated value: a checkpoint fits any number of replicas."""
        return {"VARIABLE_VALUE": TensorCallable(self._get_cross_replica, self.dtype, self._primary.device)}

    def _restore_from_tensors(self, restored_tensors) -> list:
        value = restored_tensors["VARIABLE_VALUE"]
        if self._aggregation == VariableAggregation.SUM:  # so that the sum is the value
            value = _cast(x=value / len(self._values), DstT=self.dtype)
        return super()._restore_from_tensors({"VARIABLE_VALUE": value})

    def _refuse_aggregated(self, method: str) -> None:
        if modes.thread.sums_reads:
            raise NotImplementedError(f"call `variable.{method}()` inside variable_sync_on_read_context is not supported")

    def value(self):
        """In a replica the value of its copy; across replicas the aggregated one.

        Raises:
          ValueError: across replicas, if no aggregation says how the values are combined.
        """
        self._refuse_aggregated("value")
        with modes.inside(self._distribute_strategy):
            if not _across_replicas():
                return self._get_on_device_or_primary().value()
            if self._aggregation == VariableAggregation.ONLY_FIRST_REPLICA:
                return self._get_replica(0).value()
            return self._get_cross_replica()

    def read_value(self):
        self._refuse_aggregated("read_value")
        return super().read_value()

    def __tf_tensor__(self, dtype=None, name=None):
        with modes.inside(self._distribute_strategy):
            context = modes.get_replica_context()
            if context is None or not modes.thread.sums_reads:
                return _core.convert_to_tensor(self._get(), dtype=dtype, name=name)
            if self._aggregation == VariableAggregation.ONLY_FIRST_REPLICA:
                return _core.convert_to_tensor(self._get_replica(0), dtype=dtype, name=name)
            mine = self._get_on_device_or_primary().read_value()
            reduced = context.all_reduce(ReduceOp.from_variable_aggregation(self._aggregation), mine)
            return _core.convert_to_tensor(reduced, dtype=dtype, name=name)

    def _update_replica(self, update, value, **kwargs):
        return update(self._get_on_device_or_primary(), value, **kwargs)

    def _assign_across(self, name: str, value, read_value: bool) -> Any:
        """Assigns to each copy."""
        is_sum = self._aggregation == VariableAggregation.SUM
        if is_sum and name != "assign":
            raise ValueError(
                f"SyncOnReadVariable does not support `{name}` in cross-replica context when aggregation is set to "
                "`tf.VariableAggregation.SUM`."
            )
        if is_sum:  # so that the sum is the value
            value = _cast(x=_core.convert_to_tensor(value, dtype=self.dtype) / len(self._values), DstT=self.dtype)
        for copied in self._values:
            getattr(copied, name)(value, read_value=False)
        return self.read_value() if read_value else None

    def assign(self, value, use_locking=False, name=None, read_value=True):
        """In a replica, assigns to its copy; across replicas, to all, so that the aggregated value is the given one."""
        with modes.inside(self._distribute_strategy):
            if _across_replicas():
                return self._assign_across("assign", value, read_value)
            return super().assign(value, use_locking, name, read_value)

    def assign_add(self, value, use_locking=False, name=None, read_value=True):
        """In a replica, adds to its copy; across replicas, to all copies.

        Raises:
          ValueError: across replicas, if the aggregation is SUM.
        """
        with modes.inside(self._distribute_strategy):
            if _across_replicas():
                return self._assign_across("assign_add", value, read_value)
            return super().assign_add(value, use_locking, name, read_value)

    def assign_sub(self, value, use_locking=False, name=None, read_value=True):
        """In a replica, subtracts from its copy; across replicas, from all copies; see `assign_add`."""
        with modes.inside(self._distribute_strategy):
            if _across_replicas():
                return self._assign_across("assign_sub", value, read_value)
            return super().assign_sub(value, use_locking, name, read_value)


def _refuse_scatter(name: str) -> None:
    def scatter(self, *args, **kwargs):
        raise NotImplementedError(f"Variables with `synchronization=ON_READ` doesn't support `{name}`")

    scatter.__name__, scatter.__qualname__ = name, f"SyncOnReadVariable.{name}"
    scatter.__doc__ = "Not supported.\n\n        Raises:\n          NotImplementedError: always.\n        "
    setattr(SyncOnReadVariable, name, scatter)


for _name in _SCATTERS:
    _refuse_scatter(_name)


