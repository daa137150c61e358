"""Functions applied along the first axis, each as one loop: map_fn, foldl, foldr, scan."""

from __future__ import annotations

import functools

from tracefn import _core, nest
from tracefn._control_flow.loop import while_loop
from tracefn._export import export
from tracefn._logging import warn
from tracefn.composite import CompositeTensor
from tracefn.dimension import Dimension
from tracefn.dtypes import as_dtype
from tracefn.framework import executing_eagerly
from tracefn.ops._build import name_scope
from tracefn.ops.batch_encoding import holds_batchable, map_values
from tracefn.tensor_array import TensorArray
from tracefn.tensor_shape import TensorShape
from tracefn.tensor_spec import TensorSpec
from tracefn.type_spec import TypeSpec, type_spec_from_value

_shape = _core.raw_op("Shape")


def converts_function(function):
    """Decorator: in converted code the first argument, a function, is converted too."""
    function.tf_converts_function = True
    return function


@functools.cache
def _warn_of_parallel_iterations() -> None:
    """Warns at the first call."""
    warn(
        "Setting parallel_iterations > 1 has no effect when executing eagerly. Consider calling map_fn with tf.function to "
        "execute fn in parallel."
    )


@export("map_fn")
@converts_function
def map_fn(
    fn,
    elems,
    dtype=None,
    parallel_iterations=None,
    back_prop=True,
    swap_memory=False,
    infer_shape=True,
    name=None,
    fn_output_signature=None,
):
    """Applies a function to each row of one or more tensors and stacks the results.

    Args:
      fn: callable that takes a nest like `elems` with one row of each tensor.
      elems: nest of tensors of rank at least 1, or RaggedTensors, all with the same first dimension.
      dtype: the old name of `fn_output_signature`.
      parallel_iterations, back_prop, swap_memory: accepted, without effect.
      infer_shape: whether all results have the same shape.
      name: str, the scope of the ops.
      fn_output_signature: nest of dtypes, TensorSpecs or RaggedTensorSpecs like the result of `fn`; None: the dtypes of
        `elems`.

    Returns:
      Nest like `fn_output_signature`; each tensor has one row for each row of `elems`.

    Raises:
      TypeError: `fn` is not callable.
      ValueError: a tensor is a scalar, or first dimensions differ.
      InvalidArgumentError: a result does not have the dtype in the signature.

    Example:
      >>> import tracefn as tf
      >>> tf.map_fn(lambda x: x * x, tf.constant([1, 2, 3])).numpy().tolist()
      [1, 4, 9]
    """
    del back_prop, swap_memory
    _check_callable(fn)
    if parallel_iterations is not None and parallel_iterations > 1 and executing_eagerly():
        _warn_of_parallel_iterations()
    signature = dtype if fn_output_signature is None else fn_output_signature
    if holds_batchable(elems, signature):
        return map_values(map_fn, fn, elems, signature, parallel_iterations=parallel_iterations, infer_shape=infer_shape,
                          name=name)  # fmt: skip
    with name_scope(name or "map"):
        rows = _Rows(elems, composites=True)
        results = elems if signature is None else signature
        specs = rows.row_specs() if signature is None else nest.flatten(signature)
        arrays = [_output_array(_spec_of_rows(spec), rows.length, infer_shape) for spec in specs]
        shapes = [array.element_shape for array in arrays]

        def step(i, arrays):
            result = fn(rows.row(i))
            nest.assert_same_structure(results, result)
            values = [_as_tensor(value, spec) for value, spec in zip(nest.flatten(result), specs, strict=True)]
            if infer_shape:
                shapes[:] = [value.shape for value in values]
            return i + 1, [array.write(i, value) for array, value in zip(arrays, values, strict=True)]

        _, arrays = while_loop(
            lambda i, _: i < rows.length,
            step,
            (_core.convert_to_tensor(0), arrays),
            parallel_iterations=parallel_iterations or 10,
            maximum_iterations=rows.length,
        )
        stacked = [_stacked(array, rows.static_length, shape) for array, shape in zip(arrays, shapes, strict=True)]
        values = [_batch_of(spec, tensor, rows.static_length) for spec, tensor in zip(specs, stacked, strict=True)]
        return nest.pack_sequence_as(results, values)


