"""Values of which each replica has its own: `tf.distribute.DistributedValues`, PerReplica and Mirrored."""

from __future__ import annotations

import inspect
from typing import Any

from tracefn import _core
from tracefn._variable.operators import Operators
from tracefn.composite import CompositeTensor
from tracefn.distribute import _modes as modes
from tracefn.type_spec import TypeSpec, type_spec_from_value


class DistributedValues:
    """The values of all replicas, as the functions of a strategy take and return them.

    Example:
      >>> import tracefn as tf
      >>> strategy = tf.distribute.MirroredStrategy()
      >>> values = strategy.experimental_distribute_values_from_function(lambda context: tf.constant(1))
      >>> isinstance(values, tf.distribute.DistributedValues)
      True
      >>> [int(x) for x in strategy.experimental_local_results(values)]
      [1]
    """

    __signature__ = inspect.Signature()  # strategies make them

    def __init__(self, values) -> None:
        self._values = tuple(values)

    @property
    def values(self) -> tuple:
        """The value of each replica."""
        return self._values

    @property
    def _primary(self):
        return self._values[0]

    @property
    def _devices(self) -> tuple:
        return tuple(value.device for value in self._values)

    def _get(self):
        """The value of the replica that runs here; across replicas, the one that stands for all."""
        replica = modes.replica_id()
        return self._get_cross_replica() if replica is None else self._get_replica(replica)

    def _get_replica(self, replica: int):
        return self._values[replica]

    def _get_cross_replica(self):
        raise NotImplementedError(
            "DistributedValues._get_cross_replica should be implemented by sub-classes which support cross-replica "
            f"accesses. Type name is {type(self)}"
        )

    def _get_on_device_or_primary(self):
        replica = modes.replica_id()
        return self._get_replica(0 if replica is None else replica)

    def _text(self, of_value) -> str:
        lines = ",\n".join(f"  {i}: {of_value(value)}" for i, value in enumerate(self._values))
        return f"{type(self).__name__}:{{\n{lines}\n}}"

    def __str__(self) -> str:
        return self._text(str)

    def __repr__(self) -> str:
        return self._text(repr)


class PerReplicaInterface(DistributedValues):
    """The class of values that differ between replicas, `tf.types.experimental.distributed.PerReplica`."""

    __slots__ = ()


class MirroredInterface(DistributedValues):
    """The class of values that are the same on all replicas, `tf.types.experimental.distributed.Mirrored`."""

    __slots__ = ()


PerReplicaInterface.__name__ = PerReplicaInterface.__qualname__ = "PerReplica"
MirroredInterface.__name__ = MirroredInterface.__qualname__ = "Mirrored"


class PerReplica(PerReplicaInterface, CompositeTensor):
    """Values that differ between replicas.

    Args:
      values: the value of each replica.
    """

    @property
    def _type_spec(self):
        return PerReplicaSpec(*(type_spec_from_value(value) for value in self._values))

    def _as_function_result(self):
        """The same with the values of Variables."""
        if not any(hasattr(value, "handle") for value in self._values):
            return self
        return PerReplica(tuple(_core.convert_to_tensor(v) if hasattr(v, "handle") else v for v in self._values))

    def __tf_tensor__(self, dtype=None, name=None):
        """The value of the replica that runs here.

        Raises:
          ValueError: no replica does.
        """
        if modes.in_cross_replica_context() or not modes.has_strategy():
            raise ValueError(
                "It looks like you are using a PerReplica object while not inside a replica context, which is not supported. "
                "Try running your op or function inside a replica context by using `strategy.run`"
            )
        return _core.convert_to_tensor(self._get(), dtype=dtype, name=name)


class PerReplicaSpec(TypeSpec):
    """The type of PerReplica values.

    Args:
      *value_specs: the spec of each replica's value.
    """

    __slots__ = ("_value_specs",)

    def __init__(self, *value_specs) -> None:
        self._value_specs = tuple(value_specs)

    @property
    def value_type(self) -> type:
        """The class of the values."""
        return PerReplica

    def _serialize(self) -> tuple:
        return self._value_specs

    @property
    def _component_specs(self):
        return self._value_specs

    def _to_components(self, value):
        context = modes.get_replica_context()
        if context is not None and context.num_replicas_in_sync > 1:
            raise ValueError("Flattening a PerReplica to components is not supported in replica context.")
        return value._values

    def _from_components(self, components):
        return PerReplica(components)


def _is_private(name: str) -> bool:
    return name.startswith(("_self_", "__")) or name in ("_values", "_distributed_container", "_keras_mask")


class DistributedDelegate(DistributedValues, Operators):
    """Values that act like the one of the replica that runs here."""

    def __getattr__(self, name: str):
        if _is_private(name):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self._get(), name)

    def __getitem__(self, key):
        return self._get()[key]

    # Operators read the value by these, and compare by identity what has nodes in a graph of TensorFlow 1.
    _nodes = None

    def value(self):
        """The value of the replica that runs here, as a tensor."""
        return _core.convert_to_tensor(self._get())

    def read_value(self):
        """`value()`."""
        return self.value()


class Mirrored(DistributedDelegate, MirroredInterface):
    """Values that are the same on all replicas.

    Args:
      values: the value of each replica.
    """

    def _get_cross_replica(self):
        return self._get_on_device_or_primary()

    def _is_mirrored(self) -> bool:
        return True

    def __tf_tensor__(self, dtype=None, name=None):
        return _core.convert_to_tensor(self._get(), dtype=dtype, name=name)

    def __array__(self, *args, **kwargs):
        return self.value().__array__(*args, **kwargs)

    def _as_function_result(self):
        return self.value()

    def _as_graph_element(self):
        """What a session computes for the values: the one of the replica that runs here, or of the first."""
        found = self._get()
        own = getattr(found, "_as_graph_element", None)
        return found if own is None else own()

    # A tensor's: by values unless the program chose otherwise.
    __hash__: Any = None


def _add_operator(name: str) -> None:
    method = getattr(_core.Tensor, name)

    def operator(self, *args):
        return method(_core.convert_to_tensor(self._get()), *args)

    operator.__name__, operator.__qualname__ = name, f"DistributedDelegate.{name}"
    setattr(DistributedDelegate, name, operator)


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor"):
    _add_operator(f"__{_name}__")
    _add_operator(f"__r{_name}__")
for _name in ("neg", "abs", "invert", "lt", "le", "gt", "ge"):
    _add_operator(f"__{_name}__")


def is_mirrored(value) -> bool:
    """Whether a value is the same on all replicas, by its class."""
    return getattr(value, "_is_mirrored", lambda: False)()
