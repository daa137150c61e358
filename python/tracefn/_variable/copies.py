"""Copying and pickling of Variables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tracefn._known_variables import variable_class
from tracefn._variable.creators import outside_scopes
from tracefn._variable.options import VariableAggregation, VariableSynchronization
from tracefn.framework import executing_eagerly
from tracefn.tensor_shape import TensorShape


class Copies:
    """The methods that create another Variable with the same value and options."""

    if TYPE_CHECKING:
        _trainable: Any
        _name: Any
        _dtype: Any
        _constraint: Any
        _synchronization: Any
        _aggregation: Any
        _shape: Any

        def value(self) -> Any: ...

        def numpy(self) -> Any: ...

    def __copy__(self):
        """The Variable itself: a shallow copy of a container holds the same Variable."""
        return self

    def __deepcopy__(self, memo):
        if not executing_eagerly():
            raise NotImplementedError("__deepcopy__() is only available when eager execution is enabled.")
        copied = rebuild(self.value(), *self._rest())
        memo[id(self)] = copied
        return copied

    def __reduce__(self):
        return rebuild, (self.numpy(), *self._rest())

    def _rest(self) -> tuple:
        return (self._trainable, self._name, self._dtype.name, self._constraint, self._synchronization.name,
                self._aggregation.name, None if self._shape.rank is None else self._shape.as_list())


def rebuild(value, trainable, name, dtype, constraint, synchronization, aggregation, shape) -> Any:
    """Recreates a Variable from the state that pickling and copying keep."""
    copied = outside_scopes(
        variable_class(), initial_value=value, trainable=trainable, dtype=dtype, constraint=constraint,
        synchronization=VariableSynchronization[synchronization], aggregation=VariableAggregation[aggregation],
        shape=TensorShape(shape),
    )  # fmt: skip
    copied._name = name
    return copied
