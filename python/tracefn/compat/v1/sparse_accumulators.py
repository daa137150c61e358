"""Accumulators of `tf.compat.v1` for gradients that hold some of the rows: `SparseConditionalAccumulator`."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from tracefn import _numpy as np
from tracefn._export import export
from tracefn._queues.failures import Invalid
from tracefn.compat.v1.accumulators import ConditionalAccumulatorBase, State, check_options, listed, reference
from tracefn.compat.v1.arguments import today
from tracefn.indexed_slices import IndexedSlices


class _Rows(NamedTuple):
    """Rows of a gradient: their indices, their values, of how many gradients each is the sum, and the whole's shape, or None."""

    indices: list
    values: list
    counts: list
    row_shape: tuple
    shape: list | None


class _Sparse(State):
    """Gradients are rows with their indices."""

    def _check_gradient(self, gradient: _Rows) -> None:
        rank = 1 + len(gradient.row_shape)
        known = self._shape.as_list() if self._shape.rank else None  # a scalar's shape says nothing of the rows
        given = gradient.shape
        if given is not None and known is not None:
            if len(given) < rank:
                raise Invalid(f"Shape mismatch: expected shape rank at least {rank}, got {len(given)}")
            _compare("shape", 0, known, given)
        if known is None and self._sum is not None:
            known = [None, *self._sum.row_shape]
        whole = known
        if whole is None:
            return
        if self._sum is not None and len(self._sum.row_shape) + 1 != rank:
            raise Invalid(f"Shape mismatch: expected values rank {len(self._sum.row_shape) + 1}, got {rank}")
        if len(whole) > rank:
            raise Invalid(f"Shape mismatch: expected values rank at least {len(whole)}, got {rank}")
        _compare("values", 1, whole[1:], gradient.row_shape)
        for at, index in enumerate(gradient.indices):
            if whole[0] is not None and index >= whole[0]:
                raise Invalid(f"Shape mismatch: index of slice {at} exceeded limits of shape; index is {index} exceeded {whole[0]}")

    def _plus(self, total: _Rows, gradient: _Rows) -> _Rows:
        """Merges the rows as if both had them in ascending order, as TensorFlow does."""
        merged = _Rows([], [], [], total.row_shape, None)
        ours = theirs = 0
        while ours < len(total.indices) or theirs < len(gradient.indices):
            first = total.indices[ours] if ours < len(total.indices) else math.inf
            second = gradient.indices[theirs] if theirs < len(gradient.indices) else math.inf
            row: Any = 0
            count = 0
            if first <= second:
                row, count = total.values[ours], total.counts[ours]
                ours += 1
            if second <= first:
                row, count = row + gradient.values[theirs], count + gradient.counts[theirs]
                theirs += 1
            merged.indices.append(min(first, second))
            merged.values.append(row)
            merged.counts.append(count)
        return merged

    def _divided(self, total: _Rows, count: int) -> _Rows:
        """Each row is the mean of the gradients that have it."""
        del count
        means = [(value / times).astype(value.dtype) for value, times in zip(total.values, total.counts, strict=True)]
        return total._replace(values=means)


def _compare(what: str, first: int, expected, given) -> None:
    for at, (size, own) in enumerate(zip(expected, given, strict=False)):
        if size not in (None, own):
            raise Invalid(f"Shape mismatch: expected {what} dim {at + first} to be {size}, got {own}")


def _rows_of(indices, values, shape, has_shape: bool) -> _Rows:
    if indices.shape.rank != 1:
        raise Invalid(f"Input indices should be vector but received shape: {listed(indices.shape)}")
    if values.shape.rank == 0:
        raise Invalid("Values cannot be 0-dimensional.")
    count = len(indices)
    if len(values) != count:
        raise Invalid(f"Expected {count} non-empty input values, got {len(values)}")
    numbers = values.numpy()
    whole = [int(size) for size in shape] if has_shape else None
    return _Rows([int(index) for index in indices], list(numbers), [1] * count, numbers.shape[1:], whole)


