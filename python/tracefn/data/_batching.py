"""Transformations between elements and batches: batch, padded, ragged and sparse batches, unbatch, rebatch, window."""

from __future__ import annotations

from typing import Any

from tracefn import _core
from tracefn import _numpy as np
from tracefn._static_value import static_python_value
from tracefn.data import _nest as nest
from tracefn.data import _structure as structure
from tracefn.data._base import DatasetBase, DatasetSpec, boolean, emit, int64, made, unary
from tracefn.data._mapping import determinism, is_sequential
from tracefn.framework import get_static_value
from tracefn.tensor_shape import TensorShape, as_shape
from tracefn.tensor_spec import TensorSpec

_tensor = _core.convert_to_tensor


def _static_size(batch_size, drop_remainder):
    """The static first dimension of batches: known if all are full."""
    return static_python_value(batch_size) if static_python_value(drop_remainder) else None


def normalized_to_dense(dataset):
    """A dataset whose elements, batches, consist of dense tensors whose rows stand for the rows of the batches."""
    spec = dataset.element_spec

    def normalize(*parts):
        element = parts if type(spec) is tuple else parts[0]
        return tuple(structure.to_tensors(spec, element, batched=True))

    mapped = dataset.map(normalize)
    return made("_RestructuredDataset", mapped._variant_tensor, spec, [mapped])