@export("foldl")
@converts_function
def foldl(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, name=None):
    """Combines the rows of a tensor into one value, from first to last.

    Args:
      fn: callable that takes the value so far and a row (or a nest of rows) and returns the next value.
      elems: nest of tensors of rank at least 1, all with the same first dimension.
      initializer: the initial value; None: the first row.
      parallel_iterations, back_prop, swap_memory: accepted, without effect.
      name: str, the scope of the ops.

    Returns:
      Nest of tensors like `initializer`, or like a row.

    Raises:
      TypeError: `fn` is not callable.
      ValueError: a tensor is a scalar, or first dimensions differ.

    Example:
      >>> import tracefn as tf
      >>> int(tf.foldl(lambda a, x: a * 10 + x, tf.constant([1, 2, 3])))
      123
    """
    del back_prop, swap_memory
    return _fold(fn, elems, initializer, parallel_iterations, name or "foldl", reverse=False)


@export("foldr")
@converts_function
def foldr(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, name=None):
    """`tf.foldl` from the last row to the first.

    Arguments, result and errors are those of `tf.foldl`. Without an initializer, the last row is the initial value.

    Example:
      >>> import tracefn as tf
      >>> int(tf.foldr(lambda a, x: a * 10 + x, tf.constant([1, 2, 3])))
      321
    """
    del back_prop, swap_memory
    return _fold(fn, elems, initializer, parallel_iterations, name or "foldr", reverse=True)


@export("scan")
@converts_function
def scan(
    fn,
    elems,
    initializer=None,
    parallel_iterations=10,
    back_prop=True,
    swap_memory=False,
    infer_shape=True,
    reverse=False,
    name=None,
):
    """`tf.foldl` that returns all intermediate values.

    Args:
      fn: callable that takes the value so far and a row (or a nest of rows) and returns the next value.
      elems: nest of tensors of rank at least 1, all with the same first dimension.
      initializer: the initial value, which is not part of the result; None: the first row, which is part of it.
      parallel_iterations, back_prop, swap_memory: accepted, without effect.
      infer_shape: whether all values have the same shape.
      reverse: whether to go from the last row to the first.
      name: str, the scope of the ops.

    Returns:
      Nest of tensors like `initializer`, or like `elems`, with one row for each row of `elems`.

    Raises:
      TypeError: `fn` is not callable.
      ValueError: a tensor is a scalar, or first dimensions differ.

    Example:
      >>> import tracefn as tf
      >>> tf.scan(lambda a, x: a + x, tf.constant([1, 2, 3])).numpy().tolist()
      [1, 3, 6]
    """
    del back_prop, swap_memory
    _check_callable(fn)
    with name_scope(name or "scan"):
        rows = _Rows(elems)
        value, first = _initial(rows, initializer, reverse)
        specs = [TensorSpec(t.shape if infer_shape else None, t.dtype) for t in nest.flatten(value)]
        arrays = [_output_array(spec, rows.length, infer_shape) for spec in specs]
        if initializer is None:
            arrays = _written(arrays, _place(rows, 0, reverse), value)

        def step(i, value, arrays):
            place = _place(rows, i, reverse)
            after = nest.map_structure(_core.convert_to_tensor, fn(value, rows.row(place)))
            nest.assert_same_structure(value, after)
            return i + 1, after, _written(arrays, place, after)

        _, _, arrays = while_loop(
            lambda i, *_: i < rows.length,
            step,
            (first, value, arrays),
            parallel_iterations=parallel_iterations,
            maximum_iterations=rows.length,
        )
        stacked = [_stacked(a, rows.static_length, spec.shape) for a, spec in zip(arrays, specs, strict=True)]
        return nest.pack_sequence_as(value, stacked)


class _Rows:
    """The rows of a nest of tensors, which all have the same number of rows.

    Args:
      elems: the nest.
      composites: whether there may be composite values; their rows go through the loop as variants.
    """

    def __init__(self, elems, composites: bool = False) -> None:
        self._elems = elems
        leaves = nest.flatten(elems)
        self._specs = [type_spec_from_value(x) if composites and _is_composite(x) else None for x in leaves]
        self.tensors = [
            _core.convert_to_tensor(x, name="elem") if spec is None else _rows_of(spec, x)
            for x, spec in zip(leaves, self._specs, strict=True)
        ]
        if not self.tensors:
            raise ValueError(
                "elems must be a Tensor or (possibly nested) sequence of Tensors. "
                f"Got {elems}, which does not contain any Tensors."
            )
        if any(t.shape.rank == 0 for t in self.tensors):
            raise ValueError("Elements in elems must be 1+ dimensional Tensors, not scalars")
        length = Dimension(None)
        for tensor in self.tensors:
            length = length.merge_with(tensor.shape[0] if tensor.shape.rank else None)
        self.static_length = length.value
        self.length = (
            _core.convert_to_tensor(self.static_length)
            if self.static_length is not None
            else (_shape(input=self.tensors[0])[0])
        )
        self._arrays = [
            TensorArray(
                t.dtype, size=self.length, dynamic_size=False, element_shape=t.shape[1:] if t.shape.rank else None
            ).unstack(t)
            for t in self.tensors
        ]

    def row(self, i):
        """Row i of each tensor, in the nest's structure."""
        found = [array.read(i) for array in self._arrays]
        found = [
            x if spec is None else spec._unbatch()._from_compatible_tensor_list([x])
            for x, spec in zip(found, self._specs, strict=True)
        ]
        return nest.pack_sequence_as(self._elems, found)

    def row_specs(self) -> list:
        """The dtype of each tensor; the spec of a row, whatever its shape, of each composite value."""
        specs = []
        for x, tensor, spec in zip(nest.flatten(self._elems), self.tensors, self._specs, strict=True):
            general = None if spec is None else x._shape_invariant_to_type_spec(TensorShape(None))
            specs.append(tensor.dtype if general is None else general._unbatch())
        return specs