class SparseAccumulatorTakeGradient(NamedTuple):
    """What `take_grad` returns: the indices of rows, the rows, and the shape of the whole."""

    indices: object
    values: object
    shape: object


@export("compat.v1.SparseConditionalAccumulator", "compat.v1.sparse.SparseConditionalAccumulator")
class SparseConditionalAccumulator(ConditionalAccumulatorBase):
    """An accumulator of gradients that hold some of the rows, as `tf.IndexedSlices` do. Each row has a mean, or sum, of its own.

    Arguments and exceptions are those of `tf.compat.v1.ConditionalAccumulator`.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
      ...     mean = tf.compat.v1.SparseConditionalAccumulator(tf.float32, shape=[3, 1])
      ...     session.run(mean.apply_grad([0, 2], [[1.0], [2.0]]))
      ...     session.run(mean.apply_grad([2], [[4.0]]))
      ...     found = session.run(mean.take_grad(2))
      >>> found.indices.tolist(), found.values.tolist()
      ([0, 2], [[1.0], [3.0]])
    """

    _kind = "SparseConditionalAccumulator"
    _make = _Sparse

    def __init__(
        self, dtype, shape=None, shared_name=None, name="sparse_conditional_accumulator", reduction_type="MEAN"
    ) -> None:
        del shared_name
        check_options("SparseConditionalAccumulator", dtype, reduction_type)
        super().__init__(dtype, shape, reference(name))
        self._reduction = reduction_type

    def apply_indexed_slices_grad(self, grad, local_step=0, name=None):
        """`apply_grad` of `tf.IndexedSlices`."""
        return self.apply_grad(grad.indices, grad.values, grad.dense_shape, local_step, name)

    def apply_grad(self, grad_indices, grad_values, grad_shape=None, local_step=0, name=None):
        """`ConditionalAccumulator.apply_grad` of rows.

        Args:
          grad_indices: vector of their indices, in ascending order.
          grad_values: tensor of the accumulator's dtype, the rows.
          grad_shape: the shape of the whole, or None.
          local_step, name: as there.

        Raises:
          ValueError: the dtype is another one.
          InvalidArgumentError: when it runs: the shape is another one.
        """

        def run(state, step, indices, values, shape):
            state.add(_rows_of(indices, values, shape, grad_shape is not None), int(step))
            return []

        cast, shape = today("cast"), [] if grad_shape is None else grad_shape
        inputs = [
            ("local_step", cast(local_step, "int64"), "int64"),
            ("gradient_indices", cast(grad_indices, "int64"), "int64"),
            ("gradient_values", grad_values, self._dtype),
            ("gradient_shape", cast(shape, "int64"), "int64"),
        ]
        return self._run(name or "SparseAccumulatorApplyGradient", run, inputs, [])

    def take_grad(self, num_required, name=None):
        """Like `ConditionalAccumulator.take_grad`, with the same arguments.

        Returns:
          A tuple of `indices`, `values`, and the `shape` of the whole, in which -1 is an unknown size.
        """

        def run(state, required):
            rows = state.mean(int(required))
            values = np.stack(rows.values) if rows.values else np.zeros((0, *rows.row_shape), self._dtype.as_numpy_dtype)
            sizes = self._shape.as_list() if self._shape.rank else [None, *rows.row_shape]
            return [rows.indices, values, [-1 if size is None else size for size in sizes]]

        given = [("num_required", num_required, "int32")]
        node = self._node(name or "SparseAccumulatorTakeGradient", run, given, ["int64", self._dtype, "int64"])
        return SparseAccumulatorTakeGradient(*node.outputs)

    def take_indexed_slices_grad(self, num_required, name=None):
        """What `take_grad` returns, as `tf.IndexedSlices`."""
        found = self.take_grad(num_required, name)
        return IndexedSlices(values=found.values, indices=found.indices, dense_shape=found.shape)

    def set_global_step(self, new_global_step, name=None):
        return super().set_global_step(today("cast")(new_global_step, "int64"), name or "AccumulatorSetGlobalStep")