class Batching(DatasetBase):
    """The methods of `tf.data.Dataset` that make batches, and take them apart."""

    def batch(self, batch_size, drop_remainder=False, num_parallel_calls=None, deterministic=None, name=None) -> Any:
        """Consecutive elements, stacked along a new first axis.

        Args:
          batch_size: how many elements make a batch.
          drop_remainder: whether a last batch of fewer elements is left out.
          num_parallel_calls: how many batches are worked on at a time; None: one.
          deterministic: whether batches come in order; None: as the dataset's options say.
          name: name of the dataset, or None.

        Raises:
          InvalidArgumentError: `batch_size` is not positive; in iterations: elements of a batch differ in shape.

        Example:
          >>> import tracefn as tf
          >>> [batch.tolist() for batch in tf.data.Dataset.range(5).batch(2).as_numpy_iterator()]
          [[0, 1], [2, 3], [4]]
        """
        size, drop = int64(batch_size, "batch_size"), boolean(drop_remainder, "drop_remainder")
        spec = structure.batched(self.element_spec, _static_size(size, drop))
        if is_sequential(num_parallel_calls, deterministic):
            batches = unary("_BatchDataset", "BatchDatasetV2", self, spec, name, batch_size=size, drop_remainder=drop)
        else:
            batches = unary(
                "_ParallelBatchDataset",
                "ParallelBatchDataset",
                self,
                spec,
                name,
                batch_size=size,
                drop_remainder=drop,
                num_parallel_calls=int64(num_parallel_calls, "num_parallel_calls"),
                deterministic=determinism(deterministic),
            )
        batches._batch_size = size
        return batches

    def padded_batch(self, batch_size, padded_shapes=None, padding_values=None, drop_remainder=False, name=None) -> Any:
        """Consecutive elements, padded to the same shape and stacked along a new first axis.

        Args:
          batch_size: how many elements make a batch.
          padded_shapes: nest like the elements, of shapes; a size None or -1 is the largest in the batch. None: all sizes
            that are not known.
          padding_values: nest like the elements, of scalars; or one scalar for all; None: 0, or "" for strings.
          drop_remainder: whether a last batch of fewer elements is left out.
          name: name of the dataset, or None.

        Raises:
          ValueError: a rank is not known, or a shape is too small.
          TypeError: elements are no tensors, or a padding value has another dtype.

        Example:
          >>> import tracefn as tf
          >>> dataset = tf.data.Dataset.range(1, 4).map(lambda x: tf.fill([x], x))
          >>> [batch.tolist() for batch in dataset.padded_batch(2).as_numpy_iterator()]
          [[[1, 0], [2, 2]], [[3, 3, 3]]]
        """
        element_spec = self.element_spec
        if padded_shapes is None:
            padded_shapes = structure.shapes_of(element_spec)
            for i, shape in enumerate(nest.flatten(padded_shapes)):
                if isinstance(shape, TensorShape) and shape.rank is None:
                    raise ValueError(
                        f"You must provide `padded_shapes` argument because component {i} has unknown rank."
                    )
        specs = nest.flatten(element_spec)
        for spec in specs:
            _require_tensor(spec)
        size, drop = int64(batch_size, "batch_size"), boolean(drop_remainder, "drop_remainder")
        shapes = [
            _padded_shape(shape, spec.shape)
            for shape, spec in zip(nest.flatten_up_to(element_spec, padded_shapes), specs, strict=True)
        ]
        values = _padding_values(padding_values, element_spec)
        first = TensorShape([_static_size(size, drop)])
        batches = [
            TensorSpec(first.concatenate(static), spec.dtype) for (_, static), spec in zip(shapes, specs, strict=True)
        ]
        padded = unary(
            "_PaddedBatchDataset",
            "PaddedBatchDatasetV2",
            self,
            nest.pack_sequence_as(element_spec, batches),
            name,
            batch_size=size,
            padded_shapes=[shape for shape, _ in shapes],
            padding_values=values,
            drop_remainder=drop,
        )
        padded._batch_size = size
        return padded

    def ragged_batch(self, batch_size, drop_remainder=False, row_splits_dtype="int64", name=None) -> Any:
        """Consecutive elements as the rows of RaggedTensors, where their shape is not fully known.

        Args:
          batch_size: how many elements make a batch.
          drop_remainder: whether a last batch of fewer elements is left out.
          row_splits_dtype: dtype of the row partitions, int32 or int64.
          name: name of the dataset, or None.

        Example:
          >>> import tracefn as tf
          >>> dataset = tf.data.Dataset.range(3).map(lambda x: tf.range(x))
          >>> [batch.to_list() for batch in dataset.ragged_batch(2)]
          [[[], [0]], [[0, 1]]]
        """
        from tracefn.ops.ragged import RaggedTensor, RaggedTensorSpec  # start-up time: few datasets are ragged

        def ragged_spec(spec):
            if not isinstance(spec, TensorSpec) or spec.shape.rank is None or spec.shape.is_fully_defined():
                return spec
            rank = max(axis for axis, size in enumerate(spec.shape.as_list()) if size is None)
            return RaggedTensorSpec(spec.shape, spec.dtype, rank, row_splits_dtype)

        def variant(value):
            spec = ragged_spec(structure.spec_of_leaf(value))
            if not isinstance(spec, RaggedTensorSpec) or not isinstance(value, _core.Tensor):
                return value
            if spec.ragged_rank > 0:
                value = RaggedTensor.from_tensor(value, ragged_rank=spec.ragged_rank)
            return spec._to_tensor_list(value)[0]

        def encode(*parts):
            return nest.map_structure(variant, parts if type(self.element_spec) is tuple else parts[0])

        spec = nest.map_structure(ragged_spec, self.element_spec)
        mapped = self.map(encode)  # type: ignore[attr-defined]
        rows: Any = made("_DenseToRaggedDataset", mapped._variant_tensor, spec, [self])
        return rows.batch(batch_size, drop_remainder, name=name)

    def sparse_batch(self, batch_size, row_shape, name=None) -> Any:
        """Consecutive tensors as the rows of SparseTensors.

        Args:
          batch_size: how many elements make a batch.
          row_shape: the dense shape of the rows; -1 or None: the largest size in the batch.
          name: name of the dataset, or None.

        Raises:
          TypeError: the elements are not single tensors.

        Example:
          >>> import tracefn as tf
          >>> dataset = tf.data.Dataset.range(1, 3).map(lambda x: tf.fill([x], x))
          >>> [tf.sparse.to_dense(batch).numpy().tolist() for batch in dataset.sparse_batch(2, [3])]
          [[[1, 0, 0], [2, 2, 0]]]
        """
        from tracefn.ops.sparse.tensor import SparseTensorSpec  # start-up time: few datasets are sparse

        if not isinstance(self.element_spec, TensorSpec):
            raise TypeError(
                "`dense_to_sparse_batch` requires an input dataset whose elements have a single component, but the "
                f"given dataset has the following component types: {structure.dtypes_of(self.element_spec)}."
            )
        shape, static = _padded_shape(row_shape, TensorShape(None))
        spec = SparseTensorSpec(TensorShape([None]).concatenate(static), self.element_spec.dtype)
        variant = emit(
            "DenseToSparseBatchDataset",
            spec,
            name,
            input_dataset=self._variant_tensor,
            batch_size=int64(batch_size),
            row_shape=shape,
        )
        return made("_DenseToSparseBatchDataset", variant, spec, [self])

    def unbatch(self, name=None) -> Any:
        """The rows of the elements.

        Args:
          name: name of the dataset, or None.

        Raises:
          ValueError: an element has scalars, or tensors with different first dimensions.

        Example:
          >>> import tracefn as tf
          >>> [int(x) for x in tf.data.Dataset.from_tensor_slices([[1, 2], [3, 4]]).unbatch()]
          [1, 2, 3, 4]
        """
        dense = normalized_to_dense(self)
        known: Any = None
        for shape in structure.flat_shapes(dense.element_spec):
            if shape.rank == 0:
                raise ValueError("Cannot unbatch an input with scalar components.")
            size = shape[0] if shape.rank else None
            if size is not None and known is not None and size != known:
                raise ValueError(
                    "`unbatch()` is only supported for datasets of elements whose components have a matching "
                    f"leading dimension. Encountered both {known} and {size}."
                )
            known = size if known is None else known
        return unary("_UnbatchDataset", "UnbatchDataset", dense, structure.unbatched(dense.element_spec), name)

    def rebatch(self, batch_size, drop_remainder=False, name=None) -> Any:
        """The rows of batches in batches of other sizes.

        Args:
          batch_size: int64 scalar, or a vector of sizes that are used in turn.
          drop_remainder: whether a last batch of fewer rows is left out.
          name: name of the dataset, or None.

        Raises:
          ValueError: an element has scalars.

        Example:
          >>> import tracefn as tf
          >>> dataset = tf.data.Dataset.range(6).batch(2)
          >>> [batch.tolist() for batch in dataset.rebatch(4).as_numpy_iterator()]
          [[0, 1, 2, 3], [4, 5]]
        """
        sizes, drop = int64(batch_size, "batch_sizes"), boolean(drop_remainder, "drop_remainder")
        first = _rebatched_size(self.element_spec, get_static_value(sizes), get_static_value(drop))
        spec = nest.map_structure(lambda part: part._unbatch()._batch(first), self.element_spec)
        dense = normalized_to_dense(self)
        variant = emit(
            "RebatchDatasetV2", spec, name, input_dataset=dense._variant_tensor, batch_sizes=sizes, drop_remainder=drop
        )
        return made("_RebatchDataset", variant, spec, [self])

    def window(self, size, shift=None, stride=1, drop_remainder=False, name=None) -> Any:
        """Datasets of consecutive elements.

        Args:
          size: how many elements make a window.
          shift: how many elements further the next window begins; None: `size`.
          stride: the distance between the elements of a window.
          drop_remainder: whether a last window of fewer elements is left out.
          name: name of the dataset, or None.

        Raises:
          InvalidArgumentError: a number is not positive.

        Example:
          >>> import tracefn as tf
          >>> [[int(x) for x in window] for window in tf.data.Dataset.range(5).window(3, shift=2)]
          [[0, 1, 2], [2, 3, 4], [4]]
        """
        return unary(
            "_WindowDataset",
            "WindowDataset",
            self,
            nest.map_structure(DatasetSpec, self.element_spec),
            name,
            size=int64(size, "size"),
            shift=int64(size if shift is None else shift, "shift"),
            stride=int64(stride, "stride"),
            drop_remainder=boolean(drop_remainder, "drop_remainder"),
        )