def _is_composite(x) -> bool:
    return isinstance(x, CompositeTensor)


def _rows_of(spec, value):
    """A vector of variants with the rows of a composite value."""
    if not hasattr(spec, "_row_encoding"):
        raise TypeError(f"map_fn can not consume {spec} inputs: got {value!r}")
    (variants,) = spec._to_batched_tensor_list(value)
    return variants


def _spec_of_rows(spec):
    """What stands in an array for a result of this spec."""
    if not isinstance(spec, TypeSpec) or isinstance(spec, TensorSpec):
        return spec
    if not hasattr(spec, "_row_encoding"):
        raise TypeError(f"map_fn can not generate {spec} outputs")
    return spec._row_encoding


def _as_tensor(value, spec):
    """A result of the function as it stands in an array."""
    if not isinstance(spec, TypeSpec) or isinstance(spec, TensorSpec):
        return _core.convert_to_tensor(value)
    if not isinstance(value, (CompositeTensor, _core.Tensor)):
        value = _core.convert_to_tensor(value)
    if not spec.is_compatible_with(value):
        raise ValueError(
            f"Error in map_fn:\n  Expected `fn` to return a:\n    {spec}\n  But it returned a:\n    "
            f"{type_spec_from_value(value)}\n    (value={value})\n  To fix, update the `fn_output_signature` (or "
            "`dtype`) argument to `map_fn`."
        )
    (variant,) = spec._to_tensor_list(value)
    return variant


def _batch_of(spec, tensor, length):
    """The results in an array as one value."""
    if not isinstance(spec, TypeSpec) or isinstance(spec, TensorSpec):
        return tensor
    return spec._batch(length)._from_compatible_tensor_list([tensor])


def _fold(fn, elems, initializer, parallel_iterations, scope, reverse):
    _check_callable(fn)
    with name_scope(scope):
        rows = _Rows(elems)
        value, first = _initial(rows, initializer, reverse)

        def step(i, value):
            value = fn(value, rows.row(_place(rows, i, reverse)))
            return i + 1, nest.map_structure(_core.convert_to_tensor, value)

        _, value = while_loop(
            lambda i, _: i < rows.length,
            step,
            (first, value),
            parallel_iterations=parallel_iterations,
            maximum_iterations=rows.length,
        )
        return value


def _initial(rows: _Rows, initializer, reverse: bool):
    """(the initial value, the index of the first step)."""
    if initializer is None:
        return rows.row(_place(rows, 0, reverse)), _core.convert_to_tensor(1)
    return nest.map_structure(_core.convert_to_tensor, initializer), _core.convert_to_tensor(0)


def _place(rows: _Rows, i, reverse: bool):
    return rows.length - 1 - i if reverse else i


def _written(arrays, place, value) -> list:
    return [array.write(place, leaf) for array, leaf in zip(arrays, nest.flatten(value), strict=True)]


def _output_array(spec, length, infer_shape: bool) -> TensorArray:
    shape = spec.shape if isinstance(spec, TensorSpec) else None
    dtype = spec.dtype if isinstance(spec, TensorSpec) else as_dtype(spec)
    return TensorArray(dtype, size=length, dynamic_size=False, infer_shape=infer_shape, element_shape=shape)


def _stacked(array: TensorArray, length, element_shape):
    """The rows as one tensor; their known static shape is kept."""
    tensor = array.stack()
    if not executing_eagerly():
        tensor.set_shape(TensorShape([length]).concatenate(element_shape))
    return tensor


def _check_callable(fn) -> None:
    if not callable(fn):
        raise TypeError(f"The provided function {fn!r} is not callable. `fn` must be callable.")
