"""`tensorflow.python.ops.parallel_for.gradients`: Jacobians in graphs."""

from __future__ import annotations

from tracefn import nest
from tracefn.gradients import gradients
from tracefn.ops.array_shape import reshape, transpose
from tracefn.ops.array_shape import shape as shape_of
from tracefn.python.ops.parallel_for.control_flow_ops import pfor

__all__ = ["batch_jacobian", "jacobian"]


def jacobian(output, inputs, use_pfor=True, parallel_iterations=None):
    """The derivatives of each element of a tensor with respect to others, in a graph.

    Args:
      output: tensor.
      inputs: tensor or nest of them.
      use_pfor, parallel_iterations: accepted, without effect.

    Returns:
      Nest like `inputs`, of tensors of shape output.shape + input.shape; None for an input that `output` does not depend on.
    """
    del use_pfor, parallel_iterations
    flat = nest.flatten(inputs)
    elements = reshape(output, [-1])
    rows = pfor(lambda i: gradients(elements[i], flat), shape_of(elements)[0])
    sizes = shape_of(output)
    found = []
    for row, source in zip(rows, flat, strict=True):
        if row is not None:
            row = reshape(row, [*_sizes(output, sizes), *_sizes(source, shape_of(source))])
        found.append(row)
    return nest.pack_sequence_as(inputs, found)


def _sizes(tensor, sizes) -> list:
    """The sizes of a tensor of known rank, as numbers where they are known."""
    return [sizes[i] if size is None else size for i, size in enumerate(tensor.shape)]


def batch_jacobian(output, inp, use_pfor=True, parallel_iterations=None):
    """The derivatives of the rows of a tensor with respect to the same rows of another, in a graph.

    Args:
      output, inp: tensors with the same first dimension, the rows.
      use_pfor, parallel_iterations: accepted, without effect.

    Returns:
      Tensor of shape [rows] + output.shape[1:] + inp.shape[1:]; None if `output` does not depend on `inp`.

    Raises:
      ValueError: the first dimensions differ.
    """
    del use_pfor, parallel_iterations
    if not output.shape[:1].is_compatible_with(inp.shape[:1]):
        raise ValueError(f"Need first dimension of `output` shape ({output.shape}) and `inp` shape ({inp.shape}) to match.")
    sizes = _sizes(output, shape_of(output))
    flat = reshape(output, [sizes[0], -1])
    rows = pfor(lambda i: gradients(flat[:, i], inp)[0], shape_of(flat)[1])
    if rows is None:
        return None
    order = [1, 0, *range(2, inp.shape.rank + 1)]
    return reshape(transpose(rows, order), [*sizes, *_sizes(inp, shape_of(inp))[1:]])