def _require_tensor(spec) -> None:
    if isinstance(spec, DatasetSpec):
        raise TypeError("`padded_batch` is not supported for datasets of datasets")
    if not isinstance(spec, TensorSpec):
        raise TypeError(
            "`padded_batch` is only supported for datasets that produce tensor elements but type spec of elements "
            f"in the input dataset is not a subclass of TensorSpec: `{spec}`."
        )


def _padded_shape(given, element_shape: TensorShape):
    """(a padded shape as an int64 vector, what is known of it), for elements of some shape."""
    try:
        sizes = [None if size in (None, -1) else size for size in _sizes_of(given)]
        static = as_shape(sizes)
        tensor = int64([-1 if size is None else size for size in static.as_list()])
    except (TypeError, ValueError):
        tensor = _tensor(given, dtype_hint="int64")
        if tensor.shape.rank not in (None, 1):
            raise ValueError(
                f"Padded shape {given} must be a `tf.int64` vector tensor, but its shape was {tensor.shape}."
            ) from None
        if tensor.dtype.name != "int64":
            raise TypeError(
                f"Padded shape {given} must be a `tf.int64` vector tensor, but its element type was "
                f"{tensor.dtype.name}."
            ) from None
        static = _static_shape(tensor)
    if not _fits(static, element_shape):
        raise ValueError(
            f"The padded shape {static} is not compatible with the shape {element_shape} of the corresponding "
            "input component."
        )
    return tensor, static


