"""Transformations that group elements by a key: group_by_window, bucket_by_sequence_length."""

from __future__ import annotations

from typing import Any

from tracefn import _core
from tracefn.autograph.api import converted
from tracefn.data import _nest as nest
from tracefn.data import _structure as structure
from tracefn.data._base import DatasetBase, DatasetSpec, int64, unary
from tracefn.data._functions import ElementFunction, returns_scalar
from tracefn.framework import control_dependencies
from tracefn.ops.debugging import check_less
from tracefn.tensor_shape import TensorShape
from tracefn.tensor_spec import TensorSpec

_op = _core.raw_op
_WHAT = "Dataset.group_by_window()"


def scalar_function(function, element_spec, argument: str, transformation: str = _WHAT):
    """A traced function whose result becomes an int64 scalar."""
    target = converted(function)

    def as_int64(*args):
        return int64(target(*args))

    traced = ElementFunction(as_int64, transformation, element_spec)
    if not returns_scalar(traced, "int64"):
        raise ValueError(
            f"Invalid `{argument}`. `{argument}` must return a single `tf.int64` scalar tensor but its return "
            f"type is {traced.output_structure}."
        )
    return traced


class Grouping(DatasetBase):
    """The methods of `tf.data.Dataset` that group elements."""

    def group_by_window(self, key_func, reduce_func, window_size=None, window_size_func=None, name=None) -> Any:
        """Groups elements by a key; each full group becomes a dataset, which a function changes into elements.

        Args:
          key_func: callable that takes an element and returns an int64 scalar.
          reduce_func: callable that takes a key and a Dataset of up to `window_size` elements with it, and returns a Dataset.
          window_size: how many elements make a group.
          window_size_func: callable that takes a key and returns how many elements make a group; instead of `window_size`.
          name: name of the dataset, or None.

        Raises:
          ValueError: not one of `window_size` and `window_size_func` is given, or a function returns no int64 scalar.
          TypeError: `reduce_func` returns no Dataset.

        Example:
          >>> import tracefn as tf
          >>> grouped = tf.data.Dataset.range(6).group_by_window(lambda x: x % 2, lambda key, rows: rows.batch(3), window_size=3)
          >>> [batch.tolist() for batch in grouped.as_numpy_iterator()]
          [[0, 2, 4], [1, 3, 5]]
        """
        if (window_size is not None and window_size_func) or not (window_size is not None or window_size_func):
            raise ValueError("Either the `window_size` argument or the `window_size_func` argument must be specified.")
        scalar = TensorSpec([], "int64")
        sizes = window_size_func if window_size is None else lambda _: int64(window_size)
        key = scalar_function(key_func, self.element_spec, "key_func")
        reduced = ElementFunction(reduce_func, _WHAT, (scalar, DatasetSpec(self.element_spec)))
        if not isinstance(reduced.output_structure, DatasetSpec):
            raise TypeError(
                "Invalid `reduce_func`. `reduce_func` must return a single `tf.data.Dataset` object but its return "
                f"type is {reduced.output_structure}."
            )
        size = scalar_function(sizes, scalar, "window_size_func")
        return unary(
            "_GroupByWindowDataset",
            "GroupByWindowDataset",
            self,
            reduced.output_structure.element_spec,
            name,
            key_func_other_arguments=key.captured,
            reduce_func_other_arguments=reduced.captured,
            window_size_func_other_arguments=size.captured,
            key_func=key.graph_function,
            reduce_func=reduced.graph_function,
            window_size_func=size.graph_function,
        )

    def bucket_by_sequence_length(
        self,
        element_length_func,
        bucket_boundaries,
        bucket_batch_sizes,
        padded_shapes=None,
        padding_values=None,
        pad_to_bucket_boundary=False,
        no_padding=False,
        drop_remainder=False,
        name=None,
    ) -> Any:
        """Padded batches of elements of similar length.

        Args:
          element_length_func: callable that takes an element and returns its length, int32.
          bucket_boundaries: list of ints: where lengths are divided into buckets.
          bucket_batch_sizes: list of ints: the batch size of each bucket.
          padded_shapes, padding_values: as in `padded_batch`.
          pad_to_bucket_boundary: whether batches are padded to the largest length of their bucket.
          no_padding: whether batches are not padded: all their elements have the same shape.
          drop_remainder: whether batches of fewer elements are left out at the end.
          name: name of the dataset, or None.

        Raises:
          ValueError: there is not one batch size more than there are boundaries.

        Example:
          >>> import tracefn as tf
          >>> dataset = tf.data.Dataset.range(1, 5).map(lambda n: tf.fill([n], n))
          >>> batches = dataset.bucket_by_sequence_length(lambda x: tf.shape(x)[0], [3], [2, 2])
          >>> [batch.tolist() for batch in batches.as_numpy_iterator()]
          [[[1, 0], [2, 2]], [[3, 3, 3, 0], [4, 4, 4, 4]]]
        """
        if len(bucket_batch_sizes) != len(bucket_boundaries) + 1:
            raise ValueError(
                "`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but "
                f"`len(bucket_batch_sizes)={len(bucket_batch_sizes)}` and "
                f"`len(bucket_boundaries)={len(bucket_boundaries)}`."
            )
        sizes, boundaries = int64(list(bucket_batch_sizes)), list(bucket_boundaries)

        def bucket_of(*element):
            length = element_length_func(*element)
            least = _core.convert_to_tensor([-(2**31), *boundaries], dtype="int32")
            most = _core.convert_to_tensor([*boundaries, 2**31 - 1], dtype="int32")
            inside = _op("LogicalAnd")(x=_op("LessEqual")(x=least, y=length), y=_op("Less")(x=length, y=most))
            return _op("Min")(input=_op("Where")(condition=inside), reduction_indices=[0, 1])

        def size_of(bucket):
            return sizes[bucket]

        def batches_of(bucket, rows):
            size = size_of(bucket)
            if no_padding:
                return rows.batch(size, drop_remainder=drop_remainder, name=name)
            filler = None
            if pad_to_bucket_boundary:
                text = "When pad_to_bucket_boundary=True, elements must have length < max(bucket_boundaries)."
                with control_dependencies([check_less(bucket, int64(len(bucket_batch_sizes) - 1), message=text)]):
                    filler = int64(boundaries)[bucket] - 1
            shapes = structure.shapes_of(rows.element_spec) if padded_shapes is None else padded_shapes
            return rows.padded_batch(
                size,
                _filled(shapes, rows.element_spec, filler),
                padding_values,
                drop_remainder=drop_remainder,
                name=name,
            )

        return self.group_by_window(bucket_of, batches_of, window_size_func=size_of, name=name)


def _filled(shapes, element_spec, filler):
    """Padded shapes with a size in place of those that are not known."""

    def fill(shape):
        sizes = [filler if size is None else size for size in TensorShape(shape).as_list()]
        return sizes if filler is None else _op("Pack")(values=[int64(size) for size in sizes])

    return nest.map_structure_up_to(element_spec, fill, shapes)
