"""What subclasses of `tf.compat.v1.train.Optimizer` define, and what they call: the methods that TensorFlow's has for them."""

from __future__ import annotations

from tracefn import _core
from tracefn.compat.v1.arguments import today
from tracefn.compat.v1.optimizer_state import OptimizerState, graph_key, slot_key
from tracefn.compat.v1.variables import new_slot
from tracefn.dtypes import bfloat16, float16, float32, float64
from tracefn.framework import default_graph, executing_eagerly
from tracefn.framework import name_scope as _name_scope
from tracefn.indexed_slices import IndexedSlices
from tracefn.variable import Variable


def short_name(variable) -> str:
    """A Variable's name without the number of its output."""
    return variable.name.partition(":")[0]


def called(value):
    """The value, or the result of the function that it is."""
    return value() if callable(value) and not isinstance(value, (_core.Tensor, Variable)) else value


def with_distinct_rows(values, indices):
    """The values and indices of IndexedSlices, with one row for each index: the sum."""
    distinct, places = today("unique")(indices)
    return today("math.unsorted_segment_sum")(values, places, today("shape")(distinct)[0]), distinct


class OptimizerSteps(OptimizerState):
    """The base of optimizers: one step of each Variable, slots, and numbers that belong to no Variable."""

    _name: str

    def _valid_dtypes(self) -> set:
        """The dtypes that losses, Variables and gradients may have."""
        return {float16, bfloat16, float32, float64}

    def _assert_valid_dtypes(self, tensors) -> None:
        """
        Raises:
          ValueError: a tensor has another dtype.
        """
        valid = self._valid_dtypes()
        for tensor in tensors:
            dtype = tensor.dtype.base_dtype
            if dtype not in valid:
                raise ValueError(f"Invalid type {dtype!r} for {tensor.name}, expected: {list(valid)}.")

    def _create_slots(self, var_list) -> None:
        """Makes the Variables that belong to those of the list."""

    def _prepare(self) -> None:
        """Makes the tensors that all updates need."""

    # Steps. TensorFlow has two kinds of Variables, and methods for each; here all are of one kind, and an optimizer that has only
    # the methods for the other, which take IndexedSlices, steps by these.

    def _resource_apply_dense(self, grad, handle):
        """One step of a Variable."""
        return self._apply_dense(grad, handle)

    def _apply_dense(self, grad, var):
        raise NotImplementedError

    def _resource_apply_sparse_duplicate_indices(self, grad, handle, indices):
        """One step of the rows of a Variable; an index may be there more than once."""
        return self._apply_sparse_duplicate_indices(IndexedSlices(grad, indices), handle)

    def _apply_sparse_duplicate_indices(self, grad, var):
        values, indices = with_distinct_rows(grad.values, grad.indices)
        return self._resource_apply_sparse(values, var, indices)

    def _resource_apply_sparse(self, grad, handle, indices):
        """One step of the rows of a Variable; no index is there more than once."""
        return self._apply_sparse(IndexedSlices(grad, indices), handle)

    def _apply_sparse(self, grad, var):
        raise NotImplementedError

    def _finish(self, update_ops, name_scope):
        """One op for all updates."""
        return today("group")(*[x for x in update_ops if x is not None], name=name_scope)

    # Slots.

    def _slot(self, variable, name: str, initial=None, op_name=None, dtype=None):
        """Makes a slot: zeros, or what `initial` returns for a shape and dtype."""
        slots, key = self._slot_dict(name), slot_key(variable)
        if key not in slots:
            slots[key] = new_slot(f"{short_name(variable)}/{op_name or self._name}", variable, initial, dtype)
            self._slot_was_made(name, variable, slots[key])
        return slots[key]

    def _slot_dict(self, slot_name) -> dict:
        """The slots with a name."""
        return self._slots.setdefault(slot_name, {})

    def _zeros_slot(self, var, slot_name, op_name):
        """The slot of a Variable with a name; made of zeros if there is none."""
        return self._slot(var, slot_name, op_name=op_name)

    def _get_or_make_slot(self, var, val, slot_name, op_name):
        """The slot of a Variable with a name; made of the tensor `val` if there is none."""
        val = _core.convert_to_tensor(val)
        return self._slot(var, slot_name, lambda shape, dtype: val, op_name, val.dtype)

    def _get_or_make_slot_with_initializer(self, var, initializer, shape, dtype, slot_name, op_name):
        """The slot of a Variable with a name; made by an initializer if there is none."""
        return self._slot(var, slot_name, lambda *_: initializer(shape, dtype=dtype), op_name, dtype)

    # Numbers.

    def _create_non_slot_variable(self, initial_value, name, colocate_with):
        """The Variable of this graph with a name, which belongs to no other; made if there is none."""
        del colocate_with
        graph = None if executing_eagerly() else default_graph()
        key = name, None if graph is None else id(graph)
        if key not in self._numbers:
            with _name_scope(""):
                self._numbers[key] = Variable(initial_value, trainable=False, name=name)
            self._number_was_made(name, self._numbers[key])
        return self._numbers[key]

    def _get_non_slot_variable(self, name, graph=None):
        """The Variable of a graph, by default of this one, with a name that belongs to no other; None if there is none."""
        return self._numbers.get((name, graph_key() if graph is None else id(graph)))

    def _non_slot_variables(self):
        """The Variables that belong to no other."""
        return self._numbers.values()

    def _call_if_callable(self, param):
        """A number, or the result of the function that it is."""
        return called(param)
