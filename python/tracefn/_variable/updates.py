"""Assignments to Variables: whole, by IndexedSlices and by slices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tracefn import _core
from tracefn._deprecated import say
from tracefn.indexed_slices import IndexedSlices

_assign = _core.raw_op("AssignVariableOp")
_assign_add = _core.raw_op("AssignAddVariableOp")
_assign_sub = _core.raw_op("AssignSubVariableOp")
_count_up_to = _core.raw_op("ResourceCountUpTo")


def _full_indices(indices):
    """The index vectors for scatter_nd from the indices of batch_scatter_update: the batch indices come first."""
    rank = indices.shape.rank
    sizes = _core.raw_op("Shape")(input=indices)
    whole = _core.raw_op("ConcatV2")(values=[sizes, [1]], axis=0)
    columns = [_core.raw_op("ExpandDims")(input=indices, dim=rank)]
    for axis in range(rank - 1):
        numbers = _core.raw_op("Range")(start=0, limit=sizes[axis], delta=1)
        numbers = _core.raw_op("Cast")(x=numbers, DstT=indices.dtype)
        shape = [-1 if i == axis else 1 for i in range(rank + 1)]
        numbers = _core.raw_op("Reshape")(tensor=numbers, shape=shape)
        columns.insert(axis, _core.raw_op("BroadcastTo")(input=numbers, shape=whole))
    return _core.raw_op("ConcatV2")(values=columns, axis=rank) if rank > 1 else columns[0]


class Updates:
    """The methods that change a Variable's value."""

    if TYPE_CHECKING:
        _handle: Any
        _dtype: Any
        _shape: Any
        name: Any

        def _unread(self, operation) -> Any: ...

    def _convert(self, value):
        return _core.convert_to_tensor(value, dtype=self._dtype)

    def _after(self, operation, read_value: bool):
        """The result of an assignment: a Variable that reads the new value, or else an Operation (None eagerly)."""
        if read_value:
            return self._unread(operation)
        return operation

    def assign(self, value, use_locking=False, name=None, read_value=True):
        """Assigns a new value.

        Args:
          value: converts to a tensor of the Variable's dtype and of a compatible shape.
          use_locking: accepted; assignments are always atomic.
          name: name of the op.
          read_value: whether to return something that reads the new value.

        Returns:
          A Variable that reads the value after the assignment; with `read_value=False` None, in a trace the Operation.

        Raises:
          ValueError: the shape is not compatible.
          TypeError, ValueError: the value does not convert.
        """
        del use_locking
        tensor = self._convert(value)
        if not self._shape.is_compatible_with(tensor.shape):
            raise ValueError(
                f"Cannot assign value to variable ' {self.name}': Shape mismatch.The variable shape {self._shape}, and "
                f"the assigned value shape {tensor.shape} are incompatible."
            )
        unsure = self._shape.is_fully_defined() and not tensor.shape.is_fully_defined()
        assigned = (
            _assign(resource=self._handle, value=tensor, validate_shape=True, name=name)
            if unsure
            else _assign(resource=self._handle, value=tensor, name=name)
        )
        return self._after(assigned, read_value)

    def assign_add(self, delta, use_locking=False, name=None, read_value=True):
        """Adds `delta`, which must have the shape of the value; see `assign`.

        Raises:
          InvalidArgumentError, in a trace ValueError: the shape differs.
        """
        del use_locking
        return self._after(_assign_add(resource=self._handle, value=self._convert(delta), name=name), read_value)

    def assign_sub(self, delta, use_locking=False, name=None, read_value=True):
        """Subtracts `delta`, which must have the shape of the value; see `assign`.

        Raises:
          InvalidArgumentError, in a trace ValueError: the shape differs.
        """
        del use_locking
        return self._after(_assign_sub(resource=self._handle, value=self._convert(delta), name=name), read_value)

    def batch_scatter_update(self, sparse_delta, use_locking=False, name=None):
        """Assigns slices by index, separately for each element of a batch.

        Args:
          sparse_delta: `tf.IndexedSlices`; its indices are of shape [b1, ..., bn, k], its values of that shape and the
            shape of a slice behind it. Element [i1, ..., in, j] of the values goes to [i1, ..., in, indices[..., j]].
          use_locking: accepted; assignments are always atomic.
          name: name of the op.

        Raises:
          TypeError: `sparse_delta` is something else.
          InvalidArgumentError: an index is out of range, or shapes do not fit.
        """
        del use_locking
        if not isinstance(sparse_delta, IndexedSlices):
            raise TypeError(f"Argument `sparse_delta` must be a `tf.IndexedSlices`. Received arg: {sparse_delta}")
        indices = _core.convert_to_tensor(sparse_delta.indices)
        return self.scatter_nd_update(_full_indices(indices), sparse_delta.values, name=name)

    def count_up_to(self, limit: int):
        """Increments the value, up to `limit`.

        Args:
          limit: int, the largest value.

        Returns:
          The value before the increment.

        Raises:
          OutOfRangeError: the value has already reached `limit`.
          InvalidArgumentError: the dtype is neither int32 nor int64.
        """
        say("Variable", "count_up_to")
        return _count_up_to(resource=self._handle, limit=limit, T=self._dtype)


def _add_scatter(name: str, op_name: str, what: str) -> None:
    op = _core.raw_op(op_name)

    def scatter(self, sparse_delta, use_locking=False, name=None):
        del use_locking
        if not isinstance(sparse_delta, IndexedSlices):
            raise TypeError(f"Argument `sparse_delta` must be a `tf.IndexedSlices`. Received arg: {sparse_delta}")
        updates = _core.convert_to_tensor(sparse_delta.values, dtype=self._dtype)
        return self._after(op(resource=self._handle, indices=sparse_delta.indices, updates=updates, name=name), True)

    scatter.__name__, scatter.__qualname__ = name, f"Variable.{name}"
    scatter.__doc__ = (
        f"{what} the rows at `sparse_delta.indices`, one after the other.\n\n"
        "        Args:\n          sparse_delta: `tf.IndexedSlices` with values of the Variable's dtype.\n\n"
        "        Raises:\n          TypeError: `sparse_delta` is not `tf.IndexedSlices`.\n"
        "          InvalidArgumentError: an index is out of range, or shapes do not match.\n        "
    )
    setattr(Updates, name, scatter)


def _add_scatter_nd(name: str, op_name: str, what: str) -> None:
    op = _core.raw_op(op_name)

    def scatter_nd(self, indices, updates, name=None):
        operation = op(ref=self._handle, indices=_core.convert_to_tensor(indices), updates=self._convert(updates), name=name)
        return self._after(operation, True)

    scatter_nd.__name__, scatter_nd.__qualname__ = name, f"Variable.{name}"
    scatter_nd.__doc__ = (
        f"{what} the slices at the index vectors in the last axis of `indices`.\n\n"
        "        Raises:\n          InvalidArgumentError: an index is out of range, or shapes do not match.\n        "
    )
    setattr(Updates, name, scatter_nd)


for _name, _what in (("add", "Adds to"), ("sub", "Subtracts from"), ("mul", "Multiplies"), ("div", "Divides"),
                     ("min", "Takes the minimum with"), ("max", "Takes the maximum with"), ("update", "Sets")):
    _add_scatter(f"scatter_{_name}", f"ResourceScatter{_name.title()}", _what)
for _name, _what in (("add", "Adds to"), ("sub", "Subtracts from"), ("min", "Takes the minimum with"),
                     ("max", "Takes the maximum with"), ("update", "Sets")):
    _add_scatter_nd(f"scatter_nd_{_name}", f"ResourceScatterNd{_name.title()}", _what)