def _sizes_of(given) -> list:
    """The sizes of a shape given as a TensorShape, a list of sizes, or one size.

    Raises:
      TypeError: it is a tensor in a graph, or a list with tensors in it.
      ValueError: its rank is not known, or a tensor has negative sizes.
    """
    if isinstance(given, _core.SymbolicTensor) or np.is_array(given):
        raise TypeError("a tensor")
    if isinstance(given, _core.Tensor):
        given = as_shape(given)
    shape = given if isinstance(given, TensorShape) else None
    sizes = shape.as_list() if shape is not None else [given] if isinstance(given, int) else list(given)
    if any(isinstance(size, _core.Tensor) for size in sizes):
        raise TypeError("a list of tensors")
    return sizes


def _static_shape(tensor) -> TensorShape:
    known = static_python_value(tensor)
    if known is not None:
        return TensorShape([None if size == -1 else size for size in known])
    return (
        TensorShape(None)
        if tensor.shape.rank is None or tensor.shape[0] is None
        else TensorShape([None] * tensor.shape[0])
    )


def _fits(padded: TensorShape, element: TensorShape) -> bool:
    if padded.rank is None or element.rank is None:
        return True
    sizes = zip(padded.as_list(), element.as_list(), strict=False)
    return padded.rank == element.rank and all(p is None or e is None or p >= e for p, e in sizes)


def _padding_values(given, element_spec) -> list:
    """The scalar with which each tensor is padded."""
    specs = nest.flatten(element_spec)
    if given is None or not nest.is_nested(given):
        values = [given] * len(specs)
    else:
        nest.map_structure_up_to(given, lambda value, spec: None, given, element_spec)  # says what differs
        values = nest.flatten_up_to(element_spec, given)
    return [_padding_value(value, spec.dtype) for value, spec in zip(values, specs, strict=True)]


def _padding_value(value, dtype):
    if value is None:
        if dtype.name == "variant":
            raise TypeError("Unable to create default padding value for a component of type 'variant'.")
        return _tensor("" if dtype.name == "string" else np.zeros((), dtype.as_numpy_dtype), dtype=dtype)
    tensor = _tensor(value, name="padding_value")
    if not tensor.shape.is_compatible_with([]):
        raise ValueError(
            f"Invalid `padding_values`. `padding_values` values should be scalars, but got {tensor.shape}."
        )
    if tensor.dtype != dtype:
        raise TypeError(
            f"Invalid `padding_values`. `padding_values` values type {tensor.dtype} does not match type {dtype} "
            "of the corresponding input component."
        )
    return tensor


def _rebatched_size(element_spec, sizes, drop_remainder):
    """The static first dimension of what rebatch returns."""
    if sizes is None:
        return None
    if sizes.ndim > 1:
        raise ValueError(
            "Invalid `batch_sizes`. Expected `batch_sizes` to be a scalar or a vector. Received `batch_sizes` of "
            f"rank {sizes.ndim}."
        )
    if sizes.ndim == 1:
        if sizes.size == 0 or not (sizes == sizes[0]).all():
            return None
        sizes = sizes[0]
    size = int(sizes)
    if drop_remainder:
        return size
    known = [first for first in map(_first_size, nest.flatten(element_spec)) if first is not None]
    if not known:
        return None
    if any(first != known[0] for first in known):
        raise ValueError(
            f"Invalid `input_dataset.` The batch dimension of component 0 is {known[0]}, while the batch "
            f"dimension of component i is {known}."
        )
    return size if size and known[0] % size == 0 else None


def _first_size(spec):
    shape = getattr(spec, "shape", None)
    if not isinstance(shape, TensorShape) or shape.rank is None:
        return None
    if shape.rank < 1:
        raise ValueError(
            "Invalid `batch_sizes`. Expected dataset with rank of >= 1 but found a dataset with scalar elements. "
            "Fix the issue by adding the `batch` transformation to the dataset."
        )
    return shape[0]
